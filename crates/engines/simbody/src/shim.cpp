// Simbody behind veracity_shim.h. A body's frame is its piece's: at the centre of mass.
#include "surfaces.hpp"

using namespace vs;
using touching::frame;
using touching::Surfaces;
using touching::vec;
namespace tk = SimTK;

namespace {

class Body {
  tk::MultibodySystem system;
  tk::SimbodyMatterSubsystem matter;
  tk::GeneralForceSubsystem forces;
  std::unique_ptr<tk::Force::DiscreteForces> applied;
  std::unique_ptr<Surfaces> surfaces;  // where anything may touch
  std::unique_ptr<tk::Integrator> integrator;
  tk::State state;
  std::vector<tk::MobilizedBody> bodies;  // of the pieces; the ground first
  struct Joint {
    int kind, q, v, nq, nv, body;
    int first_q = 0, first_u = 0;
  };
  std::vector<Joint> joints;
  std::vector<std::string> names;  // of the pieces
  double step_s;
  bool euler = false;
  int most_steps = 0;
  uint64_t evaluations = 0, steps = 0;

 public:
  // Version of the loaded library.
  static const char *version() {
    static const std::string text = [] {
      int major, minor, build;
      SimTK_version_simbody(&major, &minor, &build);
      return "Simbody " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
    }();
    return text.c_str();
  }

  static vs_abilities abilities(const Settings &) {
    return {VS_REDUCED | VS_CONTACT | VS_RESTITUTION | VS_LIMITS | VS_JOINT_DAMPING | VS_JOINT_SPRINGS | VS_SPRINGS | VS_LOOPS, 0.0};
  }

  Body(const vs_scene &scene, const Settings &settings, Refusals &refusals) : matter(system), forces(system), step_s(scene.step) {
    check(scene, refusals);
    if (refusals.any) return;
    tk::Force::Gravity gravity(forces, matter, tk::Vec3(scene.gravity[0], scene.gravity[1], scene.gravity[2]));
    applied = std::make_unique<tk::Force::DiscreteForces>(forces, matter);
    bodies.assign(scene.piece_count, matter.Ground());
    for (size_t i = 0; i < scene.piece_count; i++) names.push_back(scene.pieces[i].name);
    if (Surfaces::wanted(scene)) {
      surfaces = std::make_unique<Surfaces>(scene, settings, system);
      surfaces->fasten(0, matter.Ground().updBody());
    }
    for (size_t i = 0; i < scene.joint_count; i++) add_joint(scene, i, settings, gravity);
    for (size_t i = 0; i < scene.spring_count; i++) {
      const vs_spring &s = scene.springs[i];
      tk::Force::TwoPointLinearSpring(forces, bodies[s.a], vec(V3(s.point_a)), bodies[s.b], vec(V3(s.point_b)), s.stiffness, s.rest);
      if (s.damping != 0) tk::Force::TwoPointLinearDamper(forces, bodies[s.a], vec(V3(s.point_a)), bodies[s.b], vec(V3(s.point_b)), s.damping);
    }
    for (size_t i = 0; i < scene.loop_count; i++) {
      const vs_loop &l = scene.loops[i];
      Pose a(l.a_from_frame), b(l.b_from_frame);
      if (l.kind == VS_LOOP_DISTANCE) tk::Constraint::Rod(bodies[l.a], vec(a.p), bodies[l.b], vec(b.p), l.length);
      if (l.kind == VS_LOOP_BALL) tk::Constraint::Ball(bodies[l.a], vec(a.p), bodies[l.b], vec(b.p));
      if (l.kind == VS_LOOP_WELD) tk::Constraint::Weld(bodies[l.a], frame(a), bodies[l.b], frame(b));
    }
    state = system.realizeTopology();
    system.realizeModel(state);
    if (surfaces) surfaces->number(bodies);
    for (Joint &j : joints) {
      j.first_q = bodies[j.body].getFirstQIndex(state);
      j.first_u = bodies[j.body].getFirstUIndex(state);
    }
    std::string kind = settings.text("integrator");
    euler = kind == "semi_explicit_euler";
    if (euler) integrator = std::make_unique<tk::SemiExplicitEulerIntegrator>(system, scene.step);
    if (kind == "rkm") integrator = std::make_unique<tk::RungeKuttaMersonIntegrator>(system);
    if (kind == "rk3") integrator = std::make_unique<tk::RungeKutta3Integrator>(system);
    if (kind == "verlet") integrator = std::make_unique<tk::VerletIntegrator>(system);
    if (!euler) integrator->setAccuracy(settings.real("accuracy"));
    integrator->setConstraintTolerance(settings.real("constraint_tolerance"));
    most_steps = int(settings.integer("max_internal_steps"));
    integrator->setInternalStepLimit(most_steps);
    // Impulses are accumulated at the integrator's own steps, the last of which ends where our step does: interpolation
    // back from one that saw a later impact would report it too early.
    integrator->setReturnEveryInternalStep(surfaces != nullptr);
    integrator->setAllowInterpolation(surfaces == nullptr);
  }
  Body(const Body &) = delete;

