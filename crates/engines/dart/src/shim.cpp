// DART behind veracity_shim.h. A body's frame is its piece's: at the centre of mass.
#include <dart/collision/bullet/bullet.hpp>
#include <dart/collision/ode/ode.hpp>
#include <dart/dart.hpp>

#include <map>

#include "veracity_shim.hpp"

using namespace vs;
namespace dyn = dart::dynamics;
namespace col = dart::collision;
namespace con = dart::constraint;

namespace {

Eigen::Vector3d eigen(V3 v) { return {v.x, v.y, v.z}; }
V3 ours(const Eigen::Vector3d &v) { return {v.x(), v.y(), v.z()}; }
Eigen::Isometry3d eigen(const Pose &p) {
  Eigen::Isometry3d t = Eigen::Isometry3d::Identity();
  t.translation() = eigen(p.p);
  t.linear() = Eigen::Quaterniond(p.q.w, p.q.x, p.q.y, p.q.z).toRotationMatrix();
  return t;
}

// Writes a quaternion with the sign nearer to the present one.
void put_turn(const Eigen::Matrix3d &r, double *q) {
  Eigen::Quaterniond t(r);
  t.normalize();
  double same = t.w() * q[0] + t.x() * q[1] + t.y() * q[2] + t.z() * q[3];
  double sign = same < 0 ? -1 : 1;
  q[0] = sign * t.w(), q[1] = sign * t.x(), q[2] = sign * t.y(), q[3] = sign * t.z();
}

// DART uses the smaller of two frictions and the product of two restitutions, which cannot be changed. Where
// coefficients of the shapes give every pair what the scene specifies, they are used; else a shape has a copy for each
// surface it has with others.
class Touch : public col::CollisionFilter {
 public:
  struct Copy {
    int shape, surface;  // number among the pair surfaces; -1: of all
  };
  std::map<const dyn::Frame *, Copy> copies;
  std::vector<uint8_t> touch;
  size_t count = 0;
  std::unique_ptr<PairSurfaces> surfaces;
  bool ignoresCollision(const col::CollisionObject *a, const col::CollisionObject *b) const override {
    auto x = copies.find(a->getShapeFrame()), y = copies.find(b->getShapeFrame());
    if (x == copies.end() || y == copies.end() || x->second.surface != y->second.surface) return true;
    if (x->second.surface < 0) return !touch[x->second.shape * count + y->second.shape];
    return !surfaces->touch(x->second.shape, y->second.shape, x->second.surface);
  }
};

// Coefficients of shapes from which DART's rules give those of every pair: the largest friction that a shape has with
// any other, and the root of the largest restitution. Anything smaller would be too little for some pair. Empty where
// these are too large for some pair.
std::vector<PairSurface> of_shapes(const vs_scene &scene) {
  size_t n = scene.shape_count;
  std::vector<PairSurface> own(n, {0, 0});
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++)
      if (scene.touch[a * n + b]) {
        PairSurface pair = pair_surface(scene, a, b);
        own[a].friction = std::fmax(own[a].friction, pair.friction);
        own[a].restitution = std::fmax(own[a].restitution, std::sqrt(pair.restitution));
      }
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < a; b++)
      if (scene.touch[a * n + b]) {
        PairSurface pair = pair_surface(scene, a, b);
        bool slides = std::fmin(own[a].friction, own[b].friction) == pair.friction;
        // A root squared is off by a rounding.
        bool bounces = std::fabs(own[a].restitution * own[b].restitution - pair.restitution) <= 1e-15;
        if (!slides || !bounces) return {};
      }
  return own;
}

class Dart {
  std::shared_ptr<dart::simulation::World> world;
  std::vector<dyn::SkeletonPtr> skeletons;  // a body does not keep its own alive
  std::vector<dyn::BodyNode *> bodies;  // of the pieces; the ground has none
  struct Joint {
    int kind, q, v, nq, nv;
    dyn::Joint *joint;
  };
  std::vector<Joint> joints;
  std::shared_ptr<Touch> touch = std::make_shared<Touch>();
  std::vector<std::pair<dyn::BodyNode *, V3>> weights;
  struct Saved {
    int a, b;
    V3 point, normal, impulse;
    double depth;
  };
  std::vector<Saved> touched;
  double erp, allowance, fastest, cfm, limit_erp, limit_fastest, step_s;
  bool pgs;
  long iters;
  bool has_contact;

 public:
  static const char *version() {
    static const std::string text = std::string("DART " DART_VERSION " (") + library_of(reinterpret_cast<const void *>(&col::FCLCollisionDetector::create)) + ")";
    return text.c_str();
  }

