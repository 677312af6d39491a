"""Every real file either runs to an end that is right, or is refused by name (design section 8)."""

from __future__ import annotations

from pathlib import Path

import pytest

import bpmnsim as bs
from bpmnsim.errors import BpmnSimError
from bpmnsim.testing.corpus import SUFFIXES, main, try_folder, try_model

from ..conftest import CORPUS

FILES = sorted(path.relative_to(CORPUS).as_posix() for path in CORPUS.rglob("*") if path.suffix in SUFFIXES)
NAMELESS = {
    "Activiti__Activiti/empty.bpmn": "the file is empty",
    "bpmn-io__bpmn-moddle/invalid-attributes.bpmn": "not a well-formed XML file",
    "bpmn-io__bpmn-moddle/namespace-prefix-collision.bpmn": "the model has no process",
    "camunda__camunda-modeler/broken.bpmn": "not a well-formed XML file",
}
"""Files in which there is no element to name, and what their error says instead."""

NESTED = (
    "MultiInstanceVariableAggregationTest."
    "testParallelMultiInstanceSubProcessWithParallelMultiInstanceUserTask.bpmn20.xml"
)
BY_FOLDER: dict[str, dict[str, tuple[str, int]]] = {
    "Activiti__Activiti": {
        "testProcessFromAdonis.bpmn": ("completed", 6),
    },
    "ProcessMaker__modeler": {
        "unknownElement.xml": ("completed", 0),
    },
    "bpmn-io__bpmn-auto-layout": {
        "artifact.association.bpmn": ("completed", 3),
    },
    "bpmn-io__bpmn-js-integration": {
        "task_types.bpmn": ("completed", 13),
        "test_invoice.bpmn": ("completed", 4),
    },
    "bpmn-io__bpmn-moddle": {
        "bizagi-nested-ns-definition.bpmn": ("completed", 3),
        "nested-default-namespace-prefix.bpmn": ("completed", 0),
    },
    "bpmn-miwg__bpmn-miwg-test-suite": {
        "ARIS_10.2025.07__A.4.0-export.bpmn": ("completed", 19),
        "Bizagi_Modeler_2.8.0.8__A.4.0-roundtrip.bpmn": ("completed", 19),
        "Enterprise_Architect_12.0.1207__A.4.0-roundtrip.bpmn": ("completed", 19),
        "Enterprise_Explorer_1.0.0__A.1.0-export.bpmn": ("completed", 5),
        "IBM_Process_Designer_8.0.1__A.1.0-export.bpmn": ("completed", 5),
        "Reference__A.1.0.bpmn": ("completed", 5),
        "Reference__A.2.0.bpmn": ("completed", 6),
        "Reference__A.4.0.bpmn": ("completed", 19),
        "Reference__B.1.0.bpmn": ("completed", 6),
        "SAP_Signavio_Process_Manager_19.9.0__A.4.0-export.bpmn": ("completed", 19),
        "Trisotech_Workflow_Modeler_12.6.3__A.4.0-export.bpmn": ("completed", 19),
        "bpmn.io_Camunda_Modeler_18.6.1__A.4.0-export.bpmn": ("completed", 19),
    },
    "camunda-community-hub__bpmn-driven-testing": {
        "scopeNested.bpmn": ("incident", 2),
    },
    "camunda-consulting__camunda-7-code-examples": {
        "multiInstanceRecursive.bpmn": ("completed", 20),
    },
    "camunda__camunda-bpm-platform": {
        "MultiInstanceTest.testParallelSubProcess.bpmn20.xml": ("completed", 23),
        "MultiInstanceTest.testParallelUserTasks.bpmn20.xml": ("completed", 12),
        "MultiInstanceTest.testParallelUserTasksBasedOnCollection.bpmn20.xml": ("incident", 2),
        "ParallelGatewayTest.testForkJoin.bpmn20.xml": ("completed", 11),
        "ParallelGatewayTest.testNestedForkJoin.bpmn20.xml": ("completed", 20),
        "ParallelGatewayTest.testUnstructuredConcurrencyTwoJoins.bpmn20.xml": ("completed", 21),
        "SubProcessTest.testTwoSubProcessInParallelWithinSubProcess.bpmn20.xml": ("completed", 23),
        "TerminateEndEventTest.testProcessTerminate.bpmn": ("terminated", 6),
        "TerminateEndEventTest.testTerminateInSubProcess.bpmn": ("completed", 10),
    },
    "camunda__camunda-modeler": {
        "import-warnings.bpmn": ("completed", 1),
    },
    "dwslab__hdBPMN": {
        "ex00_writer0001.bpmn": ("completed", 6),
    },
    "flowable__flowable-engine": {
        NESTED: ("incident", 2),
        "SubProcessTest.testDataObjectScope.bpmn20.xml": ("completed", 12),
        "testProcessFromIboPrometheus.bpmn": ("completed", 6),
    },
    "nitram509__lib-bpmn-engine": {
        "exclusive-gateway-multiple-tasks-no-default.bpmn": ("completed", 6),
        "exclusive-gateway-multiple-tasks.bpmn": ("completed", 6),
        "fork-controlled-parallel-join.bpmn": ("completed", 11),
        "fork-uncontrolled-join.bpmn": ("completed", 12),
    },
    "olive-io__bpmn": {
        "parallel_gateway_m_n.bpmn": ("completed", 12),
    },
    "paed01__bpmn-engine": {
        "issue-139.bpmn": ("completed", 3),
    },
    "pascalpoizat__fbpmn": {
        "e001ClientSupplier.bpmn": ("completed", 19),
        "e020InternshipProcedure.bpmn": ("completed", 26),
    },
    "process-analytics__bpmn-visualization-js": {
        "model-invalid-event-def-ref.bpmn": ("completed", 3),
        "pools.02.vertical.with.lanes.bpmn": ("completed", 0),
        "subprocess.01.with.lanes.bpmn": ("completed", 7),
    },
    "timKraeuter__BPMN-Analyzer": {
        "parallel-gateway-complex.bpmn": ("completed", 12),
    },
    "viadee__vPAV": {
        "BPMNScannerXorGateway.bpmn": ("completed", 6),
        "BPMN_Model_Version_V1.bpmn": ("completed", 3),
    },
    "zeebe-io__bpmn-tck": {
        "asymmetric-parallel-gateway.bpmn": ("deadlocked", 15),
        "exclusive-gateway.bpmn": ("completed", 7),
    },
    "zeebe-io__zeebe": {
        "collaboration-with-lanes.bpmn": ("completed", 2),
    },
}
"""Outcome and steps of every file that runs, by folder."""

