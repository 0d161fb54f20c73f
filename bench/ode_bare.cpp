// How fast ODE steps when nothing but its own loop is around it.
//
//   ode_bare chain|pinch STEPS
//
// The scenes are those of crates/worker/examples/worker_speed.rs. Prints CPU seconds of the loop.
#include <ode/ode.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

static dJointGroupID contacts;
static dWorldID world;
static std::vector<dGeomID> geoms;
static std::vector<std::pair<int, int>> pairs;

static double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

static dBodyID box(double mass, double x, double y, double z, double px, double py, double pz) {
  dBodyID body = dBodyCreate(world);
  dMass m;
  dMassSetBoxTotal(&m, mass, x, y, z);
  dBodySetMass(body, &m);
  dBodySetPosition(body, px, py, pz);
  return body;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  bool chain = !std::strcmp(argv[1], "chain");
  long steps = std::strtol(argv[2], nullptr, 10);
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  world = dWorldCreate();
  contacts = dJointGroupCreate(0);
  dWorldSetGravity(world, 0, 0, -9.81);
  dWorldSetERP(world, 0.2);
  dWorldSetCFM(world, 1e-10);
  std::vector<dBodyID> pushed;
  if (chain) {
    dBodyID last = nullptr;
    for (int i = 0; i < 10; i++) {
      dBodyID link = box(1, 0.2, 0.04, 0.04, 0.2 * i + 0.1, 0, 0);
      dJointID hinge = dJointCreateHinge(world, 0);
      dJointAttach(hinge, link, last);
      dJointSetHingeAnchor(hinge, 0.2 * i, 0, 0);
      dJointSetHingeAxis(hinge, 0, 1, 0);
      last = link;
    }
  } else {
    dBodyID cube = box(1, 0.1, 0.1, 0.1, 0, 0, 1);
    geoms.push_back(dCreateBox(0, 0.1, 0.1, 0.1));
    dGeomSetBody(geoms.back(), cube);
    for (double side : {-1.0, 1.0}) {
      dBodyID finger = box(1, 0.04, 0.1, 0.1, 0.07 * side, 0, 1);
      geoms.push_back(dCreateBox(0, 0.04, 0.1, 0.1));
      dGeomSetBody(geoms.back(), finger);
      dJointID slider = dJointCreateSlider(world, 0);
      dJointAttach(slider, finger, nullptr);
      dJointSetSliderAxis(slider, 1, 0, 0);
      pushed.push_back(finger);
      pairs.push_back({0, int(geoms.size()) - 1});
    }
  }
  dJointFeedback feedback[64];
  double begun = cpu_seconds();
  for (long step = 0; step < steps; step++) {
    for (size_t i = 0; i < pushed.size(); i++) dBodyAddForce(pushed[i], i == 0 ? 100 : -100, 0, 0);
    int used = 0;
    for (auto [a, b] : pairs) {
      dContact found[8];
      std::memset(found, 0, sizeof found);
      int count = dCollide(geoms[a], geoms[b], 8, &found[0].geom, sizeof(dContact));
      for (int i = 0; i < count; i++) {
        found[i].surface.mode = dContactApprox1;
        found[i].surface.mu = 1;
        dJointID joint = dJointCreateContact(world, contacts, &found[i]);
        dJointAttach(joint, dGeomGetBody(geoms[a]), dGeomGetBody(geoms[b]));
        dJointSetFeedback(joint, &feedback[used++]);
      }
    }
    dWorldStep(world, 0.001);
    dJointGroupEmpty(contacts);
  }
  std::printf("%.17g\n", cpu_seconds() - begun);
  return 0;
}
