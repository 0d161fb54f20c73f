"""Mass, degrees of freedom and mass matrix of robot files, by libraries nobody here wrote.

Reads file names from standard input, one to a line, and prints one JSON object for each: MuJoCo judges MJCF, Pinocchio
(with its base fixed) judges URDF. The pose is the file's own with every named hinge and slide moved a little, each by
another amount, so that no entry of the mass matrix is zero by accident. Order of coordinates differs between libraries, so
the matrix is given by what does not depend on it: the sorted diagonal and the eigenvalues.
"""

import json
import math
import os
import sys

import mujoco
import numpy
import pinocchio


def offset(index):
    return 0.1 * math.sin(1.0 + index)


def matrix_numbers(matrix):
    return {
        "diagonal": sorted(numpy.diag(matrix).tolist()),
        "eigenvalues": numpy.linalg.eigvalsh(matrix).tolist() if len(matrix) else [],
    }


def deepest_overlap(model, data):
    """How deep two bodies stand in each other [m] at the keyframe `home`, else the first, else the file's own pose."""
    names = [model.key(k).name for k in range(model.nkey)]
    if names:
        mujoco.mj_resetDataKeyframe(model, data, names.index("home") if "home" in names else 0)
    mujoco.mj_forward(model, data)
    depth = max((-float(contact.dist) for contact in data.contact), default=0.0)
    mujoco.mj_resetData(model, data)
    return max(depth, 0.0)


def by_mujoco(file):
    model = mujoco.MjModel.from_xml_path(file)
    data = mujoco.MjData(model)
    overlap = deepest_overlap(model, data)
    joints = {}
    for j in range(model.njnt):
        name = model.joint(j).name
        if name and model.jnt_type[j] in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            address = model.jnt_qposadr[j]
            data.qpos[address] += offset(len(joints))
            joints[name] = float(data.qpos[address])
    mujoco.mj_forward(model, data)
    matrix = numpy.zeros((model.nv, model.nv))
    if model.nv:
        mujoco.mj_fullM(model, data, matrix)
    numbers = {"mass": float(model.body_mass.sum()), "dof": int(model.nv), "overlap": overlap, "joints": joints}
    return {**numbers, **matrix_numbers(matrix)}


def by_pinocchio(file):
    model = pinocchio.buildModelFromUrdf(file)
    data = model.createData()
    q = pinocchio.neutral(model)
    joints = {}
    for j in range(1, model.njoints):
        joint = model.joints[j]
        if joint.nq == 1 and joint.nv == 1:
            q[joint.idx_q] = offset(len(joints))
            joints[model.names[j]] = float(q[joint.idx_q])
    matrix = pinocchio.crba(model, data, q)
    matrix = numpy.triu(matrix) + numpy.triu(matrix, 1).T
    mass = sum(inertia.mass for inertia in model.inertias)
    return {"mass": float(mass), "dof": int(model.nv), "joints": joints, **matrix_numbers(matrix)}


def judge(file):
    try:
        answer = by_pinocchio(file) if file.endswith(".urdf") else by_mujoco(file)
    except Exception as error:  # noqa: BLE001: any error of the library is its answer
        answer = {"refused": str(error).strip() or type(error).__name__}
    return {"file": file, "peer": "Pinocchio" if file.endswith(".urdf") else "MuJoCo", **answer}


def main():
    # Libraries write to standard output, so the answers go to a duplicate of it.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(judge(line.rstrip("\n"))), file=answers, flush=True)


main()
