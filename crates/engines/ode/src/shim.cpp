// ODE behind veracity_shim.h. Bodies are maximal; contact joints are created at every step.
#include <ode/ode.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <memory>

#include "veracity_shim.hpp"

using namespace vs;

namespace {

// Messages of ODE's solvers ("LCP internal error") are steps that did not converge.
thread_local uint64_t messages = 0;
void on_message(int, const char *, va_list) { messages++; }

// A failed assertion ("!bSafeNormalize4Fault": a non-finite quaternion) ends the run, not the process.
void on_failure(int, const char *format, va_list arguments) {
  char text[300];
  std::vsnprintf(text, sizeof text, format, arguments);
  throw std::runtime_error(std::string("the state is no longer finite, or ODE failed otherwise (") + text +
                           "); use a smaller step");
}

void begin() {
  static bool begun = false;
  if (begun) return;
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  dSetMessageHandler(on_message);
  dSetDebugHandler(on_failure);
  dSetErrorHandler(on_failure);
  begun = true;
}

void place(dBodyID body, const Pose &pose) {
  dBodySetPosition(body, pose.p.x, pose.p.y, pose.p.z);
  dQuaternion q = {pose.q.w, pose.q.x, pose.q.y, pose.q.z};
  dBodySetQuaternion(body, q);
}

// Direct access to a body's memory: setters normalise, but a restored quaternion must equal the saved one to the bit.
dReal *raw(const dReal *memory) { return const_cast<dReal *>(memory); }

struct Shape {
  dGeomID geom = nullptr;
  dTriMeshDataID mesh = nullptr;
  dHeightfieldDataID field = nullptr;
  std::vector<double> points;
  std::vector<dTriIndex> triangles;
};

class Ode {
  dWorldID world = nullptr;
  dJointGroupID group = nullptr;
  std::vector<dBodyID> bodies;  // nullptr for the ground
  std::vector<Shape> shapes;
  std::vector<int32_t> shape_piece;
  std::vector<vs_shape> surfaces;
  std::vector<std::pair<int, int>> pairs;
  std::vector<std::array<dReal, 6>> boxes;
  std::vector<std::pair<dBodyID, V3>> weights;  // of bodies whose gravity is scaled
  double step_s;
  bool quick;
  long iters;
  int most;
  double bounce_speed;
  int32_t friction_rule, restitution_rule;
  unsigned long seed = 0;
  uint64_t failed = 0;

  struct Touch {
    int a, b;
    dContactGeom geom;
    dJointFeedback feedback;
  };
  std::vector<Touch> touches;
  std::vector<dContactGeom> found;

 public:
  // The header's version and the loaded library: one may be upgraded without the other.
  static const char *version() {
    static const std::string text = std::string("ODE " dODE_VERSION " (") + library_of(reinterpret_cast<const void *>(dInitODE2)) + ")";
    return text.c_str();
  }

  static vs_abilities abilities(const Settings &) {
    return {VS_CONTACT | VS_LIMITS | VS_DRY_FRICTION | VS_LOOPS | VS_RESTITUTION, 0.0};
  }

  Ode(const vs_scene &scene, const Settings &settings, Refusals &refusals)
      : step_s(scene.step),
        quick(settings.is("solver", "quick")),
        iters(settings.integer("iters")),
        most(int(settings.integer("contacts"))),
        bounce_speed(settings.real("bounce_speed_m_s")),
        friction_rule(scene.friction_rule),
        restitution_rule(scene.restitution_rule) {
    begin();
    world = dWorldCreate();
    group = dJointGroupCreate(0);
    dWorldSetGravity(world, scene.gravity[0], scene.gravity[1], scene.gravity[2]);
    dWorldSetERP(world, settings.real("erp"));
    dWorldSetCFM(world, settings.real("cfm"));
    dWorldSetQuickStepNumIterations(world, int(iters));
    dWorldSetQuickStepW(world, settings.real("sor"));
    double cap = settings.real("max_correction_m_s");
    dWorldSetContactMaxCorrectingVel(world, std::isinf(cap) ? dInfinity : cap);
    dWorldSetContactSurfaceLayer(world, settings.real("surface_layer_m"));
    dWorldSetAutoDisableFlag(world, 0);
    dWorldSetDamping(world, 0, 0);
    found.resize(most);
    make_bodies(scene, settings.is("gyroscopic", "on"), refusals);
    if (refusals.any) {
      // Joints need the bodies; their refusals are collected all the same.
      check_joints(scene, refusals);
      check_loops(scene, refusals);
      if (scene.contact) make_shapes(scene, refusals);
      return;
    }
    check_joints(scene, refusals);
    check_loops(scene, refusals);
    if (!refusals.any) {
      for (size_t i = 0; i < scene.joint_count; i++) make_joint(scene, scene.joints[i]);
      for (size_t i = 0; i < scene.loop_count; i++) make_loop(scene.loops[i]);
    }
    if (scene.contact) make_shapes(scene, refusals);
  }

