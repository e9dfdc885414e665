"""A map over three dimensions is tiled in all of them, in stages and at once."""

import time

from commands import table

TERM = "(m (* n1 32) (m (* n2 32) (m (* n3 32) f)))"
SPLIT = "(contains (m n1 (m 32 (m n2 (m 32 (m n3 (m 32 f)))))))"
TILED = "(contains (m n1 (m n2 (m n3 (m 32 (m 32 (m 32 f)))))))"


def section(run, arguments):
    plan = run.out / "stages.toml"
    plan.write_text("".join(f'[[stage]]\nsketch = "{sketch}"\n' for sketch in [SPLIT, TILED]))
    shape = ["--system", "tiling", "--term", TERM]
    once = ["saturate", *shape, "--goal", TILED, "--memory", "1GiB", "--format", "json", "--quiet"]
    searches = {
        "stages": ["optimise", *shape, "--stages", plan, "--cap", "1GiB", "--cost", "size", "--format", "json", "--quiet"],
        "once-simple": [*once, "--scheduler", "simple"],
        "once-backoff": [*once, "--scheduler", "backoff"],
    }
    print("\n### Tiling")
    for name, command in searches.items():
        said = run.said(f"{name}.json", run.cairn, *command).read_text().splitlines()
        print(f"\n{name}: {said[-1][:1000]}")
