"""Whether a robot file describes something that can exist, by first principles and libraries nobody here wrote.

Reads file names from standard input, one to a line, and prints one JSON object for each, with a `label` and the reasons:

- `impossible`: a body has negative mass, inertia without mass, a negative principal moment, principal moments that break the
  triangle inequality by more than rounding to three digits explains (1 % of the largest), or about a principal axis a radius
  of gyration of more than four times the distance of the farthest point drawn of the rigid part it belongs to; a joint's
  range is empty; or, in MJCF, two bodies that may touch stand deeper in each other than half the thickness of the thinner
  one, at the keyframe `home`, else the first, else the file's own pose.
- `possible`: nothing of that kind, not even in part: moments within what is drawn, no overlap deeper than 10 micrometres.
- `open`: in between, where simplified or missing drawings decide, or the library does not read the file.

Mass within a distance r of an axis through its centre has a moment of at most m r^2 about it. Files leave out cables and
covers and simplify shapes, so between one and four times r the answer stays open. A drawing that could hold the mass only
with a density above that of osmium is a marker and not the body, and says nothing about its size.

MuJoCo compiles MJCF and makes its own check of every tensor; what it refuses stays open. Mass and inertia of URDF are read
from the XML, because MuJoCo refuses and Pinocchio merges links; MuJoCo places the shapes. Meshes touch as convex hulls
there, so an overlap of a URDF's bodies leaves the answer open and never makes it `impossible`.
"""

import json
import math
import os
import sys
import tempfile
import xml.etree.ElementTree as ET

import mujoco
import numpy as np

OSMIUM = 22600.0  # kg/m3
ROUNDING = 1e-2
UNDRAWN = 4.0
POINT = 1e-8  # m: below this radius of gyration a body is a point
TOUCHING = 1e-5  # m
ENDLESS = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)


def tensor_faults(name, mass, moments):
    """Faults of mass and principal moments alone."""
    low, middle, high = sorted(moments)
    point = POINT**2 * abs(mass)
    if mass < 0:
        return [f"{name}: mass {mass:g} kg"]
    if mass == 0:
        return [f"{name}: no mass but moments up to {high:g} kg m2"] if high > 0 else []
    if -low > max(point, 1e-9 * high):
        return [f"{name}: principal moment {low:g} kg m2"]
    if high - middle - low > max(point, ROUNDING * high):
        return [f"{name}: moments {low:g} + {middle:g} < {high:g} kg m2"]
    return []


class Drawing:
    """The shapes of a rigid part: of all bodies of one `body_weldid`."""

    def __init__(self, model, data, part):
        self.centres, self.radii, self.corners, self.volume = [], [], [], 0.0
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        for g in np.nonzero(model.body_weldid[model.geom_bodyid] == part)[0]:
            if model.geom_type[g] in ENDLESS:
                continue
            middle, half = model.geom_aabb[g][:3], model.geom_aabb[g][3:]
            place, rotation = data.geom_xpos[g], data.geom_xmat[g].reshape(3, 3)
            self.corners.append(place + (middle + signs * half) @ rotation.T)
            self.centres.append(place.copy())
            self.radii.append(float(model.geom_rbound[g]))
            self.volume += 8.0 * float(np.prod(half))

    def reach(self, origin, axis):
        """The distance of the farthest point from an axis [m]: each shape is inside its box and inside its sphere."""
        across = lambda points: np.linalg.norm(np.cross(np.asarray(points) - origin, axis), axis=-1)
        each = [
            min(across(corners).max(), across(centre) + radius)
            for corners, centre, radius in zip(self.corners, self.centres, self.radii)
        ]
        return max(each, default=0.0)

    def judge(self, name, mass, moments, axes, origin):
        """What the size says of moments about axes (columns): impossible and doubtful."""
        if mass <= 0 or not self.corners:
            return [], []
        sure, unsure = [], []
        for moment, axis in zip(moments, np.asarray(axes).T):
            gyration, reach = math.sqrt(max(moment, 0.0) / mass), self.reach(origin, axis)
            if gyration <= (1.0 + ROUNDING) * reach or gyration < POINT:
                continue
            text = f"{name}: radius of gyration {gyration:.3g} m, drawn to {reach:.3g} m"
            marker = self.volume * OSMIUM < mass
            (unsure if marker or gyration <= UNDRAWN * reach else sure).append(text)
        return sure[:1], unsure[:1]