  static vs_abilities abilities(const Settings &settings) {
    // Bullet's and FCL's detectors keep points that cannot be saved in a snapshot.
    double difference = settings.is("collision", "dart") || settings.is("collision", "ode") ? 0.0 : -1.0;
    return {VS_REDUCED | VS_CONTACT | VS_LIMITS | VS_DRY_FRICTION | VS_JOINT_DAMPING | VS_JOINT_SPRINGS | VS_RESTITUTION, difference};
  }

  Dart(const vs_scene &scene, const Settings &settings, Refusals &refusals) {
    step_s = scene.step;
    has_contact = scene.contact;
    erp = settings.real("contact_erp"), allowance = settings.real("contact_allowance_m");
    fastest = settings.real("contact_max_correction_m_s"), cfm = settings.real("contact_cfm");
    limit_erp = settings.real("limit_erp"), limit_fastest = settings.real("limit_max_correction_m_s");
    pgs = settings.is("solver", "pgs");
    iters = settings.integer("iters");
    std::string detector = settings.text("collision");
    check(scene, detector, refusals);
    if (refusals.any) return;
    world = dart::simulation::World::create("scene");
    world->setTimeStep(scene.step);
    world->setGravity(Eigen::Vector3d(scene.gravity[0], scene.gravity[1], scene.gravity[2]));
    auto sweeps = std::make_shared<con::PgsBoxedLcpSolver>();
    sweeps->setOption(con::PgsBoxedLcpSolver::Option(int(iters), settings.real("tolerance"), settings.real("relative_tolerance")));
    std::unique_ptr<con::ConstraintSolver> solver;
    if (pgs)
      solver = std::make_unique<con::BoxedLcpConstraintSolver>(sweeps, nullptr);
    else
      solver = std::make_unique<con::BoxedLcpConstraintSolver>(std::make_shared<con::DantzigBoxedLcpSolver>(), sweeps);
    world->setConstraintSolver(std::move(solver));
    auto *owned = world->getConstraintSolver();
    if (detector == "bullet") owned->setCollisionDetector(col::BulletCollisionDetector::create());
    if (detector == "ode") owned->setCollisionDetector(col::OdeCollisionDetector::create());
    if (detector == "dart") owned->setCollisionDetector(col::DARTCollisionDetector::create());
    if (detector == "fcl") owned->setCollisionDetector(col::FCLCollisionDetector::create());
    touch->count = scene.shape_count;
    touch->touch.assign(scene.touch, scene.touch + scene.shape_count * scene.shape_count);
    owned->getCollisionOption().collisionFilter = touch;
    owned->getCollisionOption().maxNumContacts = settings.integer("contacts");
    build(scene);
  }
  Dart(const Dart &) = delete;

  void set_state(double, const double *q, const double *v, const vs_motion *) {
    for (const Joint &j : joints) {
      Eigen::VectorXd p(j.nv), s(j.nv);
      if (j.kind == VS_BALL) {
        p = dyn::BallJoint::convertToPositions(Eigen::Quaterniond(q[j.q], q[j.q + 1], q[j.q + 2], q[j.q + 3]).toRotationMatrix());
        for (int k = 0; k < 3; k++) s[k] = v[j.v + k];
      } else if (j.kind == VS_FREE) {
        Pose pose(V3(q + j.q), Q(q + j.q + 3));
        p = dyn::FreeJoint::convertToPositions(eigen(pose));
        V3 linear = pose.q.inverse() * V3(v + j.v + 3);
        s << v[j.v], v[j.v + 1], v[j.v + 2], linear.x, linear.y, linear.z;
      } else {
        for (int k = 0; k < j.nv; k++) p[k] = q[j.q + k], s[k] = v[j.v + k];
      }
      j.joint->setPositions(p);
      j.joint->setVelocities(s);
      j.joint->setAccelerations(Eigen::VectorXd::Zero(j.nv));
    }
    forget();
  }