  void set_state(double, const double *q, const double *v, const vs_motion *) {
    for (const Joint &j : joints) {
      tk::Vector &sq = state.updQ(), &su = state.updU();
      if (j.kind == VS_BALL || j.kind == VS_FREE) {
        const double *quaternion = q + j.q + (j.kind == VS_FREE ? 3 : 0);
        for (int k = 0; k < 4; k++) sq[j.first_q + k] = quaternion[k];
        // Along the axes of the parent's frame; ours are the child's.
        V3 spin = Q(quaternion) * V3(v + j.v);
        su[j.first_u] = spin.x, su[j.first_u + 1] = spin.y, su[j.first_u + 2] = spin.z;
        if (j.kind == VS_FREE)
          for (int k = 0; k < 3; k++) sq[j.first_q + 4 + k] = q[j.q + k], su[j.first_u + 3 + k] = v[j.v + 3 + k];
      } else if (j.kind == VS_PLANAR) {
        for (int k = 0; k < 3; k++) sq[j.first_q + (k + 1) % 3] = q[j.q + k], su[j.first_u + (k + 1) % 3] = v[j.v + k];
      } else {
        for (int k = 0; k < j.nv; k++) sq[j.first_q + k] = q[j.q + k], su[j.first_u + k] = v[j.v + k];
      }
    }
    if (surfaces) surfaces->forget();
    evaluations = steps = 0;
  }

  void step(const vs_inputs &inputs) {
    state.updTime() = 0;
    if (inputs.any_effort) {
      tk::Vector all(state.getNU(), 0.0);
      for (const Joint &j : joints) {
        const double *e = inputs.efforts + j.v;
        if (j.kind == VS_BALL || j.kind == VS_FREE) {
          double quaternion[4];
          for (int k = 0; k < 4; k++) quaternion[k] = state.getQ()[j.first_q + k];
          V3 torque = Q(quaternion) * V3(e);
          all[j.first_u] = torque.x, all[j.first_u + 1] = torque.y, all[j.first_u + 2] = torque.z;
          if (j.kind == VS_FREE)
            for (int k = 0; k < 3; k++) all[j.first_u + 3 + k] = e[3 + k];
        } else if (j.kind == VS_PLANAR) {
          for (int k = 0; k < 3; k++) all[j.first_u + (k + 1) % 3] = e[k];
        } else {
          for (int k = 0; k < j.nv; k++) all[j.first_u + k] = e[k];
        }
      }
      applied->setAllMobilityForces(state, all);
    } else {
      applied->clearAllMobilityForces(state);
    }
    if (inputs.any_wrench) {
      tk::Vector_<tk::SpatialVec> all(matter.getNumBodies(), tk::SpatialVec(tk::Vec3(0), tk::Vec3(0)));
      for (size_t i = 1; i < bodies.size(); i++) {
        const double *w = inputs.wrenches + 6 * i;
        all[bodies[i].getMobilizedBodyIndex()] = tk::SpatialVec(tk::Vec3(w[3], w[4], w[5]), tk::Vec3(w[0], w[1], w[2]));
      }
      applied->setAllBodyForces(state, all);
    } else {
      applied->clearAllBodyForces(state);
    }
    steps++;
    try {
      advance();
    } catch (const std::exception &e) {
      give_up(e.what());
    }
    evaluations = integrator->getNumStepsAttempted();
    state = integrator->getState();
    if (!finite(state.getQ()) || !finite(state.getU())) give_up("the state is no longer finite; use a smaller step");
  }

  void read(double *q, double *v, vs_motion *) {
    for (const Joint &j : joints) {
      const tk::Vector &sq = state.getQ(), &su = state.getU();
      if (j.kind == VS_BALL || j.kind == VS_FREE) {
        double *quaternion = q + j.q + (j.kind == VS_FREE ? 3 : 0);
        double n = 0;
        for (int k = 0; k < 4; k++) quaternion[k] = sq[j.first_q + k], n += quaternion[k] * quaternion[k];
        for (int k = 0; k < 4; k++) quaternion[k] /= std::sqrt(n);
        (Q(quaternion).inverse() * V3(su[j.first_u], su[j.first_u + 1], su[j.first_u + 2])).put(v + j.v);
        if (j.kind == VS_FREE)
          for (int k = 0; k < 3; k++) q[j.q + k] = sq[j.first_q + 4 + k], v[j.v + 3 + k] = su[j.first_u + 3 + k];
      } else if (j.kind == VS_PLANAR) {
        for (int k = 0; k < 3; k++) q[j.q + k] = sq[j.first_q + (k + 1) % 3], v[j.v + k] = su[j.first_u + (k + 1) % 3];
      } else {
        for (int k = 0; k < j.nv; k++) q[j.q + k] = sq[j.first_q + k], v[j.v + k] = su[j.first_u + k];
      }
    }
  }

