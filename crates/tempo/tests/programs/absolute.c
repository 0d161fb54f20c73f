/* A loop at 500 Hz by clock_nanosleep until an absolute time, with an interval timer's signals beside it. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

static volatile int alarms;
static void count(int signal) {
  (void)signal;
  alarms++;
}

int main(void) {
  struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 100000}, {0, 100000}};
  struct timespec begun, next, now;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  setitimer(ITIMER_REAL, &every, NULL);
  next = begun;
  double state = 0;
  for (int k = 0; k < 500; k++) {
    for (int i = 0; i < 5000; i++) state = cos(state + i);
    next.tv_nsec += 2000000;
    if (next.tv_nsec >= 1000000000) next.tv_sec++, next.tv_nsec -= 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL)) {}
  }
  clock_gettime(CLOCK_MONOTONIC, &now);
  double elapsed = now.tv_sec - begun.tv_sec + 1e-9 * (now.tv_nsec - begun.tv_nsec);
  if (alarms < 9 || alarms > 10) return 1;
  printf("%.6f %.6f %d\n", elapsed, 1.0, state > 2);
  return 0;
}
