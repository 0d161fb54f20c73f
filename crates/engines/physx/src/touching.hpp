// Shapes, their surfaces, collision filters, and contact points.
#pragma once
#include <memory>

#include "library.hpp"

class Touching : public physx::PxSimulationEventCallback {
  // Data of the filter: PhysX copies it and passes it to a plain function.
  struct Filter {
    const uint8_t *touch;
    size_t count;
    bool swept;
  };
  std::vector<uint8_t> touch;
  size_t count = 0;
  bool swept;
  physx::PxCombineMode::Enum friction_rule = physx::PxCombineMode::eMIN, restitution_rule = physx::PxCombineMode::eMAX;
  double contact_offset, rest_offset;
  physx::PxMaterialFlags surface_flags;
  std::vector<physx::PxShape *> shapes;
  std::vector<physx::PxBase *> owned;  // materials and meshes
  std::vector<physx::PxContactPairPoint> points;

 public:
  std::vector<vs_contact> touched;

  explicit Touching(const vs::Settings &settings)
      : swept(settings.is("ccd", "swept")),
        contact_offset(settings.real("contact_offset_m")),
        rest_offset(settings.real("rest_offset_m")) {
    if (contact_offset <= rest_offset || contact_offset <= 0)
      throw std::runtime_error("contact_offset_m must be above rest_offset_m and above zero");
    if (settings.is("strong_friction", "off")) surface_flags |= physx::PxMaterialFlag::eDISABLE_STRONG_FRICTION;
    if (settings.is("improved_patch", "on")) surface_flags |= physx::PxMaterialFlag::eIMPROVED_PATCH_FRICTION;
  }
  ~Touching() {
    for (physx::PxShape *shape : shapes)
      if (shape) shape->release();
    for (physx::PxBase *thing : owned) thing->release();
  }
  Touching(const Touching &) = delete;

  // Makes every shape, in the frame of its body; refuses unsupported ones.
  void make(const vs_scene &scene, const std::vector<Made> &made, vs::Refusals &refusals) {
    count = scene.shape_count;
    touch.assign(scene.touch, scene.touch + count * count);
    friction_rule = mode(scene, scene.friction_rule, "friction", [](const vs_shape &s) { return s.friction[0]; }, refusals);
    restitution_rule = mode(scene, scene.restitution_rule, "restitution", [](const vs_shape &s) { return s.restitution; }, refusals);
    for (size_t i = 0; i < count; i++) {
      const vs_shape &s = scene.shapes[i];
      vs::check_surface(s, refusals, {});
      if (s.restitution > 1)
        refusals.add(std::string("restitution above one of the surface of '") + s.name + "'", "give it one at most");
      std::unique_ptr<physx::PxGeometry> geometry = geometry_of(s, refusals);
      shapes.push_back(nullptr);
      if (!geometry) continue;
      physx::PxMaterial *surface = surface_of(s);
      using physx::PxShapeFlag;
      shapes[i] = Library::get().physics->createShape(*geometry, *surface, true, PxShapeFlag::eSIMULATION_SHAPE);
      if (!shapes[i]) throw std::runtime_error(std::string("PhysX failed to create the shape '") + s.name + "'");
      vs::Pose pose = made[s.piece].piece_from_body.inverse() * vs::Pose(s.piece_from_shape);
      // Its capsules lie along x, the normals of its planes are x.
      if (s.kind == VS_CAPSULE || s.kind == VS_PLANE) pose = pose * vs::Pose({}, vs::between({1, 0, 0}, {0, 0, 1}));
      shapes[i]->setLocalPose(px(pose));
      shapes[i]->setContactOffset(px(contact_offset));
      shapes[i]->setRestOffset(px(rest_offset));
      shapes[i]->setSimulationFilterData(physx::PxFilterData(physx::PxU32(i), 0, 0, 0));
      shapes[i]->userData = reinterpret_cast<void *>(i);
    }
  }

  void give(physx::PxRigidActor &actor, size_t shape) {
    if (!actor.attachShape(*shapes[shape])) throw std::runtime_error("PhysX failed to attach a shape");
  }

  void configure(physx::PxSceneDesc &desc) {
    static_assert(sizeof(Filter) < 256, "PhysX copies it at every filtering");
    filter = {touch.data(), count, swept};
    desc.filterShader = may_touch;
    desc.filterShaderData = &filter;
    desc.filterShaderDataSize = sizeof filter;
    desc.simulationEventCallback = this;
  }

