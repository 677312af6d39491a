"""Durations, repetitions and dates."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpmnsim.errors import ExpressionError
from bpmnsim.expr import Cycle, Duration, parse_cycle, parse_date, parse_duration

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
DAY = 86_400


@pytest.mark.parametrize(
    ("value", "months", "seconds"),
    [
        ("PT0S", 0, 0.0),
        ("PT10H", 0, 36_000.0),
        ("P1W2DT0.5S", 0, 777_600.5),
        ("PT0,5S", 0, 0.5),
        ("P1Y2M", 14, 0.0),
        ("P1Y2M3DT4H5M6S", 14, 3 * DAY + 4 * 3600 + 5 * 60 + 6.0),
        ("P0.5Y", 6, 0.0),
        (" PT1S\n", 0, 1.0),
        ("12", 0, 12.0),
        ("0.5", 0, 0.5),
        (90, 0, 90.0),
        (0, 0, 0.0),
        (1.5, 0, 1.5),
        (timedelta(minutes=2), 0, 120.0),
        (Duration(1, 0.0), 1, 0.0),
    ],
)
def test_duration(value, months, seconds):
    """TMR-02: weeks mix with days, seconds have fractions, zero is a duration; a number is seconds."""
    assert parse_duration(value) == Duration(months, seconds)


@pytest.mark.parametrize(
    "value",
    [
        *(
            "-PT1S",
            "+PT1S",
            "pt1s",
            "P",
            "PT",
            "P1DT",
            "",
            "1h",
            "500ms",
            "P-1D",
            "PT1S2M",
            "P1H",
            "PD",
            "PTS",
            "P١D",
            "-5",
        ),
        *("P0003-06-04T12:30:05", "P0.3M", "P99999999999999D", "P" + "9" * 5000 + "D", "1e3", "inf", "nan"),
        *(-1, -0.5, float("inf"), float("nan"), True, None, [1], {}, timedelta(seconds=-1)),
    ],
)
def test_what_is_no_duration_is_refused(value):
    """TMR-02: negative and lower-case durations are refused; TMR-04: so is what is none."""
    with pytest.raises(ExpressionError, match="not a duration"):
        parse_duration(value)


@pytest.mark.parametrize(
    ("text", "start", "days"),
    [
        ("P1M", 0, 31),
        ("P1M", 31 * DAY, 29),
        ("P1M", 30 * DAY, 29),
        ("P1Y", 0, 366),
        ("P1Y", 366 * DAY, 365),
        ("P1M1D", 0, 32),
        ("P30D", 0, 30),
    ],
)
def test_months_and_years_follow_the_calendar(text, start, days):
    """TMR-02: "P1M" armed at t=0 is due at 2678400 (31 days); 2000 is a leap year."""
    assert parse_duration(text).seconds_from(start, EPOCH) == days * DAY
    assert parse_duration(text).seconds_from(start, EPOCH.replace(tzinfo=None)) == days * DAY


def test_duration_beyond_the_calendar_is_an_error():
    """TMR-02: the calendar ends with the year 9999."""
    with pytest.raises(ExpressionError, match="beyond the year 9999"):
        parse_duration("P8000Y").seconds_from(0, EPOCH)
    with pytest.raises(ExpressionError, match="beyond the year 9999"):
        parse_duration("P1M").seconds_from(1e15, EPOCH)


@pytest.mark.parametrize(
    ("text", "cycle"),
    [
        ("R3/PT10H", Cycle(3, Duration(0, 36_000.0), None)),
        ("R/PT5S", Cycle(None, Duration(0, 5.0), None)),
        ("R24/P1M", Cycle(24, Duration(1, 0.0), None)),
        ("R3/2000-01-01T00:00:00Z/PT1H", Cycle(3, Duration(0, 3600.0), EPOCH)),
        ("R/2000-01-01T02:00:00+02:00/PT1H", Cycle(None, Duration(0, 3600.0), EPOCH)),
    ],
)
def test_cycle(text, cycle):
    """TMR-02: `Rn/P…` fires n times, `R/P…` until it is disarmed."""
    assert parse_cycle(text) == cycle


@pytest.mark.parametrize(
    "text",
    [
        *("R3", "R3/", "PT5S", "r3/PT5S", "R-1/PT5S", "R0/PT5S", "R3/-PT5S", "R3/pt5s", "R3/PT5S/2000-01-01T00:00:00Z"),
        *("R3/2000-01-01T00:00:00Z/2000-01-02T00:00:00Z", "R3/soon/PT5S", "0/5 0/1 * 1/1 * ?", "500ms", "", None, 3),
    ],
)
def test_what_is_no_cycle_is_refused(text):
    """TMR-01: a cycle is a count, or none, and a duration."""
    with pytest.raises(ExpressionError, match="not a"):
        parse_cycle(text)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2000-01-01T00:00:00Z", 0.0),
        ("2000-01-01T00:00:00", 0.0),
        ("2000-01-02", DAY),
        ("20000102T000000Z", DAY),
        ("2000-01-01T01:00:00+02:00", -3600.0),
        ("2000-01-01T00:00:00.5Z", 0.5),
        (datetime(2000, 1, 2), DAY),
        (datetime(2000, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))), 0.0),
    ],
)
def test_date(value, seconds):
    """TMR-02: a date counts from the start of the virtual calendar; without a zone it is UTC."""
    assert parse_date(value, EPOCH) == seconds
    assert parse_date(value, EPOCH.replace(tzinfo=None)) == seconds


@pytest.mark.parametrize(
    "value", ["", "soon", "2000-13-01T00:00:00Z", "2000-01-01 00:00", "0001-01-01T00:00:00+14:00", 5, None, "9" * 5000]
)
def test_what_is_no_date_is_refused(value):
    """TMR-04: what is no date is an error."""
    with pytest.raises(ExpressionError, match="not a date"):
        parse_date(value, EPOCH)


@settings(max_examples=300, deadline=None)
@given(st.text("PRYMWDTHS0123456789.,-+/:Z ", max_size=40) | st.text(max_size=20))
def test_any_text_is_a_value_or_an_expression_error(text):
    """Design section 8: a file from outside can raise nothing else."""
    for parse in (parse_duration, parse_cycle, lambda value: parse_date(value, EPOCH)):
        with suppress(ExpressionError):
            parse(text)
