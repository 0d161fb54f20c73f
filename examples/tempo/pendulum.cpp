// Keeps the pendulum upright. Run by `veracity tempo run examples/tempo/cpp.toml`; build it with
// c++ -o pendulum pendulum.cpp $(pkg-config --cflags --libs veracity-client)
#include <cstdio>
#include <vector>
#include <veracity_client.h>

int main() {
  veracity_client *robot = veracity_client_connect();
  if (!robot) {
    std::fprintf(stderr, "%s\n", veracity_client_error());
    return 1;
  }
  std::vector<double> seen(veracity_client_observation_count(robot));
  auto position = veracity_client_observation_place(robot, "hinge/position");
  auto velocity = veracity_client_observation_place(robot, "hinge/velocity");
  while (veracity_client_wait(robot) == 1) {
    veracity_client_observe(robot, seen.data(), seen.size(), nullptr);
    double effort = 60.0 * (-1.5707963267948966 - seen[position]) - 12.0 * seen[velocity];
    veracity_client_command(robot, &effort, 1);
  }
  veracity_client_close(robot);
}
