/* SPDX-License-Identifier: BSD-3-Clause */
/* Points 17 and 18 of the suite: operations, compared with loops on the host. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "open_devices.h"

enum { PANEL = 32, PADDING = 3, MOST = 100 * 2 + PADDING };

/* A matrix on the host and, with `offset` elements before it, on the device. */
typedef struct matrix {
    int       rows, columns, ld, offset;
    double   *at; /* with the elements before and between the columns */
    hs_buffer buffer;
} matrix;

static open_devices s;
static int          single;
static unsigned     draws;
static const double padding = 77;

static double draw(void)
{
    draws = draws * 1664525u + 1013904223u;
    return (double)(draws >> 8) / (1 << 23) - 1;
}

static double *element(const matrix *a, int row, int column)
{
    return &a->at[a->offset + column * a->ld + row];
}

static int elements(const matrix *a)
{
    return a->offset + a->ld * a->columns;
}

static size_t width(void)
{
    return single ? sizeof(float) : sizeof(double);
}

static matrix make_with(int rows, int columns, int ld, double diagonal)
{
    matrix a = {rows, columns, ld, 5, NULL, NULL};
    int    i, j;

    a.at = malloc((size_t)elements(&a) * sizeof *a.at);
    ck_assert_ptr_nonnull(a.at);
    for (i = 0; i < elements(&a); i++)
        a.at[i] = padding;
    for (j = 0; j < columns; j++)
        for (i = 0; i < rows; i++)
            *element(&a, i, j) = (double)(float)(draw() + (i == j ? diagonal : 0));
    a.buffer = devices_alloc(&s, 0, (size_t)elements(&a) * width());
    return a;
}

/* Make a random matrix; `diagonal` is added to its diagonal. */
static matrix make(int rows, int columns, double diagonal)
{
    return make_with(rows, columns, rows + PADDING, diagonal);
}

/* Make a matrix for triangles of blocks, which lie beside each other. */
static matrix make_triangles(int columns)
{
    return make_with(PANEL, columns, PANEL, 0);
}

static void drop(matrix *a)
{
    if (a->buffer)
        s.ops->release(s.device[0], a->buffer);
    free(a->at);
}

static matrix copy_of(const matrix *a)
{
    matrix copy = *a;

    copy.at = malloc((size_t)elements(a) * sizeof *a->at);
    memcpy(copy.at, a->at, (size_t)elements(a) * sizeof *a->at);
    copy.buffer = NULL;
    return copy;
}

static void upload(const matrix *a)
{
    size_t bytes = (size_t)elements(a) * width();
    void  *memory = malloc(bytes);
    int    i;

    for (i = 0; i < elements(a); i++)
        if (single)
            ((float *)memory)[i] = (float)a->at[i];
        else
            ((double *)memory)[i] = a->at[i];
    devices_write(&s, a->buffer, 0, memory, bytes);
    free(memory);
}

/* Read a matrix back; what surrounds its columns must not have changed. */
static void download(matrix *a)
{
    size_t bytes = (size_t)elements(a) * width();
    void  *memory = malloc(bytes);
    int    i, inside;

    devices_read(&s, memory, a->buffer, 0, bytes);
    for (i = 0; i < elements(a); i++) {
        a->at[i] = single ? (double)((float *)memory)[i] : ((double *)memory)[i];
        inside = i >= a->offset && (i - a->offset) % a->ld < a->rows;
        ck_assert_msg(inside || a->at[i] == padding, "number %d beside the matrix was written", i);
    }
    free(memory);
}

static hs_operand operand(const matrix *a)
{
    return (hs_operand){a->buffer, (size_t)a->offset * width(), a->ld};
}

static bool has(hs_operation_kind kind)
{
    return s.device[0]->operations[single] >> kind & 1;
}

/* Launch with work space and info, wait, and return info. */
static int compute(hs_operation *o)
{
    hs_buffer info = devices_alloc(&s, 0, sizeof(int)), work = NULL;
    int       value = -1;
    size_t    bytes = 0;

    o->single = single;
    devices_write(&s, info, 0, &(int){0}, sizeof(int));
    o->info = (hs_operand){.buffer = info};
    ck_assert_msg(!s.ops->work || s.ops->work(s.device[0], o, &bytes), "%s",
                  s.device[0]->fault.text);
    if (bytes)
        work = devices_alloc(&s, 0, bytes);
    o->work = (hs_operand){.buffer = work};
    o->work_bytes = bytes;
    ck_assert_msg(s.ops->launch(&s.stream[0][0], o), "%s", s.device[0]->fault.text);
    devices_finish(&s, &s.stream[0][0]);
    devices_read(&s, &value, info, 0, sizeof value);
    s.ops->release(s.device[0], info);
    if (work)
        s.ops->release(s.device[0], work);
    return value;
}

