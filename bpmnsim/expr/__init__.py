"""Conditions, cardinalities, correlation keys and timer values: expressions of every dialect, and durations.

Start with :func:`compile_expression`. The parsers it needs are loaded when a text needs them.
"""

from bpmnsim.expr.language import Expression, compile_expression

__all__ = ["Cycle", "Duration", "Expression", "compile_expression", "parse_cycle", "parse_date", "parse_duration"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bpmnsim.expr import durations

    return getattr(durations, name)
