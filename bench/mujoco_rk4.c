// How fast MuJoCo steps a model with RK4, and how well it keeps the energy.
//
//   mujoco_rk4 MODEL.mjb START.txt STEPS
//
// MODEL.mjb is what compile_for_mujoco.py wrote: the same robot as ours, with contacts, constraints and sensors off.
// START.txt holds qpos, then qvel, as numbers apart by white space. Prints one line of JSON:
//   steps_per_s        STEPS over CPU time of this process, in a loop that does nothing but mj_step
//   energy_error       largest |E(t) - E(0)| over STEPS steps, over the largest kinetic energy met in them; measured in a
//                      run of its own, so that looking costs nothing
//   early_error        the same over the first EARLY_STEPS, before a chaotic motion has forgotten how it began
//   kinetic_at_probe   kinetic energy [J] after PROBE_STEPS steps: equal on both sides when the models are
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <mujoco/mujoco.h>

#define PROBE_STEPS 200
#define EARLY_STEPS 2000

static void fail(const char* what, const char* where) {
  fprintf(stderr, "mujoco_rk4: %s: %s\n", where, what);
  exit(2);
}

static void read_numbers(FILE* file, mjtNum* numbers, mjtSize count, const char* path) {
  for (mjtSize i = 0; i < count; i++) {
    double number;
    if (fscanf(file, "%lf", &number) != 1) fail("fewer numbers than positions and velocities", path);
    numbers[i] = number;
  }
}

static void start(const mjModel* model, mjData* data, const char* path) {
  mj_resetData(model, data);
  FILE* file = fopen(path, "r");
  if (!file) fail("cannot be opened", path);
  read_numbers(file, data->qpos, model->nq, path);
  read_numbers(file, data->qvel, model->nv, path);
  double extra;
  if (fscanf(file, "%lf", &extra) == 1) fail("more numbers than positions and velocities", path);
  fclose(file);
}

// After mj_step the derived quantities still belong to the state before it: bring them up to date first.
static void measure_energy(const mjModel* model, mjData* data, double* potential, double* kinetic) {
  mj_forward(model, data);
  mj_energyPos(model, data);
  mj_energyVel(model, data);
  *potential = data->energy[0];
  *kinetic = data->energy[1];
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 4) fail("usage: mujoco_rk4 MODEL.mjb START.txt STEPS", "arguments");
  const char* start_path = argv[2];
  const long steps = strtol(argv[3], NULL, 10);
  if (steps <= EARLY_STEPS) fail("too few steps", argv[3]);
  mjModel* model = mj_loadModel(argv[1], NULL);
  if (!model) fail("is no model MuJoCo can read", argv[1]);
  if (model->opt.integrator != mjINT_RK4) fail("was not compiled for RK4", argv[1]);
  mjData* data = mj_makeData(model);

  double potential, kinetic, kinetic_at_probe = 0, worst = 0, early_error = 0;
  start(model, data, start_path);
  measure_energy(model, data, &potential, &kinetic);
  const double total_at_start = potential + kinetic;
  double peak_kinetic = kinetic;
  for (long step = 1; step <= steps; step++) {
    mj_step(model, data);
    measure_energy(model, data, &potential, &kinetic);
    worst = fmax(worst, fabs(potential + kinetic - total_at_start));
    peak_kinetic = fmax(peak_kinetic, kinetic);
    if (step == PROBE_STEPS) kinetic_at_probe = kinetic;
    if (step == EARLY_STEPS) early_error = worst / peak_kinetic;
  }

  start(model, data, start_path);
  const double begun = cpu_seconds();
  for (long step = 0; step < steps; step++) mj_step(model, data);
  const double used = cpu_seconds() - begun;

  printf("{\"dofs\": %d, \"steps_per_s\": %.17g, \"early_error\": %.17g, \"energy_error\": %.17g, "
         "\"kinetic_at_probe\": %.17g}\n",
         (int)model->nv, (double)steps / used, early_error, worst / peak_kinetic, kinetic_at_probe);
  mj_deleteData(data);
  mj_deleteModel(model);
  return 0;
}
