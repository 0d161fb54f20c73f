"""Mass matrix and bias efforts by PyBullet, which reads URDF and simple SDF.

What had to be learnt by experiment (checked against Pinocchio on URDF, where they agree to 1e-15):

- It moves the base in the frame of its mass: origin at the centre of mass, axes along the principal axes it chose.
- The mass matrix of a floating body is in (angular, linear) order and in the axes of that frame, whatever the pose.
- Inverse dynamics takes base velocities as (angular, linear) and gives (force, torque). Its base acceleration is that
  of the centre of mass itself, in the axes of the base, so the linear velocity does not matter.
- It turns the base's quaternion into angles and back in another order, so any turn about more than one axis is
  garbled. The base is therefore left unturned and gravity is turned instead, which is the same motion.
- `loadSDF` replaces inertia tensors by those of the collision shapes and offers no flag against it. The tensors are
  put back from the file; what is compared of an SDF file is thus all but the six numbers of each tensor.
- A body whose base has no mass is taken to be fixed. Inverse dynamics of a fixed body forgets that its base may be
  turned: gravity is turned here too.

Shapes are removed before loading: meshes need not be found, and M and h do not depend on them.
"""

import os
import tempfile
import xml.etree.ElementTree as xml

import numpy as np
import pybullet as bullet

from coordinates import FreeJoint, Mapping, product, conjugate, rotation, same_joints, unique
from job_server import serve

MOVING = {bullet.JOINT_REVOLUTE: ("revolute", "continuous"), bullet.JOINT_PRISMATIC: ("prismatic",)}


def answer(job, notes):
    bullet.connect(bullet.DIRECT)
    tree = xml.parse(job["file"])
    for link in tree.iter("link"):
        for shape in [child for child in link if child.tag in ("collision", "visual", "contact")]:
            link.remove(shape)
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, os.path.basename(job["file"]))
        tree.write(copy)
        bodies = load(copy, job)
    if job["format"] == "sdf":
        restore_tensors(tree, bodies)
        notes.append("tensors put back")
    pairs = match(bodies, job["joints"])
    return [at_state(pairs, job, state) for state in job["states"]]


def load(copy, job):
    if job["format"] == "sdf":
        return list(bullet.loadSDF(copy))
    if job["format"] == "urdf":
        flags = bullet.URDF_USE_INERTIA_FROM_FILE
        return [bullet.loadURDF(copy, useFixedBase=job["base"] == "fixed", flags=flags)]
    raise ValueError(f"this peer is not asked about {job['format']}")


def restore_tensors(tree, bodies):
    """Sets the tensor of the file on each link; only diagonal ones can be set."""
    models = list(tree.iter("model"))
    if len(models) != len(bodies):
        raise ValueError(f"sees {len(bodies)} models where the file has {len(models)}")
    for body, model in zip(bodies, models):
        base = bullet.getBodyInfo(body)[0].decode()
        links = {link.get("name"): link for link in model.iter("link")}
        indices = {bullet.getJointInfo(body, i)[12].decode(): i for i in range(bullet.getNumJoints(body))}
        for link_name, index in {base: -1, **indices}.items():
            inertia = links[link_name].find("inertial/inertia")
            if inertia is None:
                if bullet.getDynamicsInfo(body, index)[0] == 0.0:
                    continue
                raise ValueError(f"link '{link_name}' has no tensor in the file to put back")
            entry = {child.tag: float(child.text) for child in inertia}
            if any(entry.get(name, 0.0) for name in ("ixy", "ixz", "iyz")):
                raise ValueError(f"the tensor of '{link_name}' is not diagonal and cannot be put back")
            bullet.changeDynamics(body, index, localInertiaDiagonal=[entry[name] for name in ("ixx", "iyy", "izz")])


