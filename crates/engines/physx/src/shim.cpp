// PhysX behind veracity_shim.h: bodies in maximal coordinates, joints as constraints between them, in single precision.
#include "joints.hpp"
#include "touching.hpp"

using namespace vs;
using namespace physx;

namespace {

class Px {
  std::vector<Made> made;
  std::vector<PxRigidDynamic *> bodies;  // none for the ground
  std::vector<PxRigidStatic *> ground;
  Touching touching;
  std::unique_ptr<Joints> joints;
  PxSceneDesc desc{PxTolerancesScale()};
  PxScene *scene = nullptr;
  PxReal step_s;
  long iters;
  bool dropped, rubs = false;

 public:
  static const char *version() {
    static const std::string text = "PhysX " + std::to_string(PX_PHYSICS_VERSION_MAJOR) + "." + std::to_string(PX_PHYSICS_VERSION_MINOR) +
                                    "." + std::to_string(PX_PHYSICS_VERSION_BUGFIX);
    return text.c_str();
  }

  static vs_abilities abilities(const Settings &settings) {
    uint64_t flags = VS_CONTACT | VS_LIMITS | VS_DRY_FRICTION | VS_LOOPS | VS_RESTITUTION | VS_SINGLE;
    // Contact points and the anchors of friction are kept from step to step and cannot be saved in a snapshot.
    return {flags, settings.is("contact_cache", "dropped") ? 0.0 : -1.0};
  }

  Px(const vs_scene &world, const Settings &settings, Refusals &refusals)
      : made(made_of(world)),
        touching(settings),
        step_s(px(world.step)),
        iters(settings.integer("iters")),
        dropped(settings.is("contact_cache", "dropped")) {
    Library::get().messages.forget();
    if (settings.is("solver", "tgs") && !settings.is("friction", "patch"))
      throw std::runtime_error("friction=" + settings.text("friction") + " is supported by PGS only; use solver=pgs, or friction=patch");
    bodies.resize(world.piece_count);
    check_pieces(world, refusals);
    Joints::check(world, refusals);
    if (world.contact) touching.make(world, made, refusals);
    if (refusals.any) return;
    configure(world, settings);
    for (size_t i = 1; i < world.piece_count; i++) make_body(i, world.pieces[i], settings);
    if (world.contact) place_shapes(world);
    joints = std::make_unique<Joints>(*Library::get().physics, made, bodies, settings);
    joints->make(world);
    Library::get().messages.check();
  }

  ~Px() {
    joints.reset();
    if (scene) scene->release();
    for (PxRigidDynamic *body : bodies)
      if (body) body->release();
    for (PxRigidStatic *body : ground) body->release();
  }
  Px(const Px &) = delete;

  void set_state(double, const double *, const double *, const vs_motion *pieces) {
    for (size_t i = 1; i < bodies.size(); i++)
      put(i, px(Pose(pieces[i].pose) * made[i].piece_from_body), px(V3(pieces[i].linear)), px(V3(pieces[i].angular)));
    renew();
  }

  void step(const vs_inputs &inputs) {
    if (dropped) {
      // As for a restored state: PhysX renormalises quaternions when they are set.
      for (size_t i = 1; i < bodies.size(); i++)
        put(i, bodies[i]->getGlobalPose(), bodies[i]->getLinearVelocity(), bodies[i]->getAngularVelocity());
      renew();
    }
    for (size_t i = 1; i < bodies.size(); i++) {
      if (made[i].scaled) bodies[i]->addForce(px(made[i].weight));
      if (!inputs.any_wrench) continue;
      const double *w = inputs.wrenches + 6 * i;
      bodies[i]->addForce(px(V3(w)));
      bodies[i]->addTorque(px(V3(w + 3)));
    }
    touching.touched.clear();
    scene->simulate(step_s);
    scene->fetchResults(true);
    Library::get().messages.check();
  }

  void read(double *, double *, vs_motion *pieces) {
    for (size_t i = 1; i < bodies.size(); i++) {
      PxTransform at = bodies[i]->getGlobalPose();
      ours(at.p).put(pieces[i].pose.p);
      put_turn(ours(at.q) * made[i].piece_from_body.q.inverse(), pieces[i].pose.q);
      ours(bodies[i]->getLinearVelocity()).put(pieces[i].linear);
      ours(bodies[i]->getAngularVelocity()).put(pieces[i].angular);
    }
  }

  size_t contacts(vs_contact *out, size_t room) {
    for (size_t i = 0; i < touching.touched.size() && i < room; i++) out[i] = touching.touched[i];
    return touching.touched.size();
  }

  void solver(vs_solver &out) { out = {uint64_t(iters), 0, 0.0}; }
  double energy() { return std::nan(""); }

  std::vector<std::string> warnings() {
    if (!rubs) return {};
    return {"contacts are reported with the impulse along their normal only: PhysX does not report that of friction"};
  }

  void save(Writer &w) {
    for (size_t i = 1; i < bodies.size(); i++) {
      PxTransform at = bodies[i]->getGlobalPose();
      PxVec3 v = bodies[i]->getLinearVelocity(), o = bodies[i]->getAngularVelocity();
      const float x[13] = {at.p.x, at.p.y, at.p.z, at.q.x, at.q.y, at.q.z, at.q.w, v.x, v.y, v.z, o.x, o.y, o.z};
      w.put(x, 13);
    }
  }

  void restore(Reader &r) {
    for (size_t i = 1; i < bodies.size(); i++) {
      float x[13];
      r.take(x, 13);
      put(i, PxTransform(PxVec3(x[0], x[1], x[2]), PxQuat(x[3], x[4], x[5], x[6])), {x[7], x[8], x[9]}, {x[10], x[11], x[12]});
    }
    renew();
  }

