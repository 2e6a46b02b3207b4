/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/run.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "exec/data/sharing.h"
#include "exec/why.h"
#include "support/atomic.h"
#include "support/clock.h"
#include "support/sized.h"

/* Block signals in the worker threads, except those that a fault of the thread itself raises. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t         all;
    size_t           i;

    sigfillset(&all);
    for (i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

/* Start the workers' threads. Return the number started; on an error mark the other workers as
 * left. */
static unsigned start_threads(hs_exec *exec)
{
    sigset_t before;
    unsigned started = 0, i;
    int      error = 0;

    block_signals(&before);
    while (started < exec->work.workers && !error) {
        hsi_worker *w = &exec->worker[started];

        error = pthread_create(&w->thread, NULL, hsi_worker_main, w);
        started += !error;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error)
        return started;
    hsi_lock(&exec->control);
    hsi_error_set(&exec->control.fault, HS_ERESOURCE, "only %u of %u threads could be started: %s",
                  started, exec->work.workers, strerror(error));
    hsi_halt(exec, HS_STOP_DRAIN);
    exec->control.present = exec->control.active = started;
    for (i = started; i < exec->work.workers; i++)
        exec->worker[i].turn.phase = HSI_LEAVE;
    hsi_unlock(&exec->control);
    return started;
}

static void open_gate(hs_exec *exec, unsigned started)
{
    struct timespec date;

    hsi_lock(&exec->control);
    while (exec->control.ready < started)
        pthread_cond_wait(&exec->control.arrival, &exec->control.lock);
    if (hsi_atomic_load(&exec->control.stop))
        hsi_halt(exec, HS_STOP_DRAIN);
    exec->control.start_ns = exec->control.latest = hsi_clock_ns();
    clock_gettime(CLOCK_REALTIME, &date);
    exec->control.start_date = (double)date.tv_sec + 1e-9 * (double)date.tv_nsec;
    hsi_decide_first(exec);
    exec->control.open = true;
    pthread_cond_broadcast(&exec->control.gate);
    hsi_unlock(&exec->control);
}

static hs_status verdict(const hs_exec *exec, const hs_exec_report *r, hs_error *error)
{
    int used;

    if (r->done + r->left_out == r->tasks)
        return HS_OK;
    used = snprintf(error->why, HS_WHY, "%llu of %llu tasks failed, and %llu %s not run",
                    (unsigned long long)r->failed, (unsigned long long)r->tasks,
                    (unsigned long long)r->not_run, r->not_run == 1 ? "was" : "were");
    if (r->blocked && r->blocked == r->not_run)
        snprintf(error->why + used, HS_WHY - (size_t)used, " because of that");
    else if (r->blocked)
        snprintf(error->why + used, HS_WHY - (size_t)used, ", %llu of them because of that",
                 (unsigned long long)r->blocked);
    return hsi_atomic_load(&exec->control.stop) ? HS_ECANCELED : HS_EFAILED;
}

static hs_status outcome(const hs_exec *exec, hs_status closed, const hs_exec_report *r,
                         hs_error *error)
{
    if (closed != HS_OK) /* a failure of the journal explains why the run was broken off */
        return closed;
    if (exec->control.fault.status == HS_OK)
        return verdict(exec, r, error);
    *error = exec->control.fault;
    return error->status;
}

