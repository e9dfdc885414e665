#!/usr/bin/env python3
"""Programs that deobfuscate mixed Boolean-arithmetic (MBA), side by side on the same public expressions of 64 bits.

    scripts/experiments/beds/mba_peers.py --data GAMBA --out DIR [--simba SIMBA] [--cobra COBRA] [--cobra-program FILE] [--gamba] [--lines 60] [--sets NAME …]

GAMBA, SIMBA and COBRA are checkouts of github.com/DenuvoSoftwareSolutions/GAMBA, github.com/DenuvoSoftwareSolutions/SiMBA (both
GPL-3) and github.com/trailofbits/CoBRA (Apache-2); nothing of them is shipped. FILE is CoBRA's program `cobra-cli`, built. A set whose
checkout is not given is left out, and so is a program. GAMBA needs numpy.

Which lines are the reserved ones, and when one is solved (at most as many nodes as the simple side), is that of mba.py. Every program gets
a line alone, in a process of its own, one at a time, with the same limits of seconds and memory. Seconds are those of the processor, on
one thread, so that other work on the machine counts little. The start of the process is among them, and printed beside them: the line
`x+0`, in the median of seven. Cairn, whose answer is the best so far at any time, is told to end a second earlier. Sizes of answers are
those with -a for -1*a and a - b for a + -b. Every answer is compared with the line at 200 points, half of them corners and half random
words. `cairn check` checks each proof; the others have none. Lines with shifts to the left by a number, which mba.py
leaves out, are a set of their own; they are read as products with a power of two. Makes the tables of docs/results.md, "Other programs
for mixed Boolean-arithmetic".

Prints for each set: how many lines, and of each program the lines solved and in brackets the mean and the median of the seconds; then for each
program over all sets:
  answered    lines with an answer that is not the line itself or a refusal
  by cost     as solved, but by CoBRA's own measure: nodes, where a product of two variable factors counts 3 and a - b as a + (-b)
  same        the answer is the text that the program makes of the simple side, or the simple side itself: what SiMBA and GAMBA count
  left        nodes of the answers (of the line, where there is none) for one node of the simple sides, in the geometric mean
  characters  as nodes, of the answers as they are written, for one of the simple sides; Cairn's are written in C's syntax for that
  wrong       answers with other values than the line
  unread      answers with an operator that is not evaluated here
  late        lines that took longer than the limit
  proofs      answers, the line itself among them, with a proof that was accepted

What is finished is kept in DIR: the same command goes on where it was.
"""
import argparse
import ast
import hashlib
import json
import math
import os
import pathlib
import random
import re
import resource
import signal
import statistics
import subprocess
import sys

from mba import MASK, ROOT, SETS, Unsupported, lines_of, of_width, parsed, size, term

sys.setrecursionlimit(100_000)
CORNERS = [0, 1, 2, 3, MASK, MASK - 1, 2**63, 2**63 - 1, 2**63 + 1, 2**32, 2**32 - 1, 0xAAAAAAAAAAAAAAAA, 0x5555555555555555]
EVALUATED = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b if b < 64 else 0,
    ">>": lambda a, b: a >> b,
    "~": lambda a: ~a,
    "neg": lambda a: -a,
}
ONE_THREAD = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
SHIFTS = "qsynth_ea, with shifts"
# How tightly C's operators bind.
BINDS = {"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6}
UNARY = {"~": "~", "neg": "-"}


class Products(ast.NodeTransformer):
    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.LShift) and isinstance(node.right, ast.Constant) and node.right.value in range(64):
            return ast.BinOp(node.left, ast.Mult(), ast.Constant(2**node.right.value))
        return node


def read(text):
    """An expression in C's syntax as a term, shifts as products."""
    return term(Products().visit(ast.parse(text.strip(), mode="eval")))


def tree(text):
    """A term as nested lists; operators without their width."""
    stack = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            inner = stack.pop()
            inner[0] = re.sub(r"(?<=[^:]):\d+$", "", inner[0])
            stack[-1].append(inner)
        else:
            stack[-1].append(token)
    return stack[0][0]


