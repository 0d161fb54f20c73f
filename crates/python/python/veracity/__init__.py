"""How far to trust a robot simulation.

Models, scenarios, engines, sessions, records and verdicts, in the words of the `veracity` command.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, Callable, Mapping, Sequence, Union

from . import _native
from ._native import (
    Check,
    Controller,
    Dynamics,
    Engine,
    Error,
    Finding,
    Inspection,
    Model,
    Record,
    Result,
    Row,
    Scenario,
    Session,
    Study,
    check,
    load,
)

__all__ = [
    "Check",
    "Controller",
    "Dynamics",
    "Engine",
    "Error",
    "Finding",
    "Inspection",
    "Model",
    "Record",
    "Result",
    "Row",
    "Scenario",
    "Session",
    "Study",
    "built_in",
    "check",
    "engines",
    "judge",
    "judge_record",
    "load",
    "record_of",
    "run",
    "to_pandas",
]

PathLike = Union[str, "os.PathLike[str]"]

_build: str | None = None


def _this_build() -> str:
    """Identifies this build: stored records are reused only by the build that made them."""
    global _build
    if _build is None:
        _build = _native.build_of(str(_native.__file__))
    return _build


def engines() -> list[Engine]:
    """Every engine: those built in, and the workers found in VERACITY_WORKERS or next to the interpreter."""
    return _native.engines_found()


def built_in() -> tuple[list[str], list[str]]:
    """Names of the built-in scenarios and of the built-in studies."""
    return _native.built_in()


def _read(what: Scenario | Study | PathLike) -> Scenario | Study:
    if isinstance(what, (Scenario, Study)):
        return what
    name = os.fspath(what)
    if not os.path.exists(name):
        scenarios, studies = _native.built_in()
        if name in studies:
            return Study.built_in(name)
        if name in scenarios or not name.endswith(".toml"):
            return Scenario.built_in(name)
    return Study.load(name) if _native.is_study(name) else Scenario.load(name)


def run(
    what: Scenario | Study | PathLike,
    engines: Sequence[str] | None = None,
    *,
    out: PathLike | None = None,
    steps_s: Sequence[float] = (),
    variations: Sequence[Mapping[str, float]] | None = None,
    threads: int | None = None,
    fresh: bool = False,
    progress: Callable[[int, int], Any] | None = None,
) -> Result:
    """Runs a scenario on engines, or a study, as `veracity compare` and `veracity study` do.

    Trials run in parallel and without the interpreter's lock; Ctrl-C stops them. With `out` the records are stored in that
    folder and no trial runs twice; without it they are kept as long as the result. `progress(done, total)` is called after
    each trial.
    """
    read = _read(what)
    if isinstance(read, Scenario):
        if isinstance(engines, str):
            engines = [engines]
        given = None if engines is None else list(engines)
        varied = None if variations is None else [dict(numbers) for numbers in variations]
        study = _native.study_of(read, given, list(steps_s), varied)
    elif engines is not None or len(steps_s) > 0 or variations is not None:
        raise Error("a study names its engines, steps and variations itself; change its file, or run a scenario")
    else:
        study = read
    if out is not None:
        return _native.run_study(study, os.fspath(out), _this_build(), threads, fresh, None, progress)
    folder = tempfile.TemporaryDirectory(prefix="veracity-")
    return _native.run_study(study, folder.name, _this_build(), threads, fresh, folder, progress)


def record_of(
    scenario: Scenario, times: Any, q: Any, v: Any | None = None, *, name: str = "elsewhere"
) -> Record:
    """A motion computed elsewhere as a record: times [s], positions and, if known, velocities, one row for each time."""
    return _native.record_of(scenario, times, q, v, name)


def judge_record(scenario: Scenario, record: Record) -> Row:
    """The verdict of a record by the checks of its scenario."""
    with tempfile.TemporaryDirectory(prefix="veracity-") as folder:
        return _native.judge_record(scenario, record, folder, _this_build())


def judge(scenario: Scenario, times: Any, q: Any, v: Any | None = None, *, name: str = "elsewhere") -> Row:
    """The verdict of a motion that another simulator computed.

    Rows of `q` are in the order of `scenario.position_names`, rows of `v` in that of `scenario.velocity_names`. Without `v`,
    differences of the positions are used, and the row has a warning.
    """
    return judge_record(scenario, record_of(scenario, times, q, v, name=name))


def to_pandas(result: Result) -> Any:
    """A pandas.DataFrame with one line for each check of each trial."""
    import pandas

    lines: list[dict[str, object]] = []
    for row in result.rows:
        trial = {
            "scenario": row.scenario,
            "engine": row.engine,
            "step_s": row.step_s,
            "seed": row.seed,
            "verdict": row.verdict,
            "reason": row.reason,
            "cpu_s": row.cpu_s,
            "digest": row.digest,
            **{f"set {path}": value for path, value in row.overrides},
        }
        checks = [
            {
                "check": check.name,
                "metric": check.metric,
                "value": check.value,
                "error": check.error,
                "bound": check.bound,
                "unit": check.unit,
                "check_verdict": check.verdict,
                "check_reason": check.reason,
            }
            for check in row.checks
        ]
        lines += [{**trial, **check} for check in checks] or [trial]
    return pandas.DataFrame(lines)
