#!/usr/bin/env python3
"""What a ranker does after its rules file was edited: twelve kinds of edits, the same tasks, the same ranker.

    scripts/experiments/any/edited.py DIR --system ring --tasks TASKS.parquet

The tasks are asked as text, since a table of tasks belongs to the bytes of its rules file. Makes the table of docs/results.md, "After
edits". Needs a build of the program and pyarrow.
"""
import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "beds"))
import pyarrow.parquet  # noqa: E402
from program import run  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]


def forms(text):
    """The forms of a rules file, without comments."""
    found, depth, start = [], 0, 0
    code = re.sub(r";[^\n]*", "", text)
    for place, char in enumerate(code):
        if char == "(":
            start = place if depth == 0 else start
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                found.append(code[start:place + 1])
    return found


def is_rule(form):
    return form.startswith(("(rewrite", "(birewrite"))


def rules_in(order):
    """The forms with their rules in another order."""
    def edit(text):
        all_forms = forms(text)
        return "\n".join([f for f in all_forms if not is_rule(f)] + order([f for f in all_forms if is_rule(f)]))
    return edit


def split(rules):
    """A rule with two directions becomes two rules."""
    both = []
    for rule in rules:
        if not rule.startswith("(birewrite"):
            both.append(rule)
            continue
        left, right = forms_inside(rule)[:2]
        name = re.search(r":name\s+([^\s)]+)", rule).group(1)
        when = re.search(r":when\s+\(.*\)(?=\s*(:|\)$))", rule, re.S)
        rest = f" {when.group(0)}" if when else ""
        both += [f"(rewrite {left} {right}{rest} :name {name})", f"(rewrite {right} {left}{rest} :name {name}-back)"]
    return both


def forms_inside(rule):
    """The parts of a rule: terms and words."""
    parts, depth, start = [], 0, None
    for place, char in enumerate(rule[1:-1], 1):
        depth += (char == "(") - (char == ")")
        if char.isspace() and depth == 0:
            if start is not None:
                parts.append(rule[start:place])
            start = None
        elif start is None:
            start = place
    return (parts + ([rule[start:-1]] if start is not None else []))[1:]


def first_op(text):
    return re.search(r"\(op (\S+) \(([^)]*)\) (\w+)", text)


def more_rules(text):
    """Two true rules more: two of the file, turned by its first commutative law."""
    name = re.search(r"\(rewrite\s+\((\S+) \?a \?b\)\s+\(\1 \?b \?a\)", text).group(1)
    return (f"{text}\n(rewrite ({name} ({name} ?a ?b) (f0 ?c)) ({name} (f0 ?c) ({name} ?a ?b)) :name turned)\n"
            f"(op f0 ({first_op(text).group(3)}) {first_op(text).group(3)})\n")


EDITS = {
    "none": lambda text: text,
    "a comment": lambda text: "; edited\n" + text,
    "no comments, other spaces": lambda text: "\n\n".join(forms(text)) + "\n",
    "rules the other way round": rules_in(lambda rules: rules[::-1]),
    "rules by their text": rules_in(sorted),
    "operators the other way round": lambda text: "\n".join(
        [f for f in forms(text) if not f.startswith("(op ") and not is_rule(f)] + [f for f in forms(text) if f.startswith("(op ")][::-1]
        + [f for f in forms(text) if is_rule(f)]),
    "other names of rules": lambda text: re.sub(r":name\s+([^\s)]+)", r":name my-\1", text),
    "other names of variables": lambda text: re.sub(r"\?(\w+)", r"?my_\1", text),
    "a cost": lambda text: text + f"\n(cost ({first_op(text).group(1)}" + "".join(
        f" ?x{i}" for i, _ in enumerate(first_op(text).group(2).split())) + ") 3 :name my-cost)\n",
    "birewrites as two rules": rules_in(split),
    "a rule and an operator more": more_rules,
    "a rule less, the last": rules_in(lambda rules: rules[:-1]),
    "a rule less, the first": rules_in(lambda rules: rules[1:]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--system", default="ring")
    parser.add_argument("--ranker", help="the one of this name is taken where nothing is said")
    parser.add_argument("--tasks", type=pathlib.Path, required=True)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--work", type=int, default=24_000)
    args = parser.parse_args()
    args.dir.mkdir(parents=True, exist_ok=True)
    rows = pyarrow.parquet.read_table(args.tasks).to_pylist()
    tasks = args.dir / "tasks.txt"
    tasks.write_text("".join(f"{row['start']} {row['target']}\n" for row in rows))
    text = (ROOT / f"configs/systems/{args.system}.rules").read_text()
    print("| edit | solved | as before | work, thousands |\n| --- | --- | --- | --- |")
    before = None
    for name, edit in EDITS.items():
        rules = args.dir / f"{name.replace(' ', '-').replace(',', '')}.rules"
        rules.write_text(edit(text))
        out = rules.with_suffix("")
        if not (out / "results.parquet").exists():
            run(args.cairn, "evaluate", "--system", rules, "--tasks", tasks, "--methods", "ranked", "--ranker", args.ranker or args.system,
                "--work", args.work, "--threads", 2, "--quiet", "--out", out)
        results = sorted(pyarrow.parquet.read_table(out / "results.parquet").to_pylist(), key=lambda row: row["task"])
        outcomes = [row["solved"] for row in results]
        before = before or outcomes
        same = sum(a == b for a, b in zip(outcomes, before))
        print(f"| {name} | {sum(outcomes)} of {len(outcomes)} | {same} | {sum(row['work'] for row in results) // 1000} |", flush=True)


if __name__ == "__main__":
    main()
