/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h" /* ppoll() */

#include "exec/run/control.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/error.h"
#include "support/atomic.h"
#include "support/clock.h"
#include "support/cond.h"
#include "support/spin.h"

/* `lock` guards all fields, with these exceptions: start_ns, start_date and event_fd are constant
 * once the gate is open; `halt` is written with the lock held and read atomically without it;
 * `stop` is atomic. */
struct hsi_control {
    pthread_mutex_t lock;
    pthread_cond_t  gate;    /* workers wait here for the start */
    pthread_cond_t  arrival; /* the caller waits here for the workers; separate from `gate`, as each
                                arrival wakes the caller alone */
    unsigned ready;          /* threads that wait at the gate */
    bool     open;           /* the gate is open */
    unsigned present;        /* threads that have not left */
    int64_t  start_ns;
    double   start_date;
    hs_error fault;

    _Alignas(64) int event_fd; /* wakes the caller's thread */
    int halt;
    int stop;
};

/* Initialise the lock and both conditions, or none of them. */
static bool make_locks(hsi_control *control)
{
    if (pthread_mutex_init(&control->lock, NULL) != 0)
        return false;
    if (hsi_cond_init(&control->gate) != 0) {
        pthread_mutex_destroy(&control->lock);
        return false;
    }
    if (hsi_cond_init(&control->arrival) != 0) {
        pthread_cond_destroy(&control->gate);
        pthread_mutex_destroy(&control->lock);
        return false;
    }
    return true;
}

hs_status hsi_control_create(hsi_control **out, hs_error *error)
{
    hsi_control *control = aligned_alloc(_Alignof(hsi_control), sizeof *control);

    if (!control)
        return HS_ENOMEM;
    *control = (hsi_control){.event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (control->event_fd < 0) {
        free(control);
        return hsi_error_set(error, HS_ERESOURCE, "cannot create an event descriptor: %s",
                             strerror(errno));
    }
    if (!make_locks(control)) {
        close(control->event_fd);
        free(control);
        return HS_ENOMEM;
    }
    *out = control;
    return HS_OK;
}

void hsi_control_free(hsi_control *control)
{
    if (!control)
        return;
    close(control->event_fd);
    pthread_cond_destroy(&control->arrival);
    pthread_cond_destroy(&control->gate);
    pthread_mutex_destroy(&control->lock);
    free(control);
}

void hsi_control_reset(hsi_control *control, unsigned threads)
{
    control->ready = 0;
    control->open = false;
    control->present = threads;
    control->halt = 0;
    control->fault = (hs_error){0};
}

void hsi_lock(hsi_control *control)
{
    hsi_spin_lock(&control->lock);
}

void hsi_unlock(hsi_control *control)
{
    pthread_mutex_unlock(&control->lock);
}

bool hsi_control_sleep(hsi_control *control, pthread_cond_t *cond, int64_t until)
{
    struct timespec end = hsi_timespec(until);

    if (until == HSI_FAR) {
        pthread_cond_wait(cond, &control->lock);
        return false;
    }
    return pthread_cond_timedwait(cond, &control->lock, &end) == ETIMEDOUT;
}

void hsi_control_wait_at_gate(hsi_control *control)
{
    control->ready++;
    pthread_cond_signal(&control->arrival);
    while (!control->open)
        pthread_cond_wait(&control->gate, &control->lock);
}

void hsi_control_start_run(hsi_control *control, unsigned threads)
{
    struct timespec date;

    while (control->ready < threads)
        pthread_cond_wait(&control->arrival, &control->lock);
    control->start_ns = hsi_clock_ns();
    clock_gettime(CLOCK_REALTIME, &date);
    control->start_date = (double)date.tv_sec + 1e-9 * (double)date.tv_nsec;
}

void hsi_control_open_gate(hsi_control *control)
{
    control->open = true;
    pthread_cond_broadcast(&control->gate);
}

void hsi_control_set_threads(hsi_control *control, unsigned threads)
{
    control->present = threads;
}

void hsi_control_leave_run(hsi_control *control)
{
    if (--control->present == 0)
        hsi_wake_caller(control);
}

bool hsi_control_has_threads(const hsi_control *control)
{
    return control->present > 0;
}

int64_t hsi_control_start_ns(const hsi_control *control)
{
    return control->start_ns;
}

double hsi_control_start_date(const hsi_control *control)
{
    return control->start_date;
}

void hsi_control_set_halt(hsi_control *control, hs_exec_stop_mode how)
{
    hsi_atomic_store(&control->halt, (int)how);
}

int hsi_control_halt(const hsi_control *control)
{
    return hsi_atomic_load(&control->halt);
}

void hsi_control_set_fault(hsi_control *control, hs_status status, const char *why)
{
    if (control->fault.status == HS_OK)
        hsi_error_set(&control->fault, status, "%s", why);
}

const hs_error *hsi_control_fault(const hsi_control *control)
{
    return &control->fault;
}

void hsi_control_request_stop(hsi_control *control, hs_exec_stop_mode how)
{
    __atomic_fetch_or(&control->stop, (int)how, __ATOMIC_RELAXED);
    hsi_wake_caller(control);
}

int hsi_control_stop_request(const hsi_control *control)
{
    return hsi_atomic_load(&control->stop);
}

void hsi_control_clear_stop(hsi_control *control, int seen)
{
    __atomic_compare_exchange_n(&control->stop, &seen, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void hsi_wake_caller(const hsi_control *control)
{
    const uint64_t one = 1;
    int            before = errno;

    while (write(control->event_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    errno = before;
}

void hsi_control_wait_for_event(hsi_control *control, int64_t until)
{
    struct pollfd   event = {control->event_fd, POLLIN, 0};
    int64_t         left = until == HSI_FAR ? 0 : until - hsi_clock_ns();
    struct timespec span = hsi_timespec(left > 0 ? left : 0);
    uint64_t        count;

    if (ppoll(&event, 1, until == HSI_FAR ? NULL : &span, NULL) > 0)
        while (read(control->event_fd, &count, sizeof count) < 0 && errno == EINTR)
            continue;
}
