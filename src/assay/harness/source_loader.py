"""Modules from their source alone: byte code beside a file may be that of an earlier text of the same size."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

__all__ = ["load_source", "source_spec"]


class _SourceLoader(SourceFileLoader):
    """Compiles what was digested; neither reads nor writes byte code."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def source_spec(name: str, path: Path, *, locations: Sequence[str] | None = None) -> ModuleSpec:
    """How to import a file under a name; ``locations`` make it a package."""
    spec = importlib.util.spec_from_file_location(
        name,
        path,
        loader=_SourceLoader(name, str(path)),
        submodule_search_locations=None if locations is None else [*locations],
    )
    assert spec is not None  # with a loader there always is one
    return spec


def load_source(name: str, path: Path) -> ModuleType:
    """Import a file under a name, whatever module has that name already. Runs its code."""
    spec = source_spec(name, path)
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
