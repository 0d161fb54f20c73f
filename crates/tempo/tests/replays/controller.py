"""A PD of the pendulum with something that does, or does not, repeat: controller.py TRANSPORT KIND FROM FOLDER.

From its FROM-th command on, a number that depends on KIND is added. TRANSPORT is client (the client library) or udp.
"""
import collections, json, math, os, random, socket, sys, tempfile, threading, time, uuid

transport, kind, begin, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]


def once(name):
    """How often a file was opened before: another number in every run."""
    path = os.path.join(folder, name)
    with open(path, "a+") as file:
        file.write("x")
        file.flush()
        return os.stat(path).st_size


runs = once(kind) if kind == "counter" else 0
seeded, window, state = random.Random(7), collections.deque(maxlen=5), {"sum": 0.0, "last": None}


def seconds():
    # With the client library the library's time is recorded, otherwise the program's own clock.
    return robot.time_ns() * 1e-9 if transport == "client" else time.monotonic()


def integral(value):
    now = seconds()
    if state["last"] is not None:
        state["sum"] += value * (now - state["last"])
    state["last"] = now
    return state["sum"]


def filtered(value):
    window.append(value)
    return sum(window) / len(window)


def slept(value):
    if transport == "client":
        robot.wait_until(robot.time_ns() + 1_000_000)
    else:
        time.sleep(0.001)
    return value * (seconds() % 1.0)


# What repeats when every answer is the recorded one.
FAITHFUL = {
    "constant": lambda v: 0.25,
    "seeded": lambda v: seeded.random(),
    "integral": integral,
    "sleep": slept,
    "filter": filtered,
    "clock": lambda v: math.sin(seconds()),
    "date": lambda v: (seconds() if transport == "client" else time.time()) % 1.0,
    "order": lambda v: float(sorted({3: v, 1: v, 2: v})[0]),
    "text": lambda v: float(repr(v)),
    "deadband": lambda v: 0.0 if abs(v) < 0.1 else v,
}
# What does not.
DIVERGING = {
    "random": lambda v: random.random(),
    "urandom": lambda v: os.urandom(1)[0] + 256.0 * os.urandom(1)[0],
    "process": lambda v: float(os.getpid()),
    "hash": lambda v: float(hash("veracity") % 100003),
    "address": lambda v: float(id(object()) >> 4),
    "counter": lambda v: float(runs),
    "uuid": lambda v: float(uuid.uuid4().int % 100003),
    "name": lambda v: float(sum(tempfile.mktemp().encode())) + random.random(),
    "started": lambda v: float(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19]),
    "thread": lambda v: float(threading.get_native_id()),
}
extra, count = {**FAITHFUL, **DIVERGING}[kind], 0


def law(q, v):
    global count
    effort = 60.0 * (-1.5707963267948966 - q) - 12.0 * v
    count += 1
    if count >= begin:
        # A small part of it: the motion does not change much, the command does.
        effort += 1e-6 * extra(v)
    return effort


if transport == "client":
    import veracity_client

    robot = veracity_client.Client()
    q, v = robot.observation_place("hinge/position"), robot.observation_place("hinge/velocity")
    while robot.wait():
        seen = robot.observe()[1]
        robot.command([law(seen[q], seen[v])])
else:
    host, port = os.environ["VERACITY_ROBOT"].split(":")
    robot = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    robot.connect((host, int(port)))
    robot.send(b"{}")
    while True:
        seen = json.loads(robot.recv(65536))["observation"]
        robot.send(json.dumps({"command": [law(seen["pendulum/hinge/position"], seen["pendulum/hinge/velocity"])]}).encode())
