// Featherstone's multibodies: joint coordinates. A tree whose root is a free joint has that body as its base; any other
// has the ground as its base.
#pragma once
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointLimitConstraint.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointMotor.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>

#include <memory>

#include "coordinates.hpp"

class Multibody : public Coordinates {
  struct Joint {
    int kind, q, v, nv, child, tree, link;  // link -1: the base
    vs::Pose world_from_joint;              // of a base: frame of its joint
    vs::Pose body_from_joint;               // in the child's Bullet body
  };
  std::vector<Made> made;
  std::unique_ptr<btMultiBodyDynamicsWorld> held;
  std::vector<std::unique_ptr<btMultiBody>> trees;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders;
  std::vector<std::unique_ptr<btMultiBodyConstraint>> constraints;
  std::vector<Joint> joints;
  btEmptyShape none;
  std::vector<std::pair<int, int>> at;  // tree and link of a piece
  std::vector<int> weighed;             // pieces whose gravity is scaled
  btAlignedObjectArray<btQuaternion> turns;
  btAlignedObjectArray<btVector3> origins;
  Numbers numbers;

 public:
  Multibody(const vs_scene &scene, std::unique_ptr<btMultiBodyDynamicsWorld> world, const Numbers &numbers)
      : made(made_of(scene)), held(std::move(world)), at(scene.piece_count, {-1, -1}), numbers(numbers) {
    std::vector<int> links;  // of the trees
    for (size_t i = 0; i < scene.joint_count; i++) {
      const vs_joint &j = scene.joints[i];
      int tree = j.parent ? at[j.parent].first : int(links.size());
      if (!j.parent) links.push_back(0);
      at[j.child] = {tree, j.kind == VS_FREE ? -1 : links[tree]++};
    }
    trees.resize(links.size());
    for (size_t i = 0; i < scene.joint_count; i++) add_joint(scene.joints[i], links);
    for (auto &tree : trees) {
      tree->finalizeMultiDof();
      tree->setLinearDamping(0);
      tree->setAngularDamping(0);
      tree->setMaxCoordinateVelocity(LARGE);
      tree->setMaxAppliedImpulse(LARGE);
      tree->setUseGyroTerm(true);
      tree->setHasSelfCollision(true);
      tree->setCanSleep(false);
    }
    for (size_t i = 1; i < made.size(); i++)
      if (norm(made[i].extra) != 0) weighed.push_back(int(i));
    for (const Joint &j : joints) {
      const vs_dof &d = scene.dofs[j.v];
      bool one = j.kind == VS_REVOLUTE || j.kind == VS_PRISMATIC;
      if (one && has_limits(d))
        hold(new btMultiBodyJointLimitConstraint(trees[j.tree].get(), j.link, bounded(d.lower), bounded(d.upper)), LARGE);
      if ((one || j.kind == VS_CONTINUOUS) && d.friction > 0) {
        double most = d.friction * numbers.step;
        hold(new btMultiBodyJointMotor(trees[j.tree].get(), j.link, 0, most), most);
      }
    }
  }

  ~Multibody() override {
    for (auto &c : constraints) held->removeMultiBodyConstraint(c.get());
    for (auto &c : colliders) held->removeCollisionObject(c.get());
    for (auto &tree : trees) held->removeMultiBody(tree.get());
    held.reset();
  }

  static void check(const vs_scene &scene, vs::Refusals &refusals) {
    for (size_t i = 0; i < scene.joint_count; i++) {
      const vs_joint &j = scene.joints[i];
      std::string name = std::string(vs::kind_name(j.kind)) + " joint '" + j.name + "'";
      bool one = j.kind == VS_REVOLUTE || j.kind == VS_CONTINUOUS || j.kind == VS_PRISMATIC;
      if (j.kind == VS_SCREW || j.kind == VS_UNIVERSAL || j.kind == VS_PLANAR)
        refusals.add("the " + name, "Bullet's multibodies have hinges, sliders and balls: use several of them");
      if (j.kind == VS_FREE && j.parent)
        refusals.add("the " + name + " between two bodies", "attach the second body to the world");
      for (int k = 0; k < j.nv; k++)
        if (!one && (has_limits(scene.dofs[j.v + k]) || scene.dofs[j.v + k].friction != 0))
          refusals.add("limits or dry friction of the " + name, "they are supported along revolute and prismatic joints only");
      const vs_piece &p = scene.pieces[j.child];
      const double *m = p.moments;
      if (!(p.mass > 0) || (j.kind == VS_FREE && !(m[0] > 0 && m[1] > 0 && m[2] > 0)))
        refusals.add(std::string("'") + p.name + "', which has no mass, or is free and has no moment of inertia",
                     "give it some");
    }
  }

