"""Keeps the pendulum upright. Run by `veracity tempo run examples/tempo/python.toml`."""
import veracity_client

robot = veracity_client.Client()
position, velocity = (robot.observation_place("hinge/" + what) for what in ("position", "velocity"))
while robot.wait():
    time_ns, seen = robot.observe()
    robot.command([60.0 * (-1.5707963267948966 - seen[position]) - 12.0 * seen[velocity]])
