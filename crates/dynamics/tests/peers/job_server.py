"""Serves jobs to one peer: JSON lines in, JSON lines out, one forked process for each job.

A job is one file with a few states:

    {"id": 7, "file": "...", "format": "urdf", "base": "free", "gravity": [0, 0, -9.81],
     "joints": [{"name": "...", "kind": "revolute", "q": 0, "v": 0, "root": false, "child": "...",
                 "world_from_joint": [x, y, z, qw, qx, qy, qz], "child_from_joint": [...]}, ...],
     "states": [{"q": [...], "v": [...]}, ...]}

The answer gives, for each state, the mass matrix (by rows) and the bias efforts in *our* coordinates,

    {"id": 7, "states": [{"mass": [...], "bias": [...]}, ...], "notes": []}     or     {"id": 7, "error": "..."}

where a note says how the file was changed before the peer could read it.

Libraries crash on some files (that is why we compare with several): each job runs in a separate process, so that a crash
or an endless loop affects only that file and is reported.
"""

import json
import os
import resource
import select
import signal
import sys
import tempfile
import time

TIMEOUT_S = 60.0
# Of address space: a library that grows past it fails alone, where the whole machine would have.
MEMORY_BYTES = 4 << 30


def serve(answer):
    """Answers every job on standard input with `answer(job, notes) -> list of (mass, bias)`."""
    for line in sys.stdin:
        job = json.loads(line)
        reply = in_own_process(lambda notes: answer(job, notes))
        reply["id"] = job["id"]
        print(json.dumps(reply), flush=True)


def in_own_process(work):
    """Runs `work` in a fork; what it raised, printed or died of becomes an `error`."""
    read_end, write_end = os.pipe()
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            os.close(read_end)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            # The libraries talk on both streams; ours carries answers only.
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            with os.fdopen(write_end, "w") as pipe:
                json.dump(attempt(work), pipe)
            os._exit(0)
        os.close(write_end)
        text, late = drain(read_end, child)
        status = os.waitpid(child, 0)[1]
        said.seek(0)
        printed = said.read().decode(errors="replace")
    if late:
        return {"error": f"no answer within {TIMEOUT_S:.0f} s"}
    if os.WIFSIGNALED(status):
        return {"error": f"died of signal {signal.Signals(os.WTERMSIG(status)).name}"}
    if not text:
        return {"error": f"ended with exit code {os.waitstatus_to_exitcode(status)} and no answer"}
    reply = json.loads(text)
    if "error" in reply:
        reply["printed"] = printed[:4000]
    return reply


def attempt(work):
    notes = []
    try:
        states = [{"mass": m.flatten().tolist(), "bias": h.tolist()} for m, h in work(notes)]
        return {"states": states, "notes": notes}
    except Exception as problem:  # whatever a library raises is its answer
        return {"error": " ".join(str(problem).split()) or type(problem).__name__}


def drain(read_end, child):
    """Everything the child wrote, and whether it had to be ended for being late."""
    parts, deadline = [], time.monotonic() + TIMEOUT_S
    with os.fdopen(read_end, "rb") as pipe:
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                os.kill(child, signal.SIGKILL)
                return "", True
            part = os.read(pipe.fileno(), 1 << 16)
            if not part:
                return b"".join(parts).decode(), False
            parts.append(part)
