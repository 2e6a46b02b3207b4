/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check that a factorisation has each step once. A step updates tile (i, j) with column k of tiles,
 * for all k <= i, j, and for Cholesky i >= j. The kernel follows from which of the three are equal.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "exec/tiled/matrix.h"

enum { NAME = 104 };

typedef struct step_place {
    int    k, i, j;
    size_t row; /* row of the instance */
} step_place;

/* Return the place of a row's step: its first operand is in column k, its last in row i and column
 * j. */
static step_place place_of(const hsi_matrix *m, size_t row)
{
    const hsi_matrix_row *r = &m->row[row];
    const hsi_datum      *first = &m->piece[r->operand[0].piece];
    const hsi_datum      *last = &m->piece[r->operand[r->count - 1].piece];

    return (step_place){first->column, last->row, last->column, row};
}

static hsi_step step_at(const hsi_matrix *m, const step_place *p)
{
    static const hsi_step steps[][4] = {
        [HS_CHOLESKY] = {HSI_POTRF, HSI_NO_STEP, HSI_TRSM, HSI_GEMM},
        [HS_LU] = {HSI_GETRF, HSI_TRSM_LEFT, HSI_TRSM_RIGHT, HSI_GEMM_LU},
        [HS_QR] = {HSI_GEQRF, HSI_ORMQR, HSI_TPQRT, HSI_TPMQRT}};

    if (p->i < p->k || p->j < p->k || (m->kind == HS_CHOLESKY && p->i < p->j))
        return HSI_NO_STEP;
    if (m->kind == HS_CHOLESKY && p->i == p->j && p->j > p->k)
        return HSI_SYRK;
    return steps[m->kind][2 * (p->i > p->k) + (p->j > p->k)];
}

static int compare(const void *a, const void *b)
{
    const step_place *x = a, *y = b;

    if (x->k != y->k)
        return x->k < y->k ? -1 : 1;
    if (x->i != y->i)
        return x->i < y->i ? -1 : 1;
    if (x->j != y->j)
        return x->j < y->j ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static bool is_same(const step_place *a, const step_place *b)
{
    return a->k == b->k && a->i == b->i && a->j == b->j;
}

/* Move to the next step in the order of compare(). */
static void advance(const hsi_matrix *m, step_place *p)
{
    if (++p->j <= (m->kind == HS_CHOLESKY ? p->i : m->tiles - 1))
        return;
    if (++p->i == m->tiles)
        p->i = ++p->k;
    p->j = p->k;
}

static hs_status refuse_foreign(const hs_instance *in, const step_place *p, hs_error *error)
{
    char    name[NAME];
    hs_task row;

    hs_instance_row(in, p->row, &row);
    hs_instance_row_name(in, p->row, 0, name, sizeof name);
    return hsi_error_set(error, HS_EDEPENDENT,
                         "task %.100s: with these tiles, %.32s is no step of the factorisation",
                         name, row.kernel);
}

static hs_status refuse_twice(const hs_instance *in, const step_place *p, hs_error *error)
{
    char first[NAME], second[NAME];

    hs_instance_row_name(in, p[0].row, 0, first, sizeof first);
    hs_instance_row_name(in, p[1].row, 0, second, sizeof second);
    return hsi_error_set(
        error, HS_EDEPENDENT,
        "task %.100s does what task %.100s has done: a factorisation has each step "
        "once",
        second, first);
}

static hs_status refuse_missing(const hsi_matrix *m, const step_place *p, hs_error *error)
{
    char step[HS_WHY / 2];

    hsi_matrix_name_step(m, step_at(m, p), p->k, p->i, p->j, sizeof step, step);
    return hsi_error_set(error, HS_EDEPENDENT, "a step of the factorisation is missing: %s", step);
}

/* Compare the sorted steps with all steps of the factorisation. */
static hs_status compare_all(const hs_instance *in, const hsi_matrix *m, const step_place *there,
                             size_t count, hs_error *error)
{
    step_place next = {0};
    size_t     i;

    for (i = 0; i < count; i++)
        if (step_at(m, &there[i]) != m->row[there[i].row].step)
            return refuse_foreign(in, &there[i], error);
    for (i = 0; i < count; i++) {
        if (i > 0 && is_same(&there[i - 1], &there[i]))
            return refuse_twice(in, &there[i - 1], error);
        if (!is_same(&next, &there[i]))
            break;
        advance(m, &next);
    }
    return next.k < m->tiles ? refuse_missing(m, &next, error) : HS_OK;
}

hs_status hsi_matrix_check_steps(const hs_instance *in, const hsi_matrix *m, hs_error *error)
{
    step_place *there = malloc((m->rows + 1) * sizeof *there);
    size_t      count = 0, row;
    hs_status   st;

    if (!there)
        return HS_ENOMEM;
    for (row = 0; row < m->rows; row++)
        if (m->row[row].step != HSI_NO_STEP)
            there[count++] = place_of(m, row);
    qsort(there, count, sizeof *there, compare);
    st = compare_all(in, m, there, count, error);
    free(there);
    return st;
}
