// Interface of the two kinds of coordinates, which differ in everything about joints.
#pragma once
#include "algebra.hpp"

class Coordinates {
 public:
  virtual ~Coordinates() = default;
  virtual btDiscreteDynamicsWorld &world() = 0;
  // The object that carries the shapes of a piece.
  virtual btCollisionObject *object(int piece, btCollisionShape *shape) = 0;
  // Called after the shapes were added, for what needs a complete world.
  virtual void finish() {}
  virtual void set_state(const double *q, const double *v, const vs_motion *pieces) = 0;
  virtual void push(const vs_inputs &inputs) = 0;
  virtual void read(double *q, double *v, vs_motion *pieces) = 0;
  virtual void save(vs::Writer &w) = 0;
  virtual void restore(vs::Reader &r) = 0;
  // Whether a limit inside Bullet acted in the last step.
  virtual bool capped() = 0;
};

// Parameters of the solver.
struct Numbers {
  double step, erp;
};
