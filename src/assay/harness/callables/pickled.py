"""Values whose source is not available: pickled by value, for subjects that run without isolation."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from assay.core import InvalidInput, SubjectFailed
from assay.harness.callables.capture import content_folder
from assay.harness.callables.origins import is_installed

__all__ = ["load_pickled", "pickle_subject"]


def pickle_subject(value: object, folder: Path, *, name: str) -> Path:
    """Write a value into ``folder`` as a pickle that holds the user's own functions and classes too.

    It can only run with ``isolation="none"``, and its digest is that of its bytes, which other Python versions, and
    sometimes other processes, write differently: prefer ``capture``.

    Parameters
    ----------
    value
        What to pickle.
    folder
        Where to write.
    name
        What to call the value in messages and in the name of its folder.

    Returns
    -------
    Path
        The file, ending in ``.pickle``.

    Raises
    ------
    InvalidInput
        If it cannot be pickled.

    """
    import cloudpickle

    own = [module for module in _own_modules() if module not in cloudpickle.list_registry_pickle_by_value()]
    for module in own:
        cloudpickle.register_pickle_by_value(sys.modules[module])
    try:
        content = cloudpickle.dumps(value)
    except Exception as error:  # noqa: BLE001 - code of whatever class this is
        raise InvalidInput(
            f"subject {name!r}: it cannot be serialized ({type(error).__name__}: {error}). "
            f"Create what it uses inside the function, or put it into a file and give its path."
        ) from None
    finally:
        for module in own:
            cloudpickle.unregister_pickle_by_value(sys.modules[module])
    return content_folder(folder, name, {"subject.pickle": content}) / "subject.pickle"


def _own_modules() -> list[str]:
    """Modules of the user's own, which another process may not find."""
    tops = {name.partition(".")[0] for name in sys.modules}
    own = {top for top in tops if top != "__main__" and not is_installed(top)}
    return [name for name in sys.modules if name.partition(".")[0] in own]


def load_pickled(path: Path) -> Any:
    """The value; runs its code, and so belongs into the subject's own process."""
    import cloudpickle

    try:
        return cloudpickle.loads(path.read_bytes())
    except Exception as error:
        raise SubjectFailed("cannot be built", f"{path.name}: {type(error).__name__}: {error}") from error
