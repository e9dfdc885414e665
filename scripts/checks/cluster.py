#!/usr/bin/env python3
"""Play a cluster on one machine whose nodes fail: what is merged must be what one undisturbed process makes.

    python scripts/checks/cluster.py [--cairn target/release/cairn] [--parts 1000] [--only COMMAND] [--failures 0.6] [--kinds KIND...]
        [--damages 24] [--at-once 3] [--seed 0] [--keep DIR]

For `evaluate --tasks`, `optimise --terms`, `generate` and a round of `learn`: all parts of a small input are made by scripts/slurm/part.sbatch as
Slurm starts it, a few at a time, in a random order. A start is disturbed with the probability --failures, in a way that is drawn (`BEFORE`
says which there are), and the part is queued again, until all parts are there. Then finished parts are damaged, one after the other (`AFTER`),
merged, which must be refused, and mended; the merge is killed twice; and the result is compared with that of one process. No process may end but
by its signal, well, or with exit code 2 and one message that names what is wrong; and no finished item may be lost that was not damaged.
Exit code 1: something was otherwise. A full disk is played as root (a file system in memory) only, a clock that is set back with a C compiler only; that
is said. Needs Linux; pyarrow for `evaluate`. Makes the first two tables of docs/cluster.md, "A thousand nodes, by simulation".
"""
import argparse
import collections
import dataclasses
import hashlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from small_runs import PRODUCTS, RULES, contents, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOM = "size=8g"
# What may be said of which failure.
SAID = {
    "a second process": ["another process is writing to"],
    "no room": ["cannot write", "cannot start", "cannot lock"],
    "another run": ["with other arguments or another version"],
}
BEFORE = {
    "SIGKILL": "the process is killed at a random time, as when it is preempted",
    "SIGTERM": "the same, politely",
    "node lost": "the part is started elsewhere while the old process runs, which is killed then in half of the cases",
    "lock lost": "a node hangs, loses its lock, and goes on while the part is made elsewhere: two processes write to the same files",
    "EFBIG": "files can't grow beyond a random size; the process is told",
    "SIGXFSZ": "the same; the process is killed",
    "disk full": "all processes that run have no room left",
    "clock back": "the clock is set back by up to a day, and files of the part are from the future",
    "cut off": "a random file of an unfinished part loses its end",
    "byte flipped": "a byte of a random file of an unfinished part changes",
    "other version": "another version had begun the part",
    "other arguments": "the part is gone on with, with other arguments",
}
AFTER = ["cut off", "byte flipped", "file missing", "part missing", "part twice", "other version", "other settings"]


@dataclasses.dataclass
class Work:
    """A command: its arguments, those of a part of it, and which files of the result are compared."""

    alone: list
    part: Callable[[pathlib.Path], list]
    outcome: Callable[[pathlib.Path], dict]


def works(cairn, base, parts, only):
    """Makes what the commands read, with two to six items a part, and gives the commands by name."""
    seeds, terms, tasks, valid = (base / name for name in ("seeds.txt", "terms.txt", "tasks.parquet", "valid.parquet"))
    system = ["--system", RULES]
    run(cairn, "seeds", *system, "--sizes", "9..17", "--count", 12 * parts + 60, "--quiet", "--out", seeds)
    terms.write_text("\n".join(seeds.read_text().splitlines()[: 4 * parts]) + "\n")
    if only in (None, "evaluate", "learn"):
        chains = ["tasks", *system, "--seeds", seeds, "--link-nodes", 60, "--quiet"]
        run(cairn, *chains, "--count", 2 * parts, "--out", tasks)
        run(cairn, *chains, "--count", 4, "--seed", 1, "--without", tasks, "--out", valid)
    evaluate = ["evaluate", *system, "--tasks", tasks, "--methods", "all-work,deep", "--cap", 300, "--work", 600]
    optimise = ["optimise", *system, "--terms", terms, "--cap", 200, "--work", 600]
    generate = ["generate", *system, "--seeds", seeds, "--limit", 2 * parts, "--memory", "32KiB", "--pairs", 8]
    learn = ["learn", *system, "--tasks", tasks, "--validation", valid, "--cap", 200, "--rounds", 1]
    in_bytes = lambda out: {str(file.relative_to(out)): file.read_bytes() for file in out.rglob("*") if file.is_file()}
    round_0 = lambda out: {name: (out / name).read_bytes() for name in ("learning.json", "round-0.json", "round-0.parquet")}
    same = lambda command: lambda _: command
    all_works = {
        "evaluate": Work(evaluate, same(evaluate), lambda out: without_out(contents(out))),
        "optimise": Work(optimise, same(optimise), in_bytes),
        "generate": Work(generate, same(generate), in_bytes),
        "learn": Work(learn, lambda out: [*learn, "--learned", out, "--round", 0], round_0),
    }
    return {name: work for name, work in all_works.items() if only in (None, name)}


