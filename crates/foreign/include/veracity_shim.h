/* Interface of a foreign engine to veracity: a table of C functions over plain data.
 *
 * The Rust side (crates/foreign) does what is the same for every engine: it merges welded bodies into rigid pieces, keeps
 * layouts, checks inputs, samples rows, watches guards, measures gaps, logs events, seals snapshots. A shim loads a scene,
 * sets a state, steps, and reports motion and contacts. Conventions: SI units, radians, quaternions w x y z, world axes
 * unless said otherwise; the normal of a contact points from the second shape to the first.
 *
 * An engine is *reduced* if its coordinates are those of joints: it then reads and writes q and v. Otherwise it is
 * *maximal*: it reads and writes the motion of pieces, and Rust computes q and v from it.
 *
 * Exceptions must not cross these functions; veracity_shim.hpp turns them into messages.
 */
#ifndef VERACITY_SHIM_H
#define VERACITY_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VS_ABI 2u

/* Position and orientation. */
typedef struct { double p[3]; double q[4]; } vs_pose;
/* Motion of a piece; its frame is at its centre of mass. */
typedef struct { vs_pose pose; double angular[3]; double linear[3]; } vs_motion;

/* Piece 0 is the ground: its frame is the world's, its numbers are unused. */
typedef struct {
  const char *name;
  double mass;               /* kg */
  double tensor[6];          /* xx yy zz xy xz yz in the piece's axes, about its origin [kg m2] */
  double moments[3];         /* principal [kg m2] */
  double principal[4];       /* piece_from_principal */
  double linear_damping;     /* 1/s; only for shims with VS_DRAG */
  double angular_damping;
  double gravity_scale;
} vs_piece;

enum { VS_REVOLUTE = 1, VS_CONTINUOUS, VS_PRISMATIC, VS_SCREW, VS_UNIVERSAL, VS_BALL, VS_PLANAR, VS_FREE };

/* A joint that moves; welded bodies are one piece and have none. Joints come parents first. */
typedef struct {
  const char *name;
  int32_t kind, parent, child;        /* pieces */
  int32_t q, nq, v, nv;               /* offsets and counts in q and v */
  int32_t reserved;
  vs_pose parent_from_joint;          /* in the parent piece, or in the world */
  vs_pose child_from_joint;           /* in the child piece */
  double axis[3], axis2[3], pitch;    /* in the joint frame: see JointKind */
} vs_joint;

/* In the order of v. */
typedef struct { double lower, upper, damping, stiffness, reference, friction, armature; } vs_dof;

enum { VS_SPHERE = 1, VS_BOX, VS_CAPSULE, VS_CYLINDER, VS_PLANE, VS_CONVEX, VS_MESH, VS_HEIGHTFIELD, VS_ELLIPSOID, VS_DISC };

/* A shape that collides. Sizes: radius; three full sides; radius and length (of the straight part) along z; radius and
 * length along z; none (z is up); points; points and triangles; size x, size y, heights row by row from the lowest y. */
typedef struct {
  const char *name;
  int32_t kind, piece;
  vs_pose piece_from_shape;
  double size[3];
  double friction[2], direction[3];   /* direction 0 0 0: isotropic */
  double torsional, rolling, restitution;
  double stiffness, dissipation;      /* stiffness infinite: rigid */
  const double *points; size_t point_count;        /* three numbers each */
  const uint32_t *triangles; size_t triangle_count;
  const double *heights; int32_t columns, rows;
  uint32_t member, filter;            /* bits: two may touch if each is in the other's filter; all ones if they do not fit */
} vs_shape;

/* How two coefficients of two surfaces become that of the pair. */
enum { VS_AVERAGE = 1, VS_MIN, VS_MULTIPLY, VS_MAX, VS_GEOMETRIC_MEAN };

enum { VS_LOOP_WELD = 1, VS_LOOP_BALL, VS_LOOP_REVOLUTE, VS_LOOP_PRISMATIC, VS_LOOP_UNIVERSAL, VS_LOOP_DISTANCE };
typedef struct {
  const char *name;
  int32_t kind, a, b, reserved;
  vs_pose a_from_frame, b_from_frame;
  double axis_a[3], axis_b[3], length;
} vs_loop;

/* Between points of two pieces; only for shims with VS_SPRINGS. */
typedef struct { const char *name; int32_t a, b; double point_a[3], point_b[3], stiffness, damping, rest; } vs_spring;

/* q[follower] = polynomial(q[leader]); leader -1: the constant. Indices of joints. */
typedef struct { const char *name; int32_t follower, leader; const double *coefficients; size_t count; } vs_coupling;

typedef struct { const char *key, *value; } vs_setting;

