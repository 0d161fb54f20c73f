"""Compiles a URDF for MuJoCo as the benchmark wants it: nothing but the smooth motion of the bodies.

    compile_for_mujoco.py ROBOT.urdf MODEL.mjb START.txt fixed|free

The binary .mjb keeps every digit, which MuJoCo's XML does not. START.txt gets the start state: `fixed` is at rest in the
zero position under gravity; `free` floats without gravity, every joint turning at 1 rad/s.
"""

import sys

import mujoco
import numpy as np

STEP_S = 1e-3
GRAVITY = 9.81
BASE_ANGULAR_VELOCITY = (0.3, 0.5, 0.7)  # rad/s in the base's frame


def compile_model(urdf, free):
    spec = mujoco.MjSpec.from_file(urdf)
    option = spec.option
    option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    option.timestep = STEP_S
    option.gravity = (0.0, 0.0, 0.0 if free else -GRAVITY)
    for flag in ("CONSTRAINT", "CONTACT", "LIMIT", "EQUALITY", "FRICTIONLOSS", "SENSOR", "WARMSTART"):
        option.disableflags |= getattr(mujoco.mjtDisableBit, "mjDSBL_" + flag)
    # URDF gives every inertia, so shapes would only cost MuJoCo time that our side does not spend.
    for geom in list(spec.geoms):
        spec.delete(geom)
    if free:
        spec.worldbody.first_body().add_freejoint()
    given = impossible_inertias(spec)
    spec.compiler.balanceinertia = bool(given)
    model = spec.compile()
    restore(model, given)
    # Energy can only be held to account where nothing takes it away.
    model.dof_damping[:] = 0.0
    model.dof_frictionloss[:] = 0.0
    model.jnt_stiffness[:] = 0.0
    return model


def impossible_inertias(spec):
    """Tensors no solid can have, by body. A published Nao has two; MuJoCo moves them, but will not compile them."""
    given = {}
    for body in spec.bodies:
        xx, yy, zz, xy, xz, yz = body.fullinertia
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if np.isfinite(tensor).all():
            smallest, middle, largest = np.linalg.eigvalsh(tensor)
            if largest > smallest + middle:
                given[body.name] = tensor
    return given


def restore(model, given):
    """Undoes what balancing did to them, so that both sides move the same robot."""
    for name, tensor in given.items():
        body = model.body(name).id
        model.body_inertia[body] = np.linalg.eigvalsh(tensor)[::-1]
        axes = np.empty(9)
        mujoco.mju_quat2Mat(axes, model.body_iquat[body])
        axes = axes.reshape(3, 3)
        rebuilt = axes @ np.diag(model.body_inertia[body]) @ axes.T
        # The axes are MuJoCo's own, from before balancing; good to rounding, or something was welded to the body.
        if not np.allclose(rebuilt, tensor, rtol=0.0, atol=1e-12 * np.abs(tensor).max()):
            sys.exit(f"{name}: the inertia MuJoCo compiled is not the file's")


def start_state(model, free):
    data = mujoco.MjData(model)
    if free:
        data.qvel[:] = 1.0
        data.qvel[0:3] = 0.0
        data.qvel[3:6] = BASE_ANGULAR_VELOCITY
    return [*data.qpos, *data.qvel]


def main(urdf, mjb, start, base):
    free = {"fixed": False, "free": True}[base]
    model = compile_model(urdf, free)
    mujoco.mj_saveModel(model, mjb)
    with open(start, "w") as file:
        file.writelines(f"{number!r}\n" for number in map(float, start_state(model, free)))


main(*sys.argv[1:])
