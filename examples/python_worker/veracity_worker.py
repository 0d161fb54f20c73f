"""The worker protocol of docs/workers.md in plain Python, with the standard library alone.

`serve(engine)` is all of a worker's main. An engine is an object with

    name, version, about, settings                  what it is; settings as in the hello
    capabilities(settings) -> dict                  its capabilities
    load(scene, settings, step_s) -> Simulation     scene: the JSON of crates/foreign/src/scene.rs; may raise Unsupported

and a Simulation has q, v (lists), body_count, bodies() (13 numbers each), set_state(q, v) and step(efforts, wrenches), which
may raise Trouble. Time, rows, guards, laws of drives, snapshots and stops are handled here, at every step, as the contract requires.
"""

import hashlib
import json
import math
import mmap
import os
import signal
import socket
import struct
import sys
import threading

PROTOCOL = 2
HEADER = 4096
PROGRESS = 64
DONE, REFUSED, TROUBLE, NOT_UNDERSTOOD = 0, 1, 2, 3
HELLO, CAPABILITIES, LOAD, UNLOAD, SET_STATE, STEP, ADVANCE, ADVANCE_UNTIL, SNAPSHOT, RESTORE = range(1, 11)
CONTACTS, REACTIONS, ACCELERATIONS, LOG_EVENTS, TAKE_EVENTS, ENERGY, WARNINGS, BYE = range(11, 19)
STATE = 21  # 19 and 20 are for workers that take over control loops, which this one does not mention in its hello


class Unsupported(Exception):
    """Features of a world that the engine does not support: a list of (feature, hint)."""


class Refused(Exception):
    """A rejected state, snapshot or other request: (kind, message)."""


class Trouble(Exception):
    """Why a motion ended."""


