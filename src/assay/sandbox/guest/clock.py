"""A clock that stands still: every way of asking for the time of day gives one recorded moment.

Replaced are ``datetime`` and ``date`` of the standard library, the clock of ``time``, and ``now`` and ``today`` of
pandas, also given as text. The moment is in UTC. Durations (``perf_counter``, ``monotonic``, ``sleep``) stay real.
``numpy.datetime64('now')`` reads the machine's clock in compiled code and cannot be replaced from here.
"""

from __future__ import annotations

import calendar
import datetime as real
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import pandas as pd

__all__ = ["BothSpellings", "PassesFor", "stop_clock"]

_WORDS = ("now", "today")


class PassesFor(type):
    """Makes a subclass pass for its parent, so that moments made before or by pandas are still instances."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.__mro__[1])

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.__mro__[1])


class BothSpellings(types.ModuleType):
    """The module ``datetime`` that also answers as the class does: code is written for either."""

    def __init__(self, moment_type: type, date_type: type) -> None:
        super().__init__("datetime")
        self.__dict__.update({name: value for name, value in vars(real).items() if not name.startswith("__")})
        self.__dict__.update(datetime=moment_type, date=date_type)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["datetime"], name)

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Make a moment, as calling the class does."""
        return self.__dict__["datetime"](*args, **options)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, real.datetime)


def _standing_types(moment: real.datetime) -> tuple[type, type]:
    aware = moment.replace(tzinfo=real.UTC)

    class datetime(real.datetime, metaclass=PassesFor):  # noqa: N801 - it takes the place of one with this name
        @classmethod
        def now(cls, tz: real.tzinfo | None = None) -> Any:
            shown = moment if tz is None else aware.astimezone(tz)
            return cls(*shown.timetuple()[:6], shown.microsecond, tzinfo=shown.tzinfo)

        @classmethod
        def today(cls) -> Any:
            return cls.now()

        @classmethod
        def utcnow(cls) -> Any:
            return cls.now()

    class date(real.date, metaclass=PassesFor):  # noqa: N801 - it takes the place of one with this name
        @classmethod
        def today(cls) -> Any:
            return cls(moment.year, moment.month, moment.day)

    spelled = {"datetime": datetime, "timedelta": real.timedelta, "timezone": real.timezone, "UTC": real.UTC}
    for name, value in spelled.items():  # `from datetime import datetime`, then datetime.timedelta
        setattr(datetime, name, value)
    return datetime, date


def stop_clock(moment: real.datetime) -> BothSpellings:
    """Let time stand still in this process, for good; gives the module that stands for ``datetime``."""
    moment_type, date_type = _standing_types(moment)
    module = BothSpellings(moment_type, date_type)
    sys.modules["datetime"] = module
    nanoseconds = calendar.timegm(moment.timetuple()) * 10**9 + moment.microsecond * 1000
    _stop_time(nanoseconds)
    _stop_pandas(pd.Timestamp(moment))
    return module


def _stop_time(nanoseconds: int) -> None:
    seconds = nanoseconds / 10**9
    changed: dict[str, Callable[..., Any]] = {"time": lambda: seconds, "time_ns": lambda: nanoseconds}
    for name in ("gmtime", "localtime", "ctime"):
        changed[name] = _from(getattr(time, name), seconds)
    broken_down, write, word = time.gmtime(seconds), time.strftime, time.asctime
    changed["strftime"] = lambda form, moment=broken_down: write(form, moment)
    changed["asctime"] = lambda moment=broken_down: word(moment)
    for name, function in changed.items():
        setattr(time, name, function)


def _from(function: Callable[..., Any], seconds: float) -> Callable[..., Any]:
    return lambda moment=None: function(seconds if moment is None else moment)


def _stop_pandas(moment: pd.Timestamp) -> None:
    make = pd.Timestamp.__new__

    def shown(tz: Any = None) -> pd.Timestamp:
        return moment if tz is None else moment.tz_localize("UTC").tz_convert(tz)

    def new(cls: type, value: Any = make, *args: Any, **options: Any) -> Any:
        if value is make:
            return make(cls, *args, **options)
        if type(value) is str and value.strip().lower() in _WORDS:
            value = moment
        return make(cls, value, *args, **options)

    parse = pd.to_datetime

    def to_datetime(arg: Any, *args: Any, **options: Any) -> Any:
        return parse(moment if isinstance(arg, str) and arg.strip().lower() in _WORDS else arg, *args, **options)

    pandas: Any = pd
    pandas.to_datetime = to_datetime
    pandas.Timestamp.now = pandas.Timestamp.today = staticmethod(shown)
    pandas.Timestamp.utcnow = staticmethod(lambda: moment.tz_localize("UTC"))
    pandas.Timestamp.__new__ = new
