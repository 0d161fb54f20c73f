"""Mass matrix and bias efforts by MuJoCo, which reads MJCF and, with limits, URDF."""

import re
import xml.etree.ElementTree as xml

import mujoco
import numpy as np

from coordinates import BallJoint, FreeJoint, Mapping, rotation
from job_server import serve

KINDS = {
    mujoco.mjtJoint.mjJNT_FREE: ("free",),
    mujoco.mjtJoint.mjJNT_BALL: ("ball",),
    mujoco.mjtJoint.mjJNT_SLIDE: ("prismatic",),
    mujoco.mjtJoint.mjJNT_HINGE: ("revolute", "continuous"),
}


def answer(job, notes):
    if job["format"] == "mjcf":
        # With the file's own gravity: reading it correctly is part of the comparison.
        model = from_mjcf(job["file"], notes)
    elif job["format"] == "urdf":
        model = from_urdf(job, notes)
        model.opt.gravity = job["gravity"]
    else:
        raise ValueError(f"this peer reads no {job['format']}")
    # M and h depend on neither contacts nor constraints; at random positions finding them would take seconds.
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_CONSTRAINT | off.mjDSBL_ACTUATION
    places = match(model, job["joints"])
    data = mujoco.MjData(model)
    return [at_state(model, data, places, state) for state in job["states"]]


def from_mjcf(file, notes):
    """The model, after repairs if needed: files for older versions and other readers fail on small details."""
    try:
        return mujoco.MjModel.from_xml_path(file)
    except ValueError as refusal:
        problem = refusal
    root = xml.parse(file).getroot()
    while repair(root, str(problem), notes):
        try:
            return mujoco.MjModel.from_xml_string(xml.tostring(root, encoding="unicode"))
        except ValueError as refusal:
            if str(refusal) == str(problem):
                break
            problem = refusal
    raise problem


def repair(root, problem, notes):
    """Repairs the error reported by the compiler, if that changes no mass and no motion. Returns whether it did."""
    if found := re.search(r"unrecognized attribute: '(\w+)'\s+Element '(\w+)'", problem):
        name, tag = found.groups()
        for element in root.iter(tag):
            element.attrib.pop(name, None)
        notes.append(f"without {name} on <{tag}>")
    elif found := re.search(r"material '(\w+)' not found", problem):
        for element in root.iter():
            if element.get("material") == found[1]:
                del element.attrib["material"]
        notes.append(f"without the material '{found[1]}', which the file lacks")
    elif "invalid keyword: 'fixed'" in problem:
        for body in root.iter("body"):
            for joint in [joint for joint in body.findall("joint") if joint.get("type") == "fixed"]:
                body.remove(joint)
        notes.append("without joints of type 'fixed'")
    elif re.search(r"required attribute missing: 'pos'\s+Element 'inertial'", problem):
        for inertial in root.iter("inertial"):
            inertial.attrib.setdefault("pos", "0 0 0")
        notes.append("with <inertial> at the body's origin where the file leaves it out")
    else:
        return False
    return True


def from_urdf(job, notes):
    """The bodies and joints of a URDF without its shapes, whose meshes may be missing: URDF states all masses."""
    spec = mujoco.MjSpec.from_file(job["file"])
    spec.compiler.fusestatic = False
    for element in [*spec.geoms, *spec.meshes]:
        spec.delete(element)
    for joint in spec.joints:
        # An invalid range would make the file unreadable, and no limit changes M or h.
        joint.limited = False
    if job["base"] == "free":
        roots = list(spec.worldbody.bodies)
        ours = [joint["child"] for joint in job["joints"] if joint["root"]]
        if [body.name for body in roots] != ours:
            raise ValueError("takes the root link for the world, so that it cannot be free")
        roots[0].add_freejoint()
    try:
        return spec.compile()
    except ValueError as problem:
        if "A + B >= C" not in str(problem):
            raise
        notes.append("tensors that no solid has put back")
        return with_impossible_tensors(spec)


def with_impossible_tensors(spec):
    """Compiles although some tensor breaks the triangle inequality, as those of published robots do.

    The compiler refuses such a tensor or replaces it, but its mechanics do not mind: the tensors that it read from the
    file itself are put back into the compiled model, turned to principal axes.
    """
    spec.compiler.balanceinertia = True
    model = spec.compile()
    for body in spec.bodies:
        if not body.explicitinertial or np.isnan(body.fullinertia[0]):
            continue
        xx, yy, zz, xy, xz, yz = body.fullinertia
        turn = rotation(body.iquat)
        tensor = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
        moments, axes = np.linalg.eigh(tensor)
        axes[:, 0] *= np.linalg.det(axes)
        compiled = model.body(body.name)
        compiled.inertia[:] = moments
        mujoco.mju_mat2Quat(compiled.iquat, axes.flatten())
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def match(model, joints):
    """Pairs the joints: by name where the peer has one, otherwise in order among those without a name."""
    if model.njnt != len(joints):
        raise ValueError(f"sees {model.njnt} joints where we see {len(joints)}")
    names = [model.joint(i).name for i in range(model.njnt)]
    ours = {joint["name"]: joint for joint in joints}
    # In both, bodies are depth first in file order: joints without a name keep their order among their kind.
    nameless = iter(joint for joint in joints if joint["name"] not in names)
    places = []
    for i, name in enumerate(names):
        joint = ours.get(name) if name else next(nameless, None)
        if joint is None:
            raise ValueError(f"has a joint '{name}' that we do not")
        if joint["kind"] not in KINDS[mujoco.mjtJoint(int(model.jnt_type[i]))]:
            raise ValueError(f"takes '{joint['name']}' for another kind of joint than {joint['kind']}")
        places.append((joint, model.jnt_qposadr[i], model.jnt_dofadr[i]))
    return places


def at_state(model, data, places, state):
    mapping = Mapping(model.nv)
    for joint, at_q, at_v in places:
        position = state["q"][joint["q"]:]
        velocity = state["v"][joint["v"]:]
        if joint["kind"] == "free":
            free = FreeJoint(joint, position[:7])
            block = free.block(linear_in_world=True)
            data.qpos[at_q:at_q + 7] = [*free.body_place, *free.body_turn]
            u = np.linalg.solve(block, velocity[:6])
            data.qvel[at_v:at_v + 6] = u
            mapping.put(joint["v"], at_v, block, free.drift(u, linear_in_world=True))
        elif joint["kind"] == "ball":
            ball = BallJoint(joint, position[:4])
            data.qpos[at_q:at_q + 4] = ball.body_turn
            data.qvel[at_v:at_v + 3] = np.linalg.solve(ball.block, velocity[:3])
            mapping.put(joint["v"], at_v, ball.block)
        else:
            data.qpos[at_q] = position[0]
            data.qvel[at_v] = velocity[0]
            mapping.put(joint["v"], at_v, np.eye(1))
    mujoco.mj_forward(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    return mapping.convert(mass, data.qfrc_bias.copy())


serve(answer)