  btDiscreteDynamicsWorld &world() override { return *held; }

  btCollisionObject *object(int piece, btCollisionShape *shape) override {
    auto [tree, link] = at[piece];
    auto collider = std::make_unique<btMultiBodyLinkCollider>(trees[tree].get(), link);
    collider->setCollisionShape(shape);
    collider->setActivationState(DISABLE_DEACTIVATION);
    if (link < 0)
      trees[tree]->setBaseCollider(collider.get());
    else
      trees[tree]->getLink(link).m_collider = collider.get();
    colliders.push_back(std::move(collider));
    return colliders.back().get();
  }

  void finish() override {
    // A joint whose body has no collider would be in no island, and its limits and friction would be ignored.
    for (size_t i = 1; i < made.size(); i++) {
      auto [tree, link] = at[i];
      bool bare = link < 0 ? !trees[tree]->getBaseCollider() : !trees[tree]->getLink(link).m_collider;
      if (bare) object(int(i), &none)->setUserIndex2(0);
    }
    for (auto &tree : trees) held->addMultiBody(tree.get());
    for (auto &c : colliders) held->addCollisionObject(c.get());
    for (auto &c : constraints) held->addMultiBodyConstraint(c.get());
  }

  void set_state(const double *q, const double *v, const vs_motion *pieces) override {
    for (const Joint &j : joints) {
      btMultiBody &tree = *trees[j.tree];
      if (j.link < 0) {
        // The rotation by our own products, so that its sign is preserved.
        vs::Pose pose = j.world_from_joint * vs::Pose(vs::V3(q + j.q), vs::Q(q + j.q + 3)) * j.body_from_joint.inverse();
        tree.setBasePos(bt(pose.p));
        tree.setWorldToBaseRot(bt(pose.q.inverse()));
        tree.setBaseOmega(bt(vs::V3(pieces[j.child].angular)));
        tree.setBaseVel(bt(vs::V3(pieces[j.child].linear)));
      } else if (j.kind == VS_BALL) {
        vs::Q c = j.body_from_joint.q, turn = c * vs::Q(q + j.q) * c.inverse();
        vs::V3 spin = c * vs::V3(v + j.v);
        double p[4] = {turn.x, turn.y, turn.z, turn.w}, s[3] = {spin.x, spin.y, spin.z};
        tree.setJointPosMultiDof(j.link, p);
        tree.setJointVelMultiDof(j.link, s);
      } else {
        tree.setJointPos(j.link, q[j.q]);
        tree.setJointVel(j.link, v[j.v]);
      }
    }
    settle();
  }

  void push(const vs_inputs &inputs) override {
    for (int i : weighed) force(i, made[i].extra, {});
    if (inputs.any_wrench)
      for (size_t i = 1; i < made.size(); i++) force(int(i), vs::V3(inputs.wrenches + 6 * i), vs::V3(inputs.wrenches + 6 * i + 3));
    if (!inputs.any_effort) return;
    for (const Joint &j : joints) {
      const double *e = inputs.efforts + j.v;
      btMultiBody &tree = *trees[j.tree];
      if (j.link < 0) {
        vs::Q turn = ours(tree.getWorldToBaseRot()).inverse();
        vs::V3 push = j.world_from_joint.q * vs::V3(e + 3), arm = turn * j.body_from_joint.p;
        force(j.child, push, turn * (j.body_from_joint.q * vs::V3(e)) + cross(arm, push));
      } else if (j.kind == VS_BALL) {
        vs::V3 t = j.body_from_joint.q * vs::V3(e);
        double torque[3] = {t.x, t.y, t.z};
        tree.addJointTorqueMultiDof(j.link, torque);
      } else {
        tree.addJointTorque(j.link, e[0]);
      }
    }
  }

  void read(double *q, double *v, vs_motion *) override {
    for (const Joint &j : joints) {
      btMultiBody &tree = *trees[j.tree];
      if (j.link < 0) {
        vs::Pose body(ours(tree.getBasePos()), ours(tree.getWorldToBaseRot()).inverse());
        vs::Pose pose = j.world_from_joint.inverse() * body * j.body_from_joint;
        vs::V3 spin = ours(tree.getBaseOmega()), arm = body.q * j.body_from_joint.p;
        pose.p.put(q + j.q);
        put_turn(pose.q, q + j.q + 3);
        ((body.q * j.body_from_joint.q).inverse() * spin).put(v + j.v);
        (j.world_from_joint.q.inverse() * (ours(tree.getBaseVel()) + cross(spin, arm))).put(v + j.v + 3);
      } else if (j.kind == VS_BALL) {
        const double *p = tree.getJointPosMultiDof(j.link);
        vs::Q c = j.body_from_joint.q;
        put_turn(c.inverse() * vs::Q(p[3], p[0], p[1], p[2]) * c, q + j.q);
        (c.inverse() * vs::V3(tree.getJointVelMultiDof(j.link))).put(v + j.v);
      } else {
        q[j.q] = tree.getJointPos(j.link);
        v[j.v] = tree.getJointVel(j.link);
      }
    }
  }

