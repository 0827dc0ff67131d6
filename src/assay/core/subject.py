"""What is under test."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from assay.core.budget import Budget
from assay.core.calls import Call
from assay.core.files.digest import digest_implementation, implementation_parts

__all__ = ["BuiltInSubject", "NamedSubject", "Subject"]

TaskT_contra = TypeVar("TaskT_contra", contravariant=True)
AnswerT_co = TypeVar("AnswerT_co", covariant=True)


@runtime_checkable
class Subject(Protocol[TaskT_contra, AnswerT_co]):
    """Solves tasks. Name and digest identify it: an edited subject is a new subject.

    A subject of your own needs no base class: anything with ``name``, ``digest`` and ``solve`` is one. A file, a
    function or an estimator can be given in its place; Assay then fills in name and digest.

    Examples
    --------
    >>> class Adder:
    ...     name = "adder"
    ...     digest = "1"
    ...
    ...     def solve(self, task, budget):
    ...         return sum(task)
    >>> isinstance(Adder(), Subject), Adder().solve([1, 2], Budget())
    (True, 3)
    """

    @property
    def name(self) -> str:
        """Stable, with its parameters: ``bm25(k1=1.2)``."""

    @property
    def digest(self) -> str:
        """Of its source or folder."""

    def solve(self, task: TaskT_contra, budget: Budget, /) -> AnswerT_co:
        """The answer to one task, within the budget, with randomness from ``budget.seed`` only.

        Parameters
        ----------
        task : object
            What the track hands over.
        budget : Budget
            What it may spend.

        Returns
        -------
        object
            An answer of the track's type.
        """


class BuiltInSubject:
    """What subjects of the package share: an edited implementation is another subject.

    Their digest is that of the code they can reach, and of the version of the library that they wrap.
    """

    __slots__ = ()

    @property
    def libraries(self) -> tuple[str, ...]:
        """The libraries whose algorithm it wraps, by the names they are imported by."""
        return ()

    @property
    def digest(self) -> str:
        """Of the code it runs."""
        return digest_implementation(type(self).__module__, *self.libraries)

    @property
    def parts(self) -> dict[str, str]:
        """What the digest is made of: the digest of each module's code, and the version of each library."""
        return implementation_parts(type(self).__module__, *self.libraries)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSubject(BuiltInSubject):
    """A built-in subject named by its title and parameters: those in ``always``, and those off their defaults."""

    title: ClassVar[str]
    always: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """Canonical, as a call: ``vote(k=5)``."""
        values = ((entry, getattr(self, entry.name)) for entry in fields(self))
        shown = {entry.name: value for entry, value in values if entry.name in self.always or value != entry.default}
        return str(Call(self.title, shown))
