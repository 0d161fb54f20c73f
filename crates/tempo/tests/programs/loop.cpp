// A loop at 1 kHz by sleep_until, and a logger that waits on a condition with a time limit.
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

using Clock = std::chrono::steady_clock;

int main() {
  std::mutex mutex;
  std::condition_variable filled;
  int pending = 0;
  bool done = false;
  std::thread logger([&] {
    std::unique_lock<std::mutex> lock(mutex);
    while (!done) {
      filled.wait_for(lock, std::chrono::milliseconds(20), [&] { return pending > 0 || done; });
      pending = 0;
    }
  });
  const auto begun = Clock::now();
  double state = 0;
  for (int k = 1; k <= 1000; k++) {
    for (int i = 0; i < 2000; i++) state = std::sin(state + i);
    if (k % 10 == 0) {
      std::lock_guard<std::mutex> lock(mutex);
      pending += 1;
      filled.notify_one();
    }
    std::this_thread::sleep_until(begun + std::chrono::milliseconds(k));
  }
  const double elapsed = std::chrono::duration<double>(Clock::now() - begun).count();
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  filled.notify_one();
  logger.join();
  std::printf("%.6f %.6f %d\n", elapsed, 1.0, state > 2);
}
