// Shapes, collision filters, and combined surfaces.
//
// Bullet stores friction and restitution per object and multiplies them; here they belong to shapes and the rule is the
// world's. Both are set where Bullet creates a contact point. The hooks are global to the process: a world registers
// itself before each of its steps.
#pragma once
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btCompoundCollisionAlgorithm.h>
#include <BulletCollision/CollisionDispatch/btCompoundCompoundCollisionAlgorithm.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>

#include <memory>

#include "coordinates.hpp"

class Touching : public btOverlapFilterCallback {
  std::vector<vs_shape> surfaces;
  std::vector<std::unique_ptr<btCollisionShape>> owned;
  std::vector<std::unique_ptr<btStridingMeshInterface>> meshes;
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<int>> indices;
  std::vector<std::unique_ptr<btCollisionObject>> ground;
  // Of objects, by their second user index; the first is for objects without shapes.
  std::vector<std::vector<int>> shapes_of{{}};
  std::vector<uint8_t> touch;
  int32_t friction_rule = VS_MIN, restitution_rule = VS_MAX;
  double margin, breaking, ahead, bounce_erp;
  static inline Touching *acting = nullptr;

 public:
  explicit Touching(const vs::Settings &settings)
      : margin(settings.real("margin_m")),
        breaking(settings.real("breaking_m")),
        ahead(bounded(settings.real("lookahead_m"))),
        bounce_erp(settings.real("bounce_erp")) {}

  // Makes every shape; refuses unsupported ones.
  void make(const vs_scene &scene, vs::Refusals &refusals) {
    size_t n = scene.shape_count;
    friction_rule = scene.friction_rule, restitution_rule = scene.restitution_rule;
    touch.assign(scene.touch, scene.touch + n * n);
    for (size_t i = 0; i < n; i++) {
      const vs_shape &shape = scene.shapes[i];
      surfaces.push_back(shape);
      vs::SurfaceAbilities can;
      can.torsional = can.rolling = true;
      vs::check_surface(shape, refusals, can);
      owned.push_back(shape_of(shape, refusals));
      if (owned.back()) owned.back()->setUserIndex(int(i));
    }
  }

  // Gives each piece its shapes and each shape of the ground a separate object.
  void place(const vs_scene &scene, const std::vector<Made> &made, Coordinates &coordinates) {
    for (size_t i = 0; i < surfaces.size(); i++) {
      if (surfaces[i].piece != 0) continue;
      auto object = std::make_unique<btCollisionObject>();
      object->setCollisionShape(owned[i].get());
      object->setWorldTransform(bt(shape_pose(scene, i, vs::Pose())));
      object->setCollisionFlags(btCollisionObject::CF_STATIC_OBJECT);
      add(coordinates, object.get(), {int(i)}, 0);
      ground.push_back(std::move(object));
    }
    for (size_t p = 1; p < scene.piece_count; p++) {
      std::vector<int> own;
      for (size_t i = 0; i < surfaces.size(); i++)
        if (surfaces[i].piece == int(p)) own.push_back(int(i));
      if (own.empty()) continue;
      auto compound = std::make_unique<btCompoundShape>();
      for (int i : own) compound->addChildShape(bt(shape_pose(scene, i, made[p].piece_from_body)), owned[i].get());
      btCollisionObject *object = coordinates.object(int(p), compound.get());
      add(coordinates, object, own, int(p));
      owned.push_back(std::move(compound));
    }
  }

  bool needBroadphaseCollision(btBroadphaseProxy *a, btBroadphaseProxy *b) const override {
    auto x = static_cast<btCollisionObject *>(a->m_clientObject), y = static_cast<btCollisionObject *>(b->m_clientObject);
    for (int i : shapes_of[x->getUserIndex2()])
      for (int j : shapes_of[y->getUserIndex2()])
        if (touch[i * surfaces.size() + j]) return true;
    return false;
  }

  // Called before each step: sets the hooks to this world.
  void act() {
    acting = this;
    gContactBreakingThreshold = breaking;
    gContactAddedCallback = added;
    gCompoundChildShapePairCallback = pair;
    gCompoundCompoundChildShapePairCallback = pair;
  }