typedef struct {
  const char *name;
  double gravity[3], step;
  int32_t nq, nv;
  const vs_piece *pieces; size_t piece_count;
  const vs_joint *joints; size_t joint_count;
  const vs_dof *dofs; size_t dof_count;
  const vs_shape *shapes; size_t shape_count;
  const uint8_t *touch;               /* shape_count x shape_count */
  int32_t bits_fit;                   /* whether member and filter express the table touch */
  int32_t contact;                    /* whether contact is on */
  int32_t friction_rule;              /* VS_AVERAGE …: of sliding, torsional and rolling friction */
  int32_t restitution_rule;
  const vs_loop *loops; size_t loop_count;
  const vs_spring *springs; size_t spring_count;
  const vs_coupling *couplings; size_t coupling_count;
} vs_scene;

/* What a shim implements. Otherwise damping, springs, drag and drives are efforts and wrenches of the state at the
 * beginning of the step, computed in Rust; limits, dry friction, armature, loops, couplings and contact are refused. */
enum {
  VS_REDUCED = 1, VS_CONTACT = 2, VS_LIMITS = 4, VS_DRY_FRICTION = 8, VS_ARMATURE = 16, VS_JOINT_DAMPING = 32,
  VS_JOINT_SPRINGS = 64, VS_SPRINGS = 128, VS_DRAG = 256, VS_DRIVES = 512, VS_LOOPS = 1024, VS_COUPLINGS = 2048,
  VS_NOT_REPEATABLE = 4096, VS_ENERGY = 8192, VS_DRIVES_CONTINUOUS = 16384, VS_RESTITUTION = 32768,
  VS_SINGLE = 65536 /* numbers are stored in single precision */
};
typedef struct { uint64_t flags; double snapshot; /* 0 exact, above: largest difference, below: none */ } vs_abilities;

/* kp (target - q) + kd (target_speed - v) + feed_forward, within bound. */
typedef struct { int32_t dof, position; double kp, kd, target, target_speed, feed_forward, bound; } vs_drive;

typedef struct {
  const double *efforts;              /* reduced: generalised, nv of them. Maximal: already in the wrenches */
  const double *wrenches;             /* for every piece: force on its centre of mass, torque */
  int32_t any_effort, any_wrench;
  const vs_drive *drives; size_t drive_count;
} vs_inputs;

typedef struct { int32_t a, b; double point[3], normal[3], gap, impulse[3]; } vs_contact;
typedef struct { uint64_t iterations, not_converged; double residual; } vs_solver;

typedef struct vs_report vs_report;
typedef struct vs_sim vs_sim;

typedef struct {
  uint32_t abi;
  uint32_t size_count;
  const size_t *(*sizes)(void);       /* VS_SIZES, as the shim's compiler has them; compared with Rust's at start */
  const char *(*version)(void);
  vs_abilities (*abilities)(const vs_setting *, size_t);
  /* NULL after vs_refuse or vs_fail. */
  vs_sim *(*load)(const vs_scene *, const vs_setting *, size_t, vs_report *);
  void (*unload)(vs_sim *);
  /* Both forms are given. Returns zero on success; otherwise error() has the reason. */
  int32_t (*set_state)(vs_sim *, double time, const double *q, const double *v, const vs_motion *pieces);
  int32_t (*step)(vs_sim *, const vs_inputs *);
  /* Reduced: q and v. Maximal: pieces. */
  void (*read)(vs_sim *, double *q, double *v, vs_motion *pieces);
  /* Of the last step; returns how many there are, even if more than room. */
  size_t (*contacts)(vs_sim *, vs_contact *, size_t room);
  void (*solver)(vs_sim *, vs_solver *);
  double (*energy)(vs_sim *);
  size_t (*save)(vs_sim *, uint8_t *, size_t room);
  int32_t (*restore)(vs_sim *, const uint8_t *, size_t);
  const char *(*error)(vs_sim *);
  /* Warnings to be read before the motion is trusted; NULL past the last one. */
  const char *(*warning)(vs_sim *, size_t number);
} vs_api;

/* Every struct that both sides lay out. */
#define VS_SIZES                                                                                                       \
  {sizeof(vs_motion), sizeof(vs_piece),   sizeof(vs_joint),     sizeof(vs_dof),    sizeof(vs_shape),                    \
   sizeof(vs_loop),   sizeof(vs_spring),  sizeof(vs_coupling),  sizeof(vs_setting), sizeof(vs_scene),                   \
   sizeof(vs_abilities), sizeof(vs_drive), sizeof(vs_inputs),   sizeof(vs_contact), sizeof(vs_solver), sizeof(vs_api)}

/* Implemented in Rust. */
void vs_refuse(vs_report *, const char *feature, const char *hint);
void vs_fail(vs_report *, const char *sentence);

/* Implemented by the shim. */
const vs_api *vs_shim(void);

#ifdef __cplusplus
}
#endif
#endif