def plain(node):
    """A tree with -a for -1 * a and a - b for a + -b: SiMBA writes no minus."""
    if not isinstance(node, list):
        return node
    operator, *parts = [node[0], *map(plain, node[1:])]
    if operator == "*" and str(MASK) in parts:
        return ["neg", parts[parts[0] == str(MASK)]]
    if operator == "+":
        for first, second in (parts, parts[::-1]):
            if isinstance(second, list) and second[0] == "neg":
                return ["-", first, second[1]]
    return [operator, *parts]


def nodes(node):
    return sum(map(nodes, node[1:])) + 1 if isinstance(node, list) else 1


def names(node):
    if isinstance(node, list):
        return set().union(*map(names, node[1:]))
    return set() if node.lstrip("-").isdigit() else {node}


def values(node, points):
    """The values of a tree at these points (a list of words for each variable, and how many). KeyError: an operator that is not here."""
    if not isinstance(node, list):
        variables, count = points
        return [int(node) & MASK] * count if node.lstrip("-").isdigit() else variables[node]
    operator = EVALUATED[node[0]]
    return [operator(*words) & MASK for words in zip(*(values(part, points) for part in node[1:]))]


def points_for(variables, count, seed):
    draw = random.Random(seed)
    word = lambda number: draw.choice(CORNERS) if number % 2 else draw.getrandbits(64)
    return {name: [word(number) for number in range(count)] for name in sorted(variables)}, count


def cost(node):
    """CoBRA's measure of a tree, and whether it has variables."""
    if not isinstance(node, list):
        return 1, not node.lstrip("-").isdigit()
    parts = [cost(part) for part in node[1:]]
    of_variables = [variable for _, variable in parts]
    own = {"*": 3 if all(of_variables) else 1, "-": 2}.get(node[0], 1)
    return own + sum(spent for spent, _ in parts), any(of_variables)


def in_c(node, outer=0):
    """A tree in C's syntax, with the parentheses that it needs and literals near to zero."""
    if not isinstance(node, list):
        if not node.isdigit():
            return node
        number = int(node)
        return str(number - 2**64 if number >= 2**63 else number)
    if node[0] in UNARY:
        return UNARY[node[0]] + in_c(node[1], 7)
    own = BINDS.get(node[0], 0)
    text = in_c(node[1], own) + node[0] + in_c(node[2], own + (node[0] == "-"))
    return f"({text})" if own < outer else text


