"""A folder of documents read once: an index on disk, by content, spares unchanged files the second reading."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from assay.core import InvalidInput, canonical_json, digest_bytes
from assay.core.files.folders import is_file, walk
from assay.core.files.near import near_path
from assay.drift.documents.document import Corpus, Document, Trouble, make_document
from assay.drift.documents.formats import FORMATS, page_texts

__all__ = ["Progress", "read_corpus", "read_document"]

Progress = Callable[[int, int, str], None]

_SCHEMA = 1


def read_corpus(
    folder: str | os.PathLike[str], *, index: str | os.PathLike[str] | None = None, progress: Progress | None = None
) -> Corpus:
    """Read every document below a folder; what cannot be read is listed in ``troubles``.

    Parameters
    ----------
    folder : str or PathLike
        The folder.
    index : str or PathLike, optional
        A folder for extracted texts, by digest of the file's content: a file that did not change is not extracted
        again, whatever its name. One that cannot be written is left as it is.
    progress : callable, optional
        Called with the number of files done, their total and the name.

    Returns
    -------
    Corpus
        The documents in the order of their names.

    Raises
    ------
    InvalidInput
        The folder does not exist, or holds no readable document.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "2020-03-02_New_Rule.txt").write_text("It applies from 16 March 2020.")
    ...     read_corpus(folder)
    Corpus(1 document, issued 2020-03-02 to 2020-03-02)
    """
    root = Path(folder)
    if not root.is_dir():
        state = "is a file" if root.is_file() else "does not exist"
        raise InvalidInput(
            f"documents folder {str(root)!r} {state}: give a folder of {', '.join(FORMATS)} files.{near_path(root)}"
        )
    paths = sorted(path for path in walk(root) if is_file(path) and not _hidden(path.relative_to(root)))
    store = None if index is None else Path(index)
    documents: list[Document] = []
    troubles: list[Trouble] = []
    for number, path in enumerate(paths, start=1):
        name = path.relative_to(root).as_posix()
        try:
            if not path.resolve().is_relative_to(root.resolve()):
                raise InvalidInput(f"document {name!r} is a link to a place outside the folder: copy the file here.")
            documents.append(_read(name, path.read_bytes(), store))
        except InvalidInput as error:
            troubles.append(Trouble(name, str(error)))
        except OSError as error:
            troubles.append(Trouble(name, f"document {name!r} cannot be opened: {error.strerror or error}."))
        if progress is not None:
            progress(number, len(paths), name)
    if not documents:
        why = f" First problem: {troubles[0].message}" if troubles else " It is empty."
        raise InvalidInput(f"no readable document in {str(root)!r}.{why}")
    return Corpus(documents=tuple(documents), troubles=tuple(troubles))


def read_document(path: str | os.PathLike[str]) -> Document:
    """One document from a file."""
    source = Path(path)
    if not source.is_file():
        raise InvalidInput(f"document {str(source)!r} does not exist.")
    return _read(source.name, source.read_bytes(), None)


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "~$")) for part in path.parts)


def _read(name: str, data: bytes, store: Path | None) -> Document:
    digest = digest_bytes(data)
    cached = None if store is None else store / f"{digest}{Path(name).suffix.lower()}.json"
    pages = None if cached is None else _recall(cached)
    if pages is None:
        pages = page_texts(name, data)
        if cached is not None:
            _keep(cached, pages)
    return make_document(name, pages, digest=digest)


def _recall(path: Path) -> list[str] | None:
    """The pages kept in a file; None when there are none, or when they were written by another version."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(content, dict) or content.get("schema") != _SCHEMA:
        return None
    pages = content.get("pages")
    return pages if isinstance(pages, list) and all(isinstance(page, str) for page in pages) else None


def _keep(path: Path, pages: list[str]) -> None:
    """Write the pages where that is possible: without them a document is extracted again, not lost."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_text(canonical_json({"schema": _SCHEMA, "pages": pages}), encoding="utf-8")
        part.replace(path)
