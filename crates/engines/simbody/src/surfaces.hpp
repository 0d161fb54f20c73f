// Contact in Simbody: its contact tracker, its compliant forces, and the conversion of a World's surfaces.
//
//   (1)  f = 4/3 e sqrt(R) E x^(3/2) (1 + a x')        spheres and ellipsoids: Hertz; R, e by the curvatures,
//        E^(2/3) = E1^(2/3) E2^(2/3) / (E1^(2/3) + E2^(2/3)), a = 3/2 (c1 + c2) / 2 where E1 = E2
//   (2)  f = k x (1 + a x')                            each corner of a box below a plane:
//        k = k1 k2 / (k1 + k2), a = (c1 + c2) / 2 where k1 = k2
//   (3)  f is never below zero: nothing pulls.
//   (4)  friction = f m s(v / v_t) against the sliding, m = 2 m1 m2 / (m1 + m2),
//        s(r) = 10 r^3 - 15 r^4 + 6 r^5 below r = 1, else 1
//        The two of a pair are given one number, that of the pair by the world's rules: a shape that touches
//        others with different numbers is copied once for each.
//   (5)  u - ln(1 + u) = -w - ln(1 - w),  u = a v, w = a v'
//
// x is the depth, x' its rate, v the sliding speed; c dissipation [s/m]. Simbody has more (two coefficients of
// friction, viscous friction): a World does not, so they are equal and zero.
//
// (5) is the rebound v' after an impact at v under any f = k x^n (1 + a x'), for any n, k and mass: integrate
// v dv / (1 + a v) = -(k/m) x^n dx on the way in and out, between which the depths are the same. So a restitution e
// corresponds to one a, exactly, at one speed; w < 1 means that nothing rebounds faster than 1/a.
//
// Impulses of a step are the forces at the ends of the integrator's own steps, by trapezoids; for an Euler step, which
// uses the force of its beginning, only that force.
#pragma once
#include <Simbody.h>

#include <memory>

#include "veracity_shim.hpp"

namespace touching {

namespace tk = SimTK;
using vs::Pose;
using vs::Q;
using vs::V3;

inline tk::Vec3 vec(V3 v) { return {v.x, v.y, v.z}; }
inline V3 ours(const tk::Vec3 &v) { return {v[0], v[1], v[2]}; }
inline tk::Transform frame(const Pose &p) { return {tk::Rotation(tk::Quaternion(p.q.w, p.q.x, p.q.y, p.q.z)), vec(p.p)}; }

// The a of (1) and (2) that gives restitution e at an impact of this speed, by (5); at most `most`.
inline double dissipation(double e, double speed, double most) {
  if (e >= 1) return 0;
  // Positive near zero, where it is (1 - e^2) u^2 / 2, and negative towards 1/e: one root between.
  auto off = [e](double u) { return u - std::log1p(u) + e * u + std::log1p(-e * u); };
  double low = 0, high = e > 0 ? std::fmin(1 / e, most * speed) : most * speed;
  if (e * high < 1 && off(high) >= 0) return most;
  for (int i = 0; i < 200 && low < high; i++) {
    double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (off(middle) > 0 ? low : high) = middle;
  }
  return 0.5 * (low + high) / speed;
}

// A contact of the last step: one for a pair, or one for each corner of a box.
struct Touch {
  int a, b, corner;
  V3 point, normal, force, before, impulse;
  double depth;
  bool now;
};

class Surfaces {
  enum Law { ROUND, CORNERED };
  // A shape under one of the two laws, with one of its pair surfaces. A plane may occur twice: its stiffness is a
  // modulus under one law and a spring under the other.
  struct Surface {
    int shape;
    Law law;
    int pair;  // number among the pair surfaces
    tk::Transform in_piece;
    tk::ContactSurface made;
  };

  tk::ContactTrackerSubsystem tracker;
  tk::CompliantContactSubsystem forces;
  const tk::MultibodySystem &system;
  std::vector<vs_shape> shapes;
  vs::PairSurfaces pairs;
  std::vector<Surface> surfaces;
  std::vector<int> shape_of;  // by Simbody's number of a surface
  std::vector<Touch> touches;
  std::vector<std::string> notes;
  size_t hint = 0;

 public:
  // Whether contact is possible at all.
  static bool wanted(const vs_scene &scene) {
    if (!scene.contact) return false;
    for (size_t i = 0; i < scene.shape_count * scene.shape_count; i++)
      if (scene.touch[i]) return true;
    return false;
  }

  // Refuses what cannot be expressed; nothing is created yet.
  static void check(const vs_scene &scene, vs::Refusals &refusals) {
    bool reported[16][16] = {};
    for (size_t a = 0; a < scene.shape_count; a++) {
      bool touches = false;
      for (size_t b = 0; b < scene.shape_count; b++) {
        if (!scene.touch[a * scene.shape_count + b]) continue;
        touches = true;
        int ka = scene.shapes[a].kind, kb = scene.shapes[b].kind;
        if (b < a || reported[ka][kb] || has_law(ka, kb)) continue;
        reported[ka][kb] = reported[kb][ka] = true;
        refusals.add(std::string("contact between a ") + vs::shape_name(ka) + " and a " + vs::shape_name(kb) + ", as '" +
                         scene.shapes[a].name + "' and '" + scene.shapes[b].name + "'",
                     why_not(ka, kb));
      }
      if (touches) vs::check_surface(scene.shapes[a], refusals, {});
    }
  }

