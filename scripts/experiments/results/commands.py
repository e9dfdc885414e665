"""Commands of cairn whose products are kept."""

import pathlib
import subprocess
import sys

import pyarrow.parquet as pq

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[1]
SCRIPTS, ROOT = EXPERIMENTS.parents[:2]


class Run:
    """A directory of products. What is there already is not made again, so that a run that was stopped
    goes on."""

    def __init__(self, cairn, out):
        self.cairn, self.out = cairn, out
        out.mkdir(parents=True, exist_ok=True)

    def __call__(self, product, *command):
        """The path of a product; cairn is run with this command unless it is there."""
        return self._made(product, self.cairn, *command, "--quiet")

    def script(self, product, name, *arguments):
        """The same of a script for users."""
        return self._made(product, sys.executable, SCRIPTS / name, *arguments)

    def _made(self, product, *command):
        path = self.out / product
        if not path.exists():
            call(command, sys.stderr)
        return path

    def said(self, product, *command):
        """The file of what a command writes to the standard output; one that proves nothing exits with 3."""
        path = self.out / product
        if not path.exists():
            part = path.with_name(path.name + ".part")
            with part.open("w") as file:
                call(command, file, [0, 3])
            part.rename(path)
        return path

    def evaluate(self, name, system, tasks, methods, *options):
        """The rows of an evaluation."""
        out = self.out / name
        return rows(self(f"{name}/results.parquet", "evaluate", "--system", system, "--tasks", tasks,
                         "--methods", ",".join(methods), "--out", out, *options))


def call(command, stdout, codes=(0,)):
    """Runs a command, which has to end with one of these exit codes, and shows it."""
    command = [str(word) for word in command]
    print("$ " + " ".join(command), file=sys.stderr, flush=True)
    code = subprocess.run(command, stdout=stdout).returncode
    if code not in codes:
        sys.exit(f"exit code {code}")


def rows(path):
    """The columns of results that tables are made of."""
    columns = ["task", "seed_id", "method", "solved", "work", "seconds", "peak_bytes"]
    return pq.read_table(path, columns=columns).to_pylist()


def table(heads, lines):
    """Prints a table in Markdown."""
    print("\n| " + " | ".join(heads) + " |\n" + "| --- " * len(heads) + "|")
    for line in lines:
        print("| " + " | ".join(str(cell) for cell in line) + " |", flush=True)


def solved_cells(results, hard, methods):
    """By method: how many are solved, and how many of the hard ones."""
    cells = []
    for method in methods:
        mine = {row["task"] for row in results if row["method"] == method and row["solved"]}
        cells.append(f"{len(mine)} ({len(mine & hard)})")
    return cells


def hard_tasks(results):
    """Those that one e-graph with all the work does not prove."""
    return {row["task"] for row in results if row["method"] == "all-work" and not row["solved"]}