  size_t contacts(vs_contact *out, size_t room) { return surfaces ? surfaces->contacts(out, room) : 0; }
  void solver(vs_solver &out) { out = {evaluations, 0, 0.0}; }
  double energy() { return std::nan(""); }
  std::vector<std::string> warnings() { return surfaces ? surfaces->warnings() : std::vector<std::string>(); }

  void save(Writer &w) {
    for (int i = 0; i < state.getNQ(); i++) w.put(double(state.getQ()[i]));
    for (int i = 0; i < state.getNU(); i++) w.put(double(state.getU()[i]));
    w.put(evaluations);
    w.put(steps);
  }
  void restore(Reader &r) {
    for (int i = 0; i < state.getNQ(); i++) state.updQ()[i] = r.take<double>();
    for (int i = 0; i < state.getNU(); i++) state.updU()[i] = r.take<double>();
    evaluations = r.take<uint64_t>();
    steps = r.take<uint64_t>();
    if (surfaces) surfaces->forget();
  }

 private:
  // Integrates over one step.
  void advance() {
    integrator->initialize(state);
    if (surfaces) surfaces->begin(integrator->getState());
    // The first call only reports the start of the interval.
    for (double before = 0; before < step_s;) {
      if (integrator->stepTo(step_s) == tk::Integrator::ReachedStepLimit || integrator->getNumStepsTaken() > most_steps)
        throw std::runtime_error("the requested accuracy was not reached within max_internal_steps; use a smaller step");
      double now = integrator->getTime();
      if (surfaces && now > before) surfaces->moved(integrator->getState(), now - before, euler);
      before = now;
    }
  }

  // Throws an error that names the body of the first non-finite number, or the fastest one.
  [[noreturn]] void give_up(const std::string &why) {
    std::string text = "in step " + std::to_string(steps) + ": ";
    // Simbody's messages have several lines.
    for (char c : why)
      if (c != '\n' && (c != ' ' || text.back() != ' '))
        text += c;
      else if (text.back() != ' ')
        text += ' ';
    const tk::State &last = integrator->getAdvancedState();
    const Joint *worst = nullptr;
    double most = -1;
    for (const Joint &j : joints)
      for (int k = 0; k < j.nv && most < INFINITY; k++) {
        double speed = std::fabs(last.getU()[j.first_u + k]);
        if (!(speed <= most)) worst = &j, most = std::isfinite(speed) ? speed : INFINITY;
      }
    if (worst) text += "; '" + names[worst->body] + (most < INFINITY ? "' moves fastest, at " + std::to_string(most) + " rad/s or m/s" : "' has a non-finite state");
    throw std::runtime_error(text);
  }

  static bool finite(const tk::Vector &v) {
    for (int i = 0; i < v.size(); i++)
      if (!std::isfinite(v[i])) return false;
    return true;
  }
  static bool has_limits(const vs_dof &d) { return !std::isinf(d.lower) || !std::isinf(d.upper); }

  void check(const vs_scene &scene, Refusals &refusals) {
    if (scene.contact) Surfaces::check(scene, refusals);
    for (size_t i = 1; i < scene.piece_count; i++) {
      const vs_piece &p = scene.pieces[i];
      const double *m = p.moments;
      if (!(p.mass > 0) || !(m[0] > 0 && m[1] > 0 && m[2] > 0))
        refusals.add(std::string("'") + p.name + "', which has no mass or no moment of inertia about some axis", "give it some");
      else if (m[0] + m[1] < m[2] * (1 - 1e-9) || m[0] + m[2] < m[1] * (1 - 1e-9) || m[1] + m[2] < m[0] * (1 - 1e-9))
        refusals.add(std::string("the moments of '") + p.name + "', which no solid can have", "correct its inertia: `veracity check` names it");
    }
    for (size_t i = 0; i < scene.joint_count; i++) {
      const vs_joint &j = scene.joints[i];
      std::string name = std::string(kind_name(j.kind)) + " joint '" + j.name + "'";
      if (j.kind == VS_UNIVERSAL && std::fabs(dot(V3(j.axis), V3(j.axis2))) > 1e-9)
        refusals.add("the " + name + ", whose axes are not perpendicular", "use two revolute joints");
      for (int k = 0; k < j.nv; k++) {
        const vs_dof &d = scene.dofs[j.v + k];
        bool turning = j.kind == VS_BALL || j.kind == VS_FREE;
        if (turning && (has_limits(d) || d.damping != 0)) refusals.add("limits or damping of the " + name, "use the body's own drag");
      }
    }
    for (size_t i = 0; i < scene.loop_count; i++) {
      const vs_loop &l = scene.loops[i];
      if (l.kind != VS_LOOP_WELD && l.kind != VS_LOOP_BALL && l.kind != VS_LOOP_DISTANCE)
        refusals.add(std::string("the ") + loop_name(l.kind) + " joint '" + l.name + "' that closes a loop",
                     "close it with a ball, weld or distance joint");
    }
  }

