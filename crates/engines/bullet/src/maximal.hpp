// Bodies with six degrees of freedom each, joints as constraints between them.
#pragma once
#include <memory>

#include "coordinates.hpp"

class Maximal : public Coordinates {
  std::vector<Made> made;
  std::unique_ptr<btDiscreteDynamicsWorld> held;
  btRigidBody ground{btRigidBody::btRigidBodyConstructionInfo(0, nullptr, nullptr)};
  btEmptyShape none;
  std::vector<std::unique_ptr<btRigidBody>> bodies;  // none for the ground
  std::vector<std::unique_ptr<btTypedConstraint>> joints;
  std::vector<bool> added;
  Numbers numbers;
  int gyroscopic;

 public:
  Maximal(const vs_scene &scene, std::unique_ptr<btDiscreteDynamicsWorld> world, const Numbers &numbers, int gyroscopic)
      : made(made_of(scene)), held(std::move(world)), numbers(numbers), gyroscopic(gyroscopic) {
    bodies.resize(scene.piece_count);
    added.resize(scene.piece_count);
    for (size_t i = 1; i < scene.piece_count; i++) {
      btRigidBody::btRigidBodyConstructionInfo info(made[i].mass, nullptr, &none, made[i].moments);
      bodies[i] = std::make_unique<btRigidBody>(info);
      btRigidBody &body = *bodies[i];
      body.setActivationState(DISABLE_DEACTIVATION);
      body.setSleepingThresholds(0, 0);
      body.setDamping(0, 0);
      body.setUserIndex2(0);
      body.setFlags(gyroscopic);
    }
    for (size_t i = 0; i < scene.joint_count; i++) make_joint(scene, scene.joints[i]);
    for (size_t i = 0; i < scene.loop_count; i++) make_loop(scene.loops[i]);
  }

  ~Maximal() override {
    for (auto &joint : joints) held->removeConstraint(joint.get());
    for (size_t i = 1; i < bodies.size(); i++)
      if (added[i]) held->removeRigidBody(bodies[i].get());
    held.reset();
  }

  static void check(const vs_scene &scene, vs::Refusals &refusals) {
    for (size_t i = 1; i < scene.piece_count; i++) {
      const vs_piece &p = scene.pieces[i];
      const double *m = p.moments;
      if (!(p.mass > 0) || !(m[0] > 0 && m[1] > 0 && m[2] > 0))
        refusals.add(std::string("'") + p.name + "', which has no mass or no moment of inertia about some axis",
                     "give it some: Bullet treats zero as infinite");
    }
    for (size_t i = 0; i < scene.joint_count; i++) {
      const vs_joint &j = scene.joints[i];
      std::string name = std::string(vs::kind_name(j.kind)) + " joint '" + j.name + "'";
      bool turns = j.kind == VS_REVOLUTE || j.kind == VS_CONTINUOUS, one = turns || j.kind == VS_PRISMATIC;
      if (j.kind == VS_SCREW || j.kind == VS_UNIVERSAL)
        refusals.add("the " + name, "use two revolute joints for a universal joint; Bullet has no screw joints");
      for (int k = 0; k < j.nv; k++) {
        const vs_dof &d = scene.dofs[j.v + k];
        if (!one && (has_limits(d) || d.friction != 0))
          refusals.add("limits or dry friction of the " + name, "they are supported along revolute and prismatic joints only");
        if (j.kind == VS_REVOLUTE && has_limits(d) && !(d.lower >= -M_PI && d.upper <= M_PI))
          refusals.add("the limits of the " + name + " beyond half a turn, or one alone",
                       "Bullet's hinges do not count turns: give both within half a turn of zero, or use coordinates=multibody");
      }
    }
    for (size_t i = 0; i < scene.loop_count; i++) {
      const vs_loop &l = scene.loops[i];
      if (l.kind == VS_LOOP_DISTANCE || l.kind == VS_LOOP_UNIVERSAL)
        refusals.add(std::string("the ") + vs::loop_name(l.kind) + " joint '" + l.name + "' that closes a loop",
                     "close it with a ball joint, or use another engine");
    }
  }

  btDiscreteDynamicsWorld &world() override { return *held; }

  btCollisionObject *object(int piece, btCollisionShape *shape) override {
    bodies[piece]->setCollisionShape(shape);
    return bodies[piece].get();
  }

