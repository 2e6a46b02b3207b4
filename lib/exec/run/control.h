/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_CONTROL_H
#define HSI_EXEC_RUN_CONTROL_H

#include <pthread.h>
#include <stdint.h>

#include <hybridsched/backend.h>

#include "support/spin.h"

#define HSI_FAR INT64_MAX /* a time that never comes */

/*
 * Where the run stands: who is there, when it began, and whether it goes on. `lock` guards all
 * fields, with these exceptions: start_ns, start_date and event_fd stay as they are once the gate
 * is open; `halt` is written with the lock held and read atomically without it; `stop` is atomic;
 * `ran` is the caller's.
 */
typedef struct hsi_control {
    pthread_mutex_t lock;
    pthread_cond_t  gate;    /* workers wait there for the start */
    pthread_cond_t  arrival; /* the caller waits for them: it alone is to be woken by each */
    int             locks;   /* `lock`, `gate` and `arrival` are there */
    unsigned        ready;   /* workers that wait at the gate */
    int             open;    /* the gate */
    unsigned        present; /* threads that have not left */
    unsigned        active;  /* workers that neither wait nor have left */
    unsigned        waiting;
    int64_t         start_ns;
    double          start_date; /* the same in seconds since 1970 */
    int64_t         latest;    /* the policy's clock is never set back */
    int64_t         next_look; /* when the caller's thread enforces deadlines again */
    int             ran;
    hs_status       status; /* what stopped the run */
    char            why[HS_WHY];

    _Alignas(64) int event_fd; /* for the caller's thread */
    int halt;                  /* an hs_exec_stop_how, 0: go on */
    int stop;                  /* what hs_exec_stop() was told */
} hsi_control;

hs_status hsi_control_open(hsi_control *control, char why[HS_WHY]);
void      hsi_control_close(hsi_control *control); /* once event_fd is -1 or open */

void hsi_lock(hsi_control *control);
void hsi_unlock(hsi_control *control);

/* The caller's thread looks at once. Safe in a signal handler. */
void hsi_wake_caller(const hsi_control *control);

#endif
