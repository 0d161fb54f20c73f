"""A pendulum held by a law in Python, at 1 kHz and 2 ms late."""

import numpy as np
import numpy.typing as npt
import veracity as vc


def hold(_time_s: float, seen: npt.NDArray[np.float64]) -> list[float]:
    position, velocity = seen
    return [200.0 * (0.5 - position) - 40.0 * velocity]


law = vc.Controller(
    hold,
    outputs=["efforts/hinge"],
    inputs=["pendulum/hinge/position", "pendulum/hinge/velocity"],
    period_s=0.001,
    latency_s=0.002,
)
session = vc.Session(vc.Scenario.built_in("simple_pendulum"), controllers={"hold": law})
session.advance(5.0)
print(f"{session.time} s: {session.q[0]:.6f} rad")
record = session.finish()
print(record.outcome, len(record), "rows")
