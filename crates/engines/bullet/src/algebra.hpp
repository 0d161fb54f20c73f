// Conversion between our small algebra and Bullet's.
//
// Bullet's inertia is diagonal: the frame of one of its bodies is at the centre of mass, along the principal axes.
// `Made` gives the pose of that frame in ours.
#pragma once
#include <btBulletDynamicsCommon.h>

#include "veracity_shim.hpp"

inline btVector3 bt(vs::V3 v) { return {v.x, v.y, v.z}; }
inline btQuaternion bt(vs::Q q) { return {q.x, q.y, q.z, q.w}; }
inline btTransform bt(const vs::Pose &p) { return btTransform(bt(p.q), bt(p.p)); }
inline vs::V3 ours(const btVector3 &v) { return {v.x(), v.y(), v.z()}; }
inline vs::Q ours(const btQuaternion &q) { return {q.w(), q.x(), q.y(), q.z()}; }

// Writes a quaternion with the sign nearer to the present one: both signs are the same rotation.
inline void put_turn(vs::Q t, double *q) {
  double same = t.w * q[0] + t.x * q[1] + t.y * q[2] + t.z * q[3];
  if (same < 0) t = {-t.w, -t.x, -t.y, -t.z};
  t.put(q);
}

struct Made {
  vs::Pose piece_from_body;  // the identity for the ground
  double mass = 0;
  btVector3 moments{0, 0, 0};
  vs::V3 extra{};  // weight in addition to the world's gravity, where the piece's gravity is scaled [N]
};

inline std::vector<Made> made_of(const vs_scene &scene) {
  std::vector<Made> all(scene.piece_count);
  for (size_t i = 1; i < scene.piece_count; i++) {
    const vs_piece &p = scene.pieces[i];
    all[i].piece_from_body = vs::Pose({}, vs::Q(p.principal));
    all[i].mass = p.mass;
    all[i].moments = {p.moments[0], p.moments[1], p.moments[2]};
    all[i].extra = ((p.gravity_scale - 1) * p.mass) * vs::V3(scene.gravity);
  }
  return all;
}

inline bool has_limits(const vs_dof &d) { return !std::isinf(d.lower) || !std::isinf(d.upper); }

// A finite stand-in for infinity in Bullet's solvers.
constexpr double LARGE = 1e30;
inline double bounded(double x) { return x > LARGE ? LARGE : x < -LARGE ? -LARGE : x; }