def without_out(files):
    """The files of an evaluation, whose description says where it was written to."""
    files["evaluation.json"]["command"] = files["evaluation.json"]["command"].rpartition(" --out ")[0]
    return files


def numbers(directory):
    """The items that are finished in a directory of a part, and where in `items.jsonl` the line of each ends."""
    if (directory / "units").is_dir():
        return {int(file.stem): 0 for file in (directory / "units").glob("*.json")}
    found, end = {}, 0
    items = directory / "items.jsonl"
    for line in items.read_bytes().splitlines(keepends=True) if items.exists() else []:
        end += len(line)
        if line.endswith(b"\n"):
            found[int(line.split(b" ")[0])] = end
    return found


def seal_again(text):
    """JSON with a seal that fits."""
    head = text[: text.rindex(',\n  "sha256"')]
    return f'{head},\n  "sha256": "{hashlib.sha256(head.encode()).hexdigest()}"\n}}\n'


@dataclasses.dataclass(eq=False)
class Started:
    """A process that makes a part."""

    index: int
    process: subprocess.Popen
    began: float
    failure: str | None = None
    due: float | None = None  # when the failure comes
    may_say: list = dataclasses.field(default_factory=list)
    signals: set = dataclasses.field(default_factory=set)
    first: "Started | None" = None  # the process of a lost node, which this one is in place of