  ~Ode() {
    for (auto &s : shapes) {
      if (s.geom) dGeomDestroy(s.geom);
      if (s.mesh) dGeomTriMeshDataDestroy(s.mesh);
      if (s.field) dGeomHeightfieldDataDestroy(s.field);
    }
    if (group) dJointGroupDestroy(group);
    if (world) dWorldDestroy(world);
  }
  Ode(const Ode &) = delete;

  void set_state(double, const double *, const double *, const vs_motion *pieces) {
    for (size_t i = 1; i < bodies.size(); i++) {
      place(bodies[i], Pose(pieces[i].pose));
      dBodySetLinearVel(bodies[i], pieces[i].linear[0], pieces[i].linear[1], pieces[i].linear[2]);
      dBodySetAngularVel(bodies[i], pieces[i].angular[0], pieces[i].angular[1], pieces[i].angular[2]);
    }
    forget();
    seed = 0;
    failed = 0;
  }

  void step(const vs_inputs &inputs) {
    for (auto &[body, weight] : weights) dBodyAddForce(body, weight.x, weight.y, weight.z);
    if (inputs.any_wrench)
      for (size_t i = 1; i < bodies.size(); i++) {
        const double *w = inputs.wrenches + 6 * i;
        dBodyAddForce(bodies[i], w[0], w[1], w[2]);
        dBodyAddTorque(bodies[i], w[3], w[4], w[5]);
      }
    collide();
    dRandSetSeed(seed);
    uint64_t before = messages;
    int done = quick ? dWorldQuickStep(world, step_s) : dWorldStep(world, step_s);
    seed = dRandGetSeed();
    if (messages != before) failed++;
    if (!done) throw std::runtime_error("ODE ran out of memory in the step");
    dJointGroupEmpty(group);
  }

  void read(double *, double *, vs_motion *pieces) {
    for (size_t i = 1; i < bodies.size(); i++) {
      const dReal *p = dBodyGetPosition(bodies[i]), *q = dBodyGetQuaternion(bodies[i]);
      const dReal *v = dBodyGetLinearVel(bodies[i]), *w = dBodyGetAngularVel(bodies[i]);
      std::memcpy(pieces[i].pose.p, p, 3 * sizeof(double));
      std::memcpy(pieces[i].pose.q, q, 4 * sizeof(double));
      std::memcpy(pieces[i].linear, v, 3 * sizeof(double));
      std::memcpy(pieces[i].angular, w, 3 * sizeof(double));
    }
  }

  size_t contacts(vs_contact *out, size_t room) {
    size_t count = 0;
    for (const Touch &t : touches) {
      // The force on the first body of ODE's joint; if our first body is the ground, that is our second.
      const dReal *f = t.feedback.f1;
      if (count < room) {
        vs_contact &c = out[count];
        c.a = t.a, c.b = t.b;
        std::memcpy(c.point, t.geom.pos, 3 * sizeof(double));
        std::memcpy(c.normal, t.geom.normal, 3 * sizeof(double));
        c.gap = -t.geom.depth;
        double sign = bodies[shape_piece[t.a]] ? step_s : -step_s;
        for (int k = 0; k < 3; k++) c.impulse[k] = sign * f[k];
      }
      count++;
    }
    return count;
  }

  void solver(vs_solver &out) { out = {uint64_t(quick ? iters : 1), failed, 0.0}; }
  double energy() { return std::nan(""); }
  std::vector<std::string> warnings() { return {}; }

  void save(Writer &w) {
    w.put(seed);
    w.put(failed);
    for (size_t i = 1; i < bodies.size(); i++) {
      w.put(dBodyGetPosition(bodies[i]), 3);
      w.put(dBodyGetQuaternion(bodies[i]), 4);
      w.put(dBodyGetRotation(bodies[i]), 12);
      w.put(dBodyGetLinearVel(bodies[i]), 3);
      w.put(dBodyGetAngularVel(bodies[i]), 3);
    }
  }