  void step(const vs_inputs &inputs) {
    con::ContactConstraint::setErrorAllowance(allowance);
    con::ContactConstraint::setErrorReductionParameter(erp);
    con::ContactConstraint::setMaxErrorReductionVelocity(fastest);
    con::ContactConstraint::setConstraintForceMixing(cfm);
    con::JointLimitConstraint::setErrorReductionParameter(limit_erp);
    con::JointLimitConstraint::setMaxErrorReductionVelocity(limit_fastest);
    for (const Joint &j : joints) {
      Eigen::VectorXd e(j.nv);
      for (int k = 0; k < j.nv; k++) e[k] = inputs.efforts[j.v + k];
      if (j.kind == VS_FREE) {
        // Along the axes of the parent's joint frame; DART's are the child's.
        Eigen::Matrix3d turn = dyn::FreeJoint::convertToTransform(j.joint->getPositions()).linear();
        e.tail<3>() = turn.transpose() * Eigen::Vector3d(e.tail<3>());
      }
      j.joint->setForces(e);
    }
    for (auto &[body, weight] : weights) body->addExtForce(eigen(weight), Eigen::Vector3d::Zero(), false, true);
    if (inputs.any_wrench)
      for (size_t i = 1; i < bodies.size(); i++) {
        const double *w = inputs.wrenches + 6 * i;
        bodies[i]->addExtForce(Eigen::Vector3d(w[0], w[1], w[2]), Eigen::Vector3d::Zero(), false, true);
        bodies[i]->addExtTorque(Eigen::Vector3d(w[3], w[4], w[5]), false);
      }
    world->step(true);
    keep_contacts();
    // Checked long before numbers overflow: DART asserts that they are finite, and a failed assertion ends the process.
    const double most = 1e10;
    for (const Joint &j : joints) {
      Eigen::VectorXd p = j.joint->getPositions(), s = j.joint->getVelocities();
      if (j.nv == 0) continue;
      if (!p.allFinite() || !s.allFinite() || p.cwiseAbs().maxCoeff() > most || s.cwiseAbs().maxCoeff() > most)
        throw std::runtime_error("the state is no longer finite, or beyond 1e10 rad, m, rad/s or m/s; use a smaller step");
    }
  }

  void read(double *q, double *v, vs_motion *) {
    for (const Joint &j : joints) {
      Eigen::VectorXd p = j.joint->getPositions(), s = j.joint->getVelocities();
      if (j.kind == VS_BALL) {
        put_turn(dyn::BallJoint::convertToRotation(p), q + j.q);
        for (int k = 0; k < 3; k++) v[j.v + k] = s[k];
      } else if (j.kind == VS_FREE) {
        Eigen::Isometry3d t = dyn::FreeJoint::convertToTransform(p);
        ours(t.translation()).put(q + j.q);
        put_turn(t.linear(), q + j.q + 3);
        for (int k = 0; k < 3; k++) v[j.v + k] = s[k];
        ours(t.linear() * Eigen::Vector3d(s.tail<3>())).put(v + j.v + 3);
      } else {
        for (int k = 0; k < j.nv; k++) q[j.q + k] = p[k], v[j.v + k] = s[k];
      }
    }
  }

  size_t contacts(vs_contact *out, size_t room) {
    for (size_t i = 0; i < touched.size() && i < room; i++) {
      const Saved &t = touched[i];
      out[i].a = t.a, out[i].b = t.b, out[i].gap = -t.depth;
      t.point.put(out[i].point), t.normal.put(out[i].normal), t.impulse.put(out[i].impulse);
    }
    return touched.size();
  }

  void solver(vs_solver &out) { out = {uint64_t(pgs ? iters : 1), 0, 0.0}; }
  double energy() { return std::nan(""); }
  std::vector<std::string> warnings() { return {}; }

  void save(Writer &w) {
    for (const Joint &j : joints) {
      Eigen::VectorXd p = j.joint->getPositions(), s = j.joint->getVelocities();
      w.put(p.data(), j.nv);
      w.put(s.data(), j.nv);
    }
  }

  void restore(Reader &r) {
    for (const Joint &j : joints) {
      Eigen::VectorXd p(j.nv), s(j.nv);
      r.take(p.data(), j.nv);
      r.take(s.data(), j.nv);
      j.joint->setPositions(p);
      j.joint->setVelocities(s);
      j.joint->setAccelerations(Eigen::VectorXd::Zero(j.nv));
    }
    forget();
  }

 private:
  void forget() {
    touched.clear();
    for (auto *body : bodies)
      if (body) body->clearExternalForces();
    if (world)
      for (size_t i = 0; i < world->getNumSkeletons(); i++) {
        world->getSkeleton(i)->clearConstraintImpulses();
        world->getSkeleton(i)->resetGeneralizedForces();
      }
  }

  static bool has_limits(const vs_dof &d) { return !std::isinf(d.lower) || !std::isinf(d.upper); }

