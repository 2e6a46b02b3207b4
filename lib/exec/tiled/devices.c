/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles on devices: each tile of the matrix is a handle, and each step of the factorisation is an
 * operation of the device table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/backend/backends.h"
#include "exec/backend/kernel/kernel.h"
#include "exec/device/devices.h"
#include "exec/tiled/tiles.h"

enum { UNIT = 256 };

struct hsi_tiles {
    hsi_devices devices; /* first, so the data of the backend are both */
    hs_backend  backend;
    hsi_matrix *matrix;
    uint32_t    kinds; /* bits: operations in the matrix's precision that every device has */
};

/* How devices do a step. Operands are numbered from 1; 0: none. */
typedef struct step_operation {
    hs_operation_kind kind;
    unsigned          options;
    uint8_t           operand[4]; /* a, b, c, t */
    uint8_t           copy_from, copy_to;
} step_operation;

static const step_operation operations[] = {
    [HSI_POTRF] = {HS_OPERATION_POTRF, 0, {1, 0, 0, 0}, 0, 0},
    [HSI_SYRK] = {HS_OPERATION_SYRK, 0, {1, 0, 2, 0}, 0, 0},
    [HSI_TRSM] = {HS_OPERATION_TRSM, HS_TRANSPOSED, {1, 0, 2, 0}, 0, 0},
    [HSI_GEMM] = {HS_OPERATION_GEMM, HS_TRANSPOSED, {1, 2, 3, 0}, 0, 0},
    [HSI_GETRF] = {HS_OPERATION_GETRF, 0, {1, 0, 0, 0}, 0, 0},
    [HSI_TRSM_LEFT] = {HS_OPERATION_TRSM, HS_LEFT | HS_UNIT, {1, 0, 2, 0}, 0, 0},
    [HSI_TRSM_RIGHT] = {HS_OPERATION_TRSM, HS_UPPER, {1, 0, 2, 0}, 0, 0},
    [HSI_GEMM_LU] = {HS_OPERATION_GEMM, 0, {1, 2, 3, 0}, 0, 0},
    [HSI_GEQRF] = {HS_OPERATION_GEQRF, 0, {1, 0, 0, 3}, 1, 2},
    [HSI_ORMQR] = {HS_OPERATION_ORMQR, 0, {1, 0, 3, 2}, 0, 0},
    [HSI_TPQRT] = {HS_OPERATION_TPQRT, 0, {1, 2, 0, 3}, 0, 0},
    [HSI_TPMQRT] = {HS_OPERATION_TPMQRT, 0, {1, 4, 3, 2}, 0, 0}};

/* Return the operation of a step, without addresses. */
static hs_operation operation_of(const hsi_matrix *matrix, hsi_step step)
{
    const step_operation *s = &operations[step];
    int                   n = matrix->tile;
    hs_operation          op = {.kind = s->kind,
                                .single = matrix->single,
                                .options = s->options,
                                .m = n,
                                .n = n,
                                .k = n};
    hs_operand           *operand[] = {&op.a, &op.b, &op.c, &op.t};

    for (int i = 0; i < 4; i++)
        if (s->operand[i])
            operand[i]->ld = operand[i] == &op.t ? HSI_KERNEL_PANEL : n;
    return op;
}

/* Set the uses of a row. A task that `keeps` what it updates may fail and be repeated. */
static unsigned uses_of(const hsi_matrix_row *row, bool keeps, hsi_use use[HSI_OPERANDS])
{
    for (int i = 0; i < row->count; i++) {
        const hsi_operand *o = &row->operand[i];

        use[i] = (hsi_use){.handle = (uint32_t)o->piece,
                           .version = o->version,
                           .mode = (uint8_t)o->mode,
                           .keep = keeps && o->mode == HS_READ_WRITE,
                           .range = HS_NONE,
                           .second = HS_NONE};
    }
    return (unsigned)row->count;
}

static bool has_operation(const hsi_tiles *tiles, hsi_step step)
{
    return tiles->kinds >> operations[step].kind & 1;
}