  void restore(Reader &r) {
    seed = r.take<unsigned long>();
    failed = r.take<uint64_t>();
    for (size_t i = 1; i < bodies.size(); i++) {
      dReal p[3];
      r.take(p, 3);
      dBodySetPosition(bodies[i], p[0], p[1], p[2]);  // marks its shapes as moved
      r.take(raw(dBodyGetQuaternion(bodies[i])), 4);
      r.take(raw(dBodyGetRotation(bodies[i])), 12);
      r.take(raw(dBodyGetLinearVel(bodies[i])), 3);
      r.take(raw(dBodyGetAngularVel(bodies[i])), 3);
    }
    forget();
  }

 private:
  // Clears forces and contacts of an interrupted step.
  void forget() {
    for (size_t i = 1; i < bodies.size(); i++) {
      dBodySetForce(bodies[i], 0, 0, 0);
      dBodySetTorque(bodies[i], 0, 0, 0);
    }
    dJointGroupEmpty(group);
    touches.clear();
  }

  void make_bodies(const vs_scene &scene, bool gyroscopic, Refusals &refusals) {
    bodies.push_back(nullptr);
    for (size_t i = 1; i < scene.piece_count; i++) {
      const vs_piece &piece = scene.pieces[i];
      double least = std::fmin(piece.moments[0], std::fmin(piece.moments[1], piece.moments[2]));
      if (!(piece.mass > 0) || !(least > 0)) {
        refusals.add(std::string("'") + piece.name + "', which has no mass or no moment of inertia about some axis",
                     "give it some: ODE needs three positive moments");
        continue;
      }
      dBodyID body = dBodyCreate(world);
      bodies.push_back(body);
      dMass mass;
      dMassSetZero(&mass);
      const double *t = piece.tensor;
      dMassSetParameters(&mass, piece.mass, 0, 0, 0, t[0], t[1], t[2], t[3], t[4], t[5]);
      dBodySetMass(body, &mass);
      dBodySetGyroscopicMode(body, gyroscopic);
      dBodySetAutoDisableFlag(body, 0);
      dBodySetMaxAngularSpeed(body, dInfinity);
      dBodySetFiniteRotationMode(body, 0);
      if (piece.gravity_scale != 1.0) {
        dBodySetGravityMode(body, 0);
        weights.push_back({body, piece.gravity_scale * piece.mass * V3(scene.gravity)});
      }
    }
  }

  static bool no_limits(const vs_dof &d) { return std::isinf(d.lower) && std::isinf(d.upper); }

  void check_joints(const vs_scene &scene, Refusals &refusals) {
    for (size_t i = 0; i < scene.joint_count; i++) {
      const vs_joint &joint = scene.joints[i];
      std::string name = std::string(kind_name(joint.kind)) + " joint '" + joint.name + "'";
      bool one = joint.kind == VS_REVOLUTE || joint.kind == VS_CONTINUOUS || joint.kind == VS_PRISMATIC;
      if (joint.kind == VS_SCREW || joint.kind == VS_PLANAR)
        refusals.add("the " + name, "not supported by ODE: use the native engine, or several simpler joints");
      if (joint.kind == VS_UNIVERSAL && std::fabs(dot(V3(joint.axis), V3(joint.axis2))) > 1e-9)
        refusals.add("the " + name + ", whose axes are not perpendicular", "use two revolute joints");
      for (int k = 0; k < joint.nv; k++) {
        const vs_dof &dof = scene.dofs[joint.v + k];
        if (!one && (!no_limits(dof) || dof.friction != 0))
          refusals.add("limits or dry friction of the " + name, "ODE supports them along revolute and prismatic joints only");
        if (joint.kind == VS_REVOLUTE && !no_limits(dof) && (dof.lower < -M_PI || dof.upper > M_PI))
          refusals.add("the limits of the " + name + " beyond half a turn",
                       "ODE does not count turns: keep both within half a turn of zero");
      }
    }
  }

  void check_loops(const vs_scene &scene, Refusals &refusals) {
    for (size_t i = 0; i < scene.loop_count; i++) {
      const vs_loop &l = scene.loops[i];
      if (l.kind == VS_LOOP_UNIVERSAL && std::fabs(dot(V3(l.axis_a), V3(l.axis_b))) > 1e-9)
        refusals.add(std::string("the universal joint '") + l.name + "' that closes a loop, whose axes are not perpendicular",
                     "close it with a ball joint");
    }
  }