ENDS = {f"{folder}/{file}": end for folder, files in BY_FOLDER.items() for file, end in files.items()}


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_runs_or_is_refused_by_name(corpus: Path, name: str) -> None:
    """Design section 8: a known outcome, or ModelError or UnsupportedError with the element; nothing else comes out."""
    error: bs.BpmnSimError | None = None
    try:
        trace = try_model(bs.read_bpmn(corpus / name))
    except (bs.ModelError, bs.UnsupportedError) as refused:
        error = refused
    if error is None:
        assert (trace.outcome, trace.steps) == ENDS[name]
        assert bool(trace.stuck) == (trace.outcome not in ("completed", "terminated"))
    else:
        assert name not in ENDS
        assert error.element_id or NAMELESS[name] in str(error)


def test_many_files_run(corpus: Path) -> None:
    """The scale of the corpus: at least 35 of its files run, and nearly all of these complete."""
    assert set(ENDS) <= set(FILES)
    assert len(ENDS) >= 35
    assert sum(outcome == "completed" for outcome, _ in ENDS.values()) >= 35
    assert corpus.is_dir()


def test_one_command_prints_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Design section 8: file, end, reason for a folder of files, whatever they hold."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("J") >> b.end("e")
    _ = b.task("A") >> bs.model.contents.Node("J", b._draft)
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "good.bpmn").write_text(bs.write_bpmn(b.model()) or "")
    (tmp_path / "bad.xml").write_text("<x/>")
    (tmp_path / "other.txt").write_text("not looked at")
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.inclusive("it") >> [b.end("e1"), b.end("e2")]
    (tmp_path / "or.bpmn2").write_text(bs.write_bpmn(b.model()) or "")
    assert main([str(tmp_path)]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["file", "end", "reason"]
    assert [line.split()[:2] for line in lines] == [
        ["bad.xml", "MODEL"],
        ["inner/good.bpmn", "completed"],
        ["or.bpmn2", "UNSUPPORTED"],
    ]
    assert [tried.file for tried in try_folder(tmp_path)] == [line.split()[0] for line in lines]


def test_an_empty_folder_has_an_empty_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing to try is no error."""
    assert (main([str(tmp_path)]), capsys.readouterr().out) == (0, "file  end  reason\n")


def test_a_missing_file_is_our_own_error(tmp_path: Path) -> None:
    """Design section 8: only BpmnSimError comes out of a file."""
    with pytest.raises(BpmnSimError):
        bs.read_bpmn(tmp_path / "missing.bpmn")