static void same(double got, double want, double scale, const char *what, int row, int column)
{
    double most = (single ? 3e-4 : 1e-11) * fmax(scale, 1);

    ck_assert_msg(fabs(got - want) <= most, "%s (%d, %d): %.17g, not %.17g", what, row, column, got,
                  want);
}

/* Compare matrices; `lower`: their lower triangles alone. */
static void same_matrices(const matrix *got, const matrix *want, bool lower, const char *what)
{
    double scale = 0;
    int    i, j;

    for (j = 0; j < want->columns; j++)
        for (i = 0; i < want->rows; i++)
            scale = fmax(scale, fabs(*element(want, i, j)));
    for (j = 0; j < want->columns; j++)
        for (i = lower ? j : 0; i < want->rows; i++)
            same(*element(got, i, j), *element(want, i, j), scale, what, i, j);
}

/* Compute c += weight op(a) op(b). */
static void add_product(matrix *c, double weight, const matrix *a, bool a_transposed,
                        const matrix *b, bool b_transposed)
{
    int i, j, l, k = a_transposed ? a->rows : a->columns;

    for (j = 0; j < c->columns; j++)
        for (l = 0; l < k; l++)
            for (i = 0; i < c->rows; i++)
                *element(c, i, j) += weight *
                                     (a_transposed ? *element(a, l, i) : *element(a, i, l)) *
                                     (b_transposed ? *element(b, j, l) : *element(b, l, j));
}

static void try_gemm(int m, int n, int k, unsigned options)
{
    bool         turned = options & HS_TRANSPOSED;
    matrix       a = make(m, k, 0), b = turned ? make(n, k, 0) : make(k, n, 0), c = make(m, n, 0);
    matrix       want = copy_of(&c);
    hs_operation o = {.kind = HS_OPERATION_GEMM,
                      .options = options,
                      .m = m,
                      .n = n,
                      .k = k,
                      .a = operand(&a),
                      .b = operand(&b),
                      .c = operand(&c)};

    upload(&a);
    upload(&b);
    upload(&c);
    add_product(&want, -1, &a, false, &b, turned);
    compute(&o);
    download(&c);
    same_matrices(&c, &want, false, "gemm");
    drop(&a);
    drop(&b);
    drop(&c);
    drop(&want);
}

static void try_syrk(int n, int k)
{
    matrix       a = make(n, k, 0), c = make(n, n, 0), want = copy_of(&c);
    hs_operation o = {
        .kind = HS_OPERATION_SYRK, .n = n, .k = k, .a = operand(&a), .c = operand(&c)};

    upload(&a);
    upload(&c);
    add_product(&want, -1, &a, false, &a, true);
    compute(&o);
    download(&c);
    same_matrices(&c, &want, true, "syrk");
    drop(&a);
    drop(&c);
    drop(&want);
}

/* Set the other triangle to 0, and the diagonal to 1 if `unit`; what is left is the operand. */
static void keep_triangle(matrix *a, bool upper, bool unit)
{
    int i, j;

    for (j = 0; j < a->columns; j++)
        for (i = 0; i < a->rows; i++)
            if (upper ? i > j : i < j)
                *element(a, i, j) = 0;
            else if (i == j && unit)
                *element(a, i, j) = 1;
}

/* Solve, multiply again, compare. The elements beside the diagonal are small. */
static void try_trsm(int m, int n, unsigned options)
{
    int          order = options & HS_LEFT ? m : n, i, j;
    matrix       a = make(order, order, 3.0), c = make(m, n, 0), want = copy_of(&c), product;
    hs_operation o = {.kind = HS_OPERATION_TRSM,
                      .options = options,
                      .m = m,
                      .n = n,
                      .a = operand(&a),
                      .c = operand(&c)};

    for (j = 0; j < order; j++)
        for (i = 0; i < order; i++)
            if (i != j)
                *element(&a, i, j) = (double)(float)(*element(&a, i, j) / order);
    upload(&a);
    upload(&c);
    compute(&o);
    download(&c);
    keep_triangle(&a, options & HS_UPPER, options & HS_UNIT);
    product = copy_of(&want);
    for (i = 0; i < elements(&product); i++)
        product.at[i] = 0;
    if (options & HS_LEFT)
        add_product(&product, 1, &a, options & HS_TRANSPOSED, &c, false);
    else
        add_product(&product, 1, &c, false, &a, options & HS_TRANSPOSED);
    same_matrices(&product, &want, false, "trsm");
    drop(&a);
    drop(&c);
    drop(&want);
    drop(&product);
}