  void save(vs::Writer &w) override {
    for (auto &tree : trees) {
      w.put(&tree->getBasePos()[0], 3);
      w.put(&tree->getWorldToBaseRot()[0], 4);
      w.put(tree->getVelocityVector(), 6 + tree->getNumDofs());
      for (int i = 0; i < tree->getNumLinks(); i++) w.put(tree->getJointPosMultiDof(i), tree->getLink(i).m_posVarCount);
    }
  }

  void restore(vs::Reader &r) override {
    for (auto &tree : trees) {
      double x[7], speeds[6];
      r.take(x, 7);
      r.take(speeds, 6);
      tree->setBasePos({x[0], x[1], x[2]});
      tree->setWorldToBaseRot({x[3], x[4], x[5], x[6]});
      tree->setBaseOmega({speeds[0], speeds[1], speeds[2]});
      tree->setBaseVel({speeds[3], speeds[4], speeds[5]});
      for (int i = 0; i < tree->getNumLinks(); i++) r.take(tree->getJointVelMultiDof(i), tree->getLink(i).m_dofCount);
      for (int i = 0; i < tree->getNumLinks(); i++) {
        double p[4];
        r.take(p, tree->getLink(i).m_posVarCount);
        tree->setJointPosMultiDof(i, p);
      }
    }
    settle();
  }

  // Bullet rotates a base or a ball joint by at most an eighth of a turn in a step.
  bool capped() override {
    for (const Joint &j : joints) {
      double spin = j.link < 0 ? norm(ours(trees[j.tree]->getBaseOmega()))
                    : j.kind == VS_BALL ? norm(vs::V3(trees[j.tree]->getJointVelMultiDof(j.link)))
                                        : 0;
      if (spin * numbers.step > 0.25 * M_PI) return true;
    }
    return false;
  }

 private:
  void hold(btMultiBodyConstraint *constraint, double most) {
    // The default is 100 N s.
    constraint->setMaxAppliedImpulse(most);
    constraint->finalizeMultiDof();
    constraints.emplace_back(constraint);
  }

  void force(int piece, vs::V3 push, vs::V3 torque) {
    auto [tree, link] = at[piece];
    if (link < 0) {
      trees[tree]->addBaseForce(bt(push));
      trees[tree]->addBaseTorque(bt(torque));
    } else {
      trees[tree]->addLinkForce(link, bt(push));
      trees[tree]->addLinkTorque(link, bt(torque));
    }
  }

  // Computes all poses from the coordinates and clears forces of the step before.
  void settle() {
    for (auto &tree : trees) {
      tree->clearForcesAndTorques();
      tree->clearConstraintForces();
      tree->forwardKinematics(turns, origins);
      tree->updateCollisionObjectWorldTransforms(turns, origins);
    }
  }

  void add_joint(const vs_joint &j, const std::vector<int> &links) {
    auto [tree, link] = at[j.child];
    const Made &child = made[j.child];
    vs::Pose from_child = child.piece_from_body.inverse() * vs::Pose(j.child_from_joint);
    vs::Pose from_parent = made[j.parent].piece_from_body.inverse() * vs::Pose(j.parent_from_joint);
    joints.push_back({j.kind, j.q, j.v, j.nv, j.child, tree, link, from_parent, from_child});
    if (!j.parent) {
      bool free = j.kind == VS_FREE;
      trees[tree] = std::make_unique<btMultiBody>(links[tree], free ? child.mass : 0, free ? child.moments : btVector3(0, 0, 0),
                                                  !free, false);
      if (free) return;
    }
    btMultiBody &body = *trees[tree];
    int parent = j.parent ? at[j.parent].second : -1;
    btQuaternion turn = bt(from_child.q * from_parent.q.inverse());
    btVector3 axis = bt(from_child.q * vs::V3(j.axis)), pivot = bt(from_parent.p), centre = bt(-1.0 * from_child.p);
    switch (j.kind) {
      case VS_REVOLUTE:
      case VS_CONTINUOUS:
        body.setupRevolute(link, child.mass, child.moments, parent, turn, axis, pivot, centre, false);
        break;
      case VS_PRISMATIC:
        body.setupPrismatic(link, child.mass, child.moments, parent, turn, axis, pivot, centre, false);
        break;
      case VS_BALL: body.setupSpherical(link, child.mass, child.moments, parent, turn, pivot, centre, false); break;
    }
  }
};
