"""Prints what PyBullet makes of every SDF file in pybullet_data, as JSON, for sdf_agrees_with_pybullet.rs.

Each file is loaded in a process of its own, because PyBullet ends the process on some. Every joint is put at a
position and speed of its own; then the world poses of all link frames are taken, the mass matrix, and the efforts
that hold the speeds (for bodies fixed to the world: PyBullet has no inverse dynamics of others here).

Where PyBullet fails on a file for a reason that changes no motion, a repaired copy is loaded, and the repair is part
of the output. loadSDF computes inertias from collision shapes and has no option to take those of the file, so they are read here
from the XML and set before the mass matrix is asked for.
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

KINDS = {0: "revolute", 1: "prismatic", 4: "fixed"}


def position(index, kind):
    """Different for every joint, and the same in every run."""
    return {"revolute": 0.3 + 0.17 * index, "prismatic": 0.01 + 0.005 * index}.get(kind, 0.0)


def speed(index):
    return 0.5 - 0.13 * index


def turned_back(quaternion, vector):
    """The vector in the frame that stands at the quaternion; PyBullet's own products are in single precision."""
    x, y, z, w = quaternion
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return [sum(rows[i][j] * vector[i] for i in range(3)) for j in range(3)]


def inertias_of(path):
    """Mass and diagonal inertia by model (in order) and link."""
    models = []
    for model in xml.parse(path).getroot().iter("model"):
        links = {}
        for link in model.iter("link"):
            inertial = link.find("inertial")
            if inertial is None:
                continue
            tensor = inertial.find("inertia")
            numbers = {e.tag: float(e.text) for e in tensor} if tensor is not None else {}
            products = [numbers.get(k, 0.0) for k in ("ixy", "ixz", "iyz")]
            assert not any(products), "PyBullet takes no products of inertia"
            links[link.get("name")] = [numbers.get(k, 1.0) for k in ("ixx", "iyy", "izz")]
        models.append(links)
    return models


# file -> (what is repaired, how)
MESHES = ("meshes that are not in the package", r"<collision.*?</collision>", "")
REPAIRS = {
    "gripper/wsg50_one_motor_gripper_free_base.sdf": [("friction as in URDF", r"<contact>.*?</contact>", "")],
    "kuka_iiwa/kuka_world.sdf": [
        MESHES,
        ("a joint to the world: mass 0 says the same to PyBullet", r"<joint name='fix_to_world'.*?</joint>", ""),
        ("its base", "<mass>0.01</mass>", "<mass>0</mass>"),
    ],
    "kuka_iiwa/model2.sdf": [MESHES],
}


def repaired(path, key, folder):
    if key not in REPAIRS:
        return None, path
    text = open(path, encoding="utf-8").read()
    for _, old, new in REPAIRS[key]:
        text, count = re.subn(old, new, text, flags=re.DOTALL)
        assert count, (key, old)
    copy = os.path.join(folder, "repaired.sdf")
    with open(copy, "w", encoding="utf-8") as out:
        out.write(text)
    return "; ".join(what for what, _, _ in REPAIRS[key]), copy


def describe(path):
    import pybullet as bullet

    bullet.connect(bullet.DIRECT)
    bullet.setAdditionalSearchPath(os.path.dirname(path))
    inertias = inertias_of(path)
    bodies = []
    for index, body in enumerate(bullet.loadSDF(path)):
        base, model = (name.decode() for name in bullet.getBodyInfo(body))
        count = bullet.getNumJoints(body)
        names = [base] + [bullet.getJointInfo(body, j)[12].decode() for j in range(count)]
        joints = []
        q = []
        v = []
        for j in range(count):
            info = bullet.getJointInfo(body, j)
            kind = KINDS[info[2]]
            at = position(j, kind)
            if kind != "fixed":
                bullet.resetJointState(body, j, at)
                q.append(at)
                v.append(speed(j))
            joints.append({
                "name": info[1].decode(), "kind": kind, "q": at, "v": speed(j), "lower": info[8], "upper": info[9],
                "effort": info[10], "velocity": info[11], "damping": info[6], "child": names[j + 1],
                "parent": names[info[16] + 1],
            })
        links = []
        for j, name in enumerate(names):
            mass, _, diagonal, com, turn = bullet.getDynamicsInfo(body, j - 1)[:5]
            if j == 0:
                # PyBullet returns the frame of the centre of mass.
                at, facing = bullet.getBasePositionAndOrientation(body)
                inverse = bullet.invertTransform(com, turn)
                at, facing = bullet.multiplyTransforms(at, facing, *inverse)
            else:
                at, facing = bullet.getLinkState(body, j - 1, computeForwardKinematics=1)[4:6]
            links.append({"name": name, "mass": mass, "position": at, "quaternion_xyzw": facing, "com": com})
            if name in inertias[index] and mass > 0:
                bullet.changeDynamics(body, j - 1, localInertiaDiagonal=inertias[index][name])
        fixed_base = links[0]["mass"] == 0
        matrix = None
        if q:
            # For a floating body the last rows are those of the joints.
            count = len(q)
            matrix = [row[-count:] for row in bullet.calculateMassMatrix(body, q)[-count:]]
        bias = None
        if q and fixed_base:
            # Its inverse dynamics expects gravity in the frame of the base's centre of mass, whatever its orientation.
            _, facing = bullet.getBasePositionAndOrientation(body)
            bullet.setGravity(*turned_back(facing, [0.0, 0.0, -9.8]))
            bias = bullet.calculateInverseDynamics(body, q, v, [0.0] * len(q))
        bodies.append({
            "model": model, "joints": joints, "links": links, "mass_matrix": matrix, "bias": bias,
        })
    return bodies


def main():
    if len(sys.argv) == 2:
        # PyBullet also prints messages to the standard output, so the result goes last.
        print("\n" + json.dumps(describe(sys.argv[1])))
        return
    import pybullet_data

    root = pybullet_data.getDataPath()
    out = []
    for path in sorted(glob.glob(os.path.join(root, "**", "*.sdf"), recursive=True)):
        key = os.path.relpath(path, root)
        entry = {"file": path, "key": key}
        with tempfile.TemporaryDirectory() as folder:
            entry["repaired"], copy = repaired(path, key, folder)
            # Relative meshes are looked up from the working directory too.
            here = os.path.dirname(path)
            run = subprocess.run([sys.executable, __file__, copy], capture_output=True, text=True, cwd=here)
        if run.returncode == 0:
            entry["bodies"] = json.loads(run.stdout.strip().splitlines()[-1])
        else:
            entry["fails"] = run.returncode
            entry["reason"] = run.stderr.strip().splitlines()[-1:]
        out.append(entry)
    print(json.dumps(out))


main()
