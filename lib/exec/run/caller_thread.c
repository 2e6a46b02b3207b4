/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/run/run.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "support/atomic.h"
#include "support/clock.h"

/* Serve the run in the caller's thread: wait for the end, for hs_exec_stop(), for the next deadline
 * and for the next report of progress. */

void hs_exec_stop(hs_exec *exec, hs_exec_stop_mode how)
{
    if (!exec || (how != HS_STOP_DRAIN && how != HS_STOP_NOW))
        return;
    __atomic_fetch_or(&exec->control.stop, (int)how, __ATOMIC_RELAXED);
    hsi_wake_caller(&exec->control);
}

static void obey(hs_exec *exec)
{
    int stop = hsi_atomic_load(&exec->control.stop);

    if (stop)
        hsi_halt(exec, stop & HS_STOP_NOW ? HS_STOP_NOW : HS_STOP_DRAIN);
}

/* Cancel attempts past their deadlines; return the next deadline. */
static int64_t enforce_deadlines(hs_exec *exec)
{
    int64_t  now = hsi_clock_ns(), next = HSI_FAR;
    unsigned i;

    for (i = 0; i < exec->work.workers; i++) {
        hsi_worker *w = &exec->worker[i];

        if (w->turn.deadline == HSI_FAR)
            continue;
        if (w->turn.deadline <= now) {
            w->turn.deadline = HSI_FAR;
            hsi_cancel(w, HSI_TIMED_OUT);
        } else if (w->turn.deadline < next) {
            next = w->turn.deadline;
        }
    }
    return next;
}

static void sleep_until(const hs_exec *exec, int64_t until)
{
    struct pollfd   event = {exec->control.event_fd, POLLIN, 0};
    int64_t         left = until == HSI_FAR ? 0 : until - hsi_clock_ns();
    struct timespec span = hsi_timespec(left > 0 ? left : 0);
    uint64_t        count;

    if (ppoll(&event, 1, until == HSI_FAR ? NULL : &span, NULL) > 0)
        while (read(exec->control.event_fd, &count, sizeof count) < 0 && errno == EINTR)
            continue;
}

static int64_t next_word(const hs_exec *exec, int64_t last)
{
    return exec->work.settings.report.progress
               ? last + (int64_t)(1e9 * exec->work.settings.report.progress_interval)
               : HSI_FAR;
}

void hsi_wait_for_workers(hs_exec *exec)
{
    int64_t word = next_word(exec, exec->control.start_ns), until;
    bool    present;

    do {
        hsi_lock(&exec->control);
        obey(exec);
        until = exec->work.timed ? enforce_deadlines(exec) : HSI_FAR;
        exec->control.next_look = until;
        present = exec->control.present > 0;
        hsi_unlock(&exec->control);
        hsi_failures_report(exec);
        if (present)
            sleep_until(exec, until < word ? until : word);
        if (hsi_clock_ns() >= word) {
            hsi_progress_report(exec);
            word = next_word(exec, hsi_clock_ns());
        }
    } while (present);
    if (exec->work.settings.report.progress)
        hsi_progress_report(exec);
}
