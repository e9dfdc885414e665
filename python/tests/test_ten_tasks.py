"""The program that is compared with egglog's and egg's, line by line, runs; it asserts what it finds."""

import runpy
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "scripts/experiments/compare/ten-tasks/cairn_tasks.py"


def test_ten_things_that_people_do_with_an_e_graph():
    found = runpy.run_path(str(PROGRAM))
    assert found["dot"].startswith("digraph")