/* Verify the factorisation after all tasks are done. */
static hs_status verify(const hs_exec *exec, hs_error *error)
{
    hsi_matrix                  *matrix = exec->bodies.matrix;
    const hs_exec_factorisation *r = matrix ? &matrix->result : NULL;
    hs_status                    st;
    int                          used;

    if (matrix && matrix->sharing && matrix->sharing->lost(matrix->memory, error->why))
        return HS_EFAILED;
    if (!matrix || !exec->work.settings.run.verify)
        return HS_OK;
    st = hsi_matrix_check(matrix);
    if (st != HS_OK)
        return hsi_error_set(error, st, "the result cannot be verified: out of memory");
    if (!r->wrong)
        return HS_OK;
    used = snprintf(error->why, HS_WHY,
                    "the %s factorisation is wrong: relative residual %.3g (below 1e-8 if it is "
                    "right), largest element %.3g (below %.3g)",
                    r->name, r->relative_residual, r->largest_residual, r->largest_residual_limit);
    if (matrix->kind == HS_QR)
        snprintf(error->why + used, HS_WHY - (size_t)used, ", Q'Q off by %.3g (below 1e-8)",
                 r->orthogonality);
    return HS_EFAILED;
}

int hs_exec_describe_factorisation(const hs_exec *exec, hs_exec_factorisation *out)
{
    if (!exec || !exec->bodies.matrix)
        return 0;
    hsi_fill_sized(out, &exec->bodies.matrix->result, sizeof exec->bodies.matrix->result);
    return 1;
}

hs_status hs_exec_copy_factors(const hs_exec *exec, double *out)
{
    if (!exec || !out || !exec->bodies.matrix || !exec->control.ran)
        return HS_EINVAL;
    hsi_matrix_factors(exec->bodies.matrix, out);
    return HS_OK;
}

static hs_status fill_matrix(const hs_exec *exec, hs_error *error)
{
    const hs_exec_factorisation *r = &exec->bodies.matrix->result;
    double                       bytes = 8 * (double)r->order * (double)r->order;

    if (hsi_matrix_fill(exec->bodies.matrix) == HS_OK)
        return HS_OK;
    return hsi_error_set(error, HS_ENOMEM, "out of memory: a matrix of order %zu takes %.1f GiB",
                         r->order, bytes / 0x1p30);
}

hs_status hs_exec_run(hs_exec *exec, hs_exec_report *report, hs_error *error)
{
    hs_error       fault = {0};
    hs_exec_report full;
    uint64_t       lost;
    hs_status      status;
    unsigned       started, i;
    int            stop_seen;
    hsi_gpu_energy *power;

    if (!exec || exec->work.settings.keep.dry_run ||
        (exec->control.ran && exec->work.settings.keep.journal))
        return hsi_error_return(error, HS_EINVAL, &fault);
    status = exec->control.ran ? hsi_renew(exec, &fault) : HS_OK;
    if (status == HS_OK && exec->bodies.matrix)
        status = fill_matrix(exec, &fault);
    if (status != HS_OK)
        return hsi_error_return(error, status, &fault);
    exec->control.ran = true;
    exec->control.present = exec->control.active = exec->work.workers;
    exec->control.next_look = HSI_FAR;
    for (i = 0; i < exec->work.workers; i++)
        exec->worker[i].turn.deadline = HSI_FAR;
    power = hsi_gpu_energy_begin(&exec->machine, exec->work.gpus);
    started = start_threads(exec);
    open_gate(exec, started);
    hsi_wait_for_workers(exec);
    exec->power = hsi_gpu_energy_end(power);
    for (i = 0; i < started; i++)
        pthread_join(exec->worker[i].thread, NULL);
    hsi_transfers_note(exec);
    status = hsi_results_close_journal(exec->results, &lost, &fault);
    if (hsi_results_find_blocked(exec->results, &exec->work) != HS_OK && status == HS_OK)
        status = HS_ENOMEM;
    stop_seen = hsi_atomic_load(&exec->control.stop);
    hs_exec_report_init(&full);
    hsi_report_fill(exec, lost, &full);
    if (report)
        hsi_report_fill(exec, lost, report);
    status = outcome(exec, status, &full, &fault);
    if (status == HS_OK)
        status = verify(exec, &fault);
    /* keep a call of hs_exec_stop() made since then for the next run */
    __atomic_compare_exchange_n(&exec->control.stop, &stop_seen, 0, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return hsi_error_return(error, status, &fault);
}
