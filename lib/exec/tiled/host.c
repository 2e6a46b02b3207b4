/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Built-in kernels on tiles that all workers share. A task that may be aborted or retried works on
 * copies of the tiles that it updates. At the task's end, the copies become the tiles, and the
 * worker keeps the old memory for its next copies. All other tasks work in place and are never
 * interrupted.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/backend/backends.h"
#include "exec/backend/kernel/kernel.h"
#include "exec/error_text.h"
#include "exec/tiled/tiles.h"
#include "support/clock.h"

#if defined HAVE_OPENBLAS && defined HAVE_LAPACKE

enum { OUTPUTS = 2 };

typedef struct shared_body {
    hs_body               base;
    hsi_matrix           *matrix;
    const hsi_matrix_row *row;
    const char           *name;
    const hsi_kernel     *kernel;
    bool                  copies;   /* true: the task works on copies */
    bool                  emulated; /* true: emulates a GPU; takes at least its planned time */
} shared_body;

struct shared_worker {
    hs_backend_worker base;
    void             *work;
    void             *spare[OUTPUTS];
    const hsi_matrix *matrix;
};

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    hsi_matrix             *matrix = options->data;
    const hsi_matrix_row   *step = matrix ? &matrix->row[options->row] : NULL;
    shared_body             body = {.base = {&hsi_backend_tiled}, .matrix = matrix, .row = step};
    const hsi_kernel_entry *entry;

    (void)error->why;
    *out = NULL;
    if (!step || step->step == HSI_NO_STEP)
        return HS_OK;
    entry = hsi_kernel_find(row->kernel, strcspn(row->kernel, ":"));
    body.name = entry->name;
    body.kernel = entry->kernel;
    body.emulated = type == HS_GPU;
    body.copies = matrix->may_fail || (matrix->may_take && isfinite(row->cpu) &&
                                       isfinite(row->gpu) && row->restartable != HS_RESTART_NO);
    return hsi_body_copy_to_heap(&body, sizeof body, out);
}

static struct shared_worker *own_worker(hs_backend_worker *worker)
{
    return (struct shared_worker *)(void *)worker;
}

static void worker_close(hs_backend_worker *worker)
{
    struct shared_worker *own = own_worker(worker);
    int                   i;

    if (!own)
        return;
    for (i = 0; i < OUTPUTS; i++)
        hsi_matrix_release(own->matrix, own->spare[i]);
    free(own->work);
    free(own);
}

static hs_status worker_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, hs_error *error)
{
    const hsi_matrix     *matrix = options->data;
    size_t                rows = (size_t)matrix->tile + HSI_KERNEL_PANEL;
    struct shared_worker *worker = calloc(1, sizeof *worker);

    (void)info;
    (void)error->why;
    if (!worker)
        return HS_ENOMEM;
    worker->base.backend = &hsi_backend_tiled;
    worker->matrix = matrix;
    worker->work = aligned_alloc(64, rows * HSI_KERNEL_PANEL * hsi_matrix_element_bytes(matrix));
    if (!worker->work) {
        worker_close(&worker->base);
        return HS_ENOMEM;
    }
    hsi_blas_one_thread();
    *out = &worker->base;
    return HS_OK;
}

static void compute(hsi_job *job, hsi_step step)
{
    int   n = job->n;
    void *b = job->out[0];

    switch (step) {
    case HSI_POTRF:
    case HSI_SYRK:
    case HSI_GEMM:
    case HSI_GEQRF:
    case HSI_TPQRT:
        job->kernel->compute(job);
        break;
    case HSI_TRSM:
        hsi_trsm_right(job, false, n, n, job->in[0], n, b, n);
        break;
    case HSI_GETRF:
        hsi_getrf_in_place(job, n, b, n);
        break;
    case HSI_TRSM_LEFT:
        hsi_trsm_left(job, n, n, job->in[0], n, b, n);
        break;
    case HSI_TRSM_RIGHT:
        hsi_trsm_upper(job, n, n, job->in[0], n, b, n);
        break;
    case HSI_GEMM_LU:
        hsi_gemm(job, false, n, n, n, job->in[0], n, job->in[1], n, b, n);
        break;
    case HSI_ORMQR:
        hsi_ormqr_given(job);
        break;
    case HSI_TPMQRT:
        hsi_tpmqrt_given(job);
        break;
    case HSI_NO_STEP:
        break;
    }
}

static size_t tile_bytes(const hsi_matrix *matrix)
{
    return hsi_matrix_piece_elements(matrix, 'A') * hsi_matrix_element_bytes(matrix);
}

/* Prefetch the tiles into the cache, all tiles side by side in the order of their addresses: that
 * is faster than the kernel's order. Large tiles would not stay in the cache; T is small. */
static void fetch(const shared_body *body)
{
    enum { CACHED = 1 << 19, LINE = 64 }; /* bytes */
    const hsi_matrix_row *row = body->row;
    const char           *at[HSI_OPERANDS];
    size_t                bytes = tile_bytes(body->matrix), i;
    int                   tiles = 0, t;

    for (t = 0; t < row->count; t++)
        if (row->operand[t].matrix != 'T')
            at[tiles++] = body->matrix->piece[row->operand[t].piece].at;
    for (i = 0; bytes <= CACHED && i < bytes; i += LINE)
        for (t = 0; t < tiles; t++)
            __builtin_prefetch(at[t] + i);
}