  void add_joint(const vs_scene &scene, size_t index, const Settings &settings, tk::Force::Gravity &gravity) {
    const vs_joint &j = scene.joints[index];
    const vs_piece &piece = scene.pieces[j.child];
    const double *t = piece.tensor;
    tk::Body::Rigid rigid(tk::MassProperties(piece.mass, tk::Vec3(0), tk::Inertia(t[0], t[1], t[2], t[3], t[4], t[5])));
    if (surfaces) surfaces->fasten(j.child, rigid);
    V3 axis(j.axis), axis2(j.axis2);
    // Simbody's joints have fixed axes.
    Q to_axis;
    if (j.kind == VS_REVOLUTE || j.kind == VS_CONTINUOUS || j.kind == VS_SCREW) to_axis = between({0, 0, 1}, axis);
    if (j.kind == VS_PRISMATIC) to_axis = between({1, 0, 0}, axis);
    if (j.kind == VS_PLANAR || j.kind == VS_UNIVERSAL) {
      V3 z = cross(axis, axis2);
      tk::Mat33 m(axis.x, axis2.x, z.x, axis.y, axis2.y, z.y, axis.z, axis2.z, z.z);
      tk::Quaternion q = tk::Rotation(m).convertRotationToQuaternion();
      to_axis = Q(q[0], q[1], q[2], q[3]);
    }
    tk::Transform inboard = frame(Pose(j.parent_from_joint) * Pose({}, to_axis)), outboard = frame(Pose(j.child_from_joint) * Pose({}, to_axis));
    tk::MobilizedBody &parent = bodies[j.parent];
    tk::MobilizedBody made;
    switch (j.kind) {
      case VS_REVOLUTE:
      case VS_CONTINUOUS: made = tk::MobilizedBody::Pin(parent, inboard, rigid, outboard); break;
      case VS_PRISMATIC: made = tk::MobilizedBody::Slider(parent, inboard, rigid, outboard); break;
      case VS_SCREW: made = tk::MobilizedBody::Screw(parent, inboard, rigid, outboard, j.pitch); break;
      case VS_UNIVERSAL: made = tk::MobilizedBody::Universal(parent, inboard, rigid, outboard); break;
      case VS_BALL: made = tk::MobilizedBody::Ball(parent, inboard, rigid, outboard); break;
      case VS_PLANAR: made = tk::MobilizedBody::Planar(parent, inboard, rigid, outboard); break;
      default: made = tk::MobilizedBody::Free(parent, inboard, rigid, outboard);
    }
    bodies[j.child] = made;
    joints.push_back({j.kind, j.q, j.v, j.nq, j.nv, j.child});
    if (piece.gravity_scale != 1) {
      gravity.setDefaultBodyIsExcluded(made, true);
      V3 weight = piece.gravity_scale * piece.mass * V3(scene.gravity);
      tk::Force::ConstantForce(forces, made, tk::Vec3(0), vec(weight));
    }
    if (j.kind == VS_BALL || j.kind == VS_FREE) return;
    for (int k = 0; k < j.nv; k++) {
      const vs_dof &d = scene.dofs[j.v + k];
      int own = j.kind == VS_PLANAR ? (k + 1) % 3 : k;
      if (d.damping != 0) tk::Force::MobilityLinearDamper(forces, made, tk::MobilizerUIndex(own), d.damping);
      if (d.stiffness != 0) tk::Force::MobilityLinearSpring(forces, made, tk::MobilizerQIndex(own), d.stiffness, d.reference);
      if (has_limits(d) && j.kind != VS_CONTINUOUS)
        tk::Force::MobilityLinearStop(forces, made, tk::MobilizerQIndex(own), settings.real("limit_stiffness"),
                                      settings.real("limit_dissipation"), d.lower, d.upper);
    }
  }
};

}  // namespace

extern "C" const vs_api *vs_shim(void) { return table<Body>(); }
