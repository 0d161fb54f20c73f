"""Library that a controller or planner imports to run in step with simulated time.

    robot = veracity_client.Client()
    hinge = robot.observation_place("hinge/position")
    while robot.wait():
        time_ns, seen = robot.observe()
        robot.command([-30.0 * seen[hinge]])

The shared library is found through VERACITY_CLIENT_LIBRARY, or next to this file.
"""

import ctypes
import os
import pathlib

_NAME = "libveracity_client.so"


class ClientError(RuntimeError):
    """Failure of a call, with the library's message."""


def _library():
    path = os.environ.get("VERACITY_CLIENT_LIBRARY") or str(pathlib.Path(__file__).with_name(_NAME))
    library = ctypes.CDLL(path)
    library.veracity_client_connect.restype = ctypes.c_void_p
    library.veracity_client_error.restype = ctypes.c_char_p
    numbers = ctypes.POINTER(ctypes.c_double)
    whole = ctypes.c_int64
    for name, arguments in {
        "wait": [], "wait_until": [whole], "time_ns": [],
        "observe": [numbers, ctypes.c_size_t, ctypes.POINTER(whole)],
        "command": [numbers, ctypes.c_size_t], "publish_plan": [numbers, ctypes.c_size_t],
        "plan": [numbers, ctypes.c_size_t, ctypes.POINTER(ctypes.c_uint64)],
        "observation_place": [ctypes.c_char_p], "command_place": [ctypes.c_char_p],
        "observation_count": [], "command_count": [],
    }.items():
        function = getattr(library, "veracity_client_" + name)
        function.argtypes, function.restype = [ctypes.c_void_p, *arguments], whole
    library.veracity_client_seed.argtypes, library.veracity_client_seed.restype = [ctypes.c_void_p], ctypes.c_uint64
    return library


class Client:
    """A program's connection to the coordinator."""

    def __init__(self):
        self._library = _library()
        self._client = self._library.veracity_client_connect()
        if not self._client:
            raise ClientError(self._library.veracity_client_error().decode())
        self._seen = (ctypes.c_double * max(1, self._call("observation_count")))()
        self._plan = (ctypes.c_double * 4096)()

    def _call(self, name, *arguments):
        code = getattr(self._library, "veracity_client_" + name)(self._client, *arguments)
        if code < 0 and not name.endswith("_place"):
            raise ClientError(self._library.veracity_client_error().decode())
        return code

    def wait(self):
        """Sleeps until the next activation; False when the run is over."""
        return bool(self._call("wait"))

    def wait_until(self, time_ns):
        """Sleeps until a virtual time [ns]; False when the run is over."""
        return bool(self._call("wait_until", int(time_ns)))

    def time_ns(self):
        """The current virtual time [ns]."""
        return self._call("time_ns")

    def observe(self):
        """The time [ns] and the latest sensor values."""
        time_ns = ctypes.c_int64()
        count = self._call("observe", self._seen, len(self._seen), ctypes.byref(time_ns))
        return time_ns.value, self._seen[:count]

    def command(self, values):
        """Sends a command: one number per command channel."""
        self._call("command", (ctypes.c_double * max(1, len(values)))(*values), len(values))

    def publish_plan(self, plan):
        """Sends a plan to the clients configured to receive it."""
        self._call("publish_plan", (ctypes.c_double * max(1, len(plan)))(*plan), len(plan))

    def plan(self):
        """Ordinal (0: none yet) and numbers of the plan that had arrived at the last observation."""
        ordinal = ctypes.c_uint64()
        count = self._call("plan", self._plan, len(self._plan), ctypes.byref(ordinal))
        return ordinal.value, self._plan[:count]

    def observation_place(self, name):
        """Index of an observation channel, or -1."""
        return self._call("observation_place", name.encode())

    def command_place(self, name):
        """Index of a command channel, or -1."""
        return self._call("command_place", name.encode())

    def seed(self):
        """Seed of the run."""
        return self._library.veracity_client_seed(self._client)
