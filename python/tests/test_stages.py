"""The stages over files: what the program writes, from Python, and as tables without a copy."""

import polars
import pandas
import pyarrow
import pyarrow.parquet
import pytest

import cairn_eqsat as cairn


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    out = tmp_path_factory.mktemp("stages") / "dataset"
    return cairn.generate(out, config="quickstart", limit=12, threads=2)


def test_a_data_set_is_the_same_as_the_program_writes(dataset, tmp_path):
    cairn.run("generate", "--config", "quickstart", "--limit", "12", "--out", tmp_path / "again", "--quiet")
    for one in dataset.directory.rglob("*.parquet"):
        other = tmp_path / "again" / one.relative_to(dataset.directory)
        assert one.read_bytes() == other.read_bytes()


def test_tables_go_to_others_as_they_are(dataset):
    table = dataset.triples("train")
    expected = pyarrow.concat_tables(
        pyarrow.parquet.read_table(file)
        for file in sorted((dataset.directory / "data").glob("train*.parquet"))
    )
    assert len(table) == len(expected) > 0
    assert table.columns == expected.column_names
    arrow = pyarrow.table(table)
    assert arrow.to_pydict() == expected.to_pydict()
    frame = polars.DataFrame(table)
    assert frame.shape == (len(table), len(table.columns))
    assert frame["start"].to_list() == arrow["start"].to_pylist()
    pandas_frame = pandas.DataFrame.from_arrow(table)
    assert list(pandas_frame["target"]) == arrow["target"].to_pylist()
    # Not a copy: two readers see the same bytes at the same place.
    again = pyarrow.table(table)
    places = [[chunk.buffers()[-1].address for chunk in one["start"].chunks] for one in (arrow, again)]
    assert places[0] == places[1]


def test_a_table_outlives_its_source(dataset):
    arrow = pyarrow.table(dataset.proofs("train"))
    assert len(arrow) > 0 and arrow.column_names
    assert arrow.to_pylist()[0]


def test_what_is_no_data_set_is_refused(tmp_path, dataset):
    with pytest.raises(cairn.CairnError, match="is not a data set"):
        cairn.Dataset(tmp_path)
    with pytest.raises(cairn.CairnError, match="no split 'trian'"):
        dataset.triples("trian")
    with pytest.raises(cairn.CairnError, match="nothing.parquet"):
        cairn.read_parquet([tmp_path / "nothing.parquet"])


def test_tasks_a_ranker_and_a_comparison_come_of_rules_written_here(tmp_path):
    language = cairn.Language("polynomials")
    Int = language.sort("Int", literals="i64", variables=True)
    for name in "+*":
        language.op(name, Int, Int, to=Int)
    a, b, c = cairn.variables("a b c")
    system = language.system(
        a + b == b + a, a * b == b * a, (a + (b + c) == (a + b) + c).both(),
        (a * (b * c) == (a * b) * c).both(), (a * (b + c) == a * b + a * c).both(),
        a * 1 == a, a + 0 == a,
    )
    seeds = tmp_path / "seeds.txt"
    rules = tmp_path / "polynomials.rules"
    rules.write_text(system.text)
    cairn.run("seeds", "--system", rules, "--sort", "Int", "--sizes", "9..15", "--count", "60", "--variables", "3",
              "--literals", "1,2", "--least-nodes", "300", "--out", seeds, "--quiet")
    small = {"system": system, "seeds": seeds, "links": 2, "link_nodes": 60, "threads": 2}
    validation = cairn.tasks(tmp_path / "validation.parquet", count=6, seed=1, **small)
    training = cairn.tasks(
        tmp_path / "training.parquet", count=12, without=[tmp_path / "validation.parquet"], **small)
    assert 0 < len(validation) <= 6 and 0 < len(training) <= 12
    assert {"start", "target"} <= set(training.columns)
    ranker = cairn.learn(
        tmp_path / "ranker", system=system, tasks=tmp_path / "training.parquet",
        validation=tmp_path / "validation.parquet", cap=300, rounds=1, epochs=1, threads=2)
    assert ranker.origin
    results = cairn.evaluate(
        tmp_path / "results", system=system, tasks=tmp_path / "validation.parquet",
        methods=["cap", "deep"], threads=2)
    frame = polars.DataFrame(results)
    assert set(frame["method"]) == {"cap", "deep"} and len(frame) == 2 * len(validation)
    with pytest.raises(cairn.CairnError, match="given twice"):
        cairn.evaluate(tmp_path / "twice", system=system, tasks=tmp_path / "validation.parquet",
                       methods=["cap", "cap"])
    for one in ["cap", "cap,deep"]:
        results = cairn.evaluate(tmp_path / one, system=system, tasks=tmp_path / "validation.parquet", methods=one, threads=2)
        assert set(polars.DataFrame(results)["method"]) == set(one.split(","))


