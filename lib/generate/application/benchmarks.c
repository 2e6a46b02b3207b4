/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graphs of the applications. The paper names the benchmarks and their sizes (its figure 4; 1k
 * is 1024 for matrices and 1000 for vectors), but not their kernels: the kernels are chosen here.
 */
#include <stdio.h>

#include "generate/application/application.h"

enum { SIDE = 1024, ELEMENTS = 50000 }; /* sizes measured in the paper */

static double square(double x)
{
    return x * x;
}

/*
 * Work relative to the measured kernels: of a vector of n elements, of n x n elements, of a product
 * of n x n matrices.
 */
static double vector(double n)
{
    return n / ELEMENTS;
}

static double matrix(double n)
{
    return square(n / SIDE);
}

static double cube(double n)
{
    return square(n / SIDE) * (n / SIDE);
}

/* (v1 + v2) pi, and a b + c d with a column a, a row b and matrices c, d. */
static void write_case_study(hsi_kernel_graph *g)
{
    size_t sum = hsi_application_add_array(g, "sum", ELEMENTS), row;
    size_t big = hsi_application_add_array(g, "cd", square(SIDE)),
           small = hsi_application_add_array(g, "ab", square(SIDE));

    row = hsi_kernel(g, "1-1", HSI_VECTOR_ADD, 1, 1);
    hsi_application_add_access(g, row, hsi_application_add_array(g, "v1", ELEMENTS), HS_READ);
    hsi_application_add_access(g, row, hsi_application_add_array(g, "v2", ELEMENTS), HS_READ);
    hsi_application_add_access(g, row, sum, HS_WRITE);
    row = hsi_kernel(g, "1-2", HSI_VECTOR_SCALE, 1, 1);
    hsi_application_add_access(g, row, sum, HS_READ_WRITE);
    row = hsi_kernel(g, "2-1", HSI_PRODUCT, 1, 1);
    hsi_application_add_access(g, row, hsi_application_add_array(g, "c", square(SIDE)), HS_READ);
    hsi_application_add_access(g, row, hsi_application_add_array(g, "d", square(SIDE)), HS_READ);
    hsi_application_add_access(g, row, big, HS_WRITE);
    row = hsi_kernel(g, "2-2", HSI_OUTER_PRODUCT, 1, 1);
    hsi_application_add_access(g, row, hsi_application_add_array(g, "a", SIDE), HS_READ);
    hsi_application_add_access(g, row, hsi_application_add_array(g, "b", SIDE), HS_READ);
    hsi_application_add_access(g, row, small, HS_WRITE);
    row = hsi_kernel(g, "2-3", HSI_MATRIX_ADD, 1, 1);
    hsi_application_add_access(g, row, small, HS_READ);
    hsi_application_add_access(g, row, big, HS_READ_WRITE);
}

/* C += A B: a product, then a sum. */
static void write_xgemm(hsi_kernel_graph *g)
{
    double n = hsi_by_problem_size(g, 1024, 4096, 8192);
    size_t product = hsi_application_add_array(g, "AB", square(n)), row;

    row = hsi_kernel(g, "product", HSI_PRODUCT, cube(n), 1);
    hsi_application_add_access(g, row, hsi_application_add_array(g, "A", square(n)), HS_READ);
    hsi_application_add_access(g, row, hsi_application_add_array(g, "B", square(n)), HS_READ);
    hsi_application_add_access(g, row, product, HS_WRITE);
    row = hsi_kernel(g, "sum", HSI_MATRIX_ADD, matrix(n), 1);
    hsi_application_add_access(g, row, product, HS_READ);
    hsi_application_add_access(g, row, hsi_application_add_array(g, "C", square(n)), HS_READ_WRITE);
}

/* Add a kernel of an iteration that reads up to two handles and modifies a third. */
static void step(hsi_kernel_graph *g, const char *what, int iteration, hsi_measured kind,
                 double work, const size_t data[3])
{
    char   id[32];
    size_t row;

    snprintf(id, sizeof id, "%s-%d", what, iteration);
    row = hsi_kernel(g, id, kind, work, 1);
    hsi_application_add_access(g, row, data[0], HS_READ);
    if (data[1] != data[0])
        hsi_application_add_access(g, row, data[1], HS_READ);
    hsi_application_add_access(g, row, data[2], HS_READ_WRITE);
}

/*
 * Conjugate gradients: q = A p, a = r.r / p.q, x += a p, r -= a q, b = r.r, p = r + b p. A
 * matrix-vector product takes as many operations as an outer product of equal size.
 */
static void write_cg(hsi_kernel_graph *g)
{
    enum { ITERATIONS = 4 };
    double n = hsi_by_problem_size(g, 1024, 4096, 8192);
    size_t matrix_a = hsi_application_add_array(g, "A", square(n)),
           x = hsi_application_add_array(g, "x", n), p = hsi_application_add_array(g, "p", n),
           q = hsi_application_add_array(g, "q", n), r = hsi_application_add_array(g, "r", n),
           a = hsi_application_add_array(g, "a", 1), b = hsi_application_add_array(g, "b", 1);

    for (int i = 1; i <= ITERATIONS; i++) {
        step(g, "Ap", i, HSI_OUTER_PRODUCT, matrix(n), (size_t[]){matrix_a, p, q});
        step(g, "pq", i, HSI_VECTOR_ADD, vector(n), (size_t[]){p, q, a});
        step(g, "x", i, HSI_VECTOR_SCALE, vector(n), (size_t[]){a, p, x});
        step(g, "r", i, HSI_VECTOR_SCALE, vector(n), (size_t[]){a, q, r});
        step(g, "rr", i, HSI_VECTOR_ADD, vector(n), (size_t[]){r, r, b});
        step(g, "p", i, HSI_VECTOR_SCALE, vector(n), (size_t[]){b, r, p});
    }
}

