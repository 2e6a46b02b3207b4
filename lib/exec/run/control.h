/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_CONTROL_H
#define HSI_EXEC_RUN_CONTROL_H

#include <pthread.h>
#include <stdint.h>

#include <hybridsched/exec.h>

#define HSI_FAR INT64_MAX /* ns: a time that never comes */

/*
 * The control of a run: the lock of the run, the gate at which all threads wait for the common
 * start, the halt flag, the fault that ends the run, and the event that wakes the caller's thread.
 */
typedef struct hsi_control hsi_control;

/* Create the control. HS_OK: the caller owns *out. HS_ERESOURCE: no file descriptor is left, see
 * *error. HS_ENOMEM. */
hs_status hsi_control_create(hsi_control **out, hs_error *error);
void      hsi_control_free(hsi_control *control); /* NULL is allowed */

/* Before a run: close the gate, expect `threads` threads, and clear halt flag and fault. A stop
 * request stays. */
void hsi_control_reset(hsi_control *control, unsigned threads);

/* Lock and unlock the run. The lock is held for a few microseconds at most. */
void hsi_lock(hsi_control *control);
void hsi_unlock(hsi_control *control);

/* Sleep until `cond` is signalled, or until `until` in ns; HSI_FAR: no limit. Return true after
 * `until`. The caller holds the lock, which is released during the sleep. */
bool hsi_control_sleep(hsi_control *control, pthread_cond_t *cond, int64_t until);

/* Wait at the gate for the start of the run, as one of the threads. Hold the lock. */
void hsi_control_wait_at_gate(hsi_control *control);

/* Wait until `threads` threads are at the gate, then set the start of the run to the present. Hold
 * the lock. */
void hsi_control_start_run(hsi_control *control, unsigned threads);
void hsi_control_open_gate(hsi_control *control); /* hold the lock */

/* Set the number of threads of the run if fewer were started than expected. Hold the lock. */
void hsi_control_set_threads(hsi_control *control, unsigned threads);

/* Leave the run, as one of the threads. The last thread to leave wakes the caller's thread. Hold
 * the lock. */
void hsi_control_leave_run(hsi_control *control);
bool hsi_control_has_threads(const hsi_control *control); /* a thread has not left; hold the lock */

/* Return the start of the run: in ns of hsi_clock_ns(), and in seconds since 1970. Constant once
 * the gate is open. */
int64_t hsi_control_start_ns(const hsi_control *control);
double  hsi_control_start_date(const hsi_control *control);

/* Set the halt flag: workers start no further task. Hold the lock. */
void hsi_control_set_halt(hsi_control *control, hs_exec_stop_mode how);

/* Return the halt flag, an hs_exec_stop_mode; 0: the run goes on. Atomic. */
int hsi_control_halt(const hsi_control *control);

/* Set the fault that ended the run, unless there is one already. Hold the lock. */
void            hsi_control_set_fault(hsi_control *control, hs_status status, const char *why);
const hs_error *hsi_control_fault(const hsi_control *control); /* status HS_OK: no fault */

/* Request a stop as hs_exec_stop() does, and wake the caller's thread. Safe in a signal handler. */
void hsi_control_request_stop(hsi_control *control, hs_exec_stop_mode how);

/* Return the requested values of hs_exec_stop_mode, combined with |. Atomic. */
int hsi_control_stop_request(const hsi_control *control);

/* Clear the stop request if it is still `seen`; a later request stays for the next run. */
void hsi_control_clear_stop(hsi_control *control, int seen);

/* Wake the caller's thread. Safe in a signal handler. */
void hsi_wake_caller(const hsi_control *control);

/* Sleep in the caller's thread until hsi_wake_caller(), or until `until` in ns; HSI_FAR: no
 * limit. */
void hsi_control_wait_for_event(hsi_control *control, int64_t until);

#endif