 private:
  void put(size_t i, const PxTransform &at, const PxVec3 &linear, const PxVec3 &angular) {
    bodies[i]->setGlobalPose(at);
    bodies[i]->setLinearVelocity(linear);
    bodies[i]->setAngularVelocity(angular);
  }

  // A new scene without any state of earlier steps.
  void renew() {
    if (scene) {
      for (size_t i = 1; i < bodies.size(); i++) scene->removeActor(*bodies[i]);
      for (PxRigidStatic *body : ground) scene->removeActor(*body);
      scene->release();
    }
    touching.touched.clear();
    scene = Library::get().physics->createScene(desc);
    if (!scene) throw std::runtime_error("PhysX failed to create a scene");
    for (PxRigidStatic *body : ground) scene->addActor(*body);
    for (size_t i = 1; i < bodies.size(); i++) scene->addActor(*bodies[i]);
    Library::get().messages.check();
  }

  static void check_pieces(const vs_scene &world, Refusals &refusals) {
    for (size_t i = 1; i < world.piece_count; i++) {
      const vs_piece &p = world.pieces[i];
      const double *m = p.moments;
      if (!(p.mass > 0) || !(m[0] > 0 && m[1] > 0 && m[2] > 0))
        refusals.add(std::string("'") + p.name + "', which has no mass or no moment of inertia about some axis",
                     "give it some: PhysX treats zero as infinite");
    }
  }

  void configure(const vs_scene &world, const Settings &settings) {
    desc.gravity = px(V3(world.gravity));
    desc.cpuDispatcher = Library::get().here;
    desc.solverType = settings.is("solver", "tgs") ? PxSolverType::eTGS : PxSolverType::ePGS;
    desc.frictionType = settings.is("friction", "patch")           ? PxFrictionType::ePATCH
                        : settings.is("friction", "one_direction") ? PxFrictionType::eONE_DIRECTIONAL
                                                                   : PxFrictionType::eTWO_DIRECTIONAL;
    desc.bounceThresholdVelocity = px(settings.real("bounce_speed_m_s"));
    desc.frictionOffsetThreshold = px(settings.real("friction_offset_m"));
    desc.frictionCorrelationDistance = px(settings.real("correlation_distance_m"));
    double bias = settings.real("max_bias");
    desc.maxBiasCoefficient = std::isinf(bias) ? PX_MAX_F32 : px(bias);
    auto flag = [&](PxSceneFlag::Enum flag, bool on) { on ? desc.flags |= flag : desc.flags &= ~PxSceneFlags(flag); };
    flag(PxSceneFlag::eENABLE_PCM, settings.is("contacts", "pcm"));
    flag(PxSceneFlag::eENABLE_CCD, settings.is("ccd", "swept"));
    flag(PxSceneFlag::eENABLE_AVERAGE_POINT, settings.is("average_point", "on"));
    flag(PxSceneFlag::eENABLE_STABILIZATION, settings.is("stabilization", "on"));
    flag(PxSceneFlag::eENABLE_FRICTION_EVERY_ITERATION, settings.is("friction_every_iteration", "on"));
    flag(PxSceneFlag::eENABLE_ENHANCED_DETERMINISM, settings.is("enhanced_determinism", "on"));
    touching.configure(desc);
    if (!desc.isValid()) throw std::runtime_error("PhysX does not accept this combination of settings");
  }

  void make_body(size_t i, const vs_piece &piece, const Settings &settings) {
    PxRigidDynamic *body = Library::get().physics->createRigidDynamic(PxTransform(PxIdentity));
    if (!body) throw std::runtime_error("PhysX failed to create a body");
    bodies[i] = body;
    body->setMass(px(piece.mass));
    body->setMassSpaceInertiaTensor(px(V3(piece.moments)));
    // Damping is computed in Rust from the World; PhysX's own is 0.05 1/s of the spin.
    body->setLinearDamping(0);
    body->setAngularDamping(0);
    body->setMaxLinearVelocity(px(LARGE));
    body->setMaxAngularVelocity(px(LARGE));
    double deep = settings.real("max_depenetration_m_s");
    body->setMaxDepenetrationVelocity(std::isinf(deep) ? 1e32f : px(deep));
    body->setContactSlopCoefficient(px(settings.real("contact_slop")));
    // A threshold of zero: nothing falls asleep.
    body->setSleepThreshold(0);
    body->setStabilizationThreshold(px(settings.real("stabilization_energy")));
    body->setSolverIterationCounts(PxU32(iters), PxU32(settings.integer("velocity_iters")));
    body->setRigidBodyFlag(PxRigidBodyFlag::eENABLE_GYROSCOPIC_FORCES, settings.is("gyroscopic", "on"));
    body->setRigidBodyFlag(PxRigidBodyFlag::eENABLE_SPECULATIVE_CCD, settings.is("ccd", "speculative"));
    body->setRigidBodyFlag(PxRigidBodyFlag::eENABLE_CCD, settings.is("ccd", "swept"));
    body->setActorFlag(PxActorFlag::eDISABLE_GRAVITY, made[i].scaled);
  }

  void place_shapes(const vs_scene &world) {
    for (size_t i = 0; i < world.shape_count; i++) {
      int piece = world.shapes[i].piece;
      rubs |= world.shapes[i].friction[0] > 0;
      if (piece) {
        touching.give(*bodies[piece], i);
        continue;
      }
      ground.push_back(Library::get().physics->createRigidStatic(PxTransform(PxIdentity)));
      if (!ground.back()) throw std::runtime_error("PhysX failed to create the ground");
      touching.give(*ground.back(), i);
    }
  }
};

}  // namespace

extern "C" const vs_api *vs_shim(void) { return table<Px>(); }