def drawings(model, data):
    """The drawing of every rigid part."""
    return {part: Drawing(model, data, part) for part in set(model.body_weldid.tolist())}


def thickness(model, geom):
    return math.inf if model.geom_type[geom] in ENDLESS else 2.0 * float(min(model.geom_aabb[geom][3:]))


def overlaps(model, data, excluded=()):
    """Pairs of bodies in each other at the present pose: deeper than half of the thinner one, and others."""
    deep, shallow = [], []
    for contact in data.contact:
        bodies = [model.body(model.geom_bodyid[g]).name for g in contact.geom]
        depth, thin = -float(contact.dist), min(thickness(model, g) for g in contact.geom)
        if depth > TOUCHING and frozenset(bodies) not in excluded:
            text = f"{bodies[0]} and {bodies[1]}: {1e3 * depth:.3g} mm in each other, the thinner {1e3 * thin:.3g} mm"
            (deep if depth > 0.5 * thin else shallow).append(text)
    return deep, shallow


def by_mujoco(file):
    model = mujoco.MjModel.from_xml_path(file)
    data = mujoco.MjData(model)
    names = [model.key(k).name for k in range(model.nkey)]
    if names:
        mujoco.mj_resetDataKeyframe(model, data, names.index("home") if "home" in names else 0)
    mujoco.mj_forward(model, data)
    impossible, doubtful = overlaps(model, data)
    for j in range(model.njnt):
        low, high = model.jnt_range[j]
        if model.jnt_limited[j] and low > high:
            impossible.append(f"joint {model.joint(j).name}: limits {low:g} > {high:g}")
    drawn = drawings(model, data)
    for b in range(1, model.nbody):
        name, mass, moments = model.body(b).name, float(model.body_mass[b]), model.body_inertia[b]
        axes = data.ximat[b].reshape(3, 3)
        sure, unsure = drawn[model.body_weldid[b]].judge(name, mass, moments, axes, data.xipos[b])
        # The inertia of a body fixed to the world is never used.
        fixed = model.body_weldid[b] == 0
        (doubtful if fixed else impossible).extend(tensor_faults(name, mass, moments.tolist()) + sure)
        doubtful += unsure
    return impossible, doubtful


def links(root):
    """Every link of a URDF with mass: name, mass, principal moments, their axes in the link's frame."""
    for link in root.findall("link"):
        mass, tensor = link.find("inertial/mass"), link.find("inertial/inertia")
        if mass is None or tensor is None:
            continue
        xx, yy, zz, xy, xz, yz = (float(tensor.get(k, 0.0)) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
        moments, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        origin = link.find("inertial/origin")
        angles = "0 0 0" if origin is None else origin.get("rpy", "0 0 0")
        roll, pitch, yaw = map(float, angles.split())
        yield link.get("name"), float(mass.get("value", 0.0)), moments.tolist(), turned(roll, pitch, yaw) @ axes


def turned(roll, pitch, yaw):
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(a), math.cos(a)) for a in (roll, pitch, yaw))
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def by_xml(file):
    root = ET.parse(file).getroot()
    impossible, doubtful = [], []
    found = list(links(root))
    if not root.findall("link"):
        doubtful.append("no links")
    for name, mass, moments, _ in found:
        impossible += tensor_faults(name, mass, moments)
    for joint in root.findall("joint"):
        limit = joint.find("limit")
        if limit is not None and joint.get("type") in ("revolute", "prismatic"):
            low, high = float(limit.get("lower", 0.0)), float(limit.get("upper", 0.0))
            if low > high:
                impossible.append(f"joint {joint.get('name')}: limits {low:g} > {high:g}")
    model, why = drawn_by_mujoco(root, file)
    if model is None:
        return impossible, doubtful + [f"shapes not read: {why}"]
    data = mujoco.MjData(model)
    excluded = pose_of_srdf(model, data, root, file)
    mujoco.mj_forward(model, data)
    deep, shallow = overlaps(model, data, excluded)
    doubtful += deep + shallow
    drawn = drawings(model, data)
    for name, mass, moments, axes in found:
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
        if body <= 0:  # the root, which MuJoCo merges into the world
            continue
        axes = data.xmat[body].reshape(3, 3) @ axes
        sure, unsure = drawn[model.body_weldid[body]].judge(name, mass, moments, axes, data.xipos[body])
        impossible += sure
        doubtful += unsure
    return impossible, doubtful


