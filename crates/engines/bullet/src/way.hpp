// What is different between bodies that are maximal and multibodies: everything about joints.
#pragma once
#include "algebra.hpp"

class Way {
 public:
  virtual ~Way() = default;
  virtual btDiscreteDynamicsWorld &world() = 0;
  // What carries the shapes of a piece.
  virtual btCollisionObject *object(int piece, btCollisionShape *shape) = 0;
  // After the shapes: what needs a world that is complete.
  virtual void finish() {}
  virtual void set_state(const double *q, const double *v, const vs_motion *pieces) = 0;
  virtual void push(const vs_inputs &inputs) = 0;
  virtual void read(double *q, double *v, vs_motion *pieces) = 0;
  virtual void save(vs::Writer &w) = 0;
  virtual void restore(vs::Reader &r) = 0;
  // Whether a limit inside Bullet acted in the last step.
  virtual bool capped() = 0;
};

// How the solver is told.
struct Numbers {
  double step, erp;
};
