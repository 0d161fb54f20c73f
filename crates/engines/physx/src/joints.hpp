// Joints as constraints between bodies: every kind is a D6 joint with some of its six axes free.
//
// A D6 joint turns about x of its frames (twist), y and z (swing). With only swing 1 locked PhysX keeps x of the second
// frame perpendicular to z of the first: that is a universal joint, whose first axis is z and whose second is x.
#pragma once
#include "algebra.hpp"

class Joints {
  using D6 = physx::PxD6Axis;
  physx::PxPhysics &physics;
  const std::vector<Made> &made;
  const std::vector<physx::PxRigidDynamic *> &bodies;
  std::vector<physx::PxJoint *> joints;
  double limit_distance;
  bool preprocessing;

 public:
  Joints(physx::PxPhysics &physics, const std::vector<Made> &made, const std::vector<physx::PxRigidDynamic *> &bodies,
         const vs::Settings &settings)
      : physics(physics),
        made(made),
        bodies(bodies),
        limit_distance(settings.real("limit_distance")),
        preprocessing(settings.is("preprocessing", "on")) {}
  ~Joints() {
    for (physx::PxJoint *joint : joints) joint->release();
  }
  Joints(const Joints &) = delete;

  static void check(const vs_scene &scene, vs::Refusals &refusals) {
    for (size_t i = 0; i < scene.joint_count; i++) {
      const vs_joint &j = scene.joints[i];
      std::string name = std::string(vs::kind_name(j.kind)) + " joint '" + j.name + "'";
      bool one = j.kind == VS_REVOLUTE || j.kind == VS_CONTINUOUS || j.kind == VS_PRISMATIC;
      if (j.kind == VS_SCREW) refusals.add("the " + name, "not supported by PhysX: use the native engine, or several simpler joints");
      if (j.kind == VS_UNIVERSAL && std::fabs(dot(vs::V3(j.axis), vs::V3(j.axis2))) > 1e-9)
        refusals.add("the " + name + ", whose axes are not perpendicular", "use two revolute joints");
      for (int k = 0; k < j.nv; k++) {
        const vs_dof &d = scene.dofs[j.v + k];
        if (!one && (has_limits(d) || d.friction != 0))
          refusals.add("limits or dry friction of the " + name, "they are supported along revolute and prismatic joints only");
        if (j.kind == VS_REVOLUTE && has_limits(d) && !(d.lower >= -M_PI && d.upper <= M_PI))
          refusals.add("the limits of the " + name + " beyond half a turn, or one alone",
                       "PhysX does not count turns: give both within half a turn of zero");
      }
    }
    for (size_t i = 0; i < scene.loop_count; i++) {
      const vs_loop &l = scene.loops[i];
      if (l.kind == VS_LOOP_UNIVERSAL && std::fabs(dot(vs::V3(l.axis_a), vs::V3(l.axis_b))) > 1e-9)
        refusals.add(std::string("the universal joint '") + l.name + "' that closes a loop, whose axes are not perpendicular",
                     "close it with a ball joint");
    }
  }

  void make(const vs_scene &scene) {
    for (size_t i = 0; i < scene.joint_count; i++) make_joint(scene, scene.joints[i]);
    for (size_t i = 0; i < scene.loop_count; i++) make_loop(scene.loops[i]);
  }

 private:
  PxTransform frame(int piece, const vs_pose &piece_from_joint, vs::Q turned) const {
    return px(made[piece].piece_from_body.inverse() * vs::Pose(piece_from_joint) * vs::Pose({}, turned));
  }

  template <typename J>
  J *keep(J *joint) {
    if (!joint) throw std::runtime_error("PhysX failed to create a joint");
    // The table decides which shapes may touch.
    joint->setConstraintFlag(physx::PxConstraintFlag::eCOLLISION_ENABLED, true);
    joint->setConstraintFlag(physx::PxConstraintFlag::eDRIVE_LIMITS_ARE_FORCES, true);
    joint->setConstraintFlag(physx::PxConstraintFlag::eDISABLE_PREPROCESSING, !preprocessing);
    joints.push_back(joint);
    return joint;
  }

  physx::PxD6Joint *six(int a, const PxTransform &in_a, int b, const PxTransform &in_b, std::initializer_list<D6::Enum> free) {
    auto *joint = keep(physx::PxD6JointCreate(physics, bodies[a], in_a, bodies[b], in_b));
    for (D6::Enum axis : free) joint->setMotion(axis, physx::PxD6Motion::eFREE);
    return joint;
  }

  // Distance at which a limit becomes active; the two of a pair must not overlap.
  PxReal pad(double lower, double upper) const { return px(std::fmin(limit_distance, 0.49 * (upper - lower))); }

