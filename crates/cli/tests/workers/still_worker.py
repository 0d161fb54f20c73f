"""A worker for the tests: every joint stays where it is, whatever the world. With nothing but the standard library.

    still_worker.py NAME PROTOCOL_FOLDER

In a world whose gravity is stronger than 15 m/s2 it dies in the middle of the motion, unless the variable STILL_LIVES is set.
"""

import os
import signal
import sys

sys.path.insert(0, sys.argv[2])
from veracity_worker import serve  # noqa: E402

DIES_AT_STEP = 300


class Simulation:
    def __init__(self, scene):
        self.body_count = len(scene["bodies"])
        self.q, self.v = list(scene["q"]), [0.0] * scene["nv"]
        self.dies = -scene["gravity"][2] > 15 and "STILL_LIVES" not in os.environ
        self.steps = 0

    def set_state(self, q, v):
        self.q, self.v = list(q), list(v)

    def step(self, _efforts, _wrenches):
        self.steps += 1
        if self.dies and self.steps == DIES_AT_STEP:
            os.kill(os.getpid(), signal.SIGKILL)

    def bodies(self):
        # Position, quaternion w x y z, angular and linear velocity of each body.
        return ([0.0] * 3 + [1.0] + [0.0] * 9) * self.body_count


class Still:
    name = sys.argv[1]
    version = f"{sys.argv[1]} of the tests"
    about = "keeps everything where it is"
    settings = []

    def capabilities(self, _settings):
        no = dict.fromkeys(("contact", "limits", "reactions", "accelerations", "gaps", "adaptive"), False)
        return {"snapshot": "none", "events": "bracketed", "drives": "explicit", "deterministic": True, **no}

    def load(self, scene, _settings, _step_s):
        return Simulation(scene)


serve(Still())