  void finish() override {
    for (size_t i = 1; i < bodies.size(); i++) {
      held->addRigidBody(bodies[i].get());
      added[i] = true;
      vs::V3 g = ours(held->getGravity()) + (1 / made[i].mass) * made[i].extra;
      bodies[i]->setGravity(bt(g));
      // The world would set its gravity again with the next body.
      bodies[i]->setFlags(gyroscopic | BT_DISABLE_WORLD_GRAVITY);
    }
    // The table decides which shapes may touch.
    for (auto &joint : joints) held->addConstraint(joint.get(), false);
  }

  void set_state(const double *, const double *, const vs_motion *pieces) override {
    for (size_t i = 1; i < bodies.size(); i++) {
      btTransform at = bt(vs::Pose(pieces[i].pose) * made[i].piece_from_body);
      put(*bodies[i], at, bt(vs::V3(pieces[i].linear)), bt(vs::V3(pieces[i].angular)));
    }
  }

  void push(const vs_inputs &inputs) override {
    if (!inputs.any_wrench) return;
    for (size_t i = 1; i < bodies.size(); i++) {
      const double *w = inputs.wrenches + 6 * i;
      bodies[i]->applyCentralForce({w[0], w[1], w[2]});
      bodies[i]->applyTorque({w[3], w[4], w[5]});
    }
  }

  void read(double *, double *, vs_motion *pieces) override {
    for (size_t i = 1; i < bodies.size(); i++) {
      const btTransform &at = bodies[i]->getWorldTransform();
      ours(at.getOrigin()).put(pieces[i].pose.p);
      put_turn(ours(at.getRotation()) * made[i].piece_from_body.q.inverse(), pieces[i].pose.q);
      ours(bodies[i]->getLinearVelocity()).put(pieces[i].linear);
      ours(bodies[i]->getAngularVelocity()).put(pieces[i].angular);
    }
  }

  void save(vs::Writer &w) override {
    for (size_t i = 1; i < bodies.size(); i++) {
      const btTransform &at = bodies[i]->getWorldTransform();
      for (int r = 0; r < 3; r++) w.put(&at.getBasis()[r][0], 3);
      w.put(&at.getOrigin()[0], 3);
      w.put(&bodies[i]->getLinearVelocity()[0], 3);
      w.put(&bodies[i]->getAngularVelocity()[0], 3);
    }
  }