static matrix zeros(int rows, int columns)
{
    matrix a = {rows, columns, rows, 0, calloc((size_t)rows * (size_t)columns, sizeof(double)),
                NULL};

    ck_assert_ptr_nonnull(a.at);
    return a;
}

static void try_potrf(int n)
{
    matrix       a = make(n, n, 0), product = zeros(n, n), root = make(n, n, 1);
    hs_operation o = {.kind = HS_OPERATION_POTRF, .n = n, .a = operand(&a)};
    int          i, j;

    add_product(&product, 1, &root, false, &root, true);
    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++)
            *element(&a, i, j) = (double)(float)(*element(&product, i, j) + (i == j) * n);
    drop(&product);
    drop(&root);
    root = copy_of(&a);
    upload(&a);
    ck_assert_int_eq(compute(&o), 0);
    download(&a);
    keep_triangle(&a, false, false);
    product = zeros(n, n);
    add_product(&product, 1, &a, false, &a, true);
    same_matrices(&product, &root, true, "potrf");
    if (n > 2) { /* no longer positive definite: the number of the row, and no fault */
        *element(&root, 2, 2) = -5;
        memcpy(a.at, root.at, (size_t)elements(&a) * sizeof *a.at);
        upload(&a);
        ck_assert_int_eq(compute(&o), 3);
        ck_assert_int_eq(s.device[0]->fault.kind, HS_FAULT_NONE);
    }
    drop(&a);
    drop(&root);
    drop(&product);
}

static void exchange_rows(matrix *a, const int *pivots, int count)
{
    int    i, j;
    double kept;

    for (i = 0; i < count; i++)
        for (j = 0; j < a->columns; j++) {
            kept = *element(a, i, j);
            *element(a, i, j) = *element(a, pivots[i] - 1, j);
            *element(a, pivots[i] - 1, j) = kept;
        }
}

/* With pivots, rows must be exchanged: the matrix has nothing on its diagonal that outweighs. */
static void try_getrf(int m, int n, bool exchanges)
{
    matrix    a = make(m, n, exchanges ? 0 : 2.0 * n), before = copy_of(&a), product = zeros(m, n);
    int      *pivots = calloc((size_t)n, sizeof *pivots), i, j;
    hs_buffer buffer = devices_alloc(&s, 0, (size_t)n * sizeof *pivots);
    hs_operation o = {.kind = HS_OPERATION_GETRF, .m = m, .n = n, .a = operand(&a)};
    matrix       upper;

    if (exchanges)
        o.pivots = (hs_operand){.buffer = buffer};
    upload(&a);
    ck_assert_int_eq(compute(&o), 0);
    download(&a);
    devices_read(&s, pivots, buffer, 0, (size_t)n * sizeof *pivots);
    if (exchanges)
        exchange_rows(&before, pivots, n);
    upper = zeros(n, n);
    for (j = 0; j < n; j++)
        for (i = 0; i <= j; i++)
            *element(&upper, i, j) = *element(&a, i, j);
    keep_triangle(&a, false, true);
    add_product(&product, 1, &a, false, &upper, false);
    same_matrices(&product, &before, false, "getrf");
    s.ops->release(s.device[0], buffer);
    free(pivots);
    drop(&a);
    drop(&before);
    drop(&product);
    drop(&upper);
}