static hs_status refuse_operation(const hsi_tiles *tiles, const hs_task *row, hsi_step step,
                                  hs_error *error)
{
    const char *type = tiles->matrix->single ? "float" : "double";

    return hsi_error_set(
        error, HS_ERESOURCE,
        "kernel '%.64s' is not for these GPUs, since not all of them have %s of %ss: set the GPU "
        "times of such rows to inf and plan again, or use a policy without plan",
        row->kernel, hsi_operation_name(operations[step].kind), type);
}

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    const int             most = 46340, most_of_stack = 32767; /* n (n + 1) or 2 n n fits an int */
    const hsi_tiles      *tiles = options->data;
    const hsi_matrix     *matrix = tiles->matrix;
    const hsi_matrix_row *step = &matrix->row[options->row];
    hsi_device_body       body = {.base = {tiles->devices.backend}};
    int                   largest = step->step == HSI_TPQRT ? most_of_stack : most;

    *out = NULL;
    if (type != HS_GPU || step->step == HSI_NO_STEP)
        return HS_OK;
    if (!has_operation(tiles, step->step))
        return refuse_operation(tiles, row, step->step, error);
    if (matrix->tile > largest)
        return hsi_error_set(
            error, HS_ERESOURCE,
            "kernel '%.64s' is not for GPUs: the largest size there is %d, of fewer "
            "than 2^31 elements",
            row->kernel, largest);
    body.kernel = hsi_kernel_find(row->kernel, strcspn(row->kernel, ":"))->name;
    snprintf(body.name, sizeof body.name, "%.24s:%d", body.kernel, matrix->tile);
    body.version = (uint32_t)options->row;
    body.keeps = matrix->may_fail;
    body.count = uses_of(step, body.keeps, body.use);
    for (int i = 0; i < step->count; i++)
        body.is_last[i] = step->operand[i].last;
    body.operation = operation_of(matrix, step->step);
    memcpy(body.operand, operations[step->step].operand, sizeof body.operand);
    body.copy_from = operations[step->step].copy_from;
    body.copy_to = operations[step->step].copy_to;
    return hsi_body_copy_to_heap(&body, sizeof body, out);
}

static const hs_backend backend = {
    .struct_size = sizeof(hs_backend),
    .name = "device", /* replaced by the name of the module */
    .body_create = body_create,
    .body_free = hsi_body_free,
    .worker_open = hsi_device_worker_open,
    .worker_close = hsi_device_worker_close,
    .run = hsi_device_run,
};

/* Return the tiles that the largest task needs on a device. */
static size_t least_tiles(const hsi_matrix *matrix)
{
    size_t most = 0;

    for (size_t i = 0; i < matrix->rows; i++) {
        const hsi_matrix_row *row = &matrix->row[i];
        size_t                needed = 0;

        for (int k = 0; k < row->count; k++)
            needed += 1 + (row->operand[k].mode == HS_READ_WRITE && matrix->may_fail);
        most = needed > most ? needed : most;
    }
    return most;
}

/* List each operation of the matrix that the devices have once. */
static hs_status list_operations(hsi_tiles *tiles)
{
    const hsi_matrix *matrix = tiles->matrix;
    hsi_devices      *d = &tiles->devices;
    unsigned          steps = 0, step;

    for (size_t i = 0; i < matrix->rows; i++)
        steps |= 1u << matrix->row[i].step;
    d->operation = calloc(HSI_TPMQRT + 1, sizeof *d->operation);
    for (step = HSI_NO_STEP + 1; d->operation && step <= HSI_TPMQRT; step++)
        if (steps >> step & 1 && has_operation(tiles, (hsi_step)step))
            d->operation[d->operations++] = operation_of(matrix, (hsi_step)step);
    return d->operation ? HS_OK : HS_ENOMEM;
}

