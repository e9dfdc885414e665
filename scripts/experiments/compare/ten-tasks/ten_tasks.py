#!/usr/bin/env python3
"""Ten things that people do with an e-graph, in Cairn's Python package, egglog's and egg: lines of each, as a table.

    pip install ./python egglog==13.2.0
    python scripts/experiments/compare/ten-tasks/ten_tasks.py

The programs run first, and what they find is asserted in them. Counted are lines that are neither empty nor a
comment, nor a closing brace or the head of a function around a task.

Makes the table of docs/python.md, "Beside egglog and egg". Needs the two packages and builds the program over egg; a minute or two for that.
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = {
    "Cairn": ("cairn_tasks.py", [sys.executable, HERE / "cairn_tasks.py"]),
    "egglog 13.2.0 (Python)": ("egglog_tasks.py", [sys.executable, HERE / "egglog_tasks.py"]),
    "egg 0.11 (Rust)": ("src/main.rs", ["cargo", "run", "-q", "-p", "ten-tasks", "--manifest-path", HERE / "Cargo.toml"]),
}
NO_LINE = re.compile(r"\s*((#|//).*|\}+|fn \w+\(\) \{)?$")


def lines(path):
    """Lines by task."""
    counts, task = {}, None
    for line in path.read_text(encoding="utf-8").splitlines():
        if name := re.match(r"\s*(?:#|//) task: (.*)", line):
            task = name[1]
        elif task and not NO_LINE.match(line):
            counts[task] = counts.get(task, 0) + 1
    return counts


def main():
    counts = []
    for file, command in TOOLS.values():
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        counts.append(lines(HERE / file))
    print("| | " + " | ".join(TOOLS) + " |")
    print("| --- " * (1 + len(TOOLS)) + "|")
    for task in counts[0]:
        row(task, [count.get(task, "not there") for count in counts])
    everywhere = [task for task in counts[0] if all(task in count for count in counts)]
    row("what all have", [sum(count[task] for task in everywhere) for count in counts])


def row(head, cells):
    print(f"| {head} | " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