/* Compute c := op(Q) c for the blocks of reflectors v, of whole columns, and triangles t. */
static void reflect(matrix *c, const matrix *v, const matrix *t, bool transposed)
{
    int blocks = (v->columns + PANEL - 1) / PANEL, b, j, l, r, w, first;

    for (b = 0; b < blocks; b++) {
        first = (transposed ? b : blocks - 1 - b) * PANEL;
        w = v->columns - first < PANEL ? v->columns - first : PANEL;
        for (j = 0; j < c->columns; j++) {
            double x[PANEL] = {0}, y[PANEL] = {0};

            for (l = 0; l < w; l++)
                for (r = 0; r < c->rows; r++)
                    x[l] += *element(v, r, first + l) * *element(c, r, j);
            for (l = 0; l < w; l++)
                for (r = 0; r < w; r++)
                    y[l] +=
                        (transposed ? *element(t, r, first + l) : *element(t, l, first + r)) * x[r];
            for (l = 0; l < w; l++)
                for (r = 0; r < c->rows; r++)
                    *element(c, r, j) -= *element(v, r, first + l) * y[l];
        }
    }
}

/* Return V of geqrf with its ones and zeros. */
static matrix lower_reflectors(const matrix *a)
{
    matrix v = zeros(a->rows, a->columns);
    int    i, j;

    for (j = 0; j < a->columns; j++)
        for (i = j; i < a->rows; i++)
            *element(&v, i, j) = i == j ? 1 : *element(a, i, j);
    return v;
}

/* Put matrices on top of each other; `upper`: of the top the upper triangle alone. */
static matrix stacked(const matrix *top, const matrix *below, bool upper)
{
    matrix a = zeros(top->rows + below->rows, top->columns);
    int    i, j;

    for (j = 0; j < a.columns; j++)
        for (i = 0; i < a.rows; i++)
            if (i >= top->rows)
                *element(&a, i, j) = *element(below, i - top->rows, j);
            else if (!upper || i <= j)
                *element(&a, i, j) = *element(top, i, j);
    return a;
}

static matrix unit(int n)
{
    matrix a = zeros(n, n);
    int    i;

    for (i = 0; i < n; i++)
        *element(&a, i, i) = 1;
    return a;
}

/* The triangles of blocks have zeros below. */
static void triangles_are_upper(const matrix *t)
{
    int i, j;

    for (j = 0; j < t->columns; j++)
        for (i = j % PANEL + 1; i < PANEL; i++)
            ck_assert_msg(*element(t, i, j) == 0, "T (%d, %d)", i, j);
}

/* Factorise, then apply the reflectors to a matrix of n columns. */
static void try_geqrf_ormqr(int m, int k, int n)
{
    matrix a = make(m, k, 0), t = make_triangles(k), c = make(m, n, 0), before = copy_of(&a), v;
    matrix r = zeros(m, k), want = copy_of(&c);
    hs_operation factorise = {
        .kind = HS_OPERATION_GEQRF, .m = m, .n = k, .a = operand(&a), .t = operand(&t)};
    hs_operation apply = {.kind = HS_OPERATION_ORMQR,
                          .m = m,
                          .n = n,
                          .k = k,
                          .a = operand(&a),
                          .t = operand(&t),
                          .c = operand(&c)};
    int          i, j;

    upload(&a);
    upload(&t);
    upload(&c);
    ck_assert_int_eq(compute(&factorise), 0);
    download(&a);
    download(&t);
    triangles_are_upper(&t);
    v = lower_reflectors(&a);
    for (j = 0; j < k; j++)
        for (i = 0; i <= j; i++)
            *element(&r, i, j) = *element(&a, i, j);
    reflect(&r, &v, &t, false);
    same_matrices(&r, &before, false, "geqrf");
    ck_assert_int_eq(compute(&apply), 0);
    download(&c);
    reflect(&want, &v, &t, true);
    same_matrices(&c, &want, false, "ormqr");
    drop(&a);
    drop(&t);
    drop(&c);
    drop(&before);
    drop(&v);
    drop(&r);
    drop(&want);
}

