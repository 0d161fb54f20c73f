// How fast MuJoCo steps a scene of bodies that touch, and how well.
//
//   mujoco_contact MODEL.mjb BODY STEPS
//
// MODEL.mjb is what compile_contact_for_mujoco.py wrote: the scene of a scenario of ours. BODY is the one whose way is
// the slip, or `-`. Prints one line of JSON:
//   steps_per_s   STEPS over CPU time of this process, in a loop that does nothing but mj_step
//   penetration   the deepest overlap among the contacts at the end [m]
//   slip          the way of BODY's centre of mass from where it began, at the end [m]
//   contacts      contacts at the end
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mujoco/mujoco.h>

static void fail(const char* what, const char* where) {
  fprintf(stderr, "mujoco_contact: %s: %s\n", where, what);
  exit(2);
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 4) fail("usage: mujoco_contact MODEL.mjb BODY STEPS", "arguments");
  mjModel* model = mj_loadModel(argv[1], NULL);
  if (!model) fail("is no model MuJoCo can read", argv[1]);
  const long steps = strtol(argv[3], NULL, 10);
  mjData* data = mj_makeData(model);
  // The compiler put the start state and the commands into the first keyframe.
  if (model->nkey < 1) fail("has no keyframe", argv[1]);
  mj_resetDataKeyframe(model, data, 0);
  mj_forward(model, data);
  int body = -1;
  if (strcmp(argv[2], "-") != 0) {
    body = mj_name2id(model, mjOBJ_BODY, argv[2]);
    if (body < 0) fail("is no body of the model", argv[2]);
  }
  mjtNum from[3] = {0, 0, 0};
  if (body >= 0) mju_copy3(from, data->xipos + 3 * body);

  const double begun = cpu_seconds();
  for (long step = 0; step < steps; step++) mj_step(model, data);
  const double spent = cpu_seconds() - begun;

  // Positions and contacts still belong to the state before the last step: bring them up to date.
  mj_forward(model, data);
  double deepest = 0, slip = 0;
  for (int i = 0; i < (int)data->ncon; i++) deepest = fmax(deepest, -data->contact[i].dist);
  if (body >= 0) slip = mju_dist3(from, data->xipos + 3 * body);
  printf("{\"steps_per_s\": %.17g, \"penetration\": %.17g, \"slip\": %.17g, \"contacts\": %d}\n", (double)steps / spent,
         deepest, slip, (int)data->ncon);
  mj_deleteData(data);
  mj_deleteModel(model);
  return 0;
}
