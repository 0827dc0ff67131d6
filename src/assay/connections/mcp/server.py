"""The desk as a server of the Model Context Protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from assay.connections.mcp.desk import Desk
from assay.core import AssayError, MissingExtra, plain
from assay.version import __version__

if TYPE_CHECKING:
    from mcp.server import MCPServer

__all__ = ["make_server"]

T = TypeVar("T")

_INSTRUCTIONS = """Problems with a hidden truth. list_problems names them; get_task gives one with its files and says
what an answer is; try_functions (insight) and try_formulas (formula) work on training data and cost nothing; submit
submits an answer. Submissions are few and the last one of a problem counts; a problem without one counts as failed."""


def make_server(desk: Desk) -> MCPServer[Any]:
    """A server that offers what the desk does; ``run("stdio")`` serves.

    Parameters
    ----------
    desk : Desk
        The problems and the rules.

    Returns
    -------
    mcp.server.MCPServer
        With the tools list_problems, get_task, try_functions, try_formulas, submit and my_scores.

    Raises
    ------
    MissingExtra
        The package ``mcp`` is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     make_server(Desk([("formula", "exact-3")], Path(folder))).name
    'assay'
    """
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:
        raise MissingExtra("The MCP server", "mcp", "mcp") from None

    server: MCPServer[Any] = MCPServer("assay", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING")
    # one thread for all calls, one after the other: children of a thread that ends would end with it
    thread = ThreadPoolExecutor(1, "desk")

    async def reply(call: Callable[[], T]) -> str:
        try:
            result = await asyncio.get_running_loop().run_in_executor(thread, call)
        except AssayError as error:
            raise ToolError(str(error)) from None
        return json.dumps(plain(result), ensure_ascii=False, indent=1)

    @server.tool(structured_output=False)
    async def list_problems() -> str:
        """The problems, and how many submissions are left for each."""
        return await reply(desk.problems)

    @server.tool(structured_output=False)
    async def get_task(problem: str) -> str:
        """A problem's task: what is asked, what an answer is, its files; long tables by their path in a folder."""
        return await reply(partial(desk.task, problem))

    @server.tool(structured_output=False)
    async def try_functions(problem: str, functions: list[dict[str, str]]) -> str:
        """Run feature functions, each {"name": ..., "code": ...}, on the training rows of an insight problem."""
        pairs = [(entry.get("name", ""), entry.get("code", "")) for entry in functions]
        return await reply(partial(desk.try_functions, problem, pairs))

    @server.tool(structured_output=False)
    async def try_formulas(problem: str, formulas: list[str]) -> str:
        """Fit of formulas on the training tables of a formula problem."""
        return await reply(partial(desk.try_formulas, problem, formulas))

    @server.tool(structured_output=False)
    async def submit(problem: str, answer: dict[str, Any]) -> str:
        """Submit an answer, the JSON object that get_task describes. Counted; the last one of a problem counts."""
        return await reply(partial(desk.submit, problem, answer))

    @server.tool(structured_output=False)
    async def my_scores() -> str:
        """What may be known of your own answers so far."""
        return await reply(desk.scores)

    return server
