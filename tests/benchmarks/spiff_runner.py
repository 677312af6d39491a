"""Runs a BPMN file with SpiffWorkflow, in an environment of its own that does not know bpmnsim.

A line on standard input is a path. The answer is a line: the seconds of one run, from creating the workflow to its end.
A file is parsed once, before the clock starts. SpiffWorkflow offers several loops, and which is quickest depends on the
model: each is tried once, and from then on the quickest one is used.
"""

from __future__ import annotations

import sys
from time import perf_counter

from SpiffWorkflow import TaskState
from SpiffWorkflow.bpmn import BpmnWorkflow
from SpiffWorkflow.bpmn.parser import BpmnParser


def one_by_one(workflow):
    """Run task after task, each looked for near the last one."""
    workflow.run_all(halt_on_manual=False)


def from_the_top(workflow):
    """Run task after task, each looked for from the root."""
    workflow.run_all(use_last_task=False, halt_on_manual=False)


def in_batches(workflow):
    """Run all that are ready, then look again."""
    workflow.do_engine_steps()
    while not workflow.is_completed():
        for task in workflow.get_tasks(state=TaskState.READY):
            task.run()
        workflow.do_engine_steps()


LOOPS = (one_by_one, from_the_top, in_batches)


def seconds(specs, loop):
    """Return how long one run takes; every task is a no-op."""
    start = perf_counter()
    workflow = BpmnWorkflow(*specs)
    loop(workflow)
    taken = perf_counter() - start
    assert workflow.is_completed(), "the run did not end"
    return taken


def parsed(path):
    """Return the specification of the process in a file, and of its sub-processes."""
    parser = BpmnParser()
    parser.add_bpmn_file(path)
    (process,) = parser.get_process_ids()
    return parser.get_spec(process), parser.get_subprocess_specs(process)


known = {}
for line in sys.stdin:
    path = line.strip()
    if path not in known:
        specs = parsed(path)
        known[path] = specs, min(LOOPS, key=lambda loop: seconds(specs, loop))
    print(seconds(*known[path]), flush=True)
