// Conversion between our small algebra and PhysX's, which is in single precision.
//
// PhysX's inertia is diagonal: the frame of one of its actors is at the centre of mass, along the principal axes.
// `Made` gives the pose of that frame in ours. The alternative, a mass frame rotated within the actor, would round
// every pose twice.
#pragma once
#include <PxPhysicsAPI.h>

#include "veracity_shim.hpp"

using physx::PxQuat;
using physx::PxReal;
using physx::PxTransform;
using physx::PxVec3;

// A finite stand-in for infinity: PhysX multiplies such numbers and squares some of them.
constexpr double LARGE = 1e16;
inline PxReal px(double x) { return PxReal(x > LARGE ? LARGE : x < -LARGE ? -LARGE : x); }
inline PxVec3 px(vs::V3 v) { return {PxReal(v.x), PxReal(v.y), PxReal(v.z)}; }
inline PxQuat px(vs::Q q) { return PxQuat(PxReal(q.x), PxReal(q.y), PxReal(q.z), PxReal(q.w)); }
inline PxTransform px(const vs::Pose &p) { return PxTransform(px(p.p), px(p.q).getNormalized()); }
inline vs::V3 ours(const PxVec3 &v) { return {v.x, v.y, v.z}; }

// Normalised in double precision.
inline vs::Q ours(const PxQuat &q) {
  vs::Q t{q.w, q.x, q.y, q.z};
  double n = 1 / std::sqrt(t.w * t.w + t.x * t.x + t.y * t.y + t.z * t.z);
  return {n * t.w, n * t.x, n * t.y, n * t.z};
}

// Writes a quaternion with the sign nearer to the present one: both signs are the same rotation.
inline void put_turn(vs::Q t, double *q) {
  double same = t.w * q[0] + t.x * q[1] + t.y * q[2] + t.z * q[3];
  if (same < 0) t = {-t.w, -t.x, -t.y, -t.z};
  t.put(q);
}

struct Made {
  vs::Pose piece_from_body;  // the identity for the ground
  vs::V3 weight{};           // where the piece's gravity is scaled [N]
  bool scaled = false;
};

inline std::vector<Made> made_of(const vs_scene &scene) {
  std::vector<Made> all(scene.piece_count);
  for (size_t i = 1; i < scene.piece_count; i++) {
    const vs_piece &p = scene.pieces[i];
    all[i].piece_from_body = vs::Pose({}, vs::Q(p.principal));
    all[i].scaled = p.gravity_scale != 1;
    all[i].weight = (p.gravity_scale * p.mass) * vs::V3(scene.gravity);
  }
  return all;
}

inline bool has_limits(const vs_dof &d) { return !std::isinf(d.lower) || !std::isinf(d.upper); }