/*
 * A right-looking factorisation of 4 x 4 tiles, as in tiled.c. A product of two tiles has b^3
 * multiplications, potrf a sixth of them, trsm and syrk half.
 */
enum { TILES = 4 };

static void tile_task(hsi_kernel_graph *g, double work, int row, int column, int k,
                      size_t tile[TILES][TILES])
{
    char        id[48];
    size_t      task;
    const char *name = row == k ? "potrf" : column == k ? "trsm" : row == column ? "syrk" : "gemm";
    double      share = row == k ? 1.0 / 6 : column == k || row == column ? 0.5 : 1;

    snprintf(id, sizeof id, "%s-%d-%d-%d", name, row, column, k);
    task = hsi_kernel(g, id, HSI_PRODUCT, work * share, 1);
    if (row > k)
        hsi_application_add_access(g, task, tile[column == k ? k : row][k], HS_READ);
    if (column > k && column < row)
        hsi_application_add_access(g, task, tile[column][k], HS_READ);
    hsi_application_add_access(g, task, tile[row][column], HS_READ_WRITE);
}

static void write_cholesky(hsi_kernel_graph *g)
{
    double n = hsi_by_problem_size(g, 1024, 1024, 4096) / TILES;
    size_t tile[TILES][TILES];
    char   name[16];

    for (int i = 0; i < TILES; i++)
        for (int j = 0; j <= i; j++) {
            snprintf(name, sizeof name, "A-%d-%d", i, j);
            tile[i][j] = hsi_application_add_array(g, name, square(n));
        }
    for (int k = 0; k < TILES; k++)
        for (int i = k; i < TILES; i++)
            for (int j = k; j <= i; j++)
                tile_task(g, cube(n), i, j, k, tile);
}

static void write_increment(hsi_kernel_graph *g)
{
    double n = hsi_by_problem_size(g, 1e4, 1e5, 1e6);
    size_t row = hsi_kernel(g, "scale", HSI_VECTOR_SCALE, vector(n), 1);

    hsi_application_add_access(g, row, hsi_application_add_array(g, "v", n), HS_READ_WRITE);
}

static void write_va(hsi_kernel_graph *g)
{
    double n = hsi_by_problem_size(g, 1e4, 1e5, 1e6);
    size_t row = hsi_kernel(g, "add", HSI_VECTOR_ADD, vector(n), 1);

    hsi_application_add_access(g, row, hsi_application_add_array(g, "v", n), HS_READ);
    hsi_application_add_access(g, row, hsi_application_add_array(g, "w", n), HS_READ_WRITE);
}

/* 1000 tasks that draw points, and a task that sums the hits. */
static void write_pi(hsi_kernel_graph *g)
{
    enum { TASKS = 1000 };
    size_t hits = hsi_kernel(g, "hits", HSI_VECTOR_SCALE,
                             vector(hsi_by_problem_size(g, 1e3, 4e3, 8e3)), TASKS);
    size_t sum = hsi_kernel(g, "sum", HSI_VECTOR_ADD, vector(TASKS), 1);

    hsi_application_add_edge(g, sum, hits, 8);
}

/* Four independent tasks, each filling a block of a cube. */
static void write_fblock(hsi_kernel_graph *g)
{
    enum { BLOCKS = 4 };
    double n = hsi_by_problem_size(g, 128, 256, 512);
    double block = n * n * n / BLOCKS;
    char   id[32];

    for (int i = 1; i <= BLOCKS; i++) {
        size_t row;

        snprintf(id, sizeof id, "block-%d", i);
        row = hsi_kernel(g, id, HSI_VECTOR_SCALE, vector(block), 1);
        hsi_application_add_access(g, row, hsi_application_add_array(g, id, block), HS_WRITE);
    }
}

const hs_application hsi_case_study = {
    "case-study",
    "two small applications, (v1 + v2) pi and a b + c d, in the sizes that were "
    "measured: 6020 us is optimal on one CPU and one GPU",
    write_case_study};
const hs_application hsi_xgemm = {"xgemm", "a product of matrices and a sum: 1k, 4k or 8k rows",
                                  write_xgemm};
const hs_application hsi_cg = {"cg", "four iterations of conjugate gradients: 1k, 4k or 8k rows",
                               write_cg};
const hs_application hsi_tile_cholesky = {
    "cholesky", "a Cholesky factorisation of 4 x 4 tiles: 1k, 1k or 4k rows", write_cholesky};
const hs_application hsi_increment = {
    "increment", "a vector is incremented: 10k, 100k or 1M elements", write_increment};
const hs_application hsi_va = {"va", "two vectors are added: 10k, 100k or 1M elements", write_va};
const hs_application hsi_pi = {
    "pi", "pi by Monte Carlo: 1000 tasks of 1k, 4k or 8k points, and their sum", write_pi};
const hs_application hsi_fblock = {
    "fblock", "four blocks of a cube are filled: a side of 128, 256 or 512", write_fblock};