  // Points of the last step that overlapped or pushed.
  void contacts(btDispatcher &dispatcher, std::vector<vs_contact> &out) const {
    out.clear();
    for (int m = 0; m < dispatcher.getNumManifolds(); m++) {
      const btPersistentManifold *manifold = dispatcher.getManifoldByIndexInternal(m);
      for (int k = 0; k < manifold->getNumContacts(); k++) {
        const btManifoldPoint &p = manifold->getContactPoint(k);
        // A point that did not act still has the impulse of an earlier step.
        if (p.getDistance() > ahead || (p.getDistance() > 0 && p.m_appliedImpulse == 0)) continue;
        size_t both = reinterpret_cast<size_t>(p.m_userPersistentData) - 1;
        vs_contact c;
        c.a = int(both / surfaces.size()), c.b = int(both % surfaces.size());
        // The first of a point is the first of its manifold.
        if (surfaces[c.a].piece != manifold->getBody0()->getUserIndex()) std::swap(c.a, c.b);
        (0.5 * (ours(p.m_positionWorldOnA) + ours(p.m_positionWorldOnB))).put(c.point);
        ours(p.m_normalWorldOnB).put(c.normal);
        c.gap = p.getDistance();
        btVector3 j = p.m_appliedImpulse * p.m_normalWorldOnB + p.m_appliedImpulseLateral1 * p.m_lateralFrictionDir1 +
                      p.m_appliedImpulseLateral2 * p.m_lateralFrictionDir2;
        ours(j).put(c.impulse);
        out.push_back(c);
      }
    }
  }

 private:
  void add(Coordinates &coordinates, btCollisionObject *object, const std::vector<int> &shapes, int piece) {
    object->setUserIndex(piece);
    object->setContactProcessingThreshold(ahead);
    object->setUserIndex2(int(shapes_of.size()));
    object->setCollisionFlags(object->getCollisionFlags() | btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK);
    shapes_of.push_back(shapes);
    if (piece == 0) coordinates.world().addCollisionObject(object);
  }

  // Pose of Bullet's shape in its body. Its height fields are centred between lowest and highest.
  vs::Pose shape_pose(const vs_scene &scene, size_t i, const vs::Pose &piece_from_body) const {
    const vs_shape &s = scene.shapes[i];
    vs::Pose pose = piece_from_body.inverse() * vs::Pose(s.piece_from_shape);
    if (s.kind == VS_HEIGHTFIELD) {
      auto [low, high] = range(s);
      pose = pose * vs::Pose({0, 0, 0.5 * (low + high)}, vs::Q());
    }
    return pose;
  }

  static std::pair<double, double> range(const vs_shape &s) {
    double low = s.heights[0], high = low;
    for (int i = 0; i < s.columns * s.rows; i++) low = std::fmin(low, s.heights[i]), high = std::fmax(high, s.heights[i]);
    return {low, high};
  }

  static bool pair(const btCollisionShape *a, const btCollisionShape *b) {
    int i = a->getUserIndex(), j = b->getUserIndex();
    return i < 0 || j < 0 || acting->touch[i * acting->surfaces.size() + j];
  }

  // A triangle of a mesh is a temporary shape: its parent is the mesh.
  static size_t shape_at(const btCollisionObjectWrapper *w) {
    for (; w; w = w->m_parent)
      if (w->getCollisionShape()->getUserIndex() >= 0) return size_t(w->getCollisionShape()->getUserIndex());
    throw std::runtime_error("Bullet reported a contact between unknown shapes");
  }

