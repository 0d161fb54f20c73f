"""Mass matrix and bias efforts by Pinocchio, which reads URDF with urdfdom. SDF is read for it by sdf_reader.py."""

import numpy as np
import pinocchio as pin

import sdf_reader
from coordinates import FreeJoint, Mapping, same_joints
from job_server import serve


def answer(job, notes):
    if job["format"] == "urdf":
        root = [pin.JointModelFreeFlyer()] if job["base"] == "free" else []
        model = pin.buildModelFromUrdf(job["file"], *root, mimic=False)
        model.gravity.linear = np.array(job["gravity"])
        # A free root is called root_joint in Pinocchio, and has another name here.
        names = ["root_joint" if j["root"] and j["kind"] == "free" else j["name"] for j in job["joints"]]
    elif job["format"] == "sdf":
        model = sdf_reader.build(job)
        notes.append("SDF read by a reader of our own")
        names = [sdf_reader.full_name(j["model"], j["name"]) for j in job["joints"]]
    else:
        raise ValueError(f"this peer reads no {job['format']}")
    data = model.createData()
    # Joint 0 is the universe.
    theirs = {model.names[i]: i for i in range(1, model.njoints)}
    same_joints(names, theirs)
    places = [(joint, model.joints[theirs[name]]) for joint, name in zip(job["joints"], names)]
    return [at_state(model, data, places, state) for state in job["states"]]


def at_state(model, data, places, state):
    q, u = pin.neutral(model), np.zeros(model.nv)
    mapping = Mapping(model.nv)
    for joint, there in places:
        position = state["q"][joint["q"]:]
        velocity = state["v"][joint["v"]:]
        if joint["kind"] in ("revolute", "continuous", "prismatic"):
            # A joint without limits is a point on the circle in Pinocchio.
            wrapped = [np.cos(position[0]), np.sin(position[0])]
            q[there.idx_q:there.idx_q + there.nq] = wrapped if there.nq == 2 else position[:1]
            u[there.idx_v] = velocity[0]
            mapping.put(joint["v"], there.idx_v, np.eye(1))
        elif joint["kind"] == "free":
            free = FreeJoint(joint, position[:7])
            block = free.block(linear_in_world=False)
            w, x, y, z = free.body_turn
            q[there.idx_q:there.idx_q + 7] = [*free.body_place, x, y, z, w]
            local = np.linalg.solve(block, velocity[:6])
            u[there.idx_v:there.idx_v + 6] = local
            mapping.put(joint["v"], there.idx_v, block, free.drift(local, linear_in_world=False))
        else:
            raise ValueError(f"no rule for a {joint['kind']} joint")
    upper = np.triu(pin.crba(model, data, q))
    mass = upper + np.triu(upper, 1).T
    return mapping.convert(mass, pin.nonLinearEffects(model, data, q, u).copy())


serve(answer)
