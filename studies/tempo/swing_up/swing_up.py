"""Swings the pendulum up from hanging with at most 3 N m: pumps energy, and catches it near the top."""
import math

import veracity_client

LIMIT, GRAVITY = 3.0, 9.81  # N m, m/s^2; 1 kg on 1 m
robot = veracity_client.Client()
position, velocity = (robot.observation_place("hinge/" + what) for what in ("position", "velocity"))
while robot.wait():
    _, seen = robot.observe()
    q, v = seen[position], seen[velocity]
    from_top = math.remainder(q + math.pi / 2, 2 * math.pi)
    if abs(from_top) < 0.25 and abs(v) < 1.5:
        effort = -60.0 * from_top - 12.0 * v
    else:
        missing = GRAVITY - (v * v / 2 - GRAVITY * math.sin(q))
        effort = LIMIT if missing * (v if v else 1.0) > 0 else -LIMIT
    robot.command([max(-LIMIT, min(LIMIT, effort))])