  // Moves the two bodies of a joint so that its frames coincide; returns the world frame of the joint.
  Pose assemble(int a, const Pose &a_from_frame, int b, const Pose &b_from_frame) {
    if (bodies[a]) place(bodies[a], Pose());
    if (bodies[b]) {
      place(bodies[b], a_from_frame * b_from_frame.inverse());
      return a_from_frame;
    }
    // Only the second is the ground: the first is moved.
    if (bodies[a]) place(bodies[a], b_from_frame * a_from_frame.inverse());
    return b_from_frame;
  }

  void make_joint(const vs_scene &scene, const vs_joint &joint) {
    if (joint.kind == VS_FREE) return;
    dBodyID parent = bodies[joint.parent], child = bodies[joint.child];
    Pose parent_from(joint.parent_from_joint), child_from(joint.child_from_joint);
    Pose frame = assemble(joint.parent, parent_from, joint.child, child_from);
    V3 axis = frame.q * V3(joint.axis), axis2 = frame.q * V3(joint.axis2), at = frame.p;
    switch (joint.kind) {
      case VS_REVOLUTE:
      case VS_CONTINUOUS: {
        dJointID j = dJointCreateHinge(world, 0);
        dJointAttach(j, child, parent);
        dJointSetHingeAnchor(j, at.x, at.y, at.z);
        dJointSetHingeAxis(j, axis.x, axis.y, axis.z);
        Q turn{std::cos(0.05), std::sin(0.05) * axis.x, std::sin(0.05) * axis.y, std::sin(0.05) * axis.z};
        place(child, Pose(at, turn) * Pose(-1.0 * at, Q()) * (frame * child_from.inverse()));
        bool same = dJointGetHingeAngle(j) > 0;
        const vs_dof &dof = scene.dofs[joint.v];
        if (joint.kind == VS_REVOLUTE && !no_limits(dof)) {
          // Upper stop first: a lower stop above the old upper one is ignored by ODE.
          double lower = same ? dof.lower : -dof.upper, upper = same ? dof.upper : -dof.lower;
          dJointSetHingeParam(j, dParamHiStop, std::isinf(upper) ? dInfinity : upper);
          dJointSetHingeParam(j, dParamLoStop, std::isinf(lower) ? -dInfinity : lower);
        }
        if (dof.friction > 0) {
          dJointSetHingeParam(j, dParamVel, 0);
          dJointSetHingeParam(j, dParamFMax, dof.friction);
        }
        break;
      }
      case VS_PRISMATIC: {
        dJointID j = dJointCreateSlider(world, 0);
        dJointAttach(j, child, parent);
        dJointSetSliderAxis(j, axis.x, axis.y, axis.z);
        place(child, Pose(0.05 * axis, Q()) * (frame * child_from.inverse()));
        bool same = dJointGetSliderPosition(j) > 0;
        const vs_dof &dof = scene.dofs[joint.v];
        double lower = same ? dof.lower : -dof.upper, upper = same ? dof.upper : -dof.lower;
        dJointSetSliderParam(j, dParamHiStop, std::isinf(upper) ? dInfinity : upper);
        dJointSetSliderParam(j, dParamLoStop, std::isinf(lower) ? -dInfinity : lower);
        if (dof.friction > 0) {
          dJointSetSliderParam(j, dParamVel, 0);
          dJointSetSliderParam(j, dParamFMax, dof.friction);
        }
        break;
      }
      case VS_BALL: {
        dJointID j = dJointCreateBall(world, 0);
        dJointAttach(j, child, parent);
        dJointSetBallAnchor(j, at.x, at.y, at.z);
        break;
      }
      case VS_UNIVERSAL: {
        dJointID j = dJointCreateUniversal(world, 0);
        // Axis 1 belongs to the first body.
        dJointAttach(j, parent, child);
        dJointSetUniversalAnchor(j, at.x, at.y, at.z);
        dJointSetUniversalAxis1(j, axis.x, axis.y, axis.z);
        dJointSetUniversalAxis2(j, axis2.x, axis2.y, axis2.z);
        break;
      }
    }
  }