  void restore(vs::Reader &r) override {
    for (size_t i = 1; i < bodies.size(); i++) {
      double x[18];
      r.take(x, 18);
      btTransform at(btMatrix3x3(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]), btVector3(x[9], x[10], x[11]));
      put(*bodies[i], at, {x[12], x[13], x[14]}, {x[15], x[16], x[17]});
    }
  }

  // Bullet rotates a body by at most an eighth of a turn in a step.
  bool capped() override {
    for (size_t i = 1; i < bodies.size(); i++)
      if (bodies[i]->getAngularVelocity().length() * numbers.step > 0.25 * M_PI) return true;
    return false;
  }

 private:
  static void put(btRigidBody &body, const btTransform &at, const btVector3 &linear, const btVector3 &angular) {
    body.setWorldTransform(at);
    body.setInterpolationWorldTransform(at);
    body.setLinearVelocity(linear);
    body.setAngularVelocity(angular);
    body.setInterpolationLinearVelocity(linear);
    body.setInterpolationAngularVelocity(angular);
    body.updateInertiaTensor();
    body.clearForces();
  }

  btRigidBody &body(int piece) { return piece ? *bodies[piece] : ground; }

  // A frame whose `column` (0 x, 2 z) is the axis, the same in both bodies where the joint is at zero.
  btTransform frame(int piece, const vs_pose &piece_from_joint, vs::V3 axis, int column) {
    vs::Pose turned({}, vs::between(column == 2 ? vs::V3{0, 0, 1} : vs::V3{1, 0, 0}, axis));
    return bt(made[piece].piece_from_body.inverse() * vs::Pose(piece_from_joint) * turned);
  }

  btGeneric6DofSpring2Constraint *six(int a, const btTransform &in_a, int b, const btTransform &in_b) {
    auto *joint = new btGeneric6DofSpring2Constraint(body(a), body(b), in_a, in_b);
    joint->setLinearLowerLimit({0, 0, 0});
    joint->setLinearUpperLimit({0, 0, 0});
    joint->setAngularLowerLimit({0, 0, 0});
    joint->setAngularUpperLimit({0, 0, 0});
    for (int axis = 0; axis < 6; axis++) joint->setParam(BT_CONSTRAINT_STOP_ERP, numbers.erp, axis);
    joints.emplace_back(joint);
    return joint;
  }

  void hinge(int a, const btTransform &in_a, int b, const btTransform &in_b, const vs_dof *dof) {
    // Angles of the second body against the first.
    auto *joint = new btHingeConstraint(body(a), body(b), in_a, in_b, true);
    joints.emplace_back(joint);
    // The last number is the restitution of the stop, one by default.
    if (dof && has_limits(*dof)) joint->setLimit(dof->lower, dof->upper, 0.9, 0.3, 0.0);
    if (dof && dof->friction > 0) joint->enableAngularMotor(true, 0, dof->friction * numbers.step);
  }

  // The older constraint: the newer one slows bodies before they reach a limit.
  void slide(int a, const btTransform &in_a, int b, const btTransform &in_b, const vs_dof &dof) {
    auto *joint = new btGeneric6DofConstraint(body(a), body(b), in_a, in_b, true);
    joints.emplace_back(joint);
    for (int axis = 0; axis < 6; axis++) {
      joint->setLimit(axis, 0, 0);
      joint->setParam(BT_CONSTRAINT_STOP_ERP, numbers.erp, axis);
    }
    // A lower limit above the upper one means no limit.
    joint->setLimit(0, has_limits(dof) ? bounded(dof.lower) : 1, has_limits(dof) ? bounded(dof.upper) : -1);
    if (dof.friction > 0) {
      btTranslationalLimitMotor *motor = joint->getTranslationalLimitMotor();
      motor->m_enableMotor[0] = true;
      motor->m_targetVelocity[0] = 0;
      motor->m_maxMotorForce[0] = dof.friction;
    }
  }

  void make_joint(const vs_scene &scene, const vs_joint &j) {
    vs::V3 axis(j.axis);
    const vs_dof &dof = scene.dofs[j.v];
    auto frames = [&](vs::V3 along, int column) {
      return std::pair(frame(j.parent, j.parent_from_joint, along, column), frame(j.child, j.child_from_joint, along, column));
    };
    switch (j.kind) {
      case VS_REVOLUTE:
      case VS_CONTINUOUS: {
        auto [a, b] = frames(axis, 2);
        vs_dof without = dof;
        if (j.kind == VS_CONTINUOUS) without.lower = -INFINITY, without.upper = INFINITY;
        hinge(j.parent, a, j.child, b, &without);
        break;
      }
      case VS_PRISMATIC: {
        auto [a, b] = frames(axis, 0);
        slide(j.parent, a, j.child, b, dof);
        break;
      }
      case VS_BALL: {
        auto [a, b] = frames({0, 0, 1}, 2);
        joints.emplace_back(new btPoint2PointConstraint(body(j.parent), body(j.child), a.getOrigin(), b.getOrigin()));
        break;
      }
      case VS_PLANAR: {
        auto [a, b] = frames(cross(axis, vs::V3(j.axis2)), 2);
        auto *joint = six(j.parent, a, j.child, b);
        for (int free : {0, 1, 5}) joint->setLimit(free, 1, -1);
        break;
      }
    }
  }

  void make_loop(const vs_loop &l) {
    vs::V3 along = l.kind == VS_LOOP_WELD || l.kind == VS_LOOP_BALL ? vs::V3{0, 0, 1} : vs::V3(l.axis_a);
    int column = l.kind == VS_LOOP_PRISMATIC ? 0 : 2;
    btTransform a = frame(l.a, l.a_from_frame, along, column), b = frame(l.b, l.b_from_frame, along, column);
    switch (l.kind) {
      case VS_LOOP_WELD: six(l.a, a, l.b, b); break;
      case VS_LOOP_BALL:
        joints.emplace_back(new btPoint2PointConstraint(body(l.a), body(l.b), a.getOrigin(), b.getOrigin()));
        break;
      case VS_LOOP_REVOLUTE: hinge(l.a, a, l.b, b, nullptr); break;
      case VS_LOOP_PRISMATIC: six(l.a, a, l.b, b)->setLimit(0, 1, -1); break;
    }
  }
};
