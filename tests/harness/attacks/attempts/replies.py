"""Answers, exceptions and exits that are hostile to whoever receives them."""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from typing import Any

from tests.harness.attacks import means


def answer_that_runs_code_when_read(target: means.Target) -> object:
    mark = target.mark()

    class Gadget:
        def __reduce__(self) -> tuple[object, ...]:
            return os.system, (f"touch {mark}",)

    return Gadget()


def scores_that_run_code_when_read(target: means.Target) -> object:
    import numpy as np

    mark = target.mark()

    class Gadget:
        def __reduce__(self) -> tuple[object, ...]:
            return os.system, (f"touch {mark}",)

    answer = target.answer()
    object.__setattr__(answer, "scores", np.array([Gadget()] * len(answer.scores), dtype=object))
    return answer


def exception_that_runs_code_when_read(target: means.Target) -> object:
    mark = target.mark()

    class Fault(Exception):
        def __reduce__(self) -> tuple[Any, ...]:
            return os.system, (f"touch {mark}",)

    raise Fault("reads well")


def exception_that_cannot_be_printed(target: means.Target) -> object:
    class Fault(Exception):
        def __str__(self) -> str:
            raise SystemExit(0)

        __repr__ = __str__

    raise Fault


@means.limits(seconds=2)
def exception_that_never_ends_to_print(target: means.Target) -> object:
    class Fault(Exception):
        def __str__(self) -> str:
            while True:
                pass

    raise Fault


def exception_of_enormous_size(target: means.Target) -> object:
    raise ValueError("x" * 100_000_000)


def exception_with_a_chain_without_end(target: means.Target) -> object:
    first = ValueError("first")
    last: BaseException = first
    for number in range(20_000):
        following = ValueError(str(number))
        following.__cause__ = last
        last = following
    first.__cause__ = last
    raise last


def exception_with_control_characters(target: means.Target) -> object:
    raise ValueError("\x00\x1b]0;title\x07\x1b[2J\u202e</script>\r\n| a | b |")


def exception_with_half_a_character(target: means.Target) -> object:
    """A lone surrogate is a text that no file and no database takes."""
    raise ValueError("half a character: \ud800")


def exception_class_with_half_a_character(target: means.Target) -> object:
    raise type("Half\udfff", (Exception,), {})("text")


def output_with_half_a_character(target: means.Target) -> object:
    os.write(2, b"\xed\xa0\x80\xff\xfe\x00")
    return target.answer()


def answer_with_half_a_character(target: means.Target) -> object:
    answer = target.answer()
    object.__setattr__(answer, "scores", ["\ud800"] * 40)
    return answer


def exception_named_as_a_secret(target: means.Target) -> object:
    raise type("x" * 10_000 + "\n", (Exception,), {"__module__": "assay.core.errors"})("text")


def interrupt_of_the_keyboard(target: means.Target) -> object:
    raise KeyboardInterrupt


def exit_of_the_system(target: means.Target) -> object:
    raise SystemExit(0)


def exit_with_an_object(target: means.Target) -> object:
    sys.exit({"status": "ok"})  # type: ignore[arg-type]


def generator_exit(target: means.Target) -> object:
    raise GeneratorExit


def exit_at_once_with_success(target: means.Target) -> object:
    os._exit(0)


def exit_with_statuses_of_others(target: means.Target) -> object:
    os._exit(137)


def abort_with_a_core_dump(target: means.Target) -> object:
    import resource

    try:
        resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))
    except (OSError, ValueError):
        pass
    os.abort()


def fault_of_the_processor(target: means.Target) -> object:
    import ctypes

    ctypes.string_at(8)
    return None


def killed_by_its_own_hand(target: means.Target) -> object:
    """As a machine short of memory would do."""
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(1)
    return None


def full_disk_claimed(target: means.Target) -> object:
    raise OSError(errno.ENOSPC, "No space left on device")


def full_disk_claimed_in_words(target: means.Target) -> object:
    raise RuntimeError("[Errno 28] No space left on device: disk quota exceeded, out of memory, cannot fork")


def too_many_files_claimed(target: means.Target) -> object:
    raise OSError(errno.ENFILE, "Too many open files in system")