  // Points of the last step that overlapped or pushed. PhysX reports the impulse along the normal and not that of
  // friction.
  void onContact(const physx::PxContactPairHeader &, const physx::PxContactPair *pairs, physx::PxU32 pair_count) override {
    for (physx::PxU32 p = 0; p < pair_count; p++) {
      const physx::PxContactPair &pair = pairs[p];
      if (points.size() < pair.contactCount) points.resize(pair.contactCount);
      physx::PxU32 found = pair.extractContacts(points.data(), physx::PxU32(points.size()));
      for (physx::PxU32 k = 0; k < found; k++) {
        const physx::PxContactPairPoint &point = points[k];
        if (point.separation > 0 && point.impulse.isZero()) continue;
        vs_contact c;
        c.a = int(reinterpret_cast<size_t>(pair.shapes[0]->userData));
        c.b = int(reinterpret_cast<size_t>(pair.shapes[1]->userData));
        ours(point.position).put(c.point);
        ours(point.normal).put(c.normal);
        c.gap = point.separation;
        ours(point.impulse).put(c.impulse);
        touched.push_back(c);
      }
    }
  }
  void onConstraintBreak(physx::PxConstraintInfo *, physx::PxU32) override {}
  void onWake(physx::PxActor **, physx::PxU32) override {}
  void onSleep(physx::PxActor **, physx::PxU32) override {}
  void onTrigger(physx::PxTriggerPair *, physx::PxU32) override {}
  void onAdvance(const physx::PxRigidBody *const *, const PxTransform *, const physx::PxU32) override {}

 private:
  Filter filter{};

  // PhysX has four of the rules. The geometric mean of equal numbers is that number; of different ones it is refused.
  template <typename Of>
  static physx::PxCombineMode::Enum mode(const vs_scene &scene, int32_t rule, const char *what, Of of, vs::Refusals &refusals) {
    using physx::PxCombineMode;
    switch (rule) {
      case VS_AVERAGE: return PxCombineMode::eAVERAGE;
      case VS_MIN: return PxCombineMode::eMIN;
      case VS_MULTIPLY: return PxCombineMode::eMULTIPLY;
      case VS_MAX: return PxCombineMode::eMAX;
    }
    for (size_t a = 0; a < scene.shape_count; a++)
      for (size_t b = 0; b < a; b++) {
        const vs_shape &x = scene.shapes[a], &y = scene.shapes[b];
        if (!scene.touch[a * scene.shape_count + b] || of(x) == of(y)) continue;
        refusals.add(std::string("the geometric mean of the ") + what + " of different surfaces, as '" + y.name + "' and '" + x.name + "'",
                     "PhysX combines by average, min, multiply or max: use one of these, or give both surfaces the same coefficient");
        return PxCombineMode::eMIN;
      }
    return PxCombineMode::eMIN;
  }

  static physx::PxFilterFlags may_touch(physx::PxFilterObjectAttributes, physx::PxFilterData a, physx::PxFilterObjectAttributes,
                                        physx::PxFilterData b, physx::PxPairFlags &flags, const void *block, physx::PxU32) {
    using physx::PxPairFlag;
    const Filter &filter = *static_cast<const Filter *>(block);
    if (!filter.touch[a.word0 * filter.count + b.word0]) return physx::PxFilterFlag::eKILL;
    flags = PxPairFlag::eCONTACT_DEFAULT | PxPairFlag::eNOTIFY_TOUCH_FOUND | PxPairFlag::eNOTIFY_TOUCH_PERSISTS |
            PxPairFlag::eNOTIFY_CONTACT_POINTS;
    if (filter.swept) flags |= PxPairFlag::eDETECT_CCD_CONTACT;
    return physx::PxFilterFlag::eDEFAULT;
  }

  physx::PxMaterial *surface_of(const vs_shape &s) {
    PxReal friction = px(s.friction[0]);
    physx::PxMaterial *m = Library::get().physics->createMaterial(friction, friction, px(std::fmin(s.restitution, 1)));
    if (!m) throw std::runtime_error("PhysX failed to create a material");
    m->setFrictionCombineMode(friction_rule);
    m->setRestitutionCombineMode(restitution_rule);
    m->setFlags(surface_flags);
    owned.push_back(m);
    return m;
  }

