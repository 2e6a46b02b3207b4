/* SPDX-License-Identifier: BSD-3-Clause */
/* The client of tiled factorisations, and the public functions about a factorisation. */
#include "exec/client/client.h"

#include <stdio.h>

#include "core/error.h"
#include "exec/device/devices.h"
#include "exec/ranks/exchange.h"
#include "exec/tiled/tiles.h"
#include "support/sized.h"

/* Let the GPUs of the run share the tiles, if their modules can. */
static hs_status share_with_gpus(hsi_matrix *matrix, const hsi_client_run *run, hs_error *error)
{
    return run->devices ? hsi_tiles_create(matrix, run, &matrix->shared, error) : HS_OK;
}

static hs_status set_up(hsi_matrix *matrix, const hsi_client_run *run, hs_error *error)
{
    const hs_exec_settings *s = run->settings;
    hs_status               st = HS_OK;

    if (s->run.matrix)
        st = hsi_matrix_set_input(matrix, s->run.matrix, s->run.matrix_order, error);
    matrix->may_fail = run->may_fail;
    matrix->may_take = run->may_take;
    matrix->verify = s->run.verify;
    if (st == HS_OK && s->run.mpi && run->devices)
        st = hsi_error_set(error, HS_EINVAL,
                           "settings.run.mpi divides tiles among CPUs: plan for no GPU, or emulate "
                           "the GPUs by settings.run.emulate[HS_GPU]");
    if (st == HS_OK && s->run.mpi)
        st = hsi_matrix_divide(matrix, run->in, s->run.mpi, error);
    matrix->collects = s->run.collect_factors;
    if (st == HS_OK)
        st = hsi_matrix_check_memory(matrix, error);
    return st == HS_OK ? share_with_gpus(matrix, run, error) : st;
}

static void claim_tiles(const hsi_matrix *matrix, bool *claimed)
{
    for (size_t row = 0; row < matrix->rows; row++)
        for (int i = 0; i < matrix->row[row].count; i++)
            claimed[matrix->row[row].operand[i].piece] = true;
}

/* Emulated tasks compute nothing, so there is no matrix if CPUs are emulated. Rows that factorise
 * no matrix are refused only if no other backend runs them. */
static hs_status recognise(const hsi_client_run *run, void **state, hs_error *refusal,
                           hs_error *error)
{
    const hs_exec_settings *s = run->settings;
    hsi_matrix             *matrix = NULL;
    hs_status               st;

    if (s->run.emulate[HS_CPU])
        return s->run.matrix ? hsi_error_set(error, HS_EINVAL,
                                             "settings.run.matrix excludes "
                                             "settings.run.emulate[HS_CPU]: emulated tasks compute "
                                             "nothing")
                             : HS_OK;
    refusal->status = hsi_matrix_create(run->in, s->run.matrix_seed, &matrix, refusal);
    if (refusal->status == HS_ENOMEM)
        return HS_ENOMEM;
    if (!matrix && s->run.matrix)
        return hsi_error_set(error, HS_EINVAL, "settings.run.matrix is given, but %s",
                             refusal->status != HS_OK ? refusal->why
                                                      : "no task factorises a matrix");
    if (!matrix && s->run.mpi)
        return hsi_error_set(error, HS_EINVAL, "settings.run.mpi is given, but %s",
                             refusal->status != HS_OK ? refusal->why
                                                      : "no task factorises a matrix");
    if (!matrix)
        return HS_OK;
    claim_tiles(matrix, run->claimed);
    st = set_up(matrix, run, error);
    if (st == HS_OK)
        *state = matrix;
    else
        hsi_matrix_free(matrix);
    return st;
}

static hs_status fill(void *state, hs_error *error)
{
    hsi_matrix *matrix = state;
    double      order = (double)matrix->result.order;

    if (hsi_matrix_fill(matrix) == HS_OK)
        return HS_OK;
    return hsi_error_set(error, HS_ENOMEM, "out of memory: a matrix of order %zu takes %.1f GiB",
                         matrix->result.order, 8 * order * order / 0x1p30);
}

static hs_status verify(void *state, hs_error *error)
{
    hsi_matrix                  *matrix = state;
    const hs_exec_factorisation *r = &matrix->result;
    hs_status                    st;
    int                          used;

    if (matrix->shared && hsi_devices_lost(hsi_tiles_devices(matrix->shared), error->why))
        return HS_EFAILED;
    if (hsi_matrix_collects(matrix)) {
        st = hsi_matrix_collect(matrix, matrix->verify && matrix->kind == HS_QR, error);
        if (st != HS_OK)
            return st;
    }
    if (!matrix->verify)
        return HS_OK;
    st = hsi_matrix_verify_factors(matrix, error);
    if (st == HS_ENOMEM)
        return hsi_error_set(error, st, "the result cannot be verified: out of memory");
    if (st != HS_OK)
        return st;
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

static void free_state(void *state)
{
    hsi_matrix_free(state);
}

static hsi_devices *devices(const void *state)
{
    const hsi_matrix *matrix = state;

    return matrix->shared ? hsi_tiles_devices(matrix->shared) : NULL;
}

static hsi_exchange *exchange(const void *state)
{
    const hsi_matrix *matrix = state;

    return matrix->exchange;
}

static void prefetch(void *state, size_t row)
{
    const hsi_matrix *matrix = state;

    hsi_tiles_expect(matrix->shared, &matrix->row[row]);
}

const hsi_client hsi_client_tiled = {
    .host = &hsi_backend_tiled,
    .calls_blas = true,
    .no_resume = "a factorisation cannot resume: its tiles were in the memory of the earlier run; "
                 "start it again without resume",
    .recognise = recognise,
    .fill = fill,
    .verify = verify,
    .free = free_state,
    .devices = devices,
    .prefetch = prefetch,
    .exchange = exchange,
};

static hsi_matrix *matrix_of(const hs_exec *exec)
{
    return exec ? hsi_run_data_state(hsi_exec_data(exec), &hsi_client_tiled) : NULL;
}

int hs_exec_describe_factorisation(const hs_exec *exec, hs_exec_factorisation *out)
{
    const hsi_matrix *matrix = matrix_of(exec);

    if (!matrix)
        return 0;
    hsi_sized_copy_out(out, &matrix->result, sizeof matrix->result);
    return 1;
}

hs_status hs_exec_copy_factors(const hs_exec *exec, double *out)
{
    const hsi_matrix *matrix = matrix_of(exec);

    if (!matrix || !out || !matrix->block) /* the first run allocates the block */
        return HS_EINVAL;
    if (matrix->exchange && (!matrix->collects || hsi_exchange_mpi(matrix->exchange)->rank > 0))
        return HS_EINVAL;
    hsi_matrix_write_factors(matrix, out);
    return HS_OK;
}