class Body:
    """One PyBullet body with its moving joints in its own order, each paired with ours."""

    def __init__(self, body, joints):
        self.body = body
        moving = [info for info in (bullet.getJointInfo(body, i) for i in range(bullet.getNumJoints(body)))
                  if info[2] != bullet.JOINT_FIXED]
        ours = {joint["name"]: joint for joint in joints if joint["kind"] != "free"}
        same_joints(ours, [info[1].decode() for info in moving])
        self.joints = [ours[info[1].decode()] for info in moving]
        for info, joint in zip(moving, self.joints):
            if joint["kind"] not in MOVING.get(info[2], ()):
                raise ValueError(f"has no rule for '{joint['name']}', a {joint['kind']} joint here")
        free = [joint for joint in joints if joint["kind"] == "free"]
        n = len(bullet.calculateMassMatrix(body, [0.0] * len(moving))) if moving else None
        mass_of_base = bullet.getDynamicsInfo(body, -1)[0]
        floats = n == len(moving) + 6 if moving else mass_of_base > 0
        if floats != bool(free):
            raise ValueError("takes the base for fixed" if free else "takes the base for free")
        self.free = free[0] if free else None

    def at_state(self, mapping, mass, bias, at, gravity, state):
        """Fills this body's part of M and h, in the peer's order from index `at`; returns the next index."""
        q = [state["q"][joint["q"]] for joint in self.joints]
        v = [state["v"][joint["v"]] for joint in self.joints]
        n = len(self.joints)
        offset = 0
        if self.free:
            offset = 6
            shift, turn = bullet.getDynamicsInfo(self.body, -1)[3:5]
            turn = np.array([turn[3], *turn[:3]])
            # The pose of the joint frame in the frame of the mass replaces `child_from_joint`.
            joint = dict(self.free)
            place, orientation = np.array(joint["child_from_joint"][:3]), np.array(joint["child_from_joint"][3:])
            joint["child_from_joint"] = [*(rotation(turn).T @ (place - np.array(shift))),
                                         *product(conjugate(turn), orientation)]
            i, j = self.free["q"], self.free["v"]
            frame = FreeJoint(joint, state["q"][i:i + 7])
            block = frame.block(linear_in_world=False)
            u = np.linalg.solve(block, state["v"][j:j + 6])
            gravity = frame.r_b.T @ gravity
            mapping.put(j, at, block, frame.drift(u, linear_in_world=True))
        else:
            x, y, z, w = bullet.getBasePositionAndOrientation(self.body)[1]
            gravity = rotation([w, x, y, z]).T @ gravity
        bullet.setGravity(*gravity)
        for k, joint in enumerate(self.joints):
            mapping.put(joint["v"], at + offset + k, np.eye(1))
        end = at + offset + n
        here = slice(at, end)
        part = np.array(bullet.calculateMassMatrix(self.body, q))
        if self.free:
            order = [3, 4, 5, 0, 1, 2, *range(6, offset + n)]
            mass[here, here] = part[np.ix_(order, order)]
            base_q, base_v = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [*u[3:], *u[:3]]
        else:
            mass[here, here] = part
            base_q, base_v = [], []
        zero = [0.0] * (offset + n)
        bias[here] = bullet.calculateInverseDynamics(self.body, base_q + q, base_v + v, zero)
        return end


def match(bodies, joints):
    """Pairs our placements with PyBullet's bodies by name; those without joints in both are scenery."""
    models = {}
    for joint in joints:
        models.setdefault(joint["model"], []).append(joint)
    if len(bodies) == 1 and len(models) == 1:
        return [Body(bodies[0], *models.values())]
    by_name = dict(zip(unique([bullet.getBodyInfo(body)[1].decode() for body in bodies]), bodies))
    missing = sorted(set(models) - set(by_name))
    if missing:
        raise ValueError(f"has no model {missing}; it has {sorted(by_name)}")
    return [Body(by_name[name], models[name]) for name in models]


def at_state(pairs, job, state):
    size = len(state["v"])
    mapping, mass, bias, at = Mapping(size), np.zeros((size, size)), np.zeros(size), 0
    for body in pairs:
        at = body.at_state(mapping, mass, bias, at, np.array(job["gravity"]), state)
    return mapping.convert(mass, bias)


serve(answer)
