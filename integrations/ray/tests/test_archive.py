"""Reads a real plan with the real program on a cluster of raylets, of which some are killed. FRAMEGREP and FRAMEGREP_ARCHIVE_PLAN name the two."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any, Iterator, List

import pytest
import ray
from ray.cluster_utils import Cluster

from framegrep_ray import Progress, Settings, read_archive, read_plan

PROGRAM = os.environ.get("FRAMEGREP", "")
PLAN = os.environ.get("FRAMEGREP_ARCHIVE_PLAN", "")

pytestmark = pytest.mark.skipif(
    not PROGRAM or not PLAN, reason="FRAMEGREP names no program, or FRAMEGREP_ARCHIVE_PLAN no plan; scripts/check archive sets both"
)


@pytest.fixture
def cluster() -> Iterator[Any]:
    # The head reads nothing, so that any of the others may be lost.
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 100 << 20})
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def add(cluster: Any) -> Any:
    return cluster.add_node(num_cpus=1, object_store_memory=100 << 20)


def digest(results: Path, index: Path) -> str:
    subprocess.run([PROGRAM, "index", "merge", str(index), str(results)], check=True, stderr=subprocess.DEVNULL)
    said = subprocess.run([PROGRAM, "index", "digest", "--index", str(index)], check=True, stdout=subprocess.PIPE)
    return said.stdout.decode()


def test_machines_that_are_lost_make_no_difference(cluster: Any, tmp_path: Path) -> None:
    nodes = [add(cluster), add(cluster)]
    results = tmp_path / "results"
    lost: List[int] = []

    def lose(progress: Progress) -> None:
        # After the second and the fifth unit a machine goes, whatever it reads then, and another one comes.
        if progress.done in (2, 5) and progress.done not in lost:
            lost.append(progress.done)
            cluster.remove_node(nodes.pop(0), allow_graceful=False)
            nodes.append(add(cluster))

    reports = read_archive(Settings(Path(PLAN), results, PROGRAM, retries=10), lose)
    units = read_plan(Path(PLAN))
    assert lost == [2, 5]
    assert [report.unit for report in reports] == [unit.number for unit in units]
    assert [report.message for report in reports if report.status != "done"] == []
    manifest = [json.loads(line) for line in (results / "manifest.jsonl").read_text().splitlines()]
    assert sorted(line["unit"] for line in manifest) == [unit.number for unit in units]
    # The same as one process that was not interrupted.
    alone = tmp_path / "alone"
    subprocess.run([PROGRAM, "index", "run", PLAN, "--out", str(alone), "-q"], check=True)
    assert digest(results, tmp_path / "index") == digest(alone, tmp_path / "index-alone")


def test_a_unit_that_cannot_be_read_is_reported(cluster: Any, tmp_path: Path) -> None:
    add(cluster)
    lines = Path(PLAN).read_text().splitlines()[:2]
    fields = json.loads(lines[1])
    fields["from"] = 123456.0
    plan = tmp_path / "units.jsonl"
    plan.write_text("\n".join([lines[0], json.dumps(fields)]) + "\n")
    # The second line ends before it begins, which the program refuses.
    reports = read_archive(Settings(plan, tmp_path / "out", PROGRAM, retries=1))
    assert [report.status for report in reports] == ["done", "failed"]
    assert "is not a unit" in reports[1].message
    # A missing program is reported too.
    reports = read_archive(Settings(plan, tmp_path / "none", "/nowhere/framegrep", retries=0))
    assert all("cannot be run" in report.message for report in reports)


def test_a_plan_that_is_none_is_refused(tmp_path: Path) -> None:
    plan = tmp_path / "units.jsonl"
    for text in ["hello\n", '{"unit": 1, "input": "a", "from": 0}\n', "[1]\n"]:
        plan.write_text(text)
        with pytest.raises(ValueError, match="Line 1"):
            read_plan(plan)
