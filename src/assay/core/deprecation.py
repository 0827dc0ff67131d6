"""Names that moved: the old place still answers for one release, and says where the name is now."""

import importlib
import sys
import warnings
from collections.abc import Callable, Mapping

__all__ = ["moved_names"]


def moved_names(
    module: str,
    homes: Mapping[str, str],
    *,
    gone_in: str = "0.3",
    replaced: Mapping[str, str] | None = None,
    later: Mapping[str, str] | None = None,
) -> Callable[[str], object]:
    """The ``__getattr__`` of a module: a moved name is taken from its home, with a DeprecationWarning that names it.

    ``replaced`` says, of names that leave for good, what to use instead. Names in ``later`` belong to the module and
    are only loaded from where they are defined when somebody asks for them.

    Type checkers should not see it (``if not TYPE_CHECKING:``), else they accept every name of the module. A name
    that is also a submodule (``assay.formula.examine``) cannot be moved so: Python finds the submodule first.

    >>> import warnings
    >>> find = moved_names("assay", {"Budget": "assay.core"})
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     find("Budget").__name__
    'Budget'
    >>> print(caught[0].message)
    assay.Budget has moved; the old name is removed in 0.3: use assay.core.Budget
    """

    def __getattr__(name: str) -> object:  # noqa: N807 - it becomes the module's own
        if later and name in later:
            value = getattr(importlib.import_module(later[name]), name)
            setattr(sys.modules[module], name, value)
            return value
        if name not in homes:
            message = f"module {module!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=sys.modules.get(module))
        home = homes[name]
        if replaced and name in replaced:
            message = f"{module}.{name} is removed in {gone_in}: use {replaced[name]}"
        else:
            message = f"{module}.{name} has moved; the old name is removed in {gone_in}: use {home}.{name}"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(importlib.import_module(home), name)

    return __getattr__
