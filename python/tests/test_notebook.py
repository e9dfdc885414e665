"""The notebook runs from its first cell to its last, and draws its charts."""

from pathlib import Path

import nbclient
import nbformat

TOUR = Path(__file__).resolve().parents[1] / "examples/tour.ipynb"


def test_the_tour_runs_and_draws():
    notebook = nbformat.read(TOUR, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "kept without outputs"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    pages = [output for output in outputs if "iframe" in str(output.get("data", {}).get("text/html", ""))]
    assert (len(pictures), len(pages)) == (2, 1)
    printed = "".join(output.get("text", "") for output in outputs)
    assert "(* (+ x y) (+ x z)) costs 16" in printed