  Surfaces(const vs_scene &scene, const vs::Settings &settings, tk::MultibodySystem &system)
      : tracker(system), forces(system, tracker), system(system), pairs(scene) {
    forces.setTransitionVelocity(settings.real("transition_speed_m_s"));
    shapes.assign(scene.shapes, scene.shapes + scene.shape_count);
    for (size_t i = 0; i < shapes.size(); i++)
      for (Law law : {ROUND, CORNERED})
        for (size_t k = 0; k < pairs.list.size(); k++)
          if (has_partner(i, law, int(k))) surfaces.push_back(make(int(i), law, int(k), settings));
    // Two surfaces touch unless they share a clique: every pair that may not touch gets its own clique.
    for (size_t i = 0; i < surfaces.size(); i++)
      for (size_t j = 0; j < i; j++) {
        Surface &a = surfaces[i], &b = surfaces[j];
        if (a.law == b.law && a.pair == b.pair && pairs.touch(a.shape, b.shape, a.pair)) continue;
        tk::ContactCliqueId clique = tk::ContactSurface::createNewContactClique();
        a.made.joinClique(clique);
        b.made.joinClique(clique);
      }
    mention(settings);
  }

  // Attaches the surfaces of a piece, before its body is passed to a joint.
  void fasten(int piece, tk::Body &body) {
    for (Surface &s : surfaces)
      if (shapes[s.shape].piece == piece) body.addContactSurface(s.in_piece, s.made);
  }

  // After the topology is realised: maps surfaces to shapes.
  void number(const std::vector<tk::MobilizedBody> &bodies) {
    shape_of.assign(tracker.getNumSurfaces(), -1);
    for (size_t piece = 0; piece < bodies.size(); piece++) {
      int ordinal = 0;
      for (const Surface &s : surfaces)
        if (shapes[s.shape].piece == int(piece))
          shape_of[tracker.getContactSurfaceIndex(bodies[piece].getMobilizedBodyIndex(), ordinal++)] = s.shape;
    }
  }

  // A step begins in this state.
  void begin(const tk::State &state) {
    touches.clear();
    look(state);
  }

  // Simbody advanced by dt [s], with the force of the beginning or with that of both ends.
  void moved(const tk::State &state, double dt, bool explicitly) {
    for (Touch &t : touches) t.before = t.force, t.force = V3(), t.now = false;
    look(state);
    for (Touch &t : touches) t.impulse = t.impulse + (explicitly ? dt * t.before : 0.5 * dt * (t.before + t.force));
  }

  size_t contacts(vs_contact *out, size_t room) const {
    size_t count = 0;
    for (const Touch &t : touches) {
      if (!t.now && norm(t.impulse) == 0) continue;
      if (count < room) {
        vs_contact &c = out[count];
        c.a = t.a, c.b = t.b;
        t.point.put(c.point), t.normal.put(c.normal), t.impulse.put(c.impulse);
        // Bodies that separated within the step have a gap of less than their motion in one step.
        c.gap = t.now ? -t.depth : 0.0;
      }
      count++;
    }
    return count;
  }

  void forget() { touches.clear(); }
  const std::vector<std::string> &warnings() const { return notes; }

 private:
  static bool is_round(int kind) { return kind == VS_SPHERE || kind == VS_ELLIPSOID; }

  // Pairs for which Simbody has both a tracker and a force, except meshes: their springs sit at the centres of the
  // triangles, so that a box of twelve stands on two points of a line.
  static bool has_law(int a, int b) {
    if (a == VS_PLANE) std::swap(a, b);
    return (is_round(a) && (is_round(b) || b == VS_PLANE)) || (a == VS_BOX && b == VS_PLANE);
  }

  static const char *why_not(int a, int b) {
    auto either = [&](int kind) { return a == kind || b == kind; };
    if (either(VS_MESH) || either(VS_CONVEX))
      return "Simbody's springs are at the centres of a mesh's triangles, so that corners sink in: use spheres, or a box on a plane";
    if (either(VS_CAPSULE)) return "Simbody has no contact of capsules: put spheres at its ends";
    if (either(VS_BOX)) return "Simbody's boxes touch planes only: use spheres, or another engine";
    return "Simbody supports contact of spheres, ellipsoids and planes, and of boxes with planes: use these, or another engine";
  }

  bool has_partner(size_t shape, Law law, int pair) const {
    int kind = shapes[shape].kind;
    for (size_t b = 0; b < shapes.size(); b++) {
      if (!pairs.touch(shape, b, pair)) continue;
      bool cornered = kind == VS_BOX || shapes[b].kind == VS_BOX;
      if (cornered == (law == CORNERED)) return true;
    }
    return false;
  }