  void check(const vs_scene &scene, const std::string &detector, Refusals &refusals) {
    for (size_t i = 1; i < scene.piece_count; i++) {
      const vs_piece &p = scene.pieces[i];
      const double *m = p.moments;
      if (!(p.mass > 0) || !(m[0] > 0 && m[1] > 0 && m[2] > 0))
        refusals.add(std::string("'") + p.name + "', which has no mass or no moment of inertia about some axis",
                     "give it some: DART needs three positive moments");
    }
    for (size_t i = 0; i < scene.joint_count; i++) {
      const vs_joint &j = scene.joints[i];
      std::string name = std::string(kind_name(j.kind)) + " joint '" + j.name + "'";
      for (int k = 0; k < j.nv; k++) {
        const vs_dof &d = scene.dofs[j.v + k];
        bool turning = j.kind == VS_BALL || j.kind == VS_FREE;
        if (turning && (has_limits(d) || d.friction != 0))
          refusals.add("limits or dry friction of the " + name, "DART's coordinates of this joint are not its angles");
        if (j.kind == VS_FREE && d.damping != 0) refusals.add("damping of the " + name, "use the body's own drag");
      }
    }
    if (!scene.contact) return;
    for (size_t i = 0; i < scene.shape_count; i++) {
      const vs_shape &s = scene.shapes[i];
      check_surface(s, refusals, {});
      std::string name = std::string("the ") + shape_name(s.kind) + " '" + s.name + "'";
      bool simple = s.kind == VS_SPHERE || s.kind == VS_BOX;
      bool round = s.kind == VS_CYLINDER || s.kind == VS_CAPSULE || s.kind == VS_PLANE;
      bool known = simple || (detector != "dart" && detector != "fcl" && round) || (detector == "fcl" && s.kind == VS_CYLINDER);
      if (!known) refusals.add(name + " that collides, with collision=" + detector, "use spheres and boxes, or collision=bullet");
      if (s.kind == VS_PLANE && s.piece != 0) refusals.add(name + " on a body that moves", "make it a large box, or fix the body");
    }
  }

  template <typename J>
  std::pair<dyn::Joint *, dyn::BodyNode *> add(dyn::SkeletonPtr skeleton, dyn::BodyNode *parent, const typename J::Properties &properties) {
    auto pair = skeleton->createJointAndBodyNodePair<J>(parent, properties);
    return {pair.first, pair.second};
  }

  void build(const vs_scene &scene) {
    bodies.assign(scene.piece_count, nullptr);
    for (size_t i = 0; i < scene.joint_count; i++) {
      const vs_joint &j = scene.joints[i];
      dyn::BodyNode *parent = bodies[j.parent];
      // A tree that hangs on the ground is a separate skeleton with its own name.
      dyn::SkeletonPtr skeleton = parent ? parent->getSkeleton() : dyn::Skeleton::create("tree" + std::to_string(i));
      if (!parent) skeletons.push_back(skeleton);
      std::pair<dyn::Joint *, dyn::BodyNode *> made;
      Eigen::Vector3d axis = eigen(V3(j.axis)), axis2 = eigen(V3(j.axis2));
      switch (j.kind) {
        case VS_REVOLUTE:
        case VS_CONTINUOUS: {
          dyn::RevoluteJoint::Properties p;
          p.mAxis = axis;
          made = add<dyn::RevoluteJoint>(skeleton, parent, p);
          break;
        }
        case VS_PRISMATIC: {
          dyn::PrismaticJoint::Properties p;
          p.mAxis = axis;
          made = add<dyn::PrismaticJoint>(skeleton, parent, p);
          break;
        }
        case VS_SCREW: {
          dyn::ScrewJoint::Properties p;
          p.mAxis = axis;
          p.mPitch = 2 * M_PI * j.pitch;  // per turn
          made = add<dyn::ScrewJoint>(skeleton, parent, p);
          break;
        }
        case VS_UNIVERSAL: {
          dyn::UniversalJoint::Properties p;
          p.mAxis = {axis, axis2};
          made = add<dyn::UniversalJoint>(skeleton, parent, p);
          break;
        }
        case VS_BALL: made = add<dyn::BallJoint>(skeleton, parent, dyn::BallJoint::Properties()); break;
        case VS_PLANAR: {
          dyn::PlanarJoint::Properties p;
          p.setArbitraryPlane(axis, axis2);
          made = add<dyn::PlanarJoint>(skeleton, parent, p);
          break;
        }
        case VS_FREE: made = add<dyn::FreeJoint>(skeleton, parent, dyn::FreeJoint::Properties()); break;
      }
      auto [joint, body] = made;
      joint->setName("j" + std::to_string(i));
      body->setName("p" + std::to_string(j.child));
      joint->setTransformFromParentBodyNode(eigen(Pose(j.parent_from_joint)));
      joint->setTransformFromChildBodyNode(eigen(Pose(j.child_from_joint)));
      for (int k = 0; k < j.nv; k++) {
        const vs_dof &d = scene.dofs[j.v + k];
        joint->setDampingCoefficient(k, d.damping);
        joint->setSpringStiffness(k, d.stiffness);
        joint->setRestPosition(k, d.reference);
        joint->setCoulombFriction(k, d.friction);
        if (has_limits(d) && j.kind != VS_CONTINUOUS) {
          joint->setPositionLowerLimit(k, d.lower);
          joint->setPositionUpperLimit(k, d.upper);
          joint->setLimitEnforcement(true);
        }
      }
      const vs_piece &piece = scene.pieces[j.child];
      const double *t = piece.tensor;
      body->setInertia(dyn::Inertia(piece.mass, 0, 0, 0, t[0], t[1], t[2], t[3], t[4], t[5]));
      if (piece.gravity_scale != 1) {
        body->setGravityMode(false);
        weights.push_back({body, piece.gravity_scale * piece.mass * V3(scene.gravity)});
      }
      bodies[j.child] = body;
      joints.push_back({j.kind, j.q, j.v, j.nq, j.nv, joint});
    }
    if (scene.contact) add_shapes(scene);
    for (size_t i = 1; i < bodies.size(); i++)
      if (!world->hasSkeleton(bodies[i]->getSkeleton())) world->addSkeleton(bodies[i]->getSkeleton());
  }

