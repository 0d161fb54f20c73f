"""Prints what MuJoCo makes of MJCF files, as JSON, for mjcf_agrees_with_mujoco.rs.

Usage: mujoco_model.py FILE...
       mujoco_model.py --wheels
       mujoco_model.py --random COUNT FOLDER

With --wheels, every .xml inside the installed packages pybullet_data and gymnasium is taken. Files that MuJoCo
refuses for a reason that changes no motion are repaired in memory first; the repair is part of the output.
With --random, documents are made up and written to the folder; those that MuJoCo refuses are passed over.
"""

import glob
import importlib.util
import json
import os
import sys

import mujoco
import numpy as np
import random_mjcf

# file -> (what is repaired, old text, new text)
REPAIRS = {
    "pybullet_data/mjcf/ground_plane.xml": ("a plane without size", 'type="plane"', 'type="plane" size="1 1 1"'),
    "pybullet_data/mjcf/half_cheetah.xml": ("an unused <inertial> without pos", '<inertial mass="10"/>', ""),
    "pybullet_data/mjcf/humanoid_fixed.xml": ("a joint of Bullet's type fixed", 'type="fixed"', None),
    "pybullet_data/mjcf/humanoid_symmetric.xml": ("a material that does not exist", 'material="geom"', ""),
    "pybullet_data/mjcf/swimmer.xml": ("an option of MuJoCo 2", 'collision="predefined"', ""),
}

JOINTS = ["free", "ball", "slide", "hinge"]
GEOMS = ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"]


def rotation(quat):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(quat, dtype=float))
    return matrix.reshape(3, 3)


def repaired(path, key):
    text = open(path, encoding="utf-8").read()
    if key not in REPAIRS:
        return None, text
    what, old, new = REPAIRS[key]
    assert old in text, (key, old)
    if new is None:  # the whole element around the old text
        at = text.index(old)
        start, end = text.rindex("<", 0, at), text.index("/>", at) + 2
        return what, text[:start] + text[end:]
    return what, text.replace(old, new)


def load(path, key):
    what, text = repaired(path, key)
    if what is None:
        return what, mujoco.MjModel.from_xml_path(path)
    return what, mujoco.MjModel.from_xml_string(text)


def from_actuators(model, joint, values):
    """What actuators add to a joint's own number: through the gear twice."""
    on_joint = int(mujoco.mjtTrn.mjTRN_JOINT)
    mine = [a for a in range(model.nu) if model.actuator_trntype[a] == on_joint and model.actuator_trnid[a][0] == joint]
    return sum(float(np.ravel(values[a])[0] * model.actuator_gear[a][0] ** 2) for a in mine)


def joints_of(model, body):
    out = []
    for j in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
        dof, q = model.jnt_dofadr[j], model.jnt_qposadr[j]
        out.append({
            "name": model.joint(j).name,
            "type": JOINTS[model.jnt_type[j]],
            "range": model.jnt_range[j].tolist() if model.jnt_limited[j] else None,
            "effort_range": model.jnt_actfrcrange[j].tolist() if model.jnt_actfrclimited[j] else None,
            "stiffness": float(np.ravel(model.jnt_stiffness[j])[0]),
            "springref": float(model.qpos_spring[q]),
            "damping": float(np.ravel(model.dof_damping[dof])[0]) + from_actuators(model, j, model.actuator_damping),
            "friction": float(model.dof_frictionloss[dof]),
            "armature": float(model.dof_armature[dof]) + from_actuators(model, j, model.actuator_armature),
        })
    return out


def geoms_of(model, data, body):
    out = []
    for g in range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body]):
        kind = GEOMS[model.geom_type[g]]
        pos, rot = data.geom_xpos[g].copy(), data.geom_xmat[g].reshape(3, 3).copy()
        if kind == "mesh":  # back from the recentred frame to the one of the asset
            mesh = model.geom_dataid[g]
            rot = rot @ rotation(model.mesh_quat[mesh]).T
            pos = pos - rot @ model.mesh_pos[mesh]
        out.append({
            "name": model.geom(g).name,
            "type": kind,
            "size": model.geom_size[g].tolist(),
            "pos": pos.tolist(),
            "rot": rot.tolist(),
            "contype": int(model.geom_contype[g]),
            "conaffinity": int(model.geom_conaffinity[g]),
            "condim": int(model.geom_condim[g]),
            "friction": model.geom_friction[g].tolist(),
        })
    return out


def bodies(model, data):
    out = []
    for b in range(model.nbody):
        turn = rotation(model.body_iquat[b])
        out.append({
            "name": model.body(b).name,
            "mass": float(model.body_mass[b]),
            "com": model.body_ipos[b].tolist(),
            "tensor": (turn @ np.diag(model.body_inertia[b]) @ turn.T).tolist(),
            "gravity_scale": 1.0 - float(model.body_gravcomp[b]),
            "joints": joints_of(model, b) if b else [],
            "geoms": geoms_of(model, data, b),
        })
    return out


