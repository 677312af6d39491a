"""Every expression in the corpus of real files."""

from pathlib import Path

import pytest
from lxml import etree

from bpmnsim.errors import ExpressionError
from bpmnsim.expr import compile_expression, parse_cycle, parse_date, parse_duration

EXPRESSIONS = {"conditionExpression", "loopCardinality", "completionCondition", "loopCondition", "condition"}
TIMERS = {"timeDuration": parse_duration, "timeCycle": parse_cycle}


def elements(corpus: Path):
    """Yield the BPMN elements of all files, with the root of each."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    for path in sorted(corpus.rglob("*")):
        if path.suffix in (".bpmn", ".bpmn2", ".xml"):
            try:
                root = etree.parse(str(path), parser).getroot()
            except etree.XMLSyntaxError:
                continue
            for element in root.iter("{*}*"):
                if "BPMN" in (etree.QName(element).namespace or ""):
                    yield root, element


def test_every_expression_of_the_corpus_compiles(corpus):
    """Issue "expr": any text is an expression or a problem, and evaluates or raises ExpressionError only."""
    names = {"approved": True, "x": 11, "input": 1, "clarified": "yes", "foo": 2, "bar": 1, "nrOfLoops": 3, "price": 0}
    found, values, failures, problems = 0, [], [], set()
    for root, element in elements(corpus):
        if etree.QName(element).localname not in EXPRESSIONS:
            continue
        found += 1
        expression = compile_expression(
            element.text or "", language=element.get("language") or root.get("expressionLanguage"), element_id="f"
        )
        if expression.problem:
            problems.add(expression.problem.split(";")[0])
            continue
        try:
            values.append(expression.evaluate(names))
        except ExpressionError as error:
            if error.missing is None:
                failures.append(error.message)
    assert failures == [''''!' needs a boolean, and clarified is a value of type str, in "${!clarified}"''']
    assert found >= 150
    assert values.count(True) >= 20
    assert sorted({repr(value) for value in values if not isinstance(value, bool)}) == ["'yes'", "2", "3", "5"]
    assert problems == {
        "empty expression",
        "methods are not available",
        "not a Python-style expression",
        "unknown function 'getActivityInstanceAttribute'",
        "unknown function 'next'",
        "unknown method 'getEngineer'",
        "unknown method 'getState'",
        "unknown method 'isHighRisk'",
        "unknown method 'isSuccess'",
    }


def test_every_timer_of_the_corpus_parses_or_is_refused(corpus):
    """TMR-02: real durations are read; cron and vendor shorthands are refused, not guessed."""
    refused = set()
    for _, element in elements(corpus):
        parse = TIMERS.get(etree.QName(element).localname)
        if parse and (element.text or "").strip():
            try:
                parse(element.text)
            except ExpressionError:
                refused.add(element.text.strip())
    assert refused == {"0/5 0/1 * 1/1 * ?", "500ms"}


@pytest.mark.parametrize("text", ["", "#{dueDate}"])
def test_dates_of_the_corpus_that_are_none(text):
    """TMR-04: the corpus has no literal date; what it has is refused."""
    from datetime import datetime

    with pytest.raises(ExpressionError, match="not a date"):
        parse_date(text, datetime(2000, 1, 1))