def broken_machine_claimed(target: means.Target) -> object:
    raise OSError(errno.EIO, "Input/output error")


def no_memory_claimed(target: means.Target) -> object:
    raise MemoryError("Cannot allocate memory")


def no_processes_claimed(target: means.Target) -> object:
    raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")


def broken_channel_claimed(target: means.Target) -> object:
    raise BrokenPipeError(errno.EPIPE, "Broken pipe")


def end_of_the_channel_claimed(target: means.Target) -> object:
    raise EOFError


def every_error_of_the_harness_claimed(target: means.Target) -> object:
    """The class that a harness itself would raise for a machine that fails."""
    for name, module in list(sys.modules.items()):
        if name.startswith("assay"):
            for key, value in vars(module).items():
                if (
                    isinstance(value, type)
                    and issubclass(value, Exception)
                    and any(word in key.lower() for word in ("lost", "machine", "disk", "full", "trouble", "fault"))
                ):
                    raise value("the machine failed")
    from assay.core import InvalidInput

    raise InvalidInput("the machine failed")


def failure_of_the_subject_claimed_as_another_kind(target: means.Target) -> object:
    from assay.core import SubjectFailed

    raise SubjectFailed("lost", "the machine failed")


def missing_module_claimed(target: means.Target) -> object:
    raise ImportError("cannot import name 'run' from 'assay.harness'", name="assay.harness")


def no_answer(target: means.Target) -> object:
    return []


def answer_of_the_wrong_length(target: means.Target) -> object:
    answer = target.answer()
    object.__setattr__(answer, "scores", answer.scores[:-1])
    return answer


def scores_that_are_not_numbers(target: means.Target) -> object:
    answer = target.answer()
    answer.scores[:] = float("nan")
    return answer


def scores_beyond_all_numbers(target: means.Target) -> object:
    answer = target.answer()
    answer.scores[::2] = float("inf")
    answer.scores[1::2] = -1e308
    return answer


def scores_that_are_complex(target: means.Target) -> object:
    answer = target.answer()
    object.__setattr__(answer, "scores", answer.scores.astype(complex) * 1j)
    return answer


def answer_of_enormous_size(target: means.Target) -> object:
    import numpy as np

    answer = target.answer()
    object.__setattr__(answer, "scores", np.zeros(40_000_000))
    return answer


def answer_that_contains_itself(target: means.Target) -> object:
    nested: list[object] = []
    nested.append(nested)
    return nested


def answer_of_endless_depth(target: means.Target) -> object:
    nested: list[object] = []
    for _ in range(200_000):
        nested = [nested]
    return nested


def array_that_acts_when_it_is_read(target: means.Target) -> object:
    import numpy as np

    answer = target.answer()

    class Hostile(np.ndarray):  # type: ignore[type-arg]
        def __array_finalize__(self, other: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        def tolist(self) -> Any:
            return [1.0] * 40

    object.__setattr__(answer, "scores", np.asarray(answer.scores).view(np.ndarray))
    with_trap = np.ndarray.__new__(np.ndarray, (40,))
    object.__setattr__(answer, "neighbors", with_trap)
    object.__setattr__(answer, "scores", _Lazy())
    return answer


class _Lazy:
    """Says anything that it is asked for."""

    shape = (40,)
    dtype = float
    ndim = 1

    def __len__(self) -> int:
        return 40

    def __array__(self, *rest: object, **named: object) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    def __iter__(self) -> Any:
        while True:
            yield 1.0


def text_as_an_answer(target: means.Target) -> object:
    return {"scores": [1.0] * 40, "status": "ok", "isolation": "container"}


def coroutine_as_an_answer(target: means.Target) -> object:
    async def later() -> object:
        return target.answer()

    waiting = later()
    waiting.close()
    return waiting


@means.limits(seconds=2)
def answer_that_takes_for_ever_to_encode(target: means.Target) -> object:
    answer = target.answer()

    class Slow(list):  # type: ignore[type-arg]
        def __iter__(self) -> Any:
            while True:
                time.sleep(1)
                yield 0.5

        def __len__(self) -> int:
            return 40

    object.__setattr__(answer, "scores", Slow())
    return answer
