"""ISO 8601 durations, dates and repetitions, and plain numbers of seconds, as numbers of virtual time.

Months and years have no fixed length: they stay a count until a start is known. Not here: when a timer is due
(``engine``), and expressions that yield a duration (``language``).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import isodate

from bpmnsim.errors import ExpressionError

__all__ = ["Cycle", "Duration", "parse_cycle", "parse_date", "parse_duration"]

_DURATION = re.compile(r"P[0-9.,YMWDTHS]{0,100}[YMWDHS]")
_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")
_CYCLE = re.compile(r"R([0-9]{0,9})/(?:([^/P][^/]*)/)?(P[^/]*)")


@dataclass(frozen=True, slots=True)
class Duration:
    """A span of time: calendar months, and seconds.

    Parameters
    ----------
    months
        Months and years, in months.
    seconds
        Everything else, in seconds.

    Examples
    --------
    >>> parse_duration("P1Y2MT0.5S")
    Duration(months=14, seconds=0.5)

    Notes
    -----
    TMR-02.
    """

    months: int
    seconds: float

    def seconds_from(self, start: float, epoch: datetime) -> float:
        """Return the length in seconds when it begins *start* seconds after *epoch*.

        A month leads to the same day of the next month, or to its last day where that is earlier.

        Parameters
        ----------
        start
            Virtual time at which the duration begins, in seconds.
        epoch
            Start of the virtual calendar.

        Raises
        ------
        ExpressionError
            If it ends beyond the year 9999.

        Examples
        --------
        >>> epoch = datetime(2000, 1, 1, tzinfo=UTC)
        >>> parse_duration("P1M").seconds_from(0, epoch) / 86400
        31.0
        >>> parse_duration("P1M").seconds_from(30 * 86400, epoch) / 86400
        29.0

        Notes
        -----
        TMR-02: years and months follow the calendar.
        """
        if not self.months:
            return self.seconds
        try:
            begin = epoch + timedelta(seconds=start)
            end: datetime = begin + isodate.Duration(months=self.months)
        except (ValueError, OverflowError):
            raise ExpressionError(f"{self.months} months from {start} s end beyond the year 9999") from None
        return (end - begin).total_seconds() + self.seconds


@dataclass(frozen=True, slots=True)
class Cycle:
    """A repetition.

    Parameters
    ----------
    count
        How often it fires; None for without end.
    interval
        The time from one firing to the next.
    start
        When the first interval begins; None for when the timer is armed.

    Examples
    --------
    >>> parse_cycle("R/PT5S")
    Cycle(count=None, interval=Duration(months=0, seconds=5.0), start=None)
    """

    count: int | None
    interval: Duration
    start: datetime | None


def parse_duration(value: str | float | timedelta | Duration) -> Duration:
    """Return *value* as a duration.

    Parameters
    ----------
    value
        ``PnYnMnWnDTnHnMnS``, a number of seconds (also as text), or a timedelta.

    Raises
    ------
    ExpressionError
        If it is none of these, or negative.

    Examples
    --------
    >>> parse_duration("P1W2DT0.5S").seconds, parse_duration(90).seconds, parse_duration("12").seconds
    (777600.5, 90.0, 12.0)
    >>> parse_duration("-PT1S")
    Traceback (most recent call last):
    bpmnsim.errors.ExpressionError: EXPRESSION: not a duration, in "-PT1S"
      hint: write an ISO 8601 duration such as PT1H30M or P1DT12H, or a number of seconds

    Notes
    -----
    TMR-02, TMR-04. Fractions of a year or month are refused, unless they are whole months.
    """
    if isinstance(value, Duration):
        return value
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if isinstance(value, str):
        text = value.strip()
        if _NUMBER.fullmatch(text):
            return Duration(0, float(text))
        return _parse_iso(text)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise _refuse("duration", value)
    return Duration(0, float(value))


def parse_cycle(text: str) -> Cycle:
    """Return the repetition that *text* writes.

    Parameters
    ----------
    text
        ``Rn/P…``, ``R/P…`` for without end, or either with a date in between.

    Raises
    ------
    ExpressionError
        If it is not a repetition, or one of no times.

    Examples
    --------
    >>> cycle = parse_cycle("R3/2000-01-01T00:00:00Z/PT10H")
    >>> cycle.count, cycle.interval.seconds, cycle.start.isoformat()
    (3, 36000.0, '2000-01-01T00:00:00+00:00')

    Notes
    -----
    TMR-01, TMR-02. A cron expression is refused.
    """
    found = _CYCLE.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None or (found[1] and int(found[1]) == 0):
        raise _refuse("cycle", text)
    count = int(found[1]) if found[1] else None
    return Cycle(count, parse_duration(found[3]), _moment(found[2]) if found[2] else None)


def parse_date(value: str | datetime, epoch: datetime) -> float:
    """Return how many seconds after *epoch* the date *value* is; negative before it.

    Parameters
    ----------
    value
        An ISO 8601 date-time or date. Without a time zone it is UTC.
    epoch
        Start of the virtual calendar. Without a time zone it is UTC.

    Raises
    ------
    ExpressionError
        If it is not a date.

    Examples
    --------
    >>> parse_date("2000-01-02T00:00:00Z", datetime(2000, 1, 1))
    86400.0
    >>> parse_date("2000-01-01T01:00:00+01:00", datetime(2000, 1, 1, tzinfo=UTC))
    0.0

    Notes
    -----
    TMR-02.
    """
    moment = _moment(value) if isinstance(value, str) else value
    if not isinstance(moment, datetime):
        raise _refuse("date", value)
    return (_aware(moment) - _aware(epoch)).total_seconds()


def _parse_iso(text: str) -> Duration:
    if not _DURATION.fullmatch(text):
        raise _refuse("duration", text)
    try:
        parsed = isodate.parse_duration(text)
    except (ValueError, OverflowError, ArithmeticError, TypeError):
        raise _refuse("duration", text) from None
    if isinstance(parsed, timedelta):
        return Duration(0, parsed.total_seconds())
    months = parsed.years * 12 + parsed.months
    if months != int(months):
        raise _refuse("duration", text)
    return Duration(int(months), parsed.tdelta.total_seconds())


def _moment(text: str) -> datetime:
    text = text.strip()
    try:
        moment: datetime = isodate.parse_datetime(text if "T" in text else f"{text}T00:00:00")
        return _aware(moment).astimezone(UTC)
    except (ValueError, OverflowError, ArithmeticError, TypeError):
        raise _refuse("date", text) from None


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


_HINTS = {
    "duration": "write an ISO 8601 duration such as PT1H30M or P1DT12H, or a number of seconds",
    "cycle": "write R3/PT10H for three times, R/PT10H for without end",
    "date": "write an ISO 8601 date such as 2000-01-31T12:00:00Z",
}


def _refuse(kind: str, value: object) -> ExpressionError:
    return ExpressionError(f"not a {kind}", text=str(value)[:200], hint=_HINTS[kind])
