"""One SQLite file: opened with checks, read and written in transactions, with errors that name file and remedy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from assay.core import InfrastructureFailed, InvalidInput
from assay.harness.store.opening import connect, damaged, reporting_damage
from assay.harness.store.schema import STORE_NAME, rows_of

__all__ = ["Database"]


class Database:
    """The file of a results folder."""

    def __init__(self, folder: Path, *, create: bool = False, read_only: bool = False) -> None:
        if create:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InvalidInput(f"{folder}: this results folder cannot be made ({error.strerror}).") from error
        self.path = folder / STORE_NAME
        self._connection = connect(self.path, create=create, read_only=read_only)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; nothing is pending, every commit is already on disk."""
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All that is written inside is written, or nothing of it."""
        with self._readable(), self._transaction() as connection:
            yield connection

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        nested = self._connection.in_transaction
        if nested:  # part of a larger one, whose end decides
            yield self._connection
            return
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as error:
            raise InfrastructureFailed(
                f"{self.path}: writing failed ({error}). Finished cells are safe: free some space, then run again."
            ) from error
        except sqlite3.DatabaseError as error:
            raise damaged(self.path, error) from error

    def _lookup(self, statement: str, keys: Sequence[str]) -> dict[str, str]:
        with self._readable():
            return dict(rows_of(self._connection, statement, keys))

    def _query(self, statement: str, values: Iterable[object] = ()) -> list[Any]:
        with self._readable():
            return self._connection.execute(statement, tuple(values)).fetchall()

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Several queries see the same state, whatever a run writes meanwhile."""
        with self._readable():
            if self._connection.in_transaction:
                yield self._connection
                return
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                self._connection.execute("ROLLBACK")

    def _readable(self) -> AbstractContextManager[None]:
        return reporting_damage(self.path)
