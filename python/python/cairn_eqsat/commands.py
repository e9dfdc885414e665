"""The stages that go from files to files, as functions. They write what the program ``cairn`` writes, for it is the
program that does them, in a process of its own: so they can be interrupted at any time, and the same call goes on
with what was done."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Collection, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, Unpack

from ._native import Ranker, System, Table, read_parquet
from ._options import FindOptions, LearnOptions, SearchOptions, TaskOptions
from .errors import CairnError, InternalError, NotProved
from .tables import Meaning, tables as _tables

__all__ = ["Dataset", "evaluate", "find_rules", "generate", "learn", "run", "tasks"]

#: A file, or the name of a shipped one.
File = str | PathLike[str]

#: Keywords that were renamed, by command.
_OLD = {"tasks": {"cap": "beyond"}}

#: How long a process may take to end by itself, in seconds.
GRACE = 0.05


def run(*arguments: str | PathLike[str], progress: bool = False) -> str:
    """Runs a command of the program, and returns what it prints.

    >>> import cairn_eqsat as cairn
    >>> print(cairn.run("system", "check", "prop"), end="")
    prop: 30 rules; not evaluated, for they are not built in: ~ & | ->; nothing to report

    With ``progress`` what it says meanwhile goes to ``sys.stderr``. Raises :class:`CairnError` with its message if it
    fails, and :class:`NotProved` where it found no proof.
    """
    command = [sys.executable, "-m", "cairn_eqsat", *(fspath(argument) for argument in arguments)]
    said: list[str] = []

    def listen(stream: Any) -> None:
        for line in stream:
            said.append(line)
            if progress:
                sys.stderr.write(line)

    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, encoding="utf-8", errors="replace",
    ) as process:
        listener = threading.Thread(target=listen, args=(process.stderr,), daemon=True)
        listener.start()
        try:
            assert process.stdout is not None
            printed = process.stdout.read()
            code = process.wait()
        except BaseException:
            # An interrupt: what is there is whole, and the next call goes on with it.
            process.terminate()
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
        finally:
            listener.join(GRACE)
    if code == 0:
        return printed
    # The message begins at the last line that says so; help for arguments may follow.
    starts = [i for i, line in enumerate(said) if line.startswith(("error: ", "not proved: "))]
    message = "".join(said[starts[-1] :] if starts else said).strip().removeprefix("error: ")
    if code == 3:
        raise NotProved(message.removeprefix("not proved: "))
    raise (CairnError if code == 2 else InternalError)(message or f"exit code {code}")


def _arguments(command: str, known: Collection[str], options: Mapping[str, Any], /, **others: Any) -> list[str]:
    """The arguments of a command from options, whose names are known, and from others; what is ``None`` or ``False`` is left out."""
    given = dict(options)
    for old, new in _OLD.get(command, {}).items():
        if old in given:
            warnings.warn(f"{old}= is called {new}= now; the next release does not know the old name",
                          DeprecationWarning, stacklevel=3)
            given[new] = given.pop(old)
    for name in given.keys() - set(known):
        raise TypeError(f"{command}() got an unexpected keyword argument {name!r}")
    arguments: list[str] = []
    for name, value in (given | others).items():
        flag = "--" + name.strip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            arguments.append(flag)
        elif isinstance(value, (list, tuple)):
            arguments += [f"{flag}={one}" for one in value]
        elif name == "memory" and isinstance(value, int):
            arguments.append(f"{flag}={value}B")
        else:
            # In one piece, so that a negative number is no option.
            arguments.append(f"{flag}={value}")
    return arguments


class _Files:
    """Files for systems that have none, as long as a command runs."""

    def __init__(self, system: System | File | None) -> None:
        self._given = system
        self._directory: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> str | None:
        system = self._given
        if not isinstance(system, System):
            return None if system is None else fspath(system)
        if system.name in System.shipped() and System.load(system.name) == system:
            return system.name
        file = Path(system.name)
        if file.is_file() and file.read_bytes() == system.text.encode():
            return system.name
        self._directory = tempfile.TemporaryDirectory(prefix="cairn-")
        file = Path(self._directory.name) / f"{file.stem or 'rules'}.rules"
        file.write_bytes(system.text.encode())
        return str(file)

    def __exit__(self, *_: object) -> None:
        if self._directory is not None:
            self._directory.cleanup()


class Dataset:
    """A data set that :func:`generate` made: proofs, and triples of a start, a guide and a target."""

    def __init__(self, directory: str | PathLike[str]) -> None:
        #: Where it is.
        self.directory = Path(directory)
        if not (self.directory / "dataset_info.json").is_file():
            raise CairnError(f"{self.directory} is not a data set: it has no dataset_info.json")

    def triples(self, split: str = "train") -> Table:
        """The triples of a split: ``train``, ``validation`` or ``test``."""
        return self._read("data", split)

    def proofs(self, split: str = "train") -> Table:
        """The proofs of a split, as they were before they were cut into triples."""
        return self._read("proofs", split)

    def _read(self, kind: str, split: str) -> Table:
        files = sorted((self.directory / kind).glob(f"{split}*.parquet"))
        if not files:
            raise CairnError(f"{self.directory} has no split '{split}' in {kind}")
        return read_parquet(files)

    def __repr__(self) -> str:
        return f"<Dataset {self.directory}>"


def generate(
    out: str | PathLike[str],
    *,
    system: System | File | None = None,
    seeds: File | None = None,
    config: File | None = None,
    limit: int | None = None,
    memory: int | str | None = None,
    nodes: int | None = None,
    iterations: int | None = None,
    scheduler: str | None = None,
    classes: int | None = None,
    terms: int | None = None,
    max_size: int | None = None,
    pairs: int | None = None,
    chains: int | None = None,
    links: int | None = None,
    far: bool = False,
    max_steps: int | None = None,
    cutoff: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Dataset:
    """Makes a data set of proofs and triples from seed terms, as ``cairn generate``."""
    with _Files(system) as file:
        arguments = _arguments(
            "generate", (), {},
            out=fspath(out), system=file, seeds=seeds, config=config, limit=limit, memory=memory,
            nodes=nodes, iterations=iterations, scheduler=scheduler, classes=classes, terms=terms,
            max_size=max_size, pairs=pairs, chains=chains, links=links, far=far, max_steps=max_steps,
            cutoff=cutoff, threads=threads, seed=seed, quiet=not progress,
        )
        run("generate", *arguments, progress=progress)
    return Dataset(out)


def tasks(
    out: str | PathLike[str],
    *,
    system: System | File,
    seeds: File,
    data: str | PathLike[str] | None = None,
    without: Sequence[str | PathLike[str]] | File = (),
    config: File | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: bool = False,
    **options: Unpack[TaskOptions],
) -> Table:
    """Makes tasks, far chains from seeds, as ``cairn tasks``, with the options of :class:`TaskOptions`; the table that
    it wrote."""
    with _Files(system) as file:
        arguments = _arguments(
            "tasks", TaskOptions.__annotations__, options,
            out=fspath(out), system=file, seeds=seeds, data=data, without=_several(without), config=config,
            threads=threads, seed=seed, quiet=not progress,
        )
        run("tasks", *arguments, progress=progress)
    return read_parquet([fspath(out)])


def learn(
    out: str | PathLike[str],
    *,
    system: System | File,
    tasks: str | PathLike[str] | None = None,
    seeds: File | None = None,
    validation: str | PathLike[str] | None = None,
    from_: File | Literal[False] | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: bool = False,
    **options: Unpack[LearnOptions],
) -> Ranker:
    """Learns in which order matches lead to proofs, from tasks, or to cheaper terms, from seeds, as ``cairn
    learn``, with the options of :class:`LearnOptions`; the ranker that is best on the validation tasks. ``from_`` is a
    ranker to begin with, or ``False`` for none; the default is that for any system."""
    loaded = system if isinstance(system, System) else System.load(fspath(system))
    with _Files(system) as file:
        arguments = _arguments(
            "learn", LearnOptions.__annotations__, options,
            out=fspath(out), system=file, tasks=tasks, seeds=seeds, validation=validation, from_=from_,
            from_nothing=from_ is False, threads=threads, seed=seed, quiet=not progress,
        )
        run("learn", *arguments, progress=progress)
    return Ranker.load(fspath(out), loaded)


def evaluate(
    out: str | PathLike[str],
    *,
    system: System | File,
    tasks: str | PathLike[str],
    methods: Sequence[str] | str | None = None,
    model: str | PathLike[str] | None = None,
    seen_unknown: bool = False,
    ranker: File | Literal[False] | None = None,
    config: File | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: bool = False,
    **options: Unpack[SearchOptions],
) -> Table:
    """Puts every task to every method under the same limits, as ``cairn evaluate``, with the options of
    :class:`SearchOptions`; the table of results. ``ranker`` is ``False`` for none."""
    with _Files(system) as file:
        arguments = _arguments(
            "evaluate", SearchOptions.__annotations__, options,
            out=fspath(out), system=file, tasks=tasks,
            methods=None if methods is None else ",".join(_several(methods)),
            model=model, seen_unknown=seen_unknown, ranker=ranker, no_ranker=ranker is False,
            config=config, threads=threads, seed=seed, quiet=not progress,
        )
        run("evaluate", *arguments, progress=progress)
    return read_parquet([Path(out) / "results.parquet"])


def find_rules(
    out: str | PathLike[str],
    *,
    language: System | File,
    values: Mapping[str, Sequence[Any]] | None = None,
    meanings: Mapping[str, Meaning] | None = None,
    solver: Sequence[str | PathLike[str]] | File = (),
    no_solver: bool = False,
    threads: int | None = None,
    seed: int = 0,
    progress: bool = False,
    **options: Unpack[FindOptions],
) -> System:
    """Finds the rules of a language from its operators, as ``cairn rules find``, with the options of :class:`FindOptions`;
    the system with the rules that were found.

    Operators that are not built in have a meaning: a function, or a list of its values. ``values`` are those of sorts
    without literals.

    >>> import cairn_eqsat as cairn, tempfile
    >>> language = cairn.System.from_rules("(sort P) (op id () P) (op then (P P) P) (op back (P) P) (variable P)")
    >>> turns = {"P": range(5)}
    >>> meanings = {"id": 0, "then": lambda a, b: (a + b) % 5, "back": lambda a: -a % 5}
    >>> with tempfile.TemporaryDirectory() as out:
    ...     found = cairn.find_rules(out + "/found", language=language, values=turns, meanings=meanings)
    >>> bool(cairn.prove(found, "(then a (then b (back a)))", "b"))
    True
    """
    loaded = language if isinstance(language, System) else System.load(fspath(language))
    with _Files(language) as file, tempfile.TemporaryDirectory(prefix="cairn-") as directory:
        tables = None
        if values or meanings:
            tables = Path(directory) / "tables.json"
            tables.write_text(json.dumps(_tables(loaded, values or {}, meanings or {})))
        arguments = _arguments(
            "find_rules", FindOptions.__annotations__, options,
            out=fspath(out), tables=tables, solver=_several(solver), no_solver=no_solver, threads=threads, seed=seed,
            quiet=not progress,
        )
        run("rules", "find", str(file), *arguments, progress=progress)
    return System.load(Path(out) / "found.rules")


def _several(given: Sequence[str | PathLike[str]] | File) -> list[str]:
    """One of what there may be several of, or several."""
    return [fspath(given)] if isinstance(given, (str, PathLike)) else [fspath(one) for one in given]