class Reader:
    """Reads fields of eight bytes from the front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def _take(self, form):
        (x,) = struct.unpack_from(form, self.data, self.at)
        self.at += 8
        return x

    def whole(self):
        return self._take("<Q")

    def signed(self):
        return self._take("<q")

    def real(self):
        return self._take("<d")

    def reals(self, count=None):
        count = self.whole() if count is None else count
        numbers = struct.unpack_from(f"<{count}d", self.data, self.at)
        self.at += 8 * count
        return list(numbers)

    def blob(self):
        length = self.whole()
        data = bytes(self.data[self.at : self.at + length])
        if len(data) != length:
            raise ValueError("a message is truncated")
        self.at += (length + 7) // 8 * 8
        return data

    def text(self):
        return self.blob().decode()


class Writer:
    """Appends fields of eight bytes."""

    def __init__(self):
        self.parts = []

    def whole(self, x):
        self.parts.append(struct.pack("<Q", x))

    def real(self, x):
        self.parts.append(struct.pack("<d", x))

    def reals(self, numbers):
        self.parts.append(struct.pack(f"<Q{len(numbers)}d", len(numbers), *numbers))

    def blob(self, data):
        self.parts.append(struct.pack("<Q", len(data)) + data + bytes(-len(data) % 8))

    def text(self, text):
        self.blob(text.encode())


class Channel:
    """Requests and replies through the shared memory, notes of 24 bytes through two pipes."""

    def __init__(self):
        control = socket.socket(fileno=os.dup(0))
        first, descriptors, _, _ = socket.recv_fds(control, 24, 3)
        if len(first) != 24 or first[:8] != b"VERAWORK":
            raise SystemExit("this is a worker, started by veracity and not by hand: standard input is not connected to a host")
        version, self.half = struct.unpack("<QQ", first[8:])
        if version != PROTOCOL:
            raise SystemExit(f"the host speaks version {version} of the protocol, this worker version {PROTOCOL}")
        memory, self.requests, self.replies = descriptors
        self.memory = mmap.mmap(memory, HEADER + 2 * self.half)
        self.number = 0
        self.stop = threading.Event()
        self.lock = threading.Lock()
        threading.Thread(target=self._watch, args=(control,), daemon=True).start()

    def _watch(self, control):
        """Reads stop requests; at the end of the file the host is gone, and this process ends."""
        message = b""
        while True:
            more = control.recv(9 - len(message))
            if not more:
                os.kill(os.getpid(), signal.SIGKILL)
            message += more
            if len(message) == 9:
                with self.lock:
                    if message[:1] == b"S" and struct.unpack("<Q", message[1:])[0] == self.number:
                        self.stop.set()
                message = b""

    def _note(self):
        data = b""
        while len(data) < 24:
            more = os.read(self.requests, 24 - len(data))
            if not more:
                raise EOFError
            data += more
        return struct.unpack("<QQQ", data)

    def receive(self):
        message = b""
        while True:
            length, later, number = self._note()
            with self.lock:
                self.number = number
                self.stop.clear()
            message += self.memory[HEADER : HEADER + length]
            if later == 0:
                return message
            os.write(self.replies, struct.pack("<QQQ", 0, 0, number))

    def send(self, message):
        at = 0
        while True:
            part = message[at : at + self.half]
            at += len(part)
            start = HEADER + self.half
            self.memory[start : start + len(part)] = part
            os.write(self.replies, struct.pack("<QQQ", len(part), len(message) - at, self.number))
            if at == len(message):
                return
            self._note()

    def progress(self, steps):
        struct.pack_into("<Q", self.memory, PROGRESS, steps)


class Inputs:
    def __init__(self, r, simulation):
        self.efforts = r.reals()
        self.wrenches = [(r.whole(), r.reals(3), r.reals(3)) for _ in range(r.whole())]
        self.drives = [(r.whole(), *r.reals(6)) for _ in range(r.whole())]
        self.wrong = self._wrong(simulation)

    def _wrong(self, simulation):
        nv = len(simulation.v)
        if len(self.efforts) != nv:
            return f"{len(self.efforts)} efforts were given for {nv} degrees of freedom; give one for each"
        if not all(map(math.isfinite, self.efforts)):
            return "an effort is not finite"
        for body, force, torque in self.wrenches:
            if body >= simulation.body_count:
                return f"a wrench acts on body {body}, which does not exist"
            if not all(map(math.isfinite, force + torque)):
                return f"the wrench on body {body} is not finite"
        seen = set()
        for dof, kp, kd, target, speed, forward, bound in self.drives:
            if dof >= nv or dof in seen:
                return f"a drive acts on degree of freedom {dof}, which does not exist or already has one"
            seen.add(dof)
            if not (all(map(math.isfinite, (kp, kd, target, speed, forward))) and min(kp, kd, bound) >= 0):
                return f"the drive of degree of freedom {dof} is not finite or has a gain below zero"
        return None


class World:
    """A simulation with its time, rows and guards."""

    def __init__(self, simulation, scene, step_s, seal):
        self.sim, self.step_s, self.seal = simulation, step_s, seal
        self.pairs = len(scene["pairs"])
        # Index of the position of each degree of freedom: one number each, in worlds this worker supports.
        self.position = {j["v"]: j["q"] for j in scene["joints"]}
        self.start, self.steps = 0.0, 0

    @property
    def time(self):
        return self.start + self.steps * self.step_s

    def set_state(self, time, q, v):
        sim = self.sim
        if len(q) != len(sim.q) or len(v) != len(sim.v):
            raise Refused("state", f"{len(q)} positions and {len(v)} velocities; there are {len(sim.q)} and {len(sim.v)}")
        if not all(map(math.isfinite, [time, *q, *v])):
            raise Refused("state", "it contains NaN or infinity")
        sim.set_state(q, v)
        self.start, self.steps = time, 0
        return max((abs(a - b) for a, b in zip(sim.q + sim.v, q + v)), default=0.0)

    def write_state(self, out):
        out.real(self.time)
        for count in (self.steps, self.steps, 0):
            out.whole(count)
        out.reals(self.sim.q)
        out.reals(self.sim.v)
        out.reals(self.sim.bodies())
        out.reals([math.nan] * self.pairs)
        out.reals([math.inf] * self.pairs)

    def one_step(self, inputs, channel):
        # Drives are explicit: evaluated at the step's beginning.
        efforts = list(inputs.efforts)
        self.driven = []
        for dof, kp, kd, target, speed, forward, bound in inputs.drives:
            law = kp * (target - self.sim.q[self.position[dof]]) + kd * (speed - self.sim.v[dof]) + forward
            given = min(max(law, -bound), bound)
            efforts[dof] += given
            self.driven.append((dof, given))
        self.sim.step(efforts, inputs.wrenches)
        self.steps += 1
        channel.progress(self.steps)
        if not all(map(math.isfinite, self.sim.q + self.sim.v)):
            raise Trouble("the state is no longer finite; use a smaller step")

    def steps_to(self, until):
        wanted = (until - self.start) / self.step_s
        if not (math.isfinite(wanted) and abs(wanted - round(wanted)) <= 1e-6 and round(wanted) >= self.steps):
            raise Trouble(f"{until} s is not a whole number of steps of {self.step_s} s ahead, counted from {self.start} s")
        return round(wanted) - self.steps

    def save(self):
        body = struct.pack("<dQ", self.start, self.steps)
        body += struct.pack(f"<{len(self.sim.q + self.sim.v)}d", *self.sim.q, *self.sim.v)
        return self.seal + hashlib.sha256(self.seal + body).digest() + body

    def restore(self, data):
        nq, nv = len(self.sim.q), len(self.sim.v)
        seal, digest, body = data[:32], data[32:64], data[64:]
        if len(seal) == 32 and seal != self.seal:
            raise Refused("snapshot", "it belongs to another world, engine, setting or step")
        if hashlib.sha256(seal + body).digest() != digest or len(body) != 16 + 8 * (nq + nv):
            raise Refused("snapshot", "it is damaged: use another copy")
        start, steps = struct.unpack_from("<dQ", body)
        numbers = struct.unpack_from(f"<{nq + nv}d", body, 16)
        self.sim.set_state(list(numbers[:nq]), list(numbers[nq:]))
        self.start, self.steps = start, steps


class Rows:
    def __init__(self, every_ns, number):
        self.every, self.next = every_ns, number
        self.columns = [[] for _ in range(8)]  # times q v efforts poses twists gaps energies

    def sample(self, world, inputs):
        while self.every > 0:
            due = self.next * self.every * 1e-9
            if due > world.time + max(1e-9 * abs(world.time), 1e-12):
                return
            if abs(due - world.time) > 1e-6 * world.step_s + 1e-9 * abs(world.time):
                raise Trouble(f"a row at {due} s lies between steps of {world.step_s} s; record at multiples of the step")
            efforts = list(inputs.efforts)
            for dof, given in world.driven:
                efforts[dof] += given
            times, q, v, acted, poses, twists, gaps, _ = self.columns
            times.append(due)
            q.extend(world.sim.q)
            v.extend(world.sim.v)
            acted.extend(efforts)
            bodies = world.sim.bodies()
            for at in range(0, len(bodies), 13):
                poses.extend(bodies[at : at + 7])
                twists.extend(bodies[at + 7 : at + 13])
            gaps.extend([math.nan] * world.pairs)
            self.next += 1

    def write(self, out):
        for column in self.columns:
            out.reals(column)
        out.whole(0)  # contacts


def settings_of(engine, spec):
    """Settings from the full spec `name:key=value,…`, as resolved by the host."""
    _, _, rest = spec.partition(":")
    return dict(pair.split("=", 1) for pair in rest.split(",") if pair)


class Server:
    def __init__(self, engine):
        self.engine, self.channel, self.worlds = engine, Channel(), {}

    def run(self):
        while True:
            try:
                request = self.channel.receive()
            except EOFError:
                return
            out = Writer()
            try:
                goes_on = self.answer(Reader(request), out)
            except Unsupported as why:
                features = [{"feature": feature, "hint": hint} for feature, hint in why.args[0]]
                out, goes_on = self._refusal({"unsupported": features}), True
            except Refused as why:
                out, goes_on = self._refusal({why.args[0]: why.args[1]}), True
            except (ValueError, KeyError, struct.error) as why:
                out, goes_on = Writer(), True
                out.whole(NOT_UNDERSTOOD)
                out.text(repr(why))
            self.channel.send(b"".join(out.parts))
            if not goes_on:
                return

    @staticmethod
    def _refusal(what):
        out = Writer()
        out.whole(REFUSED)
        out.text(json.dumps(what))
        return out

    def answer(self, r, out):
        operation, number = r.whole(), r.whole()
        engine = self.engine
        if operation == HELLO:
            out.whole(DONE)
            hello = {"protocol": PROTOCOL, "name": engine.name, "version": engine.version, "about": engine.about}
            files = sorted({m.__file__ for m in list(sys.modules.values()) if getattr(m, "__file__", None)})
            out.text(json.dumps({**hello, "world": "scene", "settings": engine.settings, "files": files}))
        elif operation == CAPABILITIES:
            out.whole(DONE)
            out.text(json.dumps(engine.capabilities(settings_of(engine, r.text()))))
        elif operation == LOAD:
            step_s, spec, data = r.real(), r.text(), r.blob()
            scene = json.loads(data)
            seal = hashlib.sha256(b"\0".join([engine.version.encode(), spec.encode(), struct.pack("<d", step_s), data])).digest()
            if not (math.isfinite(step_s) and step_s > 0):
                raise Refused("other", f"invalid step {step_s} s: must be positive")
            world = World(engine.load(scene, settings_of(engine, spec), step_s), scene, step_s, seal)
            world.set_state(0.0, scene["q"], [0.0] * scene["nv"])
            self.worlds[number] = world
            out.whole(DONE)
            world.write_state(out)
        elif operation == UNLOAD:
            self.worlds.pop(number, None)
            out.whole(DONE)
        elif operation == BYE:
            out.whole(DONE)
            return False
        else:
            self.of_a_world(operation, self.worlds[number], r, out)
        return True

    def of_a_world(self, operation, world, r, out):
        if operation == SET_STATE:
            time, q, v = r.real(), r.reals(), r.reals()
            moved = world.set_state(time, q, v)
            out.whole(DONE)
            out.real(moved)
            world.write_state(out)
        elif operation in (STEP, ADVANCE, ADVANCE_UNTIL):
            self.move(operation, world, r, out)
        elif operation == SNAPSHOT:
            out.whole(DONE)
            out.blob(world.save())
        elif operation == RESTORE:
            world.restore(r.blob())
            out.whole(DONE)
            world.write_state(out)
        elif operation == STATE:
            out.whole(DONE)
            world.write_state(out)
        elif operation == CONTACTS:
            out.whole(DONE)
            out.whole(0)
        elif operation in (REACTIONS, ACCELERATIONS):
            out.whole(DONE)
            out.whole(0)
            out.reals([0.0] * (6 * world.sim.body_count))
        elif operation in (LOG_EVENTS, TAKE_EVENTS):  # no event log
            out.whole(DONE)
            out.whole(0)
        elif operation == ENERGY:
            out.whole(DONE)
            out.whole(0)
            out.real(math.nan)
        elif operation == WARNINGS:
            out.whole(DONE)
            out.text("[]")
        else:
            raise ValueError(f"unknown operation {operation}")

    def move(self, operation, world, r, out):
        """Handles step, advance and advance until; steps before trouble are kept."""
        inputs = Inputs(r, world.sim)
        begun, hit, rows = world.steps, None, None
        world.driven = []
        try:
            if operation == ADVANCE:
                until, rows = r.real(), None
                rows = Rows(r.signed(), r.signed())
            if inputs.wrong:
                raise Trouble(inputs.wrong)
            if operation == STEP:
                limit = r.real()
                if not limit > 0:
                    raise Trouble(f"invalid step limit {limit} s: must be positive")
                if limit < world.step_s * (1 - 1e-6):
                    raise Trouble(f"the step is {world.step_s} s and cannot be cut to {limit} s; load with a smaller step")
                world.one_step(inputs, self.channel)
            elif operation == ADVANCE:
                for _ in range(world.steps_to(until)):
                    if self.channel.stop.is_set():
                        break
                    world.one_step(inputs, self.channel)
                    rows.sample(world, inputs)
            else:
                hit = self.until(world, r.real(), self.guards(r, world.sim), inputs)
        except Trouble as why:
            out.whole(TROUBLE)
            out.real(world.time)
            out.text(why.args[0])
        else:
            out.whole(DONE)
            if operation == ADVANCE_UNTIL:
                index, time, error = hit or (0, 0.0, 0.0)
                out.whole(hit is not None)
                out.whole(index)
                out.real(time)
                out.real(error)
            else:
                out.whole(world.steps - begun)
                out.whole(0)
                out.real(0.0)
                out.whole(0)
        if rows:
            rows.write(out)
        world.write_state(out)

    @staticmethod
    def guards(r, sim):
        guards = []
        for _ in range(r.whole()):
            kind, index, axis, level, direction = r.whole(), r.whole(), r.whole(), r.real(), r.signed()
            room = (len(sim.q), len(sim.v), sim.body_count, sim.body_count, 0)[kind]
            if index >= room or axis > 2:
                raise Trouble(f"a guard of kind {kind} watches number {index}, which does not exist")
            guards.append((kind, index, axis, level, direction))
        return guards

    def until(self, world, until, guards, inputs):
        def value(kind, index, axis):
            sim = world.sim
            if kind < 2:
                return (sim.q, sim.v)[kind][index]
            return sim.bodies()[13 * index + (0 if kind == 2 else 7) + axis]

        for _ in range(world.steps_to(until)):
            before, before_s = [value(*g[:3]) for g in guards], world.time
            world.one_step(inputs, self.channel)
            for index, (guard, old) in enumerate(zip(guards, before)):
                level, direction, new = guard[3], guard[4], value(*guard[:3])
                rises, falls = old < level <= new, old > level >= new
                if (rises and direction >= 0) or (falls and direction <= 0):
                    return index, before_s + (level - old) / (new - old) * world.step_s, 0.5 * world.step_s
        return None


def serve(engine):
    Server(engine).run()