  void add_shapes(const vs_scene &scene) {
    dyn::SkeletonPtr ground = dyn::Skeleton::create("ground");
    dyn::BodyNode *floor = ground->createJointAndBodyNodePair<dyn::WeldJoint>().second;
    floor->setName("ground");
    std::vector<PairSurface> own = of_shapes(scene);
    if (own.empty()) touch->surfaces = std::make_unique<PairSurfaces>(scene);
    for (size_t i = 0; i < scene.shape_count; i++) {
      const vs_shape &s = scene.shapes[i];
      dyn::ShapePtr shape;
      Pose pose(s.piece_from_shape);
      switch (s.kind) {
        case VS_SPHERE: shape = std::make_shared<dyn::SphereShape>(s.size[0]); break;
        case VS_BOX: shape = std::make_shared<dyn::BoxShape>(Eigen::Vector3d(s.size[0], s.size[1], s.size[2])); break;
        case VS_CAPSULE: shape = std::make_shared<dyn::CapsuleShape>(s.size[0], s.size[1]); break;
        case VS_CYLINDER: shape = std::make_shared<dyn::CylinderShape>(s.size[0], s.size[1]); break;
        case VS_PLANE: shape = std::make_shared<dyn::PlaneShape>(Eigen::Vector3d::UnitZ(), 0.0); break;
      }
      dyn::BodyNode *body = s.piece ? bodies[s.piece] : floor;
      auto add = [&](int surface, double friction, double restitution) {
        auto *node = body->createShapeNodeWith<dyn::CollisionAspect, dyn::DynamicsAspect>(shape);
        node->setRelativeTransform(eigen(pose));
        node->getDynamicsAspect()->setFrictionCoeff(friction);
        node->getDynamicsAspect()->setRestitutionCoeff(restitution);
        touch->copies[node] = {int(i), surface};
      };
      if (!own.empty()) add(-1, own[i].friction, own[i].restitution);
      for (size_t k = 0; own.empty() && k < touch->surfaces->list.size(); k++)
        if (touch->surfaces->has(i, int(k)))
          add(int(k), touch->surfaces->list[k].friction, std::sqrt(touch->surfaces->list[k].restitution));
    }
    ground->setMobile(false);
    world->addSkeleton(ground);
  }

  void keep_contacts() {
    touched.clear();
    if (!has_contact) return;
    for (const auto &c : world->getLastCollisionResult().getContacts()) {
      auto a = touch->copies.find(c.collisionObject1->getShapeFrame()), b = touch->copies.find(c.collisionObject2->getShapeFrame());
      if (a == touch->copies.end() || b == touch->copies.end()) continue;
      touched.push_back({a->second.shape, b->second.shape, ours(c.point), ours(c.normal), step_s * ours(c.force), c.penetrationDepth});
    }
  }
};

}  // namespace

extern "C" const vs_api *vs_shim(void) { return table<Dart>(); }