  std::unique_ptr<physx::PxGeometry> geometry_of(const vs_shape &s, vs::Refusals &refusals) {
    std::string name = std::string("the ") + vs::shape_name(s.kind) + " '" + s.name + "'";
    bool fixed = s.piece == 0;
    switch (s.kind) {
      case VS_SPHERE: return std::make_unique<physx::PxSphereGeometry>(px(s.size[0]));
      case VS_BOX: return std::make_unique<physx::PxBoxGeometry>(px(0.5 * s.size[0]), px(0.5 * s.size[1]), px(0.5 * s.size[2]));
      case VS_CAPSULE: return std::make_unique<physx::PxCapsuleGeometry>(px(s.size[0]), px(0.5 * s.size[1]));
      case VS_PLANE:
        if (!fixed) break;
        return std::make_unique<physx::PxPlaneGeometry>();
      case VS_CONVEX: return convex(s, name, refusals);
      case VS_MESH:
        if (!fixed) break;
        return mesh(s);
      case VS_HEIGHTFIELD:
        refusals.add(name, "PhysX rounds heights to sixteen bits: make it a mesh on the ground");
        return nullptr;
      default:
        refusals.add(name + " that collides", "PhysX supports spheres, boxes, capsules and convex meshes; on the ground also planes and meshes");
        return nullptr;
    }
    refusals.add(name + " on a body that moves", "PhysX supports these on the ground only: use convex meshes or boxes");
    return nullptr;
  }

  static std::vector<PxVec3> points_of(const vs_shape &s) {
    std::vector<PxVec3> all;
    for (size_t i = 0; i < s.point_count; i++) all.push_back(px(vs::V3(s.points + 3 * i)));
    return all;
  }

  std::unique_ptr<physx::PxGeometry> convex(const vs_shape &s, const std::string &name, vs::Refusals &refusals) {
    std::vector<PxVec3> given = points_of(s);
    physx::PxCookingParams how{physx::PxTolerancesScale()};
    // The default drops points nearer than 0.7 mm to the hull of the others.
    how.planeTolerance = 0;
    physx::PxConvexMeshDesc desc;
    desc.points.data = given.data();
    desc.points.stride = sizeof(PxVec3);
    desc.points.count = physx::PxU32(given.size());
    desc.flags = physx::PxConvexFlag::eCOMPUTE_CONVEX;
    physx::PxConvexMesh *hull = PxCreateConvexMesh(how, desc, Library::get().physics->getPhysicsInsertionCallback());
    Library::get().messages.forget();
    if (hull) owned.push_back(hull);
    // With more than 255 corners or faces PhysX builds a coarser hull, detected by a point outside it.
    if (!hull || beyond(*hull, given) > 1e-6) {
      refusals.add(name, "PhysX cannot build its exact hull: use at most 255 corners and 255 faces");
      return nullptr;
    }
    return std::make_unique<physx::PxConvexMeshGeometry>(hull);
  }

  // Distance of the farthest point outside a hull, as a fraction of the hull's size.
  static double beyond(const physx::PxConvexMesh &hull, const std::vector<PxVec3> &points) {
    double most = 0, size = hull.getLocalBounds().getDimensions().magnitude();
    for (physx::PxU32 i = 0; i < hull.getNbPolygons(); i++) {
      physx::PxHullPolygon face;
      if (!hull.getPolygonData(i, face)) return INFINITY;
      for (const PxVec3 &p : points) {
        double out = double(face.mPlane[0]) * p.x + double(face.mPlane[1]) * p.y + double(face.mPlane[2]) * p.z + face.mPlane[3];
        most = std::fmax(most, out);
      }
    }
    return most / size;
  }

  std::unique_ptr<physx::PxGeometry> mesh(const vs_shape &s) {
    std::vector<PxVec3> given = points_of(s);
    physx::PxTriangleMeshDesc desc;
    desc.points.data = given.data();
    desc.points.stride = sizeof(PxVec3);
    desc.points.count = physx::PxU32(given.size());
    desc.triangles.data = s.triangles;
    desc.triangles.stride = 3 * sizeof(uint32_t);
    desc.triangles.count = physx::PxU32(s.triangle_count);
    physx::PxCookingParams how{physx::PxTolerancesScale()};
    physx::PxTriangleMesh *made = PxCreateTriangleMesh(how, desc, Library::get().physics->getPhysicsInsertionCallback());
    if (!made) throw std::runtime_error(std::string("PhysX failed to create the mesh '") + s.name + "'");
    owned.push_back(made);
    return std::make_unique<physx::PxTriangleMeshGeometry>(made);
  }
};