def limited(command, arguments, directory=None):
    """What a program wrote, and the processor's seconds; None if it was late."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (arguments.memory << 30,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (arguments.seconds + 1,) * 2)

    command = [str(part) for part in command]
    began = spent()
    try:
        # Other work may slow it down; a program that waits ends, too.
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=10 * arguments.seconds, preexec_fn=limit, env=ONE_THREAD)
    except subprocess.TimeoutExpired:
        done = None
    except OSError as error:
        # A line that is too long for an argument.
        done = subprocess.CompletedProcess(command, 1, "", str(error))
    return None if done and done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else done, spent() - began


def spent():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def cairn(arguments, system):
    """Cairn by the rules of a system: the best term, and whether its proof was accepted."""
    proof = arguments.out / f"{system}.json"
    command = [arguments.cairn, "optimise", "--system", system, "--cap", "8000", "--work", "80000", "--scheduler", "mixed"]
    command += ["--no-ranker", "--threads", "1", "--time", str(arguments.seconds - 1), "--no-shorten", "--quiet", "--format", "json", "--out", proof, "--term"]

    def answer(_, start):
        proof.unlink(missing_ok=True)
        done, seconds = limited([*command, of_width(start, 64) if system == "words" else start], arguments)
        found = {"seconds": seconds}
        if done is None:
            return found
        if done.returncode:
            return found | {"refused": done.stderr.strip()[-200:]}
        best = json.loads(done.stdout)["best"][-1]["term"]
        checked = subprocess.run([arguments.cairn, "check", proof, "--system", system], capture_output=True, text=True)
        return found | {"term": best, "text": in_c(tree(best)), "proof": checked.returncode == 0}

    return answer


def of_python(arguments, checkout, program, *options):
    """SiMBA or GAMBA, which print `simplified to …`."""

    def answer(written, _):
        command = [arguments.python, program, "-b", "64", *options, written]
        done, seconds = limited(command, arguments, checkout / "src")
        if done is None:
            return {"seconds": seconds}
        text = re.findall(r"simplified to (.+)", done.stdout)
        if not text:
            return {"seconds": seconds, "refused": (done.stdout + done.stderr).strip()[-200:]}
        return {"seconds": seconds, "text": text[-1].strip()}

    return answer


def cobra(arguments):
    """CoBRA, which prints the answer alone, or the line once more and `Unsupported`."""

    def answer(written, _):
        done, seconds = limited([arguments.cobra_program, "--bitwidth", "64", "--mba", written], arguments)
        if done is None:
            return {"seconds": seconds}
        if done.returncode or "Unsupported" in done.stderr or not done.stdout.strip():
            return {"seconds": seconds, "refused": done.stderr.strip()[-200:] or f"exit code {done.returncode}"}
        return {"seconds": seconds, "text": done.stdout.strip()}

    return answer


def programs_of(arguments):
    programs = {f"Cairn, `{system}`": cairn(arguments, system) for system in ("mba", "words")}
    if arguments.cobra_program:
        programs["CoBRA"] = cobra(arguments)
    if arguments.gamba:
        programs["GAMBA"] = of_python(arguments, arguments.data, "simplify_general.py", "--")
    if arguments.simba:
        # It refuses what is not linear.
        programs["SiMBA"] = of_python(arguments, arguments.simba, "simplify.py", "-l")
    return programs


def start_of(name, answer):
    """The seconds of a program for the line `x+0`, in the median."""
    found = [answer("x+0", "(+ x 0)") for _ in range(7)]
    if found[0].get("text") != "x":
        print(f"{name}: expected x for the line x+0, got {found[0]}", file=sys.stderr)
        sys.exit(2)
    return statistics.median(line["seconds"] for line in found)


def sets_of(arguments):
    """The files of each set."""
    datasets = arguments.data / "experiments/datasets"
    sets = {name: [datasets / f"{name}.txt"] for name in SETS}
    sets[SHIFTS] = [datasets / "qsynth_ea.txt"]
    sets["loki_tiny"] = [datasets / "bonus/loki_tiny.txt"]
    if arguments.simba:
        sets["SiMBA's e1 to e5"] = sorted((arguments.simba / "data").glob("e?_?vars.txt"))
    if arguments.cobra:
        own = arguments.cobra / "test/datasets"
        for name in ("simba/pldi_linear", "simba/pldi_poly", "simba/pldi_nonpoly", "simba/blast_dataset2", "msimba", "univariate64", "permutation64", "oses/oses_fast"):
            sets[name.split("/")[-1]] = [own / f"{name}.txt"]
    return {name: files for name, files in sets.items() if not arguments.sets or name in arguments.sets}


def kept(arguments, name, text, make):
    """What was found for a line, or is made now."""
    key = hashlib.sha256(f"{name}\n{arguments.seconds} {arguments.memory}\n{text}".encode()).hexdigest()[:24]
    path = arguments.out / f"{key}.json"
    if not path.exists():
        found = make()
        part = path.with_suffix(".part")
        part.write_text(json.dumps(found), encoding="utf-8")
        part.replace(path)
    return json.loads(path.read_text(encoding="utf-8"))


def judged(found, start, target, written_target, of_target, limit):
    """What is counted of an answer."""
    late = "text" not in found and "refused" not in found or found["seconds"] > limit
    counts = dict.fromkeys(("answered", "solved", "by cost", "same", "wrong", "unread", "late", "proofs"), 0) | {"late": int(late)}
    counts |= {"left": size(start) / size(target), "characters": len(in_c(tree(start))) / len(in_c(tree(target)))}
    if late or "refused" in found:
        return counts
    try:
        best = found.get("term") or read(found["text"])
        answer, line = plain(tree(best)), tree(start)
        points = points_for(names(line) | names(answer), 200, start)
        differs = values(answer, points) != values(line, points)
    except (Unsupported, SyntaxError, KeyError, RecursionError):
        return counts | {"unread": 1}
    counts["wrong"] = int(differs)
    if not differs:
        text = found["text"].replace(" ", "")
        same = text == written_target or answer == tree(target)
        counts["same"] = int(same or text == of_target().get("text", "").replace(" ", ""))
        counts |= {"answered": int(tree(best) != line), "solved": int(nodes(answer) <= size(target)), "by cost": int(cost(answer)[0] <= cost(tree(target))[0])}
        counts |= {"left": nodes(answer) / size(target), "characters": len(text) / len(in_c(tree(target))), "proofs": int(found.get("proof", False))}
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="a checkout of GAMBA")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the directory for results")
    parser.add_argument("--cairn", default=ROOT / "target/release/cairn", type=pathlib.Path, help="the program")
    parser.add_argument("--gamba", action="store_true", help="run GAMBA, too")
    parser.add_argument("--simba", type=pathlib.Path, help="a checkout of SiMBA: run it, and take its set, too")
    parser.add_argument("--cobra", type=pathlib.Path, help="a checkout of CoBRA, for its sets")
    parser.add_argument("--cobra-program", type=pathlib.Path, help="cobra-cli: run it, too")
    parser.add_argument("--python", default=sys.executable, type=pathlib.Path, help="the Python for GAMBA and SiMBA")
    parser.add_argument("--lines", type=int, default=60, help="reserved lines of each set, drawn at random")
    parser.add_argument("--sets", nargs="*", help="these sets only, by their names in the table")
    parser.add_argument("--seconds", type=int, default=10, help="seconds for a line at most")
    parser.add_argument("--memory", type=int, default=4, help="GiB of addresses for a process at most")
    arguments = parser.parse_args()
    for given in ("data", "out", "simba", "cobra", "cobra_program", "cairn", "python"):
        if getattr(arguments, given):
            setattr(arguments, given, getattr(arguments, given).absolute())
    arguments.out.mkdir(parents=True, exist_ok=True)
    programs = programs_of(arguments)
    begins = {name: start_of(name, answer) for name, answer in programs.items()}
    totals = {name: [] for name in programs}
    print("| set | lines | " + " | ".join(programs) + " |\n" + "| --- " * (len(programs) + 2) + "|", flush=True)
    for set_name, files in sets_of(arguments).items():
        rows, left_out = [], 0
        for file in files:
            found, unread = lines_of(file, True, parsed if set_name in SETS else read)
            if set_name == SHIFTS:
                found = [row for row in found if "<<" in row[0]]
            rows, left_out = rows + found, left_out + unread
        rows = random.Random(0).sample(rows, min(arguments.lines, len(rows)))
        cells = []
        for name, answer in programs.items():
            seconds, counted = [], []
            for written, start, target in rows:
                written_target = in_c(tree(target))
                made = lambda text, of: kept(arguments, name, text, lambda: {"program": name, "set": set_name, "of": text} | answer(text, of))
                found = made(written, start)
                seconds.append(min(found["seconds"], arguments.seconds))
                counted.append(judged(found, start, target, written_target, lambda: made(written_target, target), arguments.seconds))
            totals[name] += zip(seconds, counted)
            solved = sum(counts["solved"] for counts in counted)
            cells.append(f"{solved} ({statistics.mean(seconds):.2f}; {statistics.median(seconds):.2f})" if rows else "")
        note = f" ({left_out} of the file's not read)" if left_out else ""
        print(f"| {set_name} | {len(rows)}{note} | " + " | ".join(cells) + " |", flush=True)
    print("\n| program | lines | answered | solved | by cost | same | left | characters | wrong | unread | late | proofs | seconds: mean | median | start |")
    print("| --- " * 15 + "|")
    for name, lines in totals.items():
        figures = [str(len(lines))]
        for key in ("answered", "solved", "by cost", "same", "left", "characters", "wrong", "unread", "late", "proofs"):
            of = [counts[key] for _, counts in lines]
            figures.append(f"{math.exp(statistics.mean(map(math.log, of))):.2f}" if key in ("left", "characters") else str(sum(of)))
        seconds = [spent for spent, _ in lines]
        figures += [f"{statistics.mean(seconds):.3f}", f"{statistics.median(seconds):.3f}", f"{begins[name]:.3f}"]
        print(f"| {name} | " + " | ".join(figures) + " |")


if __name__ == "__main__":
    main()