class Cluster:
    """All parts of a command, made by processes that fail."""

    def __init__(self, cairn, name, work, place, arguments, rng, clock):
        self.cairn, self.name, self.work, self.rng, self.clock = cairn, name, work, rng, clock
        self.count, self.at_once, self.rate, self.kinds = arguments.parts, arguments.at_once, arguments.failures, arguments.kinds
        self.parts, self.out = place / "parts", place / "out"
        self.disk = place if os.path.ismount(place) else None
        self.parts.mkdir()
        self.running, self.seconds, self.cpu, self.usual, self.largest = [], {}, 0.0, 0.05, 4096
        # By part: what was finished when it was looked at last; those that processes without locks wrote to.
        self.known, self.unlocked = collections.defaultdict(set), set()
        self.counts, self.wrong = collections.Counter(), 0

    def path(self, index):
        return self.parts / f"part-{index:05}-of-{self.count:05}"

    def staged(self, index):
        return self.parts / f".{self.path(index).name}.partial"

    def fail(self, what):
        self.wrong += 1
        print(f"{self.name}: {what}", file=sys.stderr, flush=True)

    def start(self, index, failure=None, more=(), limit=None, environment=None):
        command = [ROOT / "scripts/slurm/part.sbatch", self.parts, self.count, *self.work.part(self.out), *more]
        slurm = {"CAIRN": self.cairn, "SLURM_ARRAY_TASK_ID": index, "SLURM_CPUS_PER_TASK": 1}

        def limited():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if limit is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN if failure == "EFBIG" else signal.SIG_DFL)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        environment = {**os.environ, **{key: str(value) for key, value in {**slurm, **(environment or {})}.items()}}
        process = subprocess.Popen(["bash", *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=environment, preexec_fn=limited)
        started = Started(index, process, time.monotonic(), failure)
        self.running.append(started)
        self.counts["starts"] += 1
        return started

    def draw(self, index):
        """Starts a part, disturbed or not."""
        if self.rng.random() >= self.rate:
            self.start(index)
            return
        staged = self.staged(index)
        files = [file for file in staged.rglob("*") if file.is_file() and file.stat().st_size and file.name[0] != "."]
        kinds = set(self.kinds)
        kinds -= set() if self.disk else {"disk full"}
        kinds -= set() if self.clock else {"clock back"}
        kinds -= set() if files else {"cut off", "byte flipped", "other version", "other arguments"}
        if not kinds:
            self.start(index)
            return
        kind = self.rng.choice([name for name in BEFORE if name in kinds])
        due = time.monotonic() + self.rng.uniform(0, 1.2 * self.usual)
        if kind in ("SIGKILL", "SIGTERM", "node lost", "lock lost", "disk full"):
            # It is counted when it comes: the process may have ended.
            self.start(index, kind).due = due
            return
        self.counts[kind] += 1
        if kind in ("EFBIG", "SIGXFSZ"):
            started = self.start(index, kind, limit=self.rng.randrange(self.largest))
            started.may_say, started.signals = SAID["no room"], {signal.SIGXFSZ} if kind == "SIGXFSZ" else set()
        elif kind == "clock back":
            tomorrow = time.time() + 86_400
            for file in staged.rglob("*"):
                os.utime(file, (tomorrow, tomorrow))
            self.start(index, kind, environment={"LD_PRELOAD": self.clock, "CLOCK_BACK": self.rng.randint(1, 86_400)})
        elif kind in ("cut off", "byte flipped"):
            self.damage_unfinished(index, kind, self.rng.choice(files))
            self.start(index, kind)
        elif kind == "other arguments":
            self.start(index, kind, more=["--seed", 99]).may_say = SAID["another run"]
        else:
            key = staged / ".key"
            version = json.loads(key.read_text())["settings"]
            version = version.get("version") or version["learning"]["version"]
            text = key.read_text()
            key.write_text(text.replace(f'"version":"{version}"', '"version":"0.0.1"'))
            self.start(index, kind).may_say = SAID["another run"]
            while self.running[-1].process.poll() is None:
                time.sleep(0.001)
            key.write_text(text)

    def damage_unfinished(self, index, kind, file):
        place = damage(file, kind, self.rng)
        finished = self.known[index]
        if file.name == "items.jsonl":
            # All from the damaged line on is done again.
            ends = numbers(self.staged(index))
            whole = {number for number, end in ends.items() if end <= place}
        else:
            whole = finished - ({int(file.stem)} if file.parent.name == "units" else set())
        self.counts["damaged items"] += len(finished - whole)
        self.known[index] = finished & whole

    def come(self, started):
        """What was to come to a process, comes."""
        started.due, kind = None, started.failure
        lock = self.staged(started.index) / ".lock"
        if kind == "goes on":
            started.process.send_signal(signal.SIGCONT)
            return
        if kind == "lock lost" and not lock.exists():
            # It has none yet.
            started.due = time.monotonic() + 0.001
            return
        self.counts[kind] += 1
        if kind in ("SIGKILL", "SIGTERM"):
            self.end(started, getattr(signal, kind))
        elif kind == "disk full":
            self.fill()
        else:
            if kind == "lock lost":
                started.process.send_signal(signal.SIGSTOP)
                lock.unlink(missing_ok=True)
                self.unlocked.add(started.index)
                started.failure, started.due = "goes on", time.monotonic() + self.rng.uniform(0, 2 * self.usual)
            second = self.start(started.index)
            second.first = started
            # Either may be there first.
            for one in (started, second):
                one.may_say = [*one.may_say, *SAID["a second process"]]

    def end(self, started, number):
        started.signals.add(number)
        started.process.send_signal(number)

    def fill(self):
        """The disk is full until all processes that run now have ended."""
        room, full = self.rng.randrange(3), False
        while not full:
            # What is written meanwhile may need the room that was left.
            used = os.statvfs(self.disk)
            # No page at all would be no limit.
            pages = max(1, used.f_blocks - used.f_bfree + room)
            full = subprocess.run(["mount", "-o", f"remount,size={pages * used.f_frsize}", self.disk], stderr=subprocess.DEVNULL).returncode == 0
        for started in self.running:
            started.may_say = [*started.may_say, *SAID["no room"]]
        while any(started.process.poll() is None for started in self.running):
            for started in self.running:
                started.process.send_signal(signal.SIGCONT)
            time.sleep(0.001)
        subprocess.run(["mount", "-o", f"remount,{ROOM}", self.disk], check=True)

    def ended(self, started):
        """Judges how a process ended; whether its part is to be started again."""
        index, failure, code = started.index, started.failure, started.process.returncode
        said = started.process.stderr.read().decode()
        staged, path = self.staged(index), self.path(index)
        there = numbers(path if path.exists() else staged)
        others = any(other.index == index for other in self.running)
        if not others and index not in self.unlocked:
            lost = self.known[index] - set(there)
            self.counts["lost items"] += len(lost)
            if lost:
                self.fail(f"part {index}: items {lost} were lost after {failure}")
        self.known[index] = set(there)
        if code == 0:
            if not (path / "part.json").exists():
                self.fail(f"part {index} ended well and is not there")
            if failure is None and started.first is None:
                self.usual = 0.9 * self.usual + 0.1 * (time.monotonic() - started.began)
                files = (file.stat().st_size for file in path.rglob("*") if file.is_file())
                self.largest = max(self.largest, *files)
        elif -code in started.signals or (code == 128 + signal.SIGTERM and signal.SIGTERM in started.signals):
            self.counts["killed in work"] += not path.exists()
        elif code == 2 and one_message(said) and any(words in said for words in started.may_say):
            self.counts["refused"] += 1
        elif code == 2 and one_message(said) and index in self.unlocked and str(self.parts) in said:
            self.counts["refused"] += 1
            if not others and not path.exists() and " twice" in said:
                # Two processes did the same items: nothing but to make it anew.
                shutil.rmtree(staged)
                self.known[index], self.counts["made anew"] = set(), self.counts["made anew"] + 1
        else:
            self.fail(f"part {index}, {failure}: exit code {code}: {said.strip()[-600:]}")
        if started.first in self.running and started.first.failure == "node lost" and self.rng.random() < 0.5:
            self.end(started.first, signal.SIGKILL)
        return not others and not (path / "part.json").exists()

    def play(self, queue):
        """Makes these parts."""
        self.rng.shuffle(queue)
        while queue or self.running:
            while queue and len(self.running) < self.at_once:
                self.draw(queue.pop())
            time.sleep(0.001)
            for started in list(self.running):
                if started.due is not None and time.monotonic() >= started.due and started.process.returncode is None:
                    self.come(started)
                if started.process.poll() is not None:
                    self.running.remove(started)
                    if self.ended(started) and started.index not in queue:
                        # Behind a few others, as in a queue.
                        queue.insert(max(0, len(queue) - self.rng.randrange(1, 20)), started.index)

    def make_anew(self):
        """Makes those parts anew which merging refuses, and to which two processes wrote after a lock was lost."""
        while True:
            code, said = self.merge()
            refused = [index for index in self.unlocked if code == 2 and one_message(said) and self.path(index).name in said]
            if not refused:
                break
            for index in refused:
                shutil.rmtree(self.path(index))
                self.known[index], self.counts["made anew"] = set(), self.counts["made anew"] + 1
            self.play(refused)
        shutil.rmtree(self.out, ignore_errors=True)

    def merge(self, paths=None, kill_after=None):
        """Merges; the exit code, and what was said."""
        command = [self.cairn, "merge", *(paths or sorted(self.parts.glob("part-*"))), "--quiet", "--threads", "1", "--out", self.out]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if kill_after is not None:
            time.sleep(kill_after)
            process.kill()
        said = process.communicate()[1].decode()
        return process.returncode, said

    def damage_finished(self, expected):
        """Damages a finished part, merges, and mends it."""
        kind, index = self.rng.choice(AFTER), self.rng.randrange(self.count)
        self.counts[f"then {kind}"] += 1
        path, saved, paths = self.path(index), self.parts / "saved", None
        shutil.copytree(path, saved)
        files = sorted(file for file in path.rglob("*") if file.is_file() and file.stat().st_size)
        file, what = self.rng.choice(files), f"{kind}, part {index}"
        if kind in ("cut off", "byte flipped"):
            damage(file, kind, self.rng)
        elif kind == "file missing":
            file.unlink()
        elif kind == "part missing":
            shutil.rmtree(path)
        elif kind == "part twice":
            shutil.copytree(path, self.parts / "part-copy")
        else:
            part = path / "part.json"
            change = lambda text, old, new: seal_again(text.replace(old, new, 1))
            version = json.loads(part.read_text())["settings"]
            version = version.get("version") or version["learning"]["version"]
            old, new = (f'"version": "{version}"', '"version": "0.0.1"') if kind == "other version" else ('"seed": 0', '"seed": 7')
            part.write_text(change(part.read_text(), old, new))
        code, said = self.merge(paths)
        # Of the copies of the rules one is read.
        unread = code == 0 and file.name == "system.rules" and self.work.outcome(self.out) == expected
        named = path.name in said or f"part {index}/{self.count}" in said or (index == 0 and "was not made with the same" in said)
        if unread:
            self.counts["then the same"] += 1
            shutil.rmtree(self.out)
        elif code == 2 and one_message(said) and named and not self.out.exists():
            self.counts["then refused"] += 1
        else:
            self.fail(f"merge, {what}, {file.name}: exit code {code}: {said.strip()[-600:]}")
            shutil.rmtree(self.out, ignore_errors=True)
        shutil.rmtree(self.parts / "part-copy", ignore_errors=True)
        shutil.rmtree(path, ignore_errors=True)
        if self.rng.random() < 0.5:
            saved.rename(path)
        else:
            shutil.rmtree(saved)
            self.known[index] = set()
            self.play([index])


def one_message(said):
    """Whether it is one message, and no fault of the program."""
    return sum(line.startswith("error: ") for line in said.splitlines()) == 1 and "panicked" not in said and "internal error" not in said


def damage(file, kind, rng):
    """Cuts a file off, or flips a byte of it; where."""
    content = bytearray(file.read_bytes())
    place = rng.randrange(len(content))
    if kind == "cut off":
        del content[place:]
    else:
        content[place] ^= rng.randrange(1, 256)
    file.write_bytes(content)
    return place


def used():
    """Processor seconds of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--parts", type=int, default=1000, help="of each command")
    parser.add_argument("--only", choices=["evaluate", "optimise", "generate", "learn"])
    parser.add_argument("--failures", type=float, default=0.6, help="of a start [0.6]")
    parser.add_argument("--damages", type=int, default=24, help="of finished parts [24]")
    parser.add_argument("--at-once", type=int, default=3, help="processes")
    parser.add_argument("--kinds", nargs="+", choices=BEFORE, default=list(BEFORE), help="of failures [all]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path, help="a new directory for what the commands read and the parts")
    arguments = parser.parse_args()
    cairn = arguments.cairn.resolve()
    base = arguments.keep or pathlib.Path(tempfile.mkdtemp(prefix="cluster-"))
    base.mkdir(exist_ok=True)
    clock, place = base / "clock.so", base / "place"
    place.mkdir()
    compiler = ["cc", "-shared", "-fPIC", "-O1", "-o", clock, pathlib.Path(__file__).with_name("clock.c"), "-ldl"]
    if not shutil.which("cc") or subprocess.run(compiler).returncode:
        print("NOT PLAYED: a clock that is set back: it needs a C compiler", file=sys.stderr)
        clock = None
    mount = ["mount", "-t", "tmpfs", "-o", ROOM, "cluster", place]
    if mounted := os.geteuid() == 0 and subprocess.run(mount, stderr=subprocess.DEVNULL).returncode == 0:
        pass
    else:
        print("NOT PLAYED: a full disk: it needs root", file=sys.stderr)
    clusters = {}
    try:
        for name, work in works(cairn, base, arguments.parts, arguments.only).items():
            rng = random.Random(f"{arguments.seed} {name}")
            before, alone = used(), base / f"{name}-alone"
            run(cairn, *work.alone, "--quiet", "--threads", 1, "--out", alone)
            alone_s, expected = used() - before, work.outcome(alone)
            cluster = clusters[name] = Cluster(cairn, name, work, place, arguments, rng, clock)
            began, before = time.monotonic(), used()
            cluster.play(list(range(arguments.parts)))
            cluster.seconds = {"alone": alone_s, "processor": used() - before, "wall": time.monotonic() - began}
            whole = set().union(*(cluster.known[index] for index in range(arguments.parts)))
            cluster.counts["items"] = len(whole)
            if whole != set(range(len(whole))) or len(whole) != sum(map(len, cluster.known.values())):
                cluster.fail("not all items, each once")
            cluster.make_anew()
            for _ in range(arguments.damages):
                cluster.damage_finished(expected)
            for _ in range(2):
                cluster.merge(kill_after=rng.uniform(0, 0.3))
            before, began = used(), time.monotonic()
            code, said = cluster.merge()
            cluster.seconds |= {"merge": time.monotonic() - began}
            if code or work.outcome(cluster.out) != expected:
                cluster.fail(f"merged, it is not what one process makes: exit code {code}: {said}")
            if arguments.keep:
                shutil.copytree(cluster.parts, base / f"{name}-parts", dirs_exist_ok=True)
            for directory in (cluster.parts, cluster.out):
                shutil.rmtree(directory)
    finally:
        # Something went wrong here.
        for started in (started for cluster in clusters.values() for started in cluster.running):
            started.process.kill()
            started.process.wait()
        if mounted:
            subprocess.run(["umount", "-l", place], check=True)
        if not arguments.keep:
            shutil.rmtree(base)
    print_tables(clusters, arguments)
    sys.exit(any(cluster.wrong for cluster in clusters.values()))


def print_tables(clusters, arguments):
    columns = ["items", "starts", "refused", "killed in work", "damaged items", "made anew", "lost items"]
    times = ["alone", "processor", "wall", "merge"]
    print(f"| {arguments.parts} parts | {' | '.join([*columns, *(f'{name} s' for name in times), 'wrong'])} |")
    print("| --- |" + " ---: |" * (len(columns) + len(times) + 1))
    for name, cluster in clusters.items():
        row = [cluster.counts[column] for column in columns] + [f"{cluster.seconds[one]:.1f}" for one in times]
        print(f"| `{name}` | {' | '.join(map(str, [*row, cluster.wrong]))} |")
    kinds = [*BEFORE, *(f"then {kind}" for kind in AFTER), "then refused", "then the same"]
    print(f"\n| failure | {' | '.join(f'`{name}`' for name in clusters)} |\n| --- |" + " ---: |" * len(clusters))
    for kind in kinds:
        print(f"| {kind} | {' | '.join(str(cluster.counts[kind]) for cluster in clusters.values())} |")


if __name__ == "__main__":
    main()
