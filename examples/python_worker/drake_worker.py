"""Drake (from PyPI) as an engine of veracity: a worker in plain Python.

Trees of hinges and sliders under gravity, efforts, wrenches and explicit drives. Other features of a world are
refused by name: this is an example of the protocol and does not use all of Drake.
"""

from importlib.metadata import version

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import ExternallyAppliedSpatialForce, MultibodyPlant
from pydrake.multibody.tree import FixedOffsetFrame, PrismaticJoint, RevoluteJoint, SpatialInertia, UnitInertia

from veracity_worker import Unsupported, serve


def transform(pose):
    """From `x y z w x y z`."""
    turn = np.array(pose[3:])
    return RigidTransform(Quaternion(turn / np.linalg.norm(turn)), pose[:3])


def refusals(scene):
    """All features of a scene that are not supported here."""
    no = []
    for joint in scene["joints"]:
        if joint["kind"] not in ("revolute", "continuous", "prismatic"):
            no.append((f"the {joint['kind']} joint '{joint['name']}'", "use hinges and sliders"))
        for at in range(joint["v"], joint["v"] + joint["nv"]):
            dof = scene["dofs"][at]
            limited = dof["lower"] is not None or dof["upper"] is not None
            if limited and joint["kind"] != "continuous":
                no.append((f"the limits of joint '{joint['name']}'", "remove them, or use another engine"))
            for key in ("friction", "armature", "stiffness"):
                if dof[key] != 0:
                    no.append((f"the {key} of joint '{joint['name']}'", "set it to zero, or use another engine"))
    for piece in scene["pieces"][1:]:
        if piece["linear_damping"] != 0 or piece["angular_damping"] != 0:
            no.append((f"the drag of '{piece['name']}'", "set it to zero"))
        if piece["gravity_scale"] != 1:
            no.append((f"the scaled gravity of '{piece['name']}'", "set it to one"))
        if not piece["mass"] > 0:
            no.append((f"'{piece['name']}', which has no mass", "give it some"))
    if scene["contact"] and scene["touch"]:
        no.append(("contact between bodies", "use another engine, or set the world's contact to false"))
    for kind in ("loops", "springs", "couplings"):
        no.extend((f"the {kind[:-1]} '{one['name']}'", "use another engine") for one in scene[kind])
    return no


class Simulation:
    def __init__(self, scene, step_s):
        self.plant = plant = MultibodyPlant(step_s)
        plant.mutable_gravity_field().set_gravity_vector(scene["gravity"])
        pieces = [plant.world_body()]
        for number, piece in enumerate(scene["pieces"][1:], 1):
            mass, (xx, yy, zz, xy, xz, yz) = piece["mass"], np.array(piece["tensor"]) / piece["mass"]
            inertia = SpatialInertia(mass, [0, 0, 0], UnitInertia(xx, yy, zz, xy, xz, yz))
            pieces.append(plant.AddRigidBody(f"piece{number}", inertia))
        self.joints = []
        for number, joint in enumerate(scene["joints"]):
            parent, child = pieces[joint["parent"]].body_frame(), pieces[joint["child"]].body_frame()
            on_parent = plant.AddFrame(FixedOffsetFrame(f"p{number}", parent, transform(joint["parent_from_joint"])))
            on_child = plant.AddFrame(FixedOffsetFrame(f"c{number}", child, transform(joint["child_from_joint"])))
            kind = PrismaticJoint if joint["kind"] == "prismatic" else RevoluteJoint
            # Damping is Drake's own and implicit.
            damping = scene["dofs"][joint["v"]]["damping"]
            made = plant.AddJoint(kind(f"joint{number}", on_parent, on_child, joint["axis"], damping=damping))
            self.joints.append((made, joint["q"], joint["v"]))
        # Output ports are not used: positions and speeds are the whole state, and a step is a plain update of them.
        plant.SetUseSampledOutputPorts(False)
        plant.Finalize()
        self.pieces = pieces
        self.placed = [(body["piece"], transform(body["piece_from_body"]), np.array(body["com"])) for body in scene["bodies"]]
        self.body_count = len(self.placed)
        self.context = plant.CreateDefaultContext()
        self.from_q = [0] * scene["nq"]
        self.from_v = [0] * scene["nv"]
        for made, q, v in self.joints:
            self.from_q[q], self.from_v[v] = made.position_start(), made.velocity_start()
        self.q, self.v = [0.0] * scene["nq"], [0.0] * scene["nv"]
        self.forced = False

    def read(self):
        q, v = self.plant.GetPositions(self.context), self.plant.GetVelocities(self.context)
        self.q, self.v = [float(q[i]) for i in self.from_q], [float(v[i]) for i in self.from_v]

    def set_state(self, q, v):
        positions, speeds = np.zeros(len(q)), np.zeros(len(v))
        positions[self.from_q], speeds[self.from_v] = q, v
        self.plant.SetPositions(self.context, positions)
        self.plant.SetVelocities(self.context, speeds)
        self.read()

    def step(self, efforts, wrenches):
        plant, context = self.plant, self.context
        taus = np.zeros(len(efforts))
        taus[self.from_v] = efforts
        plant.get_applied_generalized_force_input_port().FixValue(context, taus)
        if wrenches or self.forced:
            plant.get_applied_spatial_force_input_port().FixValue(context, [self.force(*w) for w in wrenches])
            self.forced = bool(wrenches)
        updated = plant.EvalUniquePeriodicDiscreteUpdate(context)
        context.SetDiscreteState(updated)
        self.read()

    def force(self, body, force, torque):
        """A wrench acts on the centre of mass of the body, which may differ from its piece's."""
        piece, piece_from_body, com = self.placed[body]
        acting = ExternallyAppliedSpatialForce()
        acting.body_index = self.pieces[piece].index()
        acting.p_BoBq_B = piece_from_body.multiply(com)
        acting.F_Bq_W = SpatialForce(torque, force)
        return acting

    def bodies(self):
        out = []
        for piece, piece_from_body, _ in self.placed:
            body = self.pieces[piece]
            world_from_piece = self.plant.EvalBodyPoseInWorld(self.context, body)
            velocity = self.plant.EvalBodySpatialVelocityInWorld(self.context, body)
            world_from_body = world_from_piece.multiply(piece_from_body)
            arm = world_from_body.translation() - world_from_piece.translation()
            spin = velocity.rotational()
            speed = velocity.translational() + np.cross(spin, arm)
            turn = world_from_body.rotation().ToQuaternion().wxyz()
            out.extend(map(float, [*world_from_body.translation(), *turn, *spin, *speed]))
        return out


class Drake:
    name = "drake"
    version = f"Drake {version('drake')}"
    about = "Drake in a worker written in Python: joint coordinates, discrete steps; hinges and sliders, no contact"
    settings = []

    def capabilities(self, _settings):
        no = dict.fromkeys(("contact", "limits", "reactions", "accelerations", "gaps", "adaptive"), False)
        return {"snapshot": "exact", "events": "bracketed", "drives": "explicit", "deterministic": True, **no}

    def load(self, scene, _settings, step_s):
        no = refusals(scene)
        if no:
            raise Unsupported(no)
        return Simulation(scene, step_s)


if __name__ == "__main__":
    serve(Drake())
