#!/usr/bin/env python3
"""Trees that are made up, and what imports.py finds in them.

    python3 scripts/checks/imports_test.py
"""

import tempfile
import unittest
from pathlib import Path

import imports


def faults(files):
    """What is wrong with a tree of these files, by their paths."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return imports.faults(Path(folder))[0]


class Imports(unittest.TestCase):
    def test_files_in_layers_are_right(self):
        files = {
            "egraph/src/lib.rs": "mod a;\nmod room;\npub use room::b::B;\n",
            "egraph/src/a.rs": "use crate::B;\n",
            "egraph/src/room/mod.rs": "pub(crate) mod b;\npub(crate) mod c;\n",
            "egraph/src/room/b.rs": "use super::c::C;\npub struct B(C);\n",
            "egraph/src/room/c.rs": "pub struct C; // super::b::B\n#[cfg(test)]\nmod tests { use crate::B; }\n",
            "docs/design.md": "**egraph** is small.\n\n    room/   all of it\n",
        }
        self.assertEqual(faults(files), [])

    def test_a_circle_in_a_folder_is_found(self):
        files = {
            "egraph/src/lib.rs": "mod room;\n",
            "egraph/src/room/mod.rs": "mod a;\nmod b;\n",
            "egraph/src/room/a.rs": "use super::b;\nfn f() { b::g() }\n",
            "egraph/src/room/b.rs": "fn g() { crate::room::a::f() }\n",
        }
        self.assertEqual(
            faults(files),
            [
                "circle of 2 files:",
                "    egraph::room::a -> egraph::room::b",
                "    egraph::room::b -> egraph::room::a",
            ],
        )

    def test_a_child_and_its_parent_that_use_each_other_are_a_circle(self):
        files = {
            "egraph/src/lib.rs": "mod a;\n",
            "egraph/src/a.rs": "mod b;\npub struct A(b::B);\n",
            "egraph/src/a/b.rs": "pub struct B;\nimpl B { fn f(a: super::A) {} }\n",
        }
        self.assertEqual(faults(files)[0], "circle of 2 files:")
        # The parent hands the child's name on, which is no use of it.
        files["egraph/src/a.rs"] = "mod b;\npub use b::B;\npub struct A;\n"
        self.assertEqual(faults(files), [])

    def test_a_circle_through_a_name_that_is_handed_on_is_found(self):
        files = {
            "egraph/src/lib.rs": "mod a;\nmod b;\npub use {a::A, b::{self as other, B}};\n",
            "egraph/src/a.rs": "use crate::{B as Renamed};\npub struct A;\n",
            "egraph/src/b.rs": "use crate::*;\npub struct B(crate::A);\n",
        }
        self.assertEqual(faults(files)[0], "circle of 2 files:")

    def test_a_circle_of_folders_without_one_of_files_is_found(self):
        files = {
            "egraph/src/lib.rs": "mod left;\nmod right;\nmod beside;\n",
            "egraph/src/beside.rs": "use crate::left::a::A;\n",
            "egraph/src/left/mod.rs": "pub mod a;\nmod b;\nmod c;\n",
            "egraph/src/left/a.rs": "pub struct A;\n",
            "egraph/src/left/b.rs": "use crate::right::b::B;\n",
            "egraph/src/left/c.rs": "use crate::right::b::B;\n",
            "egraph/src/right/mod.rs": "mod a;\npub mod b;\n",
            "egraph/src/right/a.rs": "use crate::left::a::A;\n",
            "egraph/src/right/b.rs": "pub struct B;\n",
        }
        self.assertEqual(
            faults(files),
            [
                "circle of 2 folders in egraph:",
                "    left -> right: egraph::left::b -> egraph::right::b and 1 more",
                "    right -> left: egraph::right::a -> egraph::left::a",
            ],
        )
        files["egraph/src/right/a.rs"] = "pub struct B;\n"
        self.assertEqual(faults(files), [])

    def test_an_arrow_back_between_crates_is_found(self):
        files = {
            "egraph/src/lib.rs": "mod a;\n",
            "egraph/src/a.rs": "use support::files::write;\n",
            "support/src/lib.rs": "pub mod files;\n",
            "support/src/files.rs": "pub fn write() {}\n",
        }
        self.assertEqual(faults(files), ["forbidden: egraph::a -> support::files"])

    def test_rooms_and_the_page_name_each_other(self):
        files = {
            "egraph/src/room/mod.rs": "",
            "docs/design.md": "**egraph** has `other/`.\n",
        }
        self.assertEqual(
            faults(files),
            [
                "docs/design.md does not name the folder egraph/src/room/",
                "docs/design.md names a folder other/ of egraph that is not there",
            ],
        )


if __name__ == "__main__":
    unittest.main()
