"""The types that are declared are those that are there."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import cairn_eqsat

PACKAGE = Path(cairn_eqsat.__file__).parent


def mypy(*arguments, **options):
    # An installed package is found by itself, and mypy refuses its folder in the path.
    path = {} if "site-packages" in PACKAGE.parts else {name: str(PACKAGE.parent) for name in ["MYPYPATH", "PYTHONPATH"]}
    environment = os.environ | path
    return subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, env=environment, **options)


#: What of the package needs no optional package.
MODULES = [f"cairn_eqsat.{name}" for name in [
    "__init__", "__main__", "_native", "_options", "commands", "errors", "numpy", "numpy.function", "numpy.results",
    "numpy.source", "numpy.trace", "rules"]]


def test_stubs_name_what_is_there_and_nothing_else(tmp_path):
    # The interpreter's own addition to a module is of no interest.
    allowed = tmp_path / "allowed.txt"
    allowed.write_text("cairn_eqsat\\._native\\.__all__\n")
    checked = mypy("mypy.stubtest", "cairn_eqsat._native", "--allowlist", str(allowed), "--concise", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_package_is_typed_and_so_is_what_uses_it(tmp_path):
    use = tmp_path / "use.py"
    use.write_text(textwrap.dedent("""
        import cairn_eqsat as cairn

        system = cairn.System.load("halide")
        one: cairn.Answer = cairn.prove(system, "x", system.term("x", "Int") + 1)
        many: list[cairn.Answer] = cairn.prove(system, [("x", "x")], propose=lambda request: [request.target])
        best: list[cairn.Optimised] = cairn.optimise(system, ["x"])
        cost: float = cairn.EGraph(system).extract("x", cost=lambda op, children: 1 + sum(children)).cost
        reveal_type(one.proof)
        wrong: int = one.failure
    """))
    checked = mypy("mypy", "--strict", "--no-error-summary", str(use), cwd=tmp_path)
    lines = [line.partition("use.py:")[2] for line in checked.stdout.splitlines()]
    assert [line.partition(":")[0] for line in lines] == ["9", "10"], checked.stdout
    assert "Proof | None" in lines[0] and "Incompatible types" in lines[1]


def test_the_python_of_the_package_has_no_type_errors(tmp_path):
    modules = [argument for module in MODULES for argument in ("-m", module.removesuffix(".__init__"))]
    checked = mypy("mypy", "--strict", *modules, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
