"""From a peer's joint coordinates to ours.

Ours: a free joint has `q` = x y z, quaternion w x y z, and `v` = angular velocity in the child's joint frame, then
the velocity of the child's joint origin in the parent's joint frame; a ball joint has the quaternion w x y z and the
angular velocity in the child's joint frame. The numbers of an acceleration are the derivatives of the numbers of `v`.

Let the velocities be related by v = T u with u the peer's (T depends on the position). Then

    (1)  a = T u' + T' u = T u' + c          with c = T' u
    (2)  f_peer = T^t f                       because both give the same power
    (3)  M = T^-t M_peer T^-1
    (4)  h = T^-t h_peer - M c                from M_peer u' + h_peer = T^t f and (1), (3)

Every joint has its own block of T. For a joint of one degree of freedom the block is 1.

For a free joint, let W be the joint frame on the world's side (constant), J the joint frame on the child, B the
child's body frame, which is what peers move, and C = `child_from_joint` the place of J in B (turn R_C, shift t). With
u = (linear l, angular w), w in B's axes,

    (5)  angular                         v_a = R_C^t w                  c_a = 0
    (6)  linear                          v_l = R_W^t (velocity of B's origin + R_B (w x t))
    (7)  linear, peer's l in world axes  v_l = R_W^t (l + R_B (w x t))  c_l = R_W^t R_B (w x (w x t))
    (8)  linear, peer's l in B's axes    v_l = R_W^t R_B (l + w x t)    c_l = R_W^t R_B (w x (l + w x t))

In (8) the peer's linear acceleration is the derivative of the numbers l, as in spatial-vector algebra: it lacks the
term w x l of the acceleration of the point, which (4) adds.
"""

import numpy as np


def rotation(quaternion):
    """The matrix of a unit quaternion w x y z."""
    w, x, y, z = np.asarray(quaternion) / np.linalg.norm(quaternion)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def product(a, b):
    """The product of two quaternions w x y z."""
    (s, u), (t, v) = (a[0], np.asarray(a[1:])), (b[0], np.asarray(b[1:]))
    return np.concatenate([[s * t - u @ v], s * v + t * u + np.cross(u, v)])


def conjugate(quaternion):
    w, x, y, z = quaternion
    return np.array([w, -x, -y, -z])


def cross_matrix(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def split(pose):
    """Shift and quaternion of a pose x y z qw qx qy qz."""
    return np.array(pose[:3]), np.array(pose[3:])


class FreeJoint:
    """One free joint at one position: the pose the peer must give the body, and the block of T."""

    def __init__(self, joint, q):
        world_shift, world_turn = split(joint["world_from_joint"])
        child_shift, child_turn = split(joint["child_from_joint"])
        turn = product(world_turn, q[3:7])
        self.body_turn = product(turn, conjugate(child_turn))
        self.r_w, self.r_b, self.r_c = rotation(world_turn), rotation(self.body_turn), rotation(child_turn)
        self.t = child_shift
        joint_place = world_shift + self.r_w @ np.array(q[:3])
        self.body_place = joint_place - self.r_b @ self.t

    def block(self, linear_in_world):
        """T for u = (linear, angular in the body's axes)."""
        block = np.zeros((6, 6))
        block[:3, 3:] = self.r_c.T
        block[3:, :3] = self.r_w.T if linear_in_world else self.r_w.T @ self.r_b
        block[3:, 3:] = -self.r_w.T @ self.r_b @ cross_matrix(self.t)
        return block

    def drift(self, u, linear_in_world):
        """c of (7) or (8)."""
        w = u[3:]
        moving = np.cross(w, self.t) if linear_in_world else u[:3] + np.cross(w, self.t)
        return np.concatenate([np.zeros(3), self.r_w.T @ self.r_b @ np.cross(w, moving)])


class BallJoint:
    """One ball joint at one position. The peer's quaternion turns the child from where it is at rest."""

    def __init__(self, joint, q):
        child_turn = split(joint["child_from_joint"])[1]
        self.body_turn = product(product(child_turn, q), conjugate(child_turn))
        self.block = rotation(child_turn).T


class Mapping:
    """T and c of a whole model, filled joint by joint; then (3) and (4)."""

    def __init__(self, size):
        self.t = np.zeros((size, size))
        self.c = np.zeros(size)

    def put(self, ours, theirs, block, drift=None):
        """The block of one joint, whose velocities start at index `ours` here and `theirs` there."""
        n = len(block)
        self.t[ours:ours + n, theirs:theirs + n] = block
        if drift is not None:
            self.c[ours:ours + n] = drift

    def convert(self, mass, bias):
        inverse = np.linalg.inv(self.t)
        ours = inverse.T @ mass @ inverse
        return ours, inverse.T @ bias - ours @ self.c


def same_joints(ours, theirs):
    """Rejects a file in which the peer finds other joints than we do."""
    missing, extra = sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours))
    if missing or extra:
        raise ValueError(f"sees other joints than we do: lacks {missing}, has {extra} besides")


def unique(names):
    """Our names for models of a world: the second one called `x` is `x#2`."""
    before = [names[:i].count(name) for i, name in enumerate(names)]
    return [f"{name}#{count + 1}" if count else name for name, count in zip(names, before)]