  void make_loop(const vs_loop &l) {
    dBodyID a = bodies[l.a], b = bodies[l.b];
    Pose a_from(l.a_from_frame), b_from(l.b_from_frame);
    if (l.kind == VS_LOOP_DISTANCE) {
      Pose pose_a, pose_b({1, 0, 0}, Q());
      if (a) place(a, pose_a);
      if (b) place(b, pose_b);
      V3 at_a = (a ? pose_a : Pose()) * a_from.p, at_b = (b ? pose_b : Pose()) * b_from.p;
      dJointID j = dJointCreateDBall(world, 0);
      dJointAttach(j, a, b);
      dJointSetDBallAnchor1(j, at_a.x, at_a.y, at_a.z);
      dJointSetDBallAnchor2(j, at_b.x, at_b.y, at_b.z);
      dJointSetDBallDistance(j, l.length);
      return;
    }
    Pose frame = assemble(l.a, a_from, l.b, b_from);
    V3 at = frame.p, axis = frame.q * V3(l.axis_a), axis_b = frame.q * V3(l.axis_b);
    dJointID j = nullptr;
    switch (l.kind) {
      case VS_LOOP_WELD:
        j = dJointCreateFixed(world, 0);
        dJointAttach(j, a, b);
        dJointSetFixed(j);
        break;
      case VS_LOOP_BALL:
        j = dJointCreateBall(world, 0);
        dJointAttach(j, a, b);
        dJointSetBallAnchor(j, at.x, at.y, at.z);
        break;
      case VS_LOOP_REVOLUTE:
        j = dJointCreateHinge(world, 0);
        dJointAttach(j, a, b);
        dJointSetHingeAnchor(j, at.x, at.y, at.z);
        dJointSetHingeAxis(j, axis.x, axis.y, axis.z);
        break;
      case VS_LOOP_PRISMATIC:
        j = dJointCreateSlider(world, 0);
        dJointAttach(j, a, b);
        dJointSetSliderAxis(j, axis.x, axis.y, axis.z);
        break;
      case VS_LOOP_UNIVERSAL:
        j = dJointCreateUniversal(world, 0);
        dJointAttach(j, a, b);
        dJointSetUniversalAnchor(j, at.x, at.y, at.z);
        dJointSetUniversalAxis1(j, axis.x, axis.y, axis.z);
        dJointSetUniversalAxis2(j, axis_b.x, axis_b.y, axis_b.z);
        break;
    }
  }

  void make_shapes(const vs_scene &scene, Refusals &refusals) {
    shapes.resize(scene.shape_count);
    boxes.resize(scene.shape_count);
    for (size_t i = 0; i < scene.shape_count; i++) {
      const vs_shape &shape = scene.shapes[i];
      shape_piece.push_back(shape.piece);
      surfaces.push_back(shape);
      check_surface(shape, refusals, {});
      make_shape(shape, shapes[i], refusals);
      dBodyID body = size_t(shape.piece) < bodies.size() ? bodies[shape.piece] : nullptr;
      dGeomID geom = shapes[i].geom;
      if (!geom || shape.kind == VS_PLANE) continue;
      Pose pose(shape.piece_from_shape);
      if (shape.kind == VS_HEIGHTFIELD) pose = pose * Pose({}, Q{std::sqrt(0.5), std::sqrt(0.5), 0, 0});
      dQuaternion q = {pose.q.w, pose.q.x, pose.q.y, pose.q.z};
      if (body) {
        dGeomSetBody(geom, body);
        dGeomSetOffsetPosition(geom, pose.p.x, pose.p.y, pose.p.z);
        dGeomSetOffsetQuaternion(geom, q);
      } else {
        dGeomSetPosition(geom, pose.p.x, pose.p.y, pose.p.z);
        dGeomSetQuaternion(geom, q);
      }
    }
    bool reported[16][16] = {};
    for (size_t a = 0; a < scene.shape_count; a++)
      for (size_t b = a + 1; b < scene.shape_count; b++) {
        if (!scene.touch[a * scene.shape_count + b]) continue;
        pairs.push_back({int(a), int(b)});
        int ka = scene.shapes[a].kind, kb = scene.shapes[b].kind;
        if (!has_collider(ka, kb) && !reported[ka][kb]) {
          reported[ka][kb] = reported[kb][ka] = true;
          refusals.add(std::string("contact between a ") + shape_name(ka) + " and a " + shape_name(kb) + ", as '" +
                           scene.shapes[a].name + "' and '" + scene.shapes[b].name + "'",
                       "ODE has no contact between these: use boxes, spheres, capsules or meshes");
        }
      }
  }

  // Pairs of kinds for which ODE (as Debian builds it, with libccd) has a function.
  static bool has_collider(int a, int b) {
    if (a > b) std::swap(a, b);
    if (a == VS_HEIGHTFIELD && b == VS_HEIGHTFIELD) return false;
    if (a == VS_PLANE && b == VS_HEIGHTFIELD) return false;
    return true;
  }

