"""The PD of the pendulum, in the ways programs receive messages: pd.py WAY."""
import json, os, select, socket, struct, sys, threading, time

way = sys.argv[1]
KP, KD, TARGET = 60.0, 12.0, -1.5707963267948966


def law(q, v):
    return KP * (TARGET - q) - KD * v


def answer(text):
    seen = json.loads(text)["observation"]
    effort = law(seen["pendulum/hinge/position"], seen["pendulum/hinge/velocity"])
    return (json.dumps({"command": {"efforts/hinge": effort}}) + "\n").encode()


def address():
    host, port = os.environ["VERACITY_ROBOT"].split(":")
    return host, int(port)


def datagrams():
    robot = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    robot.connect(address())
    robot.send(b"{}")
    return robot


if way == "blocking":
    robot = datagrams()
    while True:
        robot.send(answer(robot.recv(65536)))
elif way == "binary":
    robot = datagrams()
    robot.send(b"VLK1" + struct.pack("<IQq", 0, 0, 0))
    while True:
        message = robot.recv(65536)
        q, v = struct.unpack_from("<2d", message, 24)
        robot.send(b"VLK1" + struct.pack("<IQqd", 1, 0, 0, law(q, v)))
elif way == "select":
    robot = datagrams()
    while True:
        ready, _, _ = select.select([robot], [], [], 0.05)
        if ready:
            robot.send(answer(robot.recv(65536)))
elif way == "timeout":
    robot = datagrams()
    robot.settimeout(0.5)
    while True:
        robot.send(answer(robot.recv(65536)))
elif way == "polling":
    robot = datagrams()
    robot.setblocking(False)
    while True:
        try:
            robot.send(answer(robot.recv(65536)))
        except BlockingIOError:
            time.sleep(0.0005)
elif way == "threaded":
    robot, latest = datagrams(), []

    def receive():
        while True:
            latest[:] = [robot.recv(65536)]

    threading.Thread(target=receive, daemon=True).start()
    while True:
        time.sleep(0.002)
        if latest:
            robot.send(answer(latest.pop()))
elif way == "tcp":
    robot = socket.create_connection(address())
    lines = robot.makefile("rb")
    for line in lines:
        robot.sendall(answer(line))
    print("the robot closed the connection", file=sys.stderr)
elif way == "lines":
    for line in sys.stdin:
        q, v = (float(word) for word in line.split())
        print(repr(law(q, v)))
    print("end of input", file=sys.stderr)
elif way == "clock":
    robot, last, steps = datagrams(), None, []
    for _ in range(40):
        message = robot.recv(65536)
        now, seen = time.monotonic(), json.loads(message)["time_s"]
        if last is not None:
            steps.append(now - last)
        last = now
        # Computes, and then some: its clock must not depend on that.
        begun = time.monotonic()
        while time.monotonic() < begun + 0.003:
            pass
        robot.send(answer(message))
    print(min(steps), max(steps))
    while True:
        robot.send(answer(robot.recv(65536)))
elif way == "slow":
    robot = datagrams()
    while True:
        message = robot.recv(65536)
        begun = time.monotonic()
        while time.monotonic() < begun + 0.013:
            pass
        robot.send(answer(message))
elif way == "random":
    import random
    robot = datagrams()
    while True:
        message = robot.recv(65536)
        seen = json.loads(message)["observation"]
        effort = law(seen["pendulum/hinge/position"], seen["pendulum/hinge/velocity"]) + random.random()
        robot.send(json.dumps({"command": [effort]}).encode())
elif way == "deaf":
    robot = datagrams()
    robot.recv(65536)
    robot.send(b"hello robot")
    while True:
        robot.recv(65536)