def test_the_message_of_a_command_is_the_exception(tmp_path):
    with pytest.raises(cairn.CairnError, match=r"cannot read seeds from .*no\.txt"):
        cairn.tasks(tmp_path / "t.parquet", system="halide", seeds=tmp_path / "no.txt")
    with pytest.raises(cairn.NotProved):
        cairn.run("prove", "--system", "halide", "--start", "x", "--target", "(+ x 1)", "--work", "500")
    with pytest.raises(cairn.CairnError, match="unrecognized subcommand"):
        cairn.run("proove")
    assert not list(tmp_path.iterdir())


def test_one_thing_may_stand_where_several_may(tmp_path):
    with pytest.raises(cairn.CairnError, match="abc.*No such file"):
        cairn.tasks(tmp_path / "tasks.parquet", system="halide", seeds="halide", without="abc", links=2, threads=2)
    with pytest.raises(cairn.CairnError, match="invalid value '-1' for '--seed"):
        cairn.generate(tmp_path / "data", config="quickstart", seed=-1)
    with pytest.raises(cairn.CairnError, match="no shipped rewrite system: expected a file, or one of arith"):
        cairn.System.load("")


GROUP = "(sort P) (op id () P) (op then (P P) P) (op back (P) P) (variable P)"


def test_rules_are_found_for_functions_of_any_values(tmp_path):
    language = cairn.System.from_rules(GROUP)
    turns = [complex(1, 0), complex(0, 1), complex(-1, 0), complex(0, -1)]
    meanings = {"id": 1, "then": lambda a, b: a * b, "back": lambda a: a.conjugate()}
    found = cairn.find_rules(
        tmp_path / "found", language=language, values={"P": turns}, meanings=meanings, no_solver=True)
    assert cairn.prove(found, "(then (then a b) (back a))", "b")
    # A list says the same as a function, and the same call goes on with what was found.
    written = {"id": 1, "then": [[a * b for b in turns] for a in turns], "back": [a.conjugate() for a in turns]}
    again = cairn.find_rules(
        tmp_path / "found", language=language, values={"P": turns}, meanings=written, no_solver=True)
    assert again == found
    with pytest.raises(cairn.CairnError, match="already holds rules that were looked for otherwise"):
        cairn.find_rules(
            tmp_path / "found", language=language, values={"P": turns}, meanings=meanings | {"back": lambda a: a},
            no_solver=True)


def test_functions_take_words_and_truth_values(tmp_path):
    language = cairn.System.from_rules(
        "(sort W) (sort B) (op odd (W) B) (op + (W W) W) (op ! (B) B) (literal (bits 3) W) (literal bool B)"
        " (variable W)")
    assert language.values("B") == [False, True] and language.values("W") == list(range(8))
    found = cairn.find_rules(
        tmp_path / "found", language=language, meanings={"odd": lambda n: n % 2 == 1}, no_solver=True)
    assert cairn.prove(found, "(odd (+ a 1))", "(! (odd a))")


@pytest.mark.parametrize("meanings, why", [
    ({"id": 1, "then": lambda a, b: 2, "back": lambda a: a}, "meanings: then: found 2, expected a value of P"),
    ({"id": 1, "then": 3, "back": lambda a: a}, "meanings: then: found 3, expected a function, or a list"),
    ({"id": 1, "back": lambda a: a}, "operator then is not built in and without a table"),
    ({"id": 1, "then": [[1]], "back": [1, -1]}, "operators: then: found a list of 1, expected one of 2"),
])
def test_what_is_no_meaning_is_refused(tmp_path, meanings, why):
    with pytest.raises(cairn.CairnError, match=why):
        cairn.find_rules(tmp_path / "found", language=cairn.System.from_rules(GROUP), values={"P": [1, -1]}, meanings=meanings)
    assert not (tmp_path / "found").exists()


def test_values_are_told_apart_and_may_be_functions(tmp_path):
    language = cairn.System.from_rules(GROUP)
    with pytest.raises(cairn.CairnError, match="values: P has True twice"):
        cairn.find_rules(tmp_path / "no", language=language, values={"P": [1, True]}, meanings={})
    one, two = abs, max
    found = cairn.find_rules(
        tmp_path / "found", language=language, values={"P": iter([one, two])}, no_solver=True,
        meanings={"id": one, "then": lambda a, b: one if a == b else two, "back": lambda a: a})
    assert cairn.prove(found, "(then a (back a))", "id")
    words = cairn.System.from_rules("(sort W) (op half (W) W) (literal (bits 2) W)")
    with pytest.raises(cairn.CairnError, match="meanings: half: found 0.5, expected a value of W"):
        cairn.find_rules(tmp_path / "no", language=words, meanings={"half": lambda n: 0.5})
