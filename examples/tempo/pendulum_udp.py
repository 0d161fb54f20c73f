"""Keeps the pendulum upright, and knows nothing but a UDP port. Run by `veracity tempo run examples/tempo/udp.toml`."""
import json
import socket

robot = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
robot.bind(("127.0.0.1", 46002))
while True:
    seen = json.loads(robot.recv(65536))["observation"]
    position, velocity = seen["pendulum/hinge/position"], seen["pendulum/hinge/velocity"]
    effort = 60.0 * (-1.5707963267948966 - position) - 12.0 * velocity
    robot.sendto(json.dumps({"command": {"efforts/hinge": effort}}).encode(), ("127.0.0.1", 46001))
