#!/usr/bin/env python3
"""Kill, fail and cut short the calls by which commands change files, and fill the disk under them.

    python scripts/checks/faults.py [--cairn target/release/cairn] [--kills 70] [--errors 20] [--fills 10] [--only COMMAND] [--seed 0]

A small run of each command that writes is disturbed at a random call that changes a file (open, write, fsync, rename, unlink, …; a
few lines of C before the C library count them): the process is killed there, before the call or after half of it; or the call fails once, or
every one from there on, with ENOSPC or EIO; or writes are halved, which is no error. With --fills, as root, it also writes to a file system
of random size in memory, which fills up. Each time the command must end well with what an undisturbed run comes to, or end with one
message that names a file and an exit code other than 0, without a panic. Given again, in peace, it must come to what an undisturbed
run comes to, with nothing left beside it. Exit code 1: something did not. Needs Linux, a C compiler and pyarrow.
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile

from small_runs import contents, run, small_runs


class Trial:
    """A command, where it writes, and what comes out without a fault."""

    def __init__(self, cairn, library, small, base):
        self.cairn, self.library, self.small = cairn, library, small
        self.disk = base / "disk"
        self.place = self.disk / "place"
        self.count_file = base / "count"
        self.begin()
        done = self.again()
        if done.returncode:
            sys.exit(f"without a fault: exit code {done.returncode}: {done.stderr}")
        self.expected, self.beside = self.outcome()
        self.calls = int(self.count_file.read_text().split()[-1])

    @property
    def out(self):
        return self.place / self.small.name

    def begin(self):
        """An empty place, or what must be there before."""
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        if self.small.before:
            shutil.copytree(self.small.before, self.out)

    def again(self, **fault):
        self.count_file.write_text("")
        environment = {**os.environ, "LD_PRELOAD": str(self.library), "FAULT_COUNT": str(self.count_file), **fault}
        return run(self.cairn, *self.small.arguments(self.out), codes=(), env=environment)

    def outcome(self):
        return contents(self.out), sorted(path.name for path in self.place.iterdir())

    def right(self):
        return self.out.exists() and self.outcome() == (self.expected, self.beside)

    def verdict(self, done, what, refusals):
        """Whether a disturbed run ended as it may. Counts it if it was refused."""
        # A lock that can't be removed any more is in nobody's way.
        for lock in self.place.rglob(".lock"):
            lock.unlink()
        if done.returncode == 0 and self.right():
            return True
        told = done.returncode in (1, 2) and "panicked" not in done.stderr and "internal error" not in done.stderr
        if told and str(self.place) in done.stderr:
            refusals.append(what)
            return True
        return self.wrong(what, done)

    def wrong(self, what, done):
        print(f"{what}: exit code {done.returncode}: {done.stderr.strip()[-400:]}", file=sys.stderr, flush=True)
        return False

    def in_peace(self, what):
        """The command given again: it ends well, and everything is as if nothing had been."""
        for orphan in self.place.rglob(".*.tmp"):
            # Younger ones may be another process's.
            os.utime(orphan, (0, 0))
        done = self.again()
        if done.returncode == 0 and self.right():
            return True
        differing = []
        if self.out.exists():
            found, beside = self.outcome()
            names = sorted(found.keys() | self.expected.keys())
            differing = [name for name in names if found.get(name) != self.expected.get(name)]
            differing += [name for name in beside if name not in self.beside]
        return self.wrong(f"{what}, and again; {differing} differ", done)


def kills(trial, times, rng):
    """Kills, each command given again until it has had its share of them."""
    done, ok = 0, True
    while done < times:
        trial.begin()
        chain = []
        for _ in range(min(rng.randint(1, 4), times - done)):
            fault, at = rng.choice(["kill", "half"]), rng.randint(1, trial.calls)
            disturbed = trial.again(FAULT=fault, FAULT_AT=str(at))
            chain.append(f"{fault} at {at}")
            if disturbed.returncode != -signal.SIGKILL:
                # What is gone on with has fewer calls.
                ok &= disturbed.returncode == 0 or trial.wrong(", ".join(chain), disturbed)
                break
            done += 1
        ok &= trial.in_peace(", ".join(chain))
    return done, ok


def errors(trial, times, rng):
    refusals, ok = [], True
    for _ in range(times):
        trial.begin()
        at = str(rng.randint(1, trial.calls))
        fault = {"FAULT": rng.choice(["28", "5"]), "FAULT_AT": at}
        if rng.random() < 0.5:
            fault["FAULT_FROM"] = "1"
        ok &= trial.verdict(trial.again(**fault), str(fault), refusals)
        ok &= trial.in_peace(str(fault))
    trial.begin()
    ok &= trial.verdict(trial.again(FAULT="short", FAULT_AT="1", FAULT_FROM="1"), "short writes", [])
    return len(refusals), ok and trial.right()


def fills(trial, times, rng):
    refusals, ok = [], True
    before = trial.small.before
    trial.begin()
    trial.again()
    used = sum(path.stat().st_size // 4096 + 1 for path in trial.place.rglob("*") if path.is_file())
    there = sum(path.stat().st_size // 4096 + 1 for path in before.rglob("*") if path.is_file()) if before else 0
    for _ in range(times):
        free = rng.randint(0, used - there)
        size = f"size={4 * (free + there + 1)}k"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", trial.disk], check=True)
        try:
            (trial.disk / "one page").write_bytes(bytes(4096))
            trial.begin()
            ok &= trial.verdict(trial.again(), f"{4 * free} KiB free", refusals)
            subprocess.run(["mount", "-o", "remount,size=1g", trial.disk], check=True)
            ok &= trial.in_peace(f"{4 * free} KiB free")
        finally:
            subprocess.run(["umount", "--lazy", trial.disk], check=True)
    return len(refusals), ok


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--cairn", type=pathlib.Path, default=root / "target/release/cairn")
    parser.add_argument("--kills", type=int, default=70, help="of each command")
    parser.add_argument("--errors", type=int, default=20, help="runs of each command in which calls fail")
    parser.add_argument("--fills", type=int, default=0, help="runs of each command on a file system that fills; needs root")
    parser.add_argument("--only", help="one of the commands")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    base = pathlib.Path(tempfile.mkdtemp(prefix="faults-"))
    library = base / "faults.so"
    source = pathlib.Path(__file__).with_name("faults.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
    cairn = arguments.cairn.resolve()
    rng, ok = random.Random(arguments.seed), True
    print("| command | calls | kills | runs with errors, refused | on a disk that fills, refused |\n| --- | --- | --- | --- | --- |", flush=True)
    for name, small in small_runs(cairn, base).items():
        if arguments.only not in (None, name):
            continue
        trial = Trial(cairn, library, small, base)
        killed, all_right = kills(trial, arguments.kills, rng)
        failed, right = errors(trial, arguments.errors, rng)
        filled, also = fills(trial, arguments.fills, rng)
        wrong = "" if all_right and right and also else ", not all right"
        ok &= not wrong
        print(f"| `{name}` | {trial.calls} | {killed} | {arguments.errors}, {failed} | {arguments.fills}, {filled}{wrong} |", flush=True)
    shutil.rmtree(base)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