static void try_tpqrt_tpmqrt(int m, int k, int n)
{
    matrix       a = make(k, k, 0), b = make(m, k, 0), t = make_triangles(k), one = unit(k);
    matrix       c = make(k, n, 0), d = make(m, n, 0);
    matrix       before = stacked(&a, &b, true), want = stacked(&c, &d, false), v, r, got;
    matrix       nothing = zeros(m, k);
    hs_operation factorise = {.kind = HS_OPERATION_TPQRT,
                              .m = m,
                              .n = k,
                              .a = operand(&a),
                              .b = operand(&b),
                              .t = operand(&t)};
    hs_operation apply = {.kind = HS_OPERATION_TPMQRT,
                          .m = m,
                          .n = n,
                          .k = k,
                          .a = operand(&b),
                          .t = operand(&t),
                          .c = operand(&c),
                          .b = operand(&d)};
    matrix       old = copy_of(&a);
    int          i, j;

    upload(&a);
    upload(&b);
    upload(&t);
    upload(&c);
    upload(&d);
    ck_assert_int_eq(compute(&factorise), 0);
    download(&a);
    download(&b);
    download(&t);
    triangles_are_upper(&t);
    for (j = 0; j < k; j++) /* the elements below the triangle are kept */
        for (i = j + 1; i < k; i++)
            same(*element(&a, i, j), *element(&old, i, j), 1, "below tpqrt", i, j);
    v = stacked(&one, &b, false);
    r = stacked(&a, &nothing, true);
    reflect(&r, &v, &t, false);
    same_matrices(&r, &before, false, "tpqrt");
    ck_assert_int_eq(compute(&apply), 0);
    download(&c);
    download(&d);
    got = stacked(&c, &d, false);
    reflect(&want, &v, &t, true);
    same_matrices(&got, &want, false, "tpmqrt");
    drop(&a);
    drop(&b);
    drop(&t);
    drop(&one);
    drop(&c);
    drop(&d);
    drop(&before);
    drop(&want);
    drop(&v);
    drop(&r);
    drop(&got);
    drop(&nothing);
    drop(&old);
}

static const int sizes[] = {1, 2, 3, 8, 17, 31, 32, 33, 64, 70, 100};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Call every operation that the device has, with square and with other matrices. */
static void try_all(int q)
{
    int      h = (q + 1) / 2, l = (2 * q + 2) / 3;
    unsigned options;

    for (options = 0; options <= HS_TRANSPOSED && has(HS_OPERATION_GEMM); options++) {
        try_gemm(q, q, q, options);
        try_gemm(l, h, q, options);
        try_gemm(h, q, l, options);
    }
    for (options = 0; options < 2 * HS_UNIT && has(HS_OPERATION_TRSM); options++) {
        try_trsm(q, q, options);
        try_trsm(h, l, options);
    }
    if (has(HS_OPERATION_SYRK)) {
        try_syrk(q, q);
        try_syrk(l, h);
    }
    if (has(HS_OPERATION_POTRF))
        try_potrf(q);
    if (has(HS_OPERATION_GETRF)) {
        try_getrf(q, q, false);
        try_getrf(q, q, true);
        try_getrf(q, h, true);
    }
    if (has(HS_OPERATION_GEQRF) && has(HS_OPERATION_ORMQR)) {
        try_geqrf_ormqr(q, q, q);
        try_geqrf_ormqr(q, h, l);
    }
    if (has(HS_OPERATION_TPQRT) && has(HS_OPERATION_TPMQRT)) {
        try_tpqrt_tpmqrt(q, q, q);
        try_tpqrt_tpmqrt(h, q, l);
        try_tpqrt_tpmqrt(q, h, l);
    }
}

/* 17 */
START_TEST(operations_equal_loops)
{
    draws = 1;
    single = _i >= SIZES;
    devices_open(&s, 1, NULL);
    try_all(sizes[_i % SIZES]);
    ck_assert_int_eq(s.device[0]->fault.kind, HS_FAULT_NONE);
    devices_close(&s, true);
}
END_TEST

/* 18 */
START_TEST(operations_that_are_not_there_are_refused)
{
    hs_operation o = {.n = 1, .m = 1, .k = 1};
    unsigned     kind;

    devices_open(&s, 1, NULL);
    for (single = 0; single < 2; single++)
        for (kind = 0; kind <= HS_OPERATION_KINDS; kind++)
            if (!has((hs_operation_kind)kind)) {
                o.kind = (hs_operation_kind)kind;
                o.single = single;
                ck_assert(!s.ops->launch(&s.stream[0][0], &o));
                ck_assert_int_eq(s.device[0]->fault.kind, HS_FAULT_NONE);
            }
    ck_assert_uint_ne(s.device[0]->operations[0] & 1u << HS_OPERATION_GEMM, 0);
    devices_finish(&s, &s.stream[0][0]);
    devices_close(&s, true);
}
END_TEST

TCase *operations_tcase(void)
{
    TCase *tc = tcase_create("operations");

    tcase_add_loop_test(tc, operations_equal_loops, 0, 2 * SIZES);
    tcase_add_test(tc, operations_that_are_not_there_are_refused);
    return tc;
}