  Surface make(int shape, Law law, int pair, const vs::Settings &settings) const {
    const vs_shape &s = shapes[shape];
    const vs::PairSurface &surface = pairs.list[pair];
    double most = 1 / settings.real("rebound_speed_m_s");
    double a = dissipation(surface.restitution, settings.real("restitution_speed_m_s"), most);
    tk::ContactMaterial material =
        law == ROUND ? tk::ContactMaterial(settings.real("modulus_pa"), a / 1.5, surface.friction, surface.friction)
                     : tk::ContactMaterial(settings.real("corner_stiffness_n_per_m"), a, surface.friction, surface.friction);
    Pose pose(s.piece_from_shape);
    // Simbody's half spaces are filled where their x is positive.
    if (s.kind == VS_PLANE) pose = pose * Pose({}, vs::between({-1, 0, 0}, {0, 0, 1}));
    return {shape, law, pair, frame(pose), tk::ContactSurface(geometry(s), material)};
  }

  static tk::ContactGeometry geometry(const vs_shape &s) {
    switch (s.kind) {
      case VS_SPHERE: return tk::ContactGeometry::Sphere(s.size[0]);
      case VS_ELLIPSOID: return tk::ContactGeometry::Ellipsoid(tk::Vec3(s.size[0], s.size[1], s.size[2]));
      case VS_BOX: return tk::ContactGeometry::Brick(0.5 * tk::Vec3(s.size[0], s.size[1], s.size[2]));
      default: return tk::ContactGeometry::HalfSpace();
    }
  }

  // Adds notes to be read before the motion is trusted.
  void mention(const vs::Settings &settings) {
    bool bounce = false;
    for (const vs::PairSurface &pair : pairs.list) bounce = bounce || (pair.restitution > 0 && pair.restitution < 1);
    if (bounce)
      notes.push_back("restitution equals the world's value at impacts of " + settings.text("restitution_speed_m_s") +
                     " m/s only: more below that speed and less above it, by Hunt and Crossley's law");
  }

  Touch &entry(int a, int b, int corner) {
    // Contacts come in the same order as before: the next one nearly always matches.
    for (size_t k = 0; k < touches.size(); k++) {
      Touch &t = touches[(hint + k) % touches.size()];
      if (t.a == a && t.b == b && t.corner == corner) {
        hint = (hint + k + 1) % touches.size();
        return t;
      }
    }
    touches.push_back({a, b, corner, {}, {}, {}, {}, {}, 0, false});
    return touches.back();
  }

  void touch(int a, int b, int corner, V3 point, V3 normal, double depth, V3 force) {
    Touch &t = entry(a, b, corner);
    t.point = point, t.normal = normal, t.depth = depth, t.force = force, t.now = true;
  }

  // Reads the contact forces in a state.
  void look(const tk::State &state) {
    hint = 0;
    system.realize(state, tk::Stage::Velocity);
    const tk::ContactSnapshot &active = tracker.getActiveContacts(state);
    for (int i = 0; i < forces.getNumContactForces(state); i++) {
      const tk::ContactForce &force = forces.getContactForce(state, i);
      const tk::Contact &contact = active.getContactById(force.getContactId());
      tk::ContactSurfaceIndex first = contact.getSurface1(), second = contact.getSurface2();
      // Simbody's normals point away from the first surface and its forces act on the second, which is our first.
      int a = shape_of[second], b = shape_of[first];
      tk::Transform surface = tracker.getMobilizedBody(first).getBodyTransform(state) * tracker.getContactSurfaceTransform(first);
      if (tk::CircularPointContact::isInstance(contact)) {
        const auto &c = tk::CircularPointContact::getAs(contact);
        V3 normal = ours(surface.R() * tk::Vec3(c.getNormal()));
        touch(a, b, 0, ours(force.getContactPoint()), normal, c.getDepth(), ours(force.getForceOnSurface2()[1]));
      } else if (tk::EllipticalPointContact::isInstance(contact)) {
        const auto &c = tk::EllipticalPointContact::getAs(contact);
        V3 normal = ours(surface.R() * tk::Vec3(c.getContactFrame().z()));
        touch(a, b, 0, ours(force.getContactPoint()), normal, c.getDepth(), ours(force.getForceOnSurface2()[1]));
      } else {
        corners(state, force.getContactId(), a, b, second);
      }
    }
  }

  // A box on a plane: its corners that are below.
  void corners(const tk::State &state, tk::ContactId id, int a, int b, tk::ContactSurfaceIndex box) {
    tk::ContactPatch patch;
    if (!forces.calcContactPatchDetailsById(state, id, patch)) return;
    tk::Transform from = tracker.getMobilizedBody(box).getBodyTransform(state) * tracker.getContactSurfaceTransform(box);
    for (int k = 0; k < patch.getNumDetails(); k++) {
      const tk::ContactDetail &d = patch.getContactDetail(k);
      tk::Vec3 p = ~from * d.getContactPoint();
      int corner = (p[0] > 0) + 2 * (p[1] > 0) + 4 * (p[2] > 0);
      touch(a, b, corner, ours(d.getContactPoint()), ours(tk::Vec3(d.getContactNormal())), d.getDeformation(), ours(d.getForceOnSurface2()));
    }
  }
};

}  // namespace touching
