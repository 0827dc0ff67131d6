"""A Python value as a file: with the source it needs, so that it runs confined as any file does."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

from assay.core import InvalidInput
from assay.core.files.digest import digest_bytes, digest_json
from assay.harness.callables.arrays import emit_array, emit_table
from assay.harness.callables.classes import emit_class
from assay.harness.callables.functions import emit_function, emit_imported, emit_method, emit_module, emit_wrapped
from assay.harness.callables.loaded import demand_as_on_disk
from assay.harness.callables.secret_values import demand_no_secrets
from assay.harness.callables.unavailable import SourceUnavailable, Use
from assay.harness.callables.values import emit_constructed, emit_container, emit_plain, emit_restored
from assay.harness.callables.writing import Findings, Writer

__all__ = ["capture", "content_folder"]

_EMITTERS: Final = (
    *(emit_plain, emit_module, emit_imported, emit_wrapped, emit_method, emit_function, emit_class),
    *(emit_container, emit_array, emit_table, emit_constructed, emit_restored),
)
_MOST_PASSES: Final = 6


def capture(value: object, folder: Path, *, name: str) -> Path:
    """Write a Python file into ``folder`` whose object ``subject`` is the value, with all the source and data it needs.

    Functions and classes of scripts and notebooks are written from their source, objects of installed packages are
    imported, the user's own modules are copied, data become literals or files. Equal values give equal files, in a
    folder named after the value and its content.

    Parameters
    ----------
    value
        A function, lambda, class, instance, bound method, partial, estimator, or plain data.
    folder
        Where to write; it is made if need be. Folders that earlier calls wrote stay as they are.
    name
        What to call the value in messages and in the name of its folder.

    Returns
    -------
    Path
        The Python file.

    Raises
    ------
    SourceUnavailable
        If the source of the value, or of something that it uses, is not available; the message names it and the remedy.

    """
    try:
        writer, text = _write(value, name)
    except InvalidInput as error:
        error.args = (f"{name!r}: {str(error).removeprefix(f'{name}: ')}",)
        raise
    except RecursionError:
        raise SourceUnavailable(repr(name), "it is nested too deeply") from None
    demand_no_secrets(repr(name), text)
    file = "subject.py" if "subject.py" not in writer.modules else "captured_subject.py"
    contents = {file: text.encode("utf-8", "surrogatepass"), **writer.data}
    contents.update({path: source.read_bytes() for path, source in writer.modules.items()})
    return content_folder(folder, name, contents) / file


def _write(value: object, name: str) -> tuple[Writer, str]:
    findings = Findings()
    passes = []  # kept: what a pass knows by id must not be given its id to something else
    for _ in range(_MOST_PASSES):
        passes.append(writer := Writer(_EMITTERS, findings))
        text = writer.text(writer.emit(value, Use(name)))
        if writer.findings == findings:
            for path, source in writer.modules.items():
                demand_as_on_disk(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."), source)
            return writer, text
        findings = writer.findings
    raise SourceUnavailable(name, "its parts refer to each other in a way that cannot be serialized")


def content_folder(folder: Path, name: str, contents: dict[str, bytes]) -> Path:
    """A folder inside ``folder``, named after its content; one that is there already is left as it is."""
    digest = digest_json({path: digest_bytes(content) for path, content in contents.items()})
    target = folder.resolve() / f"{re.sub(r'[^0-9A-Za-z_.-]+', '-', name).strip('-.')[:60] or 'value'}-{digest[:12]}"
    if target.is_dir():
        return target
    draft = target.with_name(f".{target.name}")
    shutil.rmtree(draft, ignore_errors=True)
    for path, content in contents.items():
        (draft / path).parent.mkdir(parents=True, exist_ok=True)
        (draft / path).write_bytes(content)
    draft.rename(target)
    return target