  static bool added(btManifoldPoint &p, const btCollisionObjectWrapper *wa, int, int, const btCollisionObjectWrapper *wb, int,
                    int) {
    size_t i = shape_at(wa), j = shape_at(wb);
    const vs_shape &a = acting->surfaces[i], &b = acting->surfaces[j];
    p.m_combinedFriction = vs::combine(acting->friction_rule, a.friction[0], b.friction[0]);
    p.m_combinedRestitution = vs::combine(acting->restitution_rule, a.restitution, b.restitution);
    p.m_combinedRollingFriction = vs::combine(acting->friction_rule, a.rolling, b.rolling);
    p.m_combinedSpinningFriction = vs::combine(acting->friction_rule, a.torsional, b.torsional);
    // In maximal coordinates Bullet uses spinning friction only if there is rolling friction: a negligible length.
    if (p.m_combinedSpinningFriction > 0 && p.m_combinedRollingFriction == 0) p.m_combinedRollingFriction = 1e-100;
    if (p.m_combinedRestitution > 0) {
      p.m_contactPointFlags |= BT_CONTACT_FLAG_HAS_CONTACT_ERP;
      p.m_contactERP = acting->bounce_erp;
    }
    p.m_userPersistentData = reinterpret_cast<void *>(i * acting->surfaces.size() + j + 1);
    return true;
  }

  // Bullet's margin lies inside boxes and cylinders, whose edges it rounds, and outside hulls and meshes, which would
  // grow.
  double inner(double least_half_size) const { return std::fmin(margin, 0.1 * least_half_size); }

  std::unique_ptr<btCollisionShape> shape_of(const vs_shape &s, vs::Refusals &refusals) {
    std::string name = std::string("the ") + vs::shape_name(s.kind) + " '" + s.name + "'";
    bool fixed = s.piece == 0;
    switch (s.kind) {
      case VS_SPHERE: return std::make_unique<btSphereShape>(s.size[0]);
      case VS_BOX: {
        btVector3 half(0.5 * s.size[0], 0.5 * s.size[1], 0.5 * s.size[2]);
        auto box = std::make_unique<btBoxShape>(half);
        box->setMargin(inner(half[half.minAxis()]));
        return box;
      }
      case VS_CAPSULE: return std::make_unique<btCapsuleShapeZ>(s.size[0], s.size[1]);
      case VS_CYLINDER: {
        btVector3 half(s.size[0], s.size[0], 0.5 * s.size[1]);
        auto cylinder = std::make_unique<btCylinderShapeZ>(half);
        cylinder->setMargin(inner(half[half.minAxis()]));
        return cylinder;
      }
      case VS_PLANE:
        if (!fixed) break;
        return std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0);
      case VS_CONVEX: {
        auto hull = std::make_unique<btConvexHullShape>();
        for (size_t i = 0; i < s.point_count; i++) hull->addPoint(bt(vs::V3(s.points + 3 * i)), false);
        hull->recalcLocalAabb();
        hull->setMargin(0);
        return hull;
      }
      case VS_MESH: {
        if (!fixed) break;
        numbers.emplace_back(s.points, s.points + 3 * s.point_count);
        indices.emplace_back(s.triangles, s.triangles + 3 * s.triangle_count);
        meshes.push_back(std::make_unique<btTriangleIndexVertexArray>(int(s.triangle_count), indices.back().data(),
                                                                      3 * int(sizeof(int)), int(s.point_count),
                                                                      numbers.back().data(), 3 * int(sizeof(double))));
        auto mesh = std::make_unique<btBvhTriangleMeshShape>(meshes.back().get(), false);
        mesh->setMargin(0);
        return mesh;
      }
      case VS_HEIGHTFIELD: {
        if (!fixed) break;
        numbers.emplace_back(s.heights, s.heights + size_t(s.columns) * s.rows);
        auto [low, high] = range(s);
        auto field = std::make_unique<btHeightfieldTerrainShape>(s.columns, s.rows, numbers.back().data(), low, high, 2, false);
        field->setLocalScaling(btVector3(s.size[0] / (s.columns - 1), s.size[1] / (s.rows - 1), 1));
        field->setMargin(0);
        return field;
      }
      default:
        refusals.add(name + " that collides", "use a sphere, box, capsule, cylinder or convex mesh");
        return nullptr;
    }
    refusals.add(name + " on a body that moves", "Bullet supports these on the ground only: use convex meshes or boxes");
    return nullptr;
  }
};
