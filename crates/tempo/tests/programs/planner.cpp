// An anytime planner: grows a tree until its time is up, three times, with a pause after each.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <random>
#include <thread>
#include <vector>

int main() {
  using Clock = std::chrono::system_clock;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(-1, 1);
  const auto begun = Clock::now();
  const std::clock_t used = std::clock();
  std::size_t grown = 0;
  for (int plan = 0; plan < 3; plan++) {
    std::vector<std::pair<double, double>> tree{{-0.9, -0.9}};
    const auto until = Clock::now() + std::chrono::milliseconds(200);
    while (Clock::now() < until) {
      const double x = place(random), y = place(random);
      std::size_t nearest = 0;
      double best = 1e9;
      for (std::size_t i = 0; i < tree.size(); i++) {
        const double dx = tree[i].first - x, dy = tree[i].second - y;
        if (dx * dx + dy * dy < best) best = dx * dx + dy * dy, nearest = i;
      }
      tree.push_back({(tree[nearest].first + x) / 2, (tree[nearest].second + y) / 2});
    }
    grown += tree.size();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const double elapsed = std::chrono::duration<double>(Clock::now() - begun).count();
  const double computed = double(std::clock() - used) / CLOCKS_PER_SEC;
  std::printf("%.6f %.6f %d\n", elapsed, computed + 0.15, grown > 3);
}