def drawn_by_mujoco(root, file):
    """A URDF in MuJoCo with all its links and drawn shapes, its inertia made harmless; or why not."""
    root = ET.fromstring(ET.tostring(root))
    for element in root.iter("inertia"):
        element.attrib.update(ixx="1", iyy="1", izz="1", ixy="0", ixz="0", iyz="0")
    for old in root.findall("mujoco"):
        root.remove(old)
    options = ET.SubElement(ET.SubElement(root, "mujoco"), "compiler")
    options.attrib.update(discardvisual="false", fusestatic="false", strippath="false")
    here = os.path.dirname(os.path.abspath(file))
    for mesh in root.iter("mesh"):
        mesh.set("filename", os.path.join(here, found_mesh(mesh.get("filename", ""), here)))
    with tempfile.NamedTemporaryFile("wb", suffix=".urdf") as out:
        ET.ElementTree(root).write(out)
        out.flush()
        try:
            return mujoco.MjModel.from_xml_path(out.name), None
        except Exception as error:  # noqa: BLE001: any error of the library is its answer
            return None, str(error).strip()


def found_mesh(name, folder):
    """package://NAME/REST is below the nearest folder above the file that holds it."""
    if not name.startswith("package://"):
        return name.removeprefix("file://")
    rest = name.removeprefix("package://").lstrip("/")
    inside = rest.split("/", 1)[-1]
    while folder != "/":
        if os.path.exists(os.path.join(folder, rest)):
            return os.path.join(folder, rest)
        if os.path.basename(folder) == rest.split("/", 1)[0] and os.path.exists(os.path.join(folder, inside)):
            return os.path.join(folder, inside)
        folder = os.path.dirname(folder)
    return rest


def pose_of_srdf(model, data, root, file):
    """Puts the robot into the pose its SRDF calls `home`, else the first; gives the pairs it excludes from contact."""
    folder, stem = os.path.split(os.path.abspath(file)[: -len(".urdf")])
    names = [f"{stem}.srdf", f"{root.get('name')}.srdf"]
    places = [os.path.join(folder, f) for f in names] + [os.path.join(folder, "../srdf", f) for f in names]
    found = next((p for p in places if os.path.exists(p)), None)
    if found is None:
        return set()
    semantics = ET.parse(found).getroot()
    states = semantics.findall("group_state")
    chosen = next((s for s in states if s.get("name") == "home"), states[0] if states else None)
    for joint in chosen.findall("joint") if chosen is not None else []:
        j = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint.get("name"))
        values = [float(v) for v in joint.get("value", "").split()]
        if j >= 0 and len(values) == 1:
            data.qpos[model.jnt_qposadr[j]] = values[0]
    return {frozenset((p.get("link1"), p.get("link2"))) for p in semantics.findall("disable_collisions")}


def judge(file):
    try:
        impossible, doubtful = by_xml(file) if file.endswith(".urdf") else by_mujoco(file)
    except Exception as error:  # noqa: BLE001: any error of the library is its answer
        return {"file": file, "label": "open", "why": [str(error).strip() or type(error).__name__]}
    label = "impossible" if impossible else "open" if doubtful else "possible"
    return {"file": file, "label": label, "why": impossible + doubtful}


def main():
    # Libraries write to standard output, so the answers go to a duplicate of it.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(judge(line.rstrip("\n"))), file=answers, flush=True)


main()