/* Tiles have a few places more than there are tiles, for tasks that may fail. */
static void describe_tiles(hsi_tiles *tiles, const hs_exec_settings *settings)
{
    const hsi_matrix *matrix = tiles->matrix;
    hsi_devices      *d = &tiles->devices;
    size_t            element = hsi_matrix_element_bytes(matrix);

    tiles->backend = backend;
    hsi_devices_set_up(d, &tiles->backend, settings);
    d->unit = (hsi_matrix_elements(matrix) * element + UNIT - 1) / UNIT * UNIT;
    d->least_units = least_tiles(matrix);
    d->together = 1;
    d->most_units = matrix->pieces + 2 * HSI_OPERANDS;
    for (size_t i = 0; i < matrix->pieces; i++)
        if (matrix->piece[i].matrix)
            d->bytes[i] = hsi_matrix_piece_elements(matrix, matrix->piece[i].matrix) * element;
}

hs_status hsi_tiles_create(hsi_matrix *matrix, const hsi_client_run *run, hsi_tiles **out,
                           hs_error *error)
{
    const hs_exec_settings *settings = run->settings;
    hsi_tiles              *tiles = calloc(1, sizeof *tiles);
    double                  least;
    hs_status               st;

    if (!tiles)
        return HS_ENOMEM;
    tiles->matrix = matrix;
    tiles->kinds = run->operations[matrix->single];
    st = hsi_devices_create(run->devices, run->gpus, matrix->pieces, &tiles->devices);
    if (st != HS_OK) {
        free(tiles);
        return st;
    }
    describe_tiles(tiles, settings);
    least = (double)tiles->devices.unit * (double)tiles->devices.least_units;
    st = list_operations(tiles);
    if (st == HS_OK && settings->gpu.tile_memory > 0 && settings->gpu.tile_memory < least)
        st = hsi_error_set(error, HS_EINVAL,
                           "on a GPU one task needs %.0f bytes for its tiles, more than "
                           "settings.gpu.tile_memory",
                           least);
    if (st == HS_OK) {
        *out = tiles;
        return st;
    }
    hsi_devices_free(&tiles->devices);
    free(tiles);
    return st;
}

void hsi_tiles_free(hsi_tiles *tiles)
{
    hsi_devices_free(&tiles->devices);
    free(tiles);
}

hsi_devices *hsi_tiles_devices(hsi_tiles *tiles)
{
    return &tiles->devices;
}

/* Set the place of a tile on the host. Nothing is copied from or to the place. */
static void place(hsi_tiles *tiles, size_t piece)
{
    const hsi_devices *d = &tiles->devices;

    hsi_ledger_place(d->ledger, (uint32_t)piece, (double)d->unit, tiles->matrix->piece[piece].at,
                     d->unit);
}

void hsi_tiles_renew(hsi_tiles *tiles)
{
    hsi_devices_renew(&tiles->devices);
    for (size_t i = 0; i < tiles->matrix->pieces; i++)
        place(tiles, i);
}

bool hsi_tiles_take(hsi_tiles *tiles, const hsi_matrix_row *row, hsi_taken *taken, char why[HS_WHY])
{
    return hsi_devices_take(&tiles->devices, taken->use, uses_of(row, false, taken->use), why);
}

/* A task on copies has replaced the tiles that it updates by its copies. */
void hsi_tiles_give(hsi_tiles *tiles, const hsi_matrix_row *row, const hsi_taken *taken, bool done,
                    bool in_place)
{
    const hsi_matrix *matrix = tiles->matrix;
    hsi_devices      *d = &tiles->devices;
    uint32_t          version = (uint32_t)(row - matrix->row);

    pthread_mutex_lock(&d->lock);
    for (int i = 0; done && i < row->count; i++)
        if (row->operand[i].mode != HS_READ)
            place(tiles, row->operand[i].piece);
    pthread_mutex_unlock(&d->lock);
    hsi_devices_give(d, taken->use, (size_t)row->count, version,
                     done       ? HSI_GIVEN_NEW
                     : in_place ? HSI_GIVEN_SPOILED
                                : HSI_GIVEN_NOTHING);
}

void hsi_tiles_expect(hsi_tiles *tiles, const hsi_matrix_row *row)
{
    hsi_use  use[HSI_OPERANDS];
    unsigned count = uses_of(row, false, use);

    hsi_devices_prefetch(&tiles->devices, HSI_LEDGER_HOST, use, count, 0);
}
