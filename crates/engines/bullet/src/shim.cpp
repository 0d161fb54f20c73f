// Bullet behind veracity_shim.h: one world, with multibody or maximal coordinates.
#include "maximal.hpp"
#include "multibody.hpp"
#include "touching.hpp"

using namespace vs;

namespace {

class Bullet {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  std::unique_ptr<btBroadphaseInterface> broadphase;
  std::unique_ptr<btConstraintSolver> rows;
  Touching touching;
  std::unique_ptr<Coordinates> coordinates;
  std::vector<vs_contact> touched;
  double step_s;
  long iters;
  bool dropped, was_capped = false;

 public:
  static const char *version() {
    static const std::string text = "Bullet " + std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100) +
                                    " (" + library_of(reinterpret_cast<const void *>(btAlignedAllocInternal)) + ")";
    return text.c_str();
  }

  static vs_abilities abilities(const Settings &settings) {
    bool reduced = settings.is("coordinates", "multibody");
    uint64_t flags = VS_CONTACT | VS_LIMITS | VS_DRY_FRICTION | VS_RESTITUTION;
    // Contact points that are kept from step to step cannot be saved in a snapshot.
    return {flags | (reduced ? VS_REDUCED : VS_LOOPS), settings.is("contact_cache", "dropped") ? 0.0 : -1.0};
  }

  Bullet(const vs_scene &scene, const Settings &settings, Refusals &refusals)
      : touching(settings), step_s(scene.step), iters(settings.integer("iters")), dropped(settings.is("contact_cache", "dropped")) {
    bool reduced = settings.is("coordinates", "multibody");
    reduced ? Multibody::check(scene, refusals) : Maximal::check(scene, refusals);
    if (scene.contact) touching.make(scene, refusals);
    if (refusals.any) return;
    make_broadphase(scene, settings);
    Numbers numbers{scene.step, settings.real("erp")};
    if (reduced) {
      auto solver = std::make_unique<btMultiBodyConstraintSolver>();
      auto world = std::make_unique<btMultiBodyDynamicsWorld>(&dispatcher, broadphase.get(), solver.get(), &configuration);
      rows = std::move(solver);
      configure(*world, scene, settings);
      coordinates = std::make_unique<Multibody>(scene, std::move(world), numbers);
    } else {
      rows = std::make_unique<btSequentialImpulseConstraintSolver>();
      auto world = std::make_unique<btDiscreteDynamicsWorld>(&dispatcher, broadphase.get(), rows.get(), &configuration);
      configure(*world, scene, settings);
      coordinates = std::make_unique<Maximal>(scene, std::move(world), numbers, gyroscopic(settings));
    }
    if (scene.contact) touching.place(scene, made_of(scene), *coordinates);
    touching.act();
    coordinates->finish();
  }
  Bullet(const Bullet &) = delete;

  void set_state(double, const double *q, const double *v, const vs_motion *pieces) {
    coordinates->set_state(q, v, pieces);
    forget();
    was_capped = false;
  }

  void step(const vs_inputs &inputs) {
    touching.act();
    if (dropped) forget();
    coordinates->push(inputs);
    // No substeps: one step of exactly this length.
    coordinates->world().stepSimulation(step_s, 0);
    touching.contacts(dispatcher, touched);
    was_capped |= coordinates->capped();
  }

  void read(double *q, double *v, vs_motion *pieces) { coordinates->read(q, v, pieces); }

  size_t contacts(vs_contact *out, size_t room) {
    for (size_t i = 0; i < touched.size() && i < room; i++) out[i] = touched[i];
    return touched.size();
  }

  void solver(vs_solver &out) { out = {uint64_t(iters), 0, 0.0}; }
  double energy() { return std::nan(""); }

  std::vector<std::string> warnings() {
    if (!was_capped) return {};
    return {"a body spun by more than an eighth of a turn in a step, where Bullet turns it by an eighth; use a smaller step"};
  }

  void save(Writer &w) {
    w.put(was_capped);
    coordinates->save(w);
  }

  void restore(Reader &r) {
    was_capped = r.take<bool>();
    coordinates->restore(r);
    forget();
  }

 private:
  // Removes all contact points of earlier steps.
  void forget() {
    touched.clear();
    auto *cache = broadphase->getOverlappingPairCache();
    auto &objects = coordinates->world().getCollisionObjectArray();
    for (int i = 0; i < objects.size(); i++)
      if (auto *proxy = objects[i]->getBroadphaseHandle()) cache->cleanProxyFromPairs(proxy, &dispatcher);
  }

  void make_broadphase(const vs_scene &scene, const Settings &settings) {
    // A tree has memory: which pairs it reports beyond those that touch depends on the history.
    if (dropped)
      broadphase = std::make_unique<btSimpleBroadphase>(int(scene.piece_count + scene.shape_count) + 16);
    else
      broadphase = std::make_unique<btDbvtBroadphase>();
    broadphase->getOverlappingPairCache()->setOverlapFilterCallback(&touching);
    int points = int(settings.integer("perturbations"));
    configuration.setConvexConvexMultipointIterations(points, points);
    configuration.setPlaneConvexMultipointIterations(points, points);
  }

  static int gyroscopic(const Settings &settings) {
    std::string word = settings.text("gyroscopic");
    if (word == "explicit") return BT_ENABLE_GYROSCOPIC_FORCE_EXPLICIT;
    if (word == "implicit_world") return BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_WORLD;
    if (word == "off") return 0;
    return BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY;
  }

  void configure(btDiscreteDynamicsWorld &world, const vs_scene &scene, const Settings &settings) {
    world.setGravity({scene.gravity[0], scene.gravity[1], scene.gravity[2]});
    world.getDispatchInfo().m_deterministicOverlappingPairs = true;
    btContactSolverInfo &info = world.getSolverInfo();
    info.m_numIterations = int(iters);
    info.m_erp = settings.real("erp");
    info.m_erp2 = settings.real("contact_erp");
    info.m_globalCfm = settings.real("cfm");
    info.m_sor = settings.real("sor");
    info.m_linearSlop = settings.real("slop_m");
    info.m_splitImpulse = settings.is("split_impulse", "on");
    info.m_splitImpulsePenetrationThreshold = -settings.real("split_threshold_m");
    info.m_warmstartingFactor = settings.real("warm_start");
    info.m_restitutionVelocityThreshold = settings.real("bounce_speed_m_s");
    info.m_maxGyroscopicForce = LARGE;
    // Impulses of contacts are reported only with warm starts on; a factor of zero disables them.
    info.m_solverMode = SOLVER_USE_WARMSTARTING | SOLVER_SIMD;
    if (settings.is("friction_directions", "two")) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
  }
};

}  // namespace

extern "C" const vs_api *vs_shim(void) { return table<Bullet>(); }
