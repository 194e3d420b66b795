"""framegrep-ray PLAN --out FOLDER [--index INDEX]: reads an archive on a Ray cluster. Exit status: 0 all is there, 2 something is not."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import List, Optional

import ray

from .archive import Progress, Settings, read_archive


def _tell(progress: Progress) -> None:
    left = progress.remaining
    rest = f", {left / 60:.0f} min left" if left is not None and progress.done + progress.failed < progress.total else ""
    failed = f", {progress.failed} failed" if progress.failed else ""
    print(f"framegrep-ray: {progress.done} of {progress.total} units{failed}{rest}", file=sys.stderr, flush=True)


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="framegrep-ray", description=__doc__)
    parser.add_argument("plan", type=Path, help="what 'framegrep index plan' wrote, on storage that all machines share")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results, on such storage too")
    parser.add_argument("--index", type=Path, help="merge the results into this index, on a disk of this machine, when all are there")
    parser.add_argument("--program", default="framegrep", help="the program, by the same name on all machines")
    parser.add_argument("--address", help="the cluster (default: the one that this runs in, else a new one on this machine)")
    parser.add_argument("--cpus", type=int, default=1, help="processors of a task")
    parser.add_argument("--retries", type=int, default=3, help="how often a unit is read again that failed or whose machine was lost")
    parser.add_argument("--allow", action="append", default=[], help="passed on to 'framegrep index run'")
    given = parser.parse_args(arguments)
    allowed = tuple(word for kind in given.allow for word in ("--allow", kind))
    ray.init(address=given.address, ignore_reinit_error=True, log_to_driver=False)
    settings = Settings(
        given.plan.resolve(), given.out.resolve(), given.program, given.cpus, given.retries, arguments=allowed
    )
    reports = read_archive(settings, _tell)
    failed = [report for report in reports if report.status == "failed"]
    for report in failed:
        print(f"framegrep-ray: unit {report.unit}: {report.message}", file=sys.stderr)
    if failed:
        return 2
    if given.index:
        return subprocess.run([given.program, "index", "merge", str(given.index), str(settings.out)]).returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