  // A drive towards rest, as stiff as single precision allows, with a force limit.
  static physx::PxD6JointDrive dry(double friction) { return physx::PxD6JointDrive(0, 1e10f, px(friction), false); }

  void turning(physx::PxD6Joint *joint, const vs_dof &dof, bool limits) {
    if (limits && has_limits(dof)) {
      joint->setMotion(D6::eTWIST, physx::PxD6Motion::eLIMITED);
      joint->setTwistLimit(physx::PxJointAngularLimitPair(px(dof.lower), px(dof.upper), pad(dof.lower, dof.upper)));
    }
    if (dof.friction > 0) joint->setDrive(physx::PxD6Drive::eTWIST, dry(dof.friction));
  }

  void sliding(physx::PxD6Joint *joint, const vs_dof &dof) {
    if (has_limits(dof)) {
      joint->setMotion(D6::eX, physx::PxD6Motion::eLIMITED);
      physx::PxTolerancesScale scale;
      joint->setLinearLimit(D6::eX, physx::PxJointLinearLimitPair(scale, px(dof.lower), px(dof.upper), pad(dof.lower, dof.upper)));
    }
    if (dof.friction > 0) joint->setDrive(physx::PxD6Drive::eX, dry(dof.friction));
  }

  static vs::Q to_x(vs::V3 axis) { return vs::between({1, 0, 0}, axis); }

  // A rotation whose z is the first axis and whose x is the second.
  static vs::Q universal(vs::V3 first, vs::V3 second) {
    vs::Q one = to_x(second);
    vs::V3 z = one * vs::V3{0, 0, 1}, y = one * vs::V3{0, 1, 0};
    double angle = std::atan2(-dot(first, y), dot(first, z));
    return one * vs::Q{std::cos(0.5 * angle), std::sin(0.5 * angle), 0, 0};
  }

  void make_joint(const vs_scene &scene, const vs_joint &j) {
    vs::V3 axis(j.axis), axis2(j.axis2);
    auto join = [&](vs::Q turned, std::initializer_list<D6::Enum> free) {
      return six(j.parent, frame(j.parent, j.parent_from_joint, turned), j.child, frame(j.child, j.child_from_joint, turned), free);
    };
    switch (j.kind) {
      case VS_REVOLUTE:
      case VS_CONTINUOUS: turning(join(to_x(axis), {D6::eTWIST}), scene.dofs[j.v], j.kind == VS_REVOLUTE); break;
      case VS_PRISMATIC: sliding(join(to_x(axis), {D6::eX}), scene.dofs[j.v]); break;
      case VS_BALL: join({}, {D6::eTWIST, D6::eSWING1, D6::eSWING2}); break;
      case VS_UNIVERSAL: join(universal(axis, axis2), {D6::eTWIST, D6::eSWING2}); break;
      case VS_PLANAR: join(to_x(cross(axis, axis2)), {D6::eY, D6::eZ, D6::eTWIST}); break;
    }
  }

  void make_loop(const vs_loop &l) {
    auto join = [&](vs::Q turned, std::initializer_list<D6::Enum> free) {
      six(l.a, frame(l.a, l.a_from_frame, turned), l.b, frame(l.b, l.b_from_frame, turned), free);
    };
    vs::V3 axis(l.axis_a);
    switch (l.kind) {
      case VS_LOOP_WELD: join({}, {}); break;
      case VS_LOOP_BALL: join({}, {D6::eTWIST, D6::eSWING1, D6::eSWING2}); break;
      case VS_LOOP_REVOLUTE: join(to_x(axis), {D6::eTWIST}); break;
      case VS_LOOP_PRISMATIC: join(to_x(axis), {D6::eX}); break;
      case VS_LOOP_UNIVERSAL: join(universal(axis, vs::V3(l.axis_b)), {D6::eTWIST, D6::eSWING2}); break;
      case VS_LOOP_DISTANCE: {
        auto *joint = keep(physx::PxDistanceJointCreate(physics, bodies[l.a], frame(l.a, l.a_from_frame, {}), bodies[l.b],
                                                        frame(l.b, l.b_from_frame, {})));
        joint->setDistanceJointFlag(physx::PxDistanceJointFlag::eMIN_DISTANCE_ENABLED, true);
        joint->setDistanceJointFlag(physx::PxDistanceJointFlag::eMAX_DISTANCE_ENABLED, true);
        joint->setMinDistance(px(l.length));
        joint->setMaxDistance(px(l.length));
        // The default tolerance is 25 mm.
        joint->setTolerance(0);
        break;
      }
    }
  }
};