  void make_shape(const vs_shape &shape, Shape &made, Refusals &refusals) {
    std::string name = std::string("the ") + shape_name(shape.kind) + " '" + shape.name + "'";
    switch (shape.kind) {
      case VS_SPHERE: made.geom = dCreateSphere(0, shape.size[0]); break;
      case VS_BOX: made.geom = dCreateBox(0, shape.size[0], shape.size[1], shape.size[2]); break;
      case VS_CAPSULE: made.geom = dCreateCapsule(0, shape.size[0], shape.size[1]); break;
      case VS_CYLINDER: made.geom = dCreateCylinder(0, shape.size[0], shape.size[1]); break;
      case VS_PLANE: {
        if (shape.piece != 0) {
          refusals.add(name + " on a body that moves", "make it a large box, or fix the body");
          break;
        }
        Pose pose(shape.piece_from_shape);
        V3 n = pose.q * V3{0, 0, 1};
        made.geom = dCreatePlane(0, n.x, n.y, n.z, dot(n, pose.p));
        break;
      }
      case VS_MESH: {
        made.points.assign(shape.points, shape.points + 3 * shape.point_count);
        made.triangles.assign(shape.triangles, shape.triangles + 3 * shape.triangle_count);
        made.mesh = dGeomTriMeshDataCreate();
        dGeomTriMeshDataBuildDouble(made.mesh, made.points.data(), 3 * sizeof(double), int(shape.point_count),
                                    made.triangles.data(), int(made.triangles.size()), 3 * sizeof(dTriIndex));
        made.geom = dCreateTriMesh(0, made.mesh, nullptr, nullptr, nullptr);
        break;
      }
      case VS_HEIGHTFIELD: {
        // ODE's fields are upright along y, with rows from our highest y.
        int columns = shape.columns, rows = shape.rows;
        made.points.resize(size_t(columns) * rows);
        for (int r = 0; r < rows; r++)
          for (int c = 0; c < columns; c++)
            made.points[size_t(r) * columns + c] = shape.heights[size_t(rows - 1 - r) * columns + c];
        double low = made.points[0], high = low;
        for (double h : made.points) low = std::fmin(low, h), high = std::fmax(high, h);
        made.field = dGeomHeightfieldDataCreate();
        double thick = 1.0 + high - low;
        dGeomHeightfieldDataBuildDouble(made.field, made.points.data(), 0, shape.size[0], shape.size[1], columns, rows, 1,
                                        0, thick, 0);
        dGeomHeightfieldDataSetBounds(made.field, low - thick, high);
        made.geom = dCreateHeightfield(0, made.field, 1);
        break;
      }
      default:
        refusals.add(name + " that collides", "use a sphere, box, capsule, cylinder or mesh");
    }
  }

  void collide() {
    touches.clear();
    if (pairs.empty()) return;
    for (size_t i = 0; i < shapes.size(); i++) dGeomGetAABB(shapes[i].geom, boxes[i].data());
    for (auto [a, b] : pairs) {
      const auto &x = boxes[a], &y = boxes[b];
      if (x[0] > y[1] || y[0] > x[1] || x[2] > y[3] || y[2] > x[3] || x[4] > y[5] || y[4] > x[5]) continue;
      int count = dCollide(shapes[a].geom, shapes[b].geom, most, found.data(), sizeof(dContactGeom));
      for (int k = 0; k < count; k++) touches.push_back({a, b, found[k], {}});
    }
    for (Touch &t : touches) {
      // The normal points to the first shape of the call, also where ODE swaps the pair.
      dContact contact;
      std::memset(&contact, 0, sizeof contact);
      contact.geom = t.geom;
      const vs_shape &a = surfaces[t.a], &b = surfaces[t.b];
      contact.surface.mode = dContactApprox1;
      contact.surface.mu = combine(friction_rule, a.friction[0], b.friction[0]);
      double bounce = combine(restitution_rule, a.restitution, b.restitution);
      if (bounce > 0) {
        contact.surface.mode |= dContactBounce;
        contact.surface.bounce = bounce;
        contact.surface.bounce_vel = bounce_speed;
      }
      dJointID joint = dJointCreateContact(world, group, &contact);
      dJointAttach(joint, bodies[shape_piece[t.a]], bodies[shape_piece[t.b]]);
      dJointSetFeedback(joint, &t.feedback);
    }
  }
};

}  // namespace

extern "C" const vs_api *vs_shim(void) { return table<Ode>(); }
