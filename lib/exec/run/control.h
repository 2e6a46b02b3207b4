/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_CONTROL_H
#define HSI_EXEC_RUN_CONTROL_H

#include <pthread.h>
#include <stdint.h>

#include <hybridsched/backend.h>

#include "support/spin.h"

#define HSI_FAR INT64_MAX /* ns: a time that never comes */

/*
 * The state of the run: how many threads are present, when the run began, and whether it goes on.
 * `lock` guards all fields, with these exceptions: start_ns, start_date and event_fd are constant
 * once the gate is open; `halt` is written with the lock held and read atomically without it;
 * `stop` is atomic; only the caller's thread uses `ran`.
 */
typedef struct hsi_control {
    pthread_mutex_t lock;
    pthread_cond_t  gate;    /* workers wait here for the start */
    pthread_cond_t  arrival; /* the caller waits here for the workers; separate from `gate`, as each
                                arrival wakes the caller alone */
    bool            locks;   /* `lock`, `gate` and `arrival` are initialised */
    unsigned        ready;   /* workers that wait at the gate */
    bool            open;    /* the gate is open */
    unsigned        present; /* threads that have not left */
    unsigned        active;  /* workers in HSI_OWN or HSI_RUN */
    unsigned        waiting;
    int64_t         start_ns;
    double          start_date; /* start_ns in seconds since 1970 */
    int64_t         latest;    /* ns: latest time of the policy's clock, which never goes back */
    int64_t         next_look; /* ns: when the caller's thread enforces deadlines next */
    bool            ran;
    hs_error        fault; /* error that stopped the run; HS_OK: none */

    _Alignas(64) int event_fd; /* wakes the caller's thread */
    int halt;                  /* an hs_exec_stop_mode; 0: go on */
    int stop;                  /* hs_exec_stop_mode values of hs_exec_stop(), combined with | */
} hsi_control;

hs_status hsi_control_open(hsi_control *control, hs_error *error);
void      hsi_control_close(hsi_control *control); /* event_fd must be -1 or open */

void hsi_lock(hsi_control *control);
void hsi_unlock(hsi_control *control);

/* Wake the caller's thread. Safe in a signal handler. */
void hsi_wake_caller(const hsi_control *control);

#endif
