/* Library that a controller or planner links against to run in step with simulated time: libveracity_client.a or .so.
 * Started by `veracity tempo run`, never by hand. One thread uses a connection at a time.
 * Functions return -1 on failure; veracity_client_error() then returns the message. Times are virtual nanoseconds. */
#ifndef VERACITY_CLIENT_H
#define VERACITY_CLIENT_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct veracity_client veracity_client;

/* Connects and waits for the run to begin; NULL on failure. */
veracity_client *veracity_client_connect(void);
void veracity_client_close(veracity_client *);
const char *veracity_client_error(void);

/* Sleeps until the next activation, or until a time; returns 1, or 0 when the run is over. */
int64_t veracity_client_wait(veracity_client *);
int64_t veracity_client_wait_until(veracity_client *, int64_t time_ns);
int64_t veracity_client_time_ns(veracity_client *);

/* Copies the latest sensor values, at most room; returns how many there are. time_ns may be NULL. */
int64_t veracity_client_observe(veracity_client *, double *values, size_t room, int64_t *time_ns);
int64_t veracity_client_command(veracity_client *, const double *values, size_t count);

/* Plans: numbers from one program to another. Ordinal 0: none has arrived yet. */
int64_t veracity_client_publish_plan(veracity_client *, const double *plan, size_t count);
int64_t veracity_client_plan(veracity_client *, double *values, size_t room, uint64_t *ordinal);

/* Indices of channels by name ("hinge/position", "efforts/hinge"), -1 if there is none; numbers of channels. */
int64_t veracity_client_observation_place(veracity_client *, const char *name);
int64_t veracity_client_command_place(veracity_client *, const char *name);
int64_t veracity_client_observation_count(veracity_client *);
int64_t veracity_client_command_count(veracity_client *);
uint64_t veracity_client_seed(veracity_client *);

#ifdef __cplusplus
}
#endif
#endif