/* Set the job's inputs and outputs from the row's operands, but for V, which is only written and
 * set by the caller. A tile that is only written needs no copy, since no task reads the tile before
 * this task is done. */
static void take_operands(hsi_job *job, const shared_body *body, struct shared_worker *worker)
{
    const hsi_matrix_row *row = body->row;
    int                   in = 0, out = 0, i;

    for (i = 0; i < row->count; i++) {
        const hsi_operand *operand = &row->operand[i];
        void              *at = body->matrix->piece[operand->piece].at;

        if (operand->matrix == 'T') {
            job->t = at;
        } else if (operand->mode == HS_READ) {
            job->in[in++] = at;
        } else if (operand->mode == HS_READ_WRITE && body->copies) {
            if (!worker->spare[out])
                worker->spare[out] = hsi_matrix_allocate(body->matrix);
            job->out[out] = worker->spare[out];
            if (!job->out[out])
                job->no_memory = job->stopped = true;
            else
                memcpy(job->out[out], at, tile_bytes(body->matrix));
            out++;
        } else if (operand->mode == HS_READ_WRITE) {
            job->out[out++] = at;
        }
    }
}

/* Replace the tiles by the copies that the task has updated. After geqrf, copy the part below the
 * diagonal to V. */
static void give_results(const hsi_job *job, const shared_body *body, struct shared_worker *worker)
{
    const hsi_matrix_row *row = body->row;
    int                   out = 0, i;

    for (i = 0; i < row->count; i++) {
        hsi_datum *piece = &body->matrix->piece[row->operand[i].piece];

        if (row->operand[i].matrix == 'V' && row->operand[i].mode == HS_WRITE)
            memcpy(piece->at, job->out[0], tile_bytes(body->matrix));
        if (row->operand[i].mode != HS_READ_WRITE)
            continue;
        if (body->copies) {
            worker->spare[out] = piece->at;
            piece->at = job->out[out];
        }
        out++;
    }
}

static hs_outcome run_at_home(struct shared_worker *worker, const shared_body *body,
                              hs_attempt *attempt)
{
    static const int        never = HS_CANCEL_NONE;
    static const hs_attempt undisturbed = {.cancel = &never};
    int64_t                 end = hsi_clock_ns() + (int64_t)(fmin(attempt->seconds, 9e9) * 1e9);
    hsi_job                 job = {.kernel = body->kernel,
                                   .attempt = body->copies ? attempt : &undisturbed,
                                   .n = body->matrix->tile,
                                   .columns = body->matrix->tile,
                                   .work = worker->work};

    fetch(body);
    take_operands(&job, body, worker);
    if (!hsi_job_is_stopped(&job))
        compute(&job, body->row->step);
    if (job.no_memory)
        return hsi_attempt_fail(attempt, "%s:%d: out of memory", body->name, job.n);
    if (job.info)
        return hsi_attempt_fail(
            attempt, "%s:%d: LAPACK gave up (info %d)%s", body->name, job.n, job.info,
            body->row->step == HSI_POTRF   ? ": the matrix is not positive definite"
            : body->row->step == HSI_GETRF ? ": a pivot is 0, and rows stay in place"
                                           : "");
    if (body->emulated && !job.stopped && hsi_wait_until(attempt, end) && body->copies)
        job.stopped = true;
    if (job.stopped)
        return HS_OUTCOME_ABORTED;
    give_results(&job, body, worker);
    return HS_OUTCOME_DONE;
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *public_body, hs_attempt *attempt)
{
    const shared_body *body = (const shared_body *)(const void *)public_body;
    const hsi_matrix  *matrix = body->matrix;
    hs_outcome         outcome;
    hsi_taken          taken;

    if (!matrix->shared)
        return run_at_home(own_worker(worker), body, attempt);
    if (!hsi_tiles_take(matrix->shared, body->row, &taken, attempt->why))
        return HS_OUTCOME_FAILED;
    outcome = run_at_home(own_worker(worker), body, attempt);
    hsi_tiles_give(matrix->shared, body->row, &taken, outcome == HS_OUTCOME_DONE, !body->copies);
    return outcome;
}

const hs_backend hsi_backend_tiled = {
    .struct_size = sizeof(hs_backend),
    .name = "cpu",
    .body_create = body_create,
    .body_free = hsi_body_free,
    .worker_open = worker_open,
    .worker_close = worker_close,
    .run = run,
};

#else

/* A build without OpenBLAS and LAPACKE has no kernels on tiles. */
static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    (void)options;
    (void)row;
    (void)type;
    (void)error->why;
    *out = NULL;
    return HS_OK;
}

const hs_backend hsi_backend_tiled = {.struct_size = sizeof(hs_backend),
                                      .name = "cpu",
                                      .body_create = body_create,
                                      .body_free = hsi_body_free};

#endif
