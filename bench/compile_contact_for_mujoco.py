"""Compiles a contact scene of ours for MuJoCo.

    compile_contact_for_mujoco.py SCENE.sdf|ROBOT.urdf MODEL.mjb OPTIONS COMMANDS

Reads the subset of SDF that our scenes are written in: balls, boxes and planes, one link a model or links on sliders along x,
with mass, diagonal inertia and friction. A URDF stands on a floor with the friction of the house. OPTIONS is a list like
`integrator=implicitfast,cone=elliptic,impratio=100`. COMMANDS is a JSON object: `{"forces": {"joint": N}}` for motors, or
`{"hold": {"joint": [target, kp, kd]}, "start": {"height": z, "quat": [w, x, y, z]}}` for a robot whose joints are held.
"""

import json
import sys
import xml.etree.ElementTree as xml

import mujoco

STEP_S = 1e-3


def numbers(text):
    return [float(word) for word in text.split()]


def add_shape(body, collision):
    geometry = collision.find("geometry")
    friction = float(collision.findtext("surface/friction/ode/mu", "1"))
    geom = body.add_geom()
    geom.friction = (friction, 0.0, 0.0)
    geom.condim = 3
    # The inertia is the file's.
    geom.mass = 0.0
    if (ball := geometry.find("sphere")) is not None:
        geom.type = mujoco.mjtGeom.mjGEOM_SPHERE
        geom.size = (float(ball.findtext("radius")), 0.0, 0.0)
    elif (box := geometry.find("box")) is not None:
        geom.type = mujoco.mjtGeom.mjGEOM_BOX
        geom.size = [0.5 * side for side in numbers(box.findtext("size"))]
    elif geometry.find("plane") is not None:
        geom.type = mujoco.mjtGeom.mjGEOM_PLANE
        geom.size = (0.0, 0.0, 1.0)
    else:
        sys.exit("a shape that is no ball, box or plane")


def add_scene(spec, path):
    world = xml.parse(path).getroot().find("world")
    spec.option.gravity = numbers(world.findtext("gravity"))
    for model in world.findall("model"):
        place = numbers(model.findtext("pose", "0 0 0 0 0 0"))
        static = model.findtext("static") == "true"
        sliders = {joint.findtext("child"): joint for joint in model.findall("joint")}
        for link in model.findall("link"):
            own = numbers(link.findtext("pose", "0 0 0 0 0 0"))
            if any(place[3:]) or any(own[3:]):
                sys.exit("turned bodies are not read")
            body = spec.worldbody.add_body(name=link.get("name"), pos=[a + b for a, b in zip(place[:3], own[:3])])
            for collision in link.findall("collision"):
                add_shape(body, collision)
            if static:
                continue
            inertial = link.find("inertial")
            body.mass = float(inertial.findtext("mass"))
            body.inertia = [float(inertial.findtext("inertia/" + axis)) for axis in ("ixx", "iyy", "izz")]
            body.explicitinertial = True
            joint = sliders.get(link.get("name"))
            if joint is None:
                body.add_freejoint()
                continue
            slide = body.add_joint(name=joint.get("name"), type=mujoco.mjtJoint.mjJNT_SLIDE)
            slide.axis = numbers(joint.findtext("axis/xyz"))


def stand(spec):
    """A floor under a free robot whose own parts do not touch each other, as ours says."""
    floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(0.0, 0.0, 1.0))
    for geom in spec.geoms:
        geom.friction = (1.0, 0.0, 0.0)
        geom.condim = 3
        (geom.contype, geom.conaffinity) = (1, 0)
    (floor.contype, floor.conaffinity) = (0, 1)
    spec.worldbody.first_body().add_freejoint()
    spec.option.gravity = (0.0, 0.0, -9.81)


def main(source, mjb, options, commands):
    commands = json.loads(commands)
    robot = source.endswith(".urdf")
    spec = mujoco.MjSpec.from_file(source) if robot else mujoco.MjSpec()
    if robot:
        stand(spec)
        spec.compiler.balanceinertia = True
    else:
        add_scene(spec, source)
    spec.option.timestep = STEP_S
    for option in filter(None, options.split(",")):
        key, value = option.split("=")
        if key == "integrator":
            spec.option.integrator = getattr(mujoco.mjtIntegrator, "mjINT_" + value.upper())
        elif key == "cone":
            spec.option.cone = getattr(mujoco.mjtCone, "mjCONE_" + value.upper())
        else:
            setattr(spec.option, key, float(value))
    for joint, force in commands.get("forces", {}).items():
        spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    for joint, (_, kp, kd) in commands.get("hold", {}).items():
        motor = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_position(kp=kp, kv=kd)
    model = spec.compile()
    data = mujoco.MjData(model)
    controls = dict(commands.get("forces", {}))
    controls.update({joint: target for joint, (target, _, _) in commands.get("hold", {}).items()})
    start = commands.get("start")
    if start:
        data.qpos[2] = start["height"]
        data.qpos[3:7] = start["quat"]
        for joint, (target, _, _) in commands["hold"].items():
            data.qpos[model.jnt_qposadr[model.joint(joint).id]] = target
    ctrl = [0.0] * model.nu
    for joint, value in controls.items():
        ctrl[model.actuator(joint).id] = value
    # A keyframe needs room in the model: compile once more with it.
    spec.add_key(name="start", qpos=list(data.qpos), ctrl=ctrl)
    mujoco.mj_saveModel(spec.compile(), mjb)


main(*sys.argv[1:])
