// An ordinary program with threads: every kind of timed wait, each of a fraction of a second, printed as a ratio to its
// nominal time. Built and run by unmodified_threads.rs.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <thread>
#include <unistd.h>

using namespace std::chrono;
using Clock = steady_clock;

static double since(Clock::time_point t) { return duration<double>(Clock::now() - t).count(); }
static void report(const char *name, double seconds, double wanted) {
  std::printf("%s %.6f\n", name, seconds / wanted);
  std::fflush(stdout);
}
static timespec in(clockid_t clock, double seconds) {
  timespec t;
  clock_gettime(clock, &t);
  int64_t ns = t.tv_sec * 1000000000LL + t.tv_nsec + int64_t(seconds * 1e9);
  return {time_t(ns / 1000000000LL), long(ns % 1000000000LL)};
}
static std::atomic<int> alarms{0};
static void on_alarm(int) { alarms++; }

static void every_wait(const char *prefix, double s) {
  char name[64];
  auto one = [&](const char *what, auto &&wait, double wanted) {
    auto t = Clock::now();
    wait();
    std::snprintf(name, sizeof name, "%s-%s", prefix, what);
    report(name, since(t), wanted);
  };
  one("sleep", [&] { std::this_thread::sleep_for(duration<double>(s)); }, s);
  one("poll", [&] { pollfd f{0, 0, 0}; f.fd = -1; poll(&f, 1, int(s * 1000)); }, s);
  one("select", [&] { timeval t{0, long(s * 1e6)}; select(0, nullptr, nullptr, nullptr, &t); }, s);
  one("epoll", [&] { int e = epoll_create1(0); epoll_event v; epoll_wait(e, &v, 1, int(s * 1000)); close(e); }, s);
  one("sem_timedwait", [&] {
    sem_t m; sem_init(&m, 0, 0);
    timespec t = in(CLOCK_REALTIME, s);
    if (sem_timedwait(&m, &t) != -1 || errno != ETIMEDOUT) std::printf("sem_timedwait did not time out\n");
  }, s);
  one("cond_timedwait", [&] {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&m);
    timespec t = in(CLOCK_REALTIME, s);
    while (pthread_cond_timedwait(&c, &m, &t) != ETIMEDOUT) {}
    pthread_mutex_unlock(&m);
  }, s);
  one("cond_monotonic", [&] {
    pthread_condattr_t a; pthread_condattr_init(&a); pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c; pthread_cond_init(&c, &a);
    pthread_mutex_lock(&m);
    timespec t = in(CLOCK_MONOTONIC, s);
    while (pthread_cond_timedwait(&c, &m, &t) != ETIMEDOUT) {}
    pthread_mutex_unlock(&m);
  }, s);
  one("condition_variable", [&] {
    std::mutex m; std::condition_variable c; std::unique_lock<std::mutex> l(m);
    c.wait_for(l, duration<double>(s), [] { return false; });
  }, s);
  one("timed_mutex", [&] {
    std::timed_mutex m; m.lock();
    std::thread([&] { if (m.try_lock_for(duration<double>(s))) std::printf("a held mutex was acquired\n"); }).join();
  }, s);
  one("timerfd", [&] {
    int f = timerfd_create(CLOCK_MONOTONIC, 0);
    itimerspec t{{0, long(s * 0.25e9)}, {0, long(s * 0.25e9)}};
    timerfd_settime(f, 0, &t, nullptr);
    uint64_t sum = 0, n = 0;
    while (sum < 4 && read(f, &n, 8) == 8) sum += n;
    close(f);
  }, s);
  one("timerfd-poll", [&] {
    int f = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    itimerspec t{{0, 0}, {0, long(s * 1e9)}};
    timerfd_settime(f, 0, &t, nullptr);
    pollfd p{f, POLLIN, 0};
    uint64_t n = 0;
    if (poll(&p, 1, 5000) != 1 || read(f, &n, 8) != 8 || n != 1) std::printf("timerfd: %d\n", int(n));
    close(f);
  }, s);
}

int main() {
  // Before there are threads.
  every_wait("first", 0.02);
  // An alarm arrives while it computes.
  std::signal(SIGALRM, on_alarm);
  auto t = Clock::now();
  itimerval every{{0, 20000}, {0, 20000}};
  setitimer(ITIMER_REAL, &every, nullptr);
  while (alarms < 3) {}
  report("alarm-computing", since(t), 0.06);
  every = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &every, nullptr);
  // With another thread that only sleeps.
  std::atomic<bool> over{false};
  std::thread sleeper([&] { while (!over) std::this_thread::sleep_for(milliseconds(3)); });
  every_wait("next-to-a-sleeper", 0.02);
  over = true;
  sleeper.join();
  // With one that computes forever: both share the same CPU time.
  over = false;
  std::thread spinner([&] { while (!over) {} });
  every_wait("next-to-a-spinner", 0.04);
  over = true;
  spinner.join();
  // A signal ends a timed wait long before its time.
  std::mutex m; std::condition_variable c; bool ready = false; double waited = 0;
  std::thread waiter([&] {
    std::unique_lock<std::mutex> l(m);
    auto begun = Clock::now();
    c.wait_for(l, seconds(100), [&] { return ready; });
    waited = since(begun);
  });
  std::this_thread::sleep_for(milliseconds(40));
  { std::lock_guard<std::mutex> l(m); ready = true; }
  c.notify_one();
  waiter.join();
  report("notified", waited, 0.04);
  // So does a semaphore.
  sem_t s; sem_init(&s, 0, 0);
  std::thread taker([&] {
    auto begun = Clock::now();
    timespec limit = in(CLOCK_REALTIME, 100);
    sem_timedwait(&s, &limit);
    waited = since(begun);
  });
  std::this_thread::sleep_for(milliseconds(40));
  sem_post(&s);
  taker.join();
  report("posted", waited, 0.04);
}
