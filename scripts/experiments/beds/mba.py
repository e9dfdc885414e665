#!/usr/bin/env python3
"""Deobfuscation of mixed Boolean-arithmetic (MBA): how many public expressions `cairn optimise` brings to the size of
what they were before, with a checked proof each.

    scripts/experiments/beds/mba.py --data GAMBA --out DIR [--reserved] [--lines 40] [--patience off] [--ranker RANKER] [--words 8 16 32 64]

GAMBA is a checkout of github.com/DenuvoSoftwareSolutions/GAMBA (GPL-3; nothing of it is shipped), whose
experiments/datasets hold the sets: a line each, `complex,simple`, in C's syntax. Lines whose SHA-256 begins with a
hexadecimal digit below 4 are reserved for the table of docs/results.md; nothing is learned or chosen with them.

A line is solved if the best term has at most as many nodes as the simple side. In brackets: the mean of the seconds of a
line, their median and the 90th percentile. Columns: `alone` is the system without
its normal form, `normal form` with it, `ranked` with it and the ranker, and `words N` the rules of `words` on words of N bits (literals modulo 2ᴺ). All have the same cap and work, on one thread. Lines that are finished
are kept in DIR: the same command goes on where it was. Other programs on these lines: mba_peers.py.

Makes the table of docs/results.md, "Mixed Boolean-arithmetic", with --reserved --lines 50. Needs a release build; by the seconds of that table ten
minutes on one core.
"""
import argparse
import ast
import hashlib
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import time

SETS = ["neureduce", "syntia", "qsynth_ea", "mba_obf_linear", "mba_flatten", "mba_obf_nonlinear"]
OPERATORS = {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
MASK = 2**64 - 1
ROOT = pathlib.Path(__file__).resolve().parents[3]


class Unsupported(Exception):
    pass


def term(node):
    """The s-expression of a Python expression; powers of at most 4 are multiplied out."""
    if isinstance(node, ast.Expression):
        return term(node.body)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        power = getattr(node.right, "value", None)
        if not isinstance(power, int) or not 1 <= power <= 4:
            raise Unsupported
        base = result = term(node.left)
        for _ in range(power - 1):
            result = f"(* {result} {base})"
        return result
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return f"({OPERATORS[type(node.op)]} {term(node.left)} {term(node.right)})"
    if isinstance(node, ast.UnaryOp):
        if isinstance(node.op, ast.UAdd):
            return term(node.operand)
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return str(-node.operand.value & MASK)
        if isinstance(node.op, (ast.Invert, ast.USub)):
            return f"({'~' if isinstance(node.op, ast.Invert) else 'neg'} {term(node.operand)})"
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return str(node.value & MASK)
    raise Unsupported


def of_width(text, bits):
    """A term over words of so many bits, as words.rules has them."""
    text = re.sub(r"\(([^\s()]+)", rf"(\1:{bits}", text)
    return re.sub(r"(?<=\s)\d+", lambda number: str(int(number[0]) % 2**bits), text)


def parsed(text):
    return term(ast.parse(text.strip(), mode="eval"))


def size(text):
    return len(re.findall(r"[^\s()]+", text))


def lines_of(path, reserved, read=parsed):
    """(the line's complex side as it is written, both sides as terms), and how many lines are left out."""
    rows, left_out = {}, 0
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if (int(hashlib.sha256(line.encode()).hexdigest()[0], 16) < 4) != reserved:
            continue
        try:
            written, simple = re.split("[,\t]", line)[:2]
            start, target = read(written), read(simple)
        except (Unsupported, SyntaxError, ValueError):
            left_out += 1
            continue
        if start != target:
            rows[start, target] = written.strip()
    return [(written, *sides) for sides, written in rows.items()], left_out


def without_normal_form(rules):
    drop = re.compile(r":ruleset normal\)|^\(ruleset normal\)|^\(normal-form normal\)")
    return "".join(line for line in rules.splitlines(keepends=True) if not drop.search(line))


def optimise(arguments, system, name, starts, more):
    """Sizes of the best terms, and the seconds of each line; none if some were finished before."""
    terms = arguments.out / f"{name}.txt"
    terms.write_text("".join(start + "\n" for start in starts), encoding="utf-8")
    out = arguments.out / name
    goes_on = out.exists()
    command = [arguments.cairn, "optimise", "--system", system, "--terms", terms, "--out", out, "--cap", "8000"]
    command += ["--work", str(arguments.work), "--scheduler", "mixed", "--threads", "1", "--quiet", *more]
    if arguments.patience:
        command += ["--patience", arguments.patience]
    began = time.time()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr.strip()}")
    rows = [out / "rows" / f"{number}.json" for number in range(len(starts))]
    # On one thread a line begins when the row of the one before is written.
    ends = [began, *(row.stat().st_mtime for row in rows)]
    seconds = None if goes_on else [end - start for start, end in zip(ends, ends[1:])]
    decode = json.JSONDecoder().raw_decode
    return [decode(row.read_text())[0]["row"]["size_after"] for row in rows], seconds


def shown(seconds):
    if not seconds:
        return ""
    nine_tenths = sorted(seconds)[len(seconds) * 9 // 10]
    return f" ({statistics.mean(seconds):.2f}; {statistics.median(seconds):.2f}, {nine_tenths:.2f} s)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="a checkout of GAMBA")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the directory for results")
    parser.add_argument("--cairn", default=ROOT / "target/release/cairn", help="the program")
    parser.add_argument("--system", default=ROOT / "configs/systems/mba.rules", type=pathlib.Path)
    parser.add_argument("--reserved", action="store_true", help="the reserved lines instead of the others")
    parser.add_argument("--lines", type=int, default=40, help="lines of each set, drawn at random")
    parser.add_argument("--work", type=int, default=80_000, help="e-nodes that may be built for a line")
    parser.add_argument("--patience", help="as that of cairn optimise")
    parser.add_argument("--ranker", type=pathlib.Path, help="a ranker for the system")
    parser.add_argument("--words", type=int, nargs="*", default=[], metavar="BITS", help="by the rules of words, too, on words of so many bits")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    alone = arguments.out / "alone.rules"
    alone.write_text(without_normal_form(arguments.system.read_text(encoding="utf-8")), encoding="utf-8")
    methods = {"alone": (alone, ["--no-ranker"]), "normal form": (arguments.system, ["--no-ranker"])}
    if arguments.ranker:
        methods["ranked"] = (arguments.system, ["--ranker", arguments.ranker])
    by_words = {f"words {bits}": bits for bits in arguments.words}
    methods |= dict.fromkeys(by_words, ("words", ["--no-ranker"]))
    print("| set | lines | " + " | ".join(methods) + " |", flush=True)
    for name in SETS:
        rows, _ = lines_of(arguments.data / "experiments/datasets" / f"{name}.txt", arguments.reserved)
        rows = random.Random(0).sample(rows, min(arguments.lines, len(rows)))
        cells = []
        for method, (system, more) in methods.items():
            label = f"{name}-{method.replace(' ', '-')}"
            starts = [start for _, start, _ in rows]
            if method in by_words:
                starts = [of_width(start, by_words[method]) for start in starts]
            cells.append(optimise(arguments, system, label, starts, more))
        text = []
        for sizes, seconds in cells:
            solved = sum(found <= size(target) for found, (_, _, target) in zip(sizes, rows))
            text.append(f"{100 * solved / len(rows):.0f} %" + shown(seconds))
        print(f"| {name} | {len(rows)} | " + " | ".join(text) + " |", flush=True)


if __name__ == "__main__":
    main()
