"""The examples, and README's, run as they are; what README shows is what they print."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(os.environ.get("VERACITY_ROOT", pathlib.Path(__file__).parents[3]))


def run(program: pathlib.Path, folder: pathlib.Path) -> str:
    finished = subprocess.run([sys.executable, program], cwd=folder, capture_output=True, text=True, timeout=300)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.mark.parametrize("program", sorted((ROOT / "examples/python").glob("*.py")), ids=lambda path: path.stem)
def test_examples_run_in_an_empty_folder(program, tmp_path):
    assert run(program, tmp_path).strip()


def test_readme_s_example_prints_what_readme_shows_and_the_number_of_the_command(tmp_path):
    readme = (ROOT / "README.md").read_text()
    section = readme[readme.index("## Python") :]
    code, shown = re.search(r"```python\n(.*?)```.*?```output\n(.*?)```", section, re.S).groups()
    program = tmp_path / "readme.py"
    program.write_text(code)
    assert run(program, tmp_path) == shown
    # What `veracity compare` prints for the same trial, in a block that its own test runs: 8.270e-2.
    mantissa, exponent = re.search(r"angle: (\d\.\d+)e(-\d+) ± [0-9.e-]+ rad at 10 s is beyond", readme).groups()
    assert f"{mantissa}e{int(exponent):+03d}" in shown
