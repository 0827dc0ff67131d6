"""The pages under their addresses, and the stream of news."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core import AnyTrack, InvalidInput, MissingExtra
from assay.core.files.folders import user_path
from assay.report.page.environment import environment, page_parts
from assay.report.page.views import slug
from assay.serve.folder import ServedFolder
from assay.serve.guard import Application, Guard

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["make_app"]

LOOK = 0.5  # seconds between two checks of a store while a page listens
STILL_HERE = 15.0  # seconds without news after which a comment line keeps the connection open


def make_app(
    results: Sequence[str | Path],
    *,
    token: str,
    host: str = "127.0.0.1",
    truth: bool = True,
    tracks: Mapping[str, AnyTrack] | None = None,
) -> Application:
    """The web application that shows results folders to those who have the token; it reads and never writes.

    Parameters
    ----------
    results : sequence of str or Path
        Results folders, which need not exist yet, or exports.
    token : str
        The first part of every address; any other address is not found.
    host : str
        The address that the server listens on: requests under other names are refused.
    truth : bool
        Whether the pages show the truth of problems and the notes of examination.
    tracks : mapping, optional
        Tracks that add to the installed ones or replace them, by name.

    Returns
    -------
    Application
        To be run by a server of ASGI applications, such as uvicorn.

    Raises
    ------
    InvalidInput
        No results are named, or starlette is not installed.
    """
    try:
        from starlette.applications import Starlette
        from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, StreamingResponse
        from starlette.routing import Route
    except ImportError:
        raise MissingExtra("The local web view", "starlette", "serve") from None
    if not results:
        raise InvalidInput("no results to serve: name a results folder, or several.")
    folders = _folders([user_path(entry) for entry in results], truth=truth, tracks=tracks)

    def page(text: str | None) -> Response:
        if text is None:
            return PlainTextResponse("Not found", status_code=404)
        # the page's own policy allows its script by its hash; this one is for what a page cannot forbid itself
        return HTMLResponse(
            text.encode("utf-8", errors="backslashreplace"),
            headers={"Content-Security-Policy": "frame-ancestors 'none'"},
        )

    def pages(make: Callable[[ServedFolder, Request], str | None]) -> Callable[[Request], Awaitable[Response]]:
        """A handler that returns a page of the requested folder."""

        async def answer(request: Request) -> Response:
            folder = folders.get(request.path_params["name"])
            return page(None if folder is None else await asyncio.to_thread(make, folder, request))

        return answer

    async def folder_list(request: Request) -> Response:
        if len(folders) == 1:
            return RedirectResponse(f"{next(iter(folders))}/", status_code=307)
        template = environment().get_template("folders.html.j2")
        return page(template.render(**page_parts("theme.js"), folders=folders.values()))

    async def events(request: Request) -> Response:
        folder = folders.get(request.path_params["name"])
        return page(None) if folder is None else StreamingResponse(_news(folder), media_type="text/event-stream")

    application: Any = Starlette(
        routes=[
            Route("/", folder_list),
            Route("/{name}/", pages(lambda folder, _: folder.report())),
            Route("/{name}/history", pages(lambda folder, _: folder.history())),
            Route("/{name}/events", events),
            Route("/{name}/cell/{key}", pages(lambda folder, request: folder.cell(request.path_params["key"]))),
        ]
    )
    application.router.redirect_slashes = False  # a redirect would tell an address without its token
    return Guard(application, token=token, host=host)


async def _news(folder: ServedFolder) -> AsyncIterator[str]:
    """The number of the newest edition, at once and whenever there is a newer one."""
    newest, silent = 0, 0.0
    while True:
        edition = folder.edition()
        if edition != newest:
            newest, silent = edition, 0.0
            yield f"data: {edition}\n\n"
        elif silent >= STILL_HERE:
            silent = 0.0
            yield ": still here\n\n"
        await asyncio.sleep(LOOK)
        silent += LOOK


def _folders(paths: Sequence[Path], *, truth: bool, tracks: Mapping[str, AnyTrack] | None) -> dict[str, ServedFolder]:
    names: list[str] = []
    for path in paths:
        names.append(slug(path.resolve().name, names))
    above = (("all results", "../"),) if len(paths) > 1 else ()
    return {
        name: ServedFolder(path, name, truth=truth, links=(("runs", "history"), *above), tracks=tracks)
        for name, path in zip(names, paths, strict=True)
    }