def actuators(model):
    out = []
    for a in range(model.nu):
        kind, target = int(model.actuator_trntype[a]), int(model.actuator_trnid[a][0])
        joint = kind in (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
        out.append({
            "name": model.actuator(a).name,
            "joint": target if joint else None,
            "gear": model.actuator_gear[a].tolist(),
            "gain": float(model.actuator_gainprm[a][0]),
            "bias": model.actuator_biasprm[a][:3].tolist(),
            "ctrlrange": model.actuator_ctrlrange[a].tolist() if model.actuator_ctrllimited[a] else None,
            "forcerange": model.actuator_forcerange[a].tolist() if model.actuator_forcelimited[a] else None,
        })
    return out


def constraints(model):
    kinds = {int(getattr(mujoco.mjtEq, "mjEQ_" + kind.upper())): kind for kind in ("connect", "weld", "joint", "tendon")}
    return [{"type": kinds[int(model.eq_type[e])], "sites": int(model.eq_objtype[e]) == int(mujoco.mjtObj.mjOBJ_SITE),
             "data": model.eq_data[e].tolist()} for e in range(model.neq)]


def springs(model):
    spatial = [t for t in range(model.ntendon) if model.wrap_type[model.tendon_adr[t]] != int(mujoco.mjtWrap.mjWRAP_JOINT)]
    return [{"length": model.tendon_lengthspring[t].tolist(), "stiffness": float(np.ravel(model.tendon_stiffness[t])[0]),
             "damping": float(np.ravel(model.tendon_damping[t])[0])} for t in spatial]


def sites(model, data):
    return [{"name": model.site(s).name, "pos": data.site_xpos[s].tolist(),
             "rot": data.site_xmat[s].reshape(3, 3).tolist()} for s in range(model.nsite)]


def configurations(model, data):
    """Body frames at qpos0 and at three random configurations."""
    random = np.random.default_rng(1)
    out = []
    for k in range(4):
        q = model.qpos0.copy()
        if k:
            mujoco.mj_integratePos(model, q, random.uniform(-1, 1, model.nv), 1.0)
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        out.append({
            "qpos": q.tolist(),
            "xpos": data.xpos.tolist(),
            "xmat": data.xmat.reshape(-1, 3, 3).tolist(),
        })
    data.qpos[:] = model.qpos0
    mujoco.mj_kinematics(model, data)
    return out


def touching(model):
    """Pairs of geoms that MuJoCo lets touch: with margins larger than the model, all that may touch do.

    Shapes become spheres first: some other pairs give no contact at such distances.
    """
    solid = [kind not in ("plane", "hfield") for kind in (GEOMS[k] for k in model.geom_type)]
    model.geom_type[solid] = int(mujoco.mjtGeom.mjGEOM_SPHERE)
    model.geom_margin[:] = 1e4
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    # The bounding volumes inside bodies were built with the margins of the file.
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    pairs = {tuple(sorted((int(c.geom1), int(c.geom2)))) for c in data.contact}
    return sorted(pairs)


def describe(path, key):
    try:
        what, model = load(path, key)
    except ValueError as refusal:
        return {"file": path, "key": key, "refused": str(refusal)}
    data = mujoco.MjData(model)
    placed = configurations(model, data)
    return {
        "file": path,
        "key": key,
        "repaired": what,
        "gravity": model.opt.gravity.tolist(),
        "bodies": bodies(model, data),
        "actuators": actuators(model),
        "constraints": constraints(model),
        "springs": springs(model),
        "sites": sites(model, data),
        "keyframes": [{"qpos": q.tolist(), "qvel": v.tolist()} for q, v in zip(model.key_qpos, model.key_qvel)],
        "configurations": placed,
        "touching": touching(model),
    }


def wheels():
    for package in ("pybullet_data", "gymnasium"):
        folder = os.path.dirname(importlib.util.find_spec(package).origin)
        for path in sorted(glob.glob(os.path.join(folder, "**", "*.xml"), recursive=True)):
            yield path, os.path.relpath(path, os.path.dirname(folder))


def made_up(count, folder):
    for seed in range(count):
        path = os.path.join(folder, f"random{seed}.xml")
        text = random_mjcf.Writer(seed).document()
        try:
            mujoco.MjModel.from_xml_string(text)
        except ValueError:  # a moving body without mass
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        yield path, path


def files(arguments):
    if arguments[0] == "--wheels":
        return wheels()
    if arguments[0] == "--random":
        return made_up(int(arguments[1]), arguments[2])
    return ((path, path) for path in arguments)


if __name__ == "__main__":
    json.dump([describe(path, key) for path, key in files(sys.argv[1:])], sys.stdout)
