/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The baselines of tile factorisations on a GPU: cuSOLVER's dpotrf, dgetrf and dgeqrf of the whole
 * matrix, with resident data ("potrf"), and with copies from and to pinned memory ("potrf-copied").
 * As tile factorisations do, "potrf-copied-lower" copies the tiles of the lower triangle only, and
 * "getrf-unpivoted" exchanges no rows. The benchmark compares some elements of each product of
 * factors with the matrix. Medians of 3.
 *
 *   bench_gpu_factor [-t TILE] KERNEL:N...
 *
 * KERNEL: potrf, getrf, getrf-unpivoted, geqrf. 0: done, and right; 1: a call failed, or a result
 * is wrong; 2: wrong usage; 3: no GPU.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "../tests/gpu/bare.h"
#include "median.h"

enum { REPEATS = 3, SAMPLES = 16, LARGEST = 46340 }; /* largest order: its square fits an int */

const char bare_program[] = "bench_gpu_factor";

typedef struct bare bare;

typedef struct kernel {
    const char *name;
    int         thirds;   /* operations / (n^3 / 3) */
    bool        triangle; /* whether the kernel uses the lower triangle only */
    bool        dominant; /* whether the matrix has a diagonal that outweighs the rest */
    size_t      vector;   /* bytes per element of the second result; 0: none */
    void (*size)(bare *); /* set work_size */
    void (*launch)(bare *);
    double (*product)(const bare *, int row, int column); /* element of the product of the
                                                             factors */
} kernel;

struct bare {
    const kernel      *kernel;
    cudaStream_t       stream;
    cusolverDnHandle_t solver;
    int                n, tile, work_size;
    size_t             bytes;
    double            *here, *there, *work;
    void              *vector, *vector_here; /* pivots, or scales of reflectors */
    int               *info, *info_here;
    int                row[SAMPLES], column[SAMPLES];
    double             wanted[SAMPLES];
};

static double original_element(const bare *b, int row, int column)
{
    return b->here[(size_t)column * (size_t)b->n + (size_t)row];
}

/* ---- kernels ---- */

static void potrf_size(bare *b)
{
    SOLVER(cusolverDnDpotrf_bufferSize(b->solver, CUBLAS_FILL_MODE_LOWER, b->n, b->there, b->n,
                                       &b->work_size));
}

static void run_potrf(bare *b)
{
    SOLVER(cusolverDnDpotrf(b->solver, CUBLAS_FILL_MODE_LOWER, b->n, b->there, b->n, b->work,
                            b->work_size, b->info));
}

static double potrf_product(const bare *b, int row, int column)
{
    double sum = 0;
    int    k;

    for (k = 0; k <= column; k++)
        sum += original_element(b, row, k) * original_element(b, column, k);
    return sum;
}

static void getrf_size(bare *b)
{
    SOLVER(cusolverDnDgetrf_bufferSize(b->solver, b->n, b->n, b->there, b->n, &b->work_size));
}

static void run_getrf(bare *b)
{
    SOLVER(cusolverDnDgetrf(b->solver, b->n, b->n, b->there, b->n, b->work, b->vector, b->info));
}

/* Return the row of the factors that a row of the matrix was exchanged to. */
static int exchanged_row(const bare *b, int row)
{
    const int *pivots = b->vector_here;
    int        i;

    for (i = 0; pivots && i < b->n; i++)
        row = row == i ? pivots[i] - 1 : row == pivots[i] - 1 ? i : row;
    return row;
}

static double getrf_product(const bare *b, int row, int column)
{
    double sum = 0;
    int    k;

    row = exchanged_row(b, row);
    for (k = 0; k < row && k <= column; k++)
        sum += original_element(b, row, k) * original_element(b, k, column);
    return row <= column ? sum + original_element(b, row, column) : sum;
}

static void geqrf_size(bare *b)
{
    SOLVER(cusolverDnDgeqrf_bufferSize(b->solver, b->n, b->n, b->there, b->n, &b->work_size));
}

static void run_geqrf(bare *b)
{
    SOLVER(cusolverDnDgeqrf(b->solver, b->n, b->n, b->there, b->n, b->vector, b->work, b->work_size,
                            b->info));
}

/* Return an element of R'R. */
static double geqrf_product(const bare *b, int row, int column)
{
    double sum = 0;
    int    k;

    for (k = 0; k <= row && k <= column; k++)
        sum += original_element(b, k, row) * original_element(b, k, column);
    return sum;
}

static const kernel kernels[] = {
    {"potrf", 1, true, true, 0, potrf_size, run_potrf, potrf_product},
    {"getrf", 2, false, false, sizeof(int), getrf_size, run_getrf, getrf_product},
    {"getrf-unpivoted", 2, false, true, 0, getrf_size, run_getrf, getrf_product},
    {"geqrf", 4, false, false, sizeof(double), geqrf_size, run_geqrf, geqrf_product},
};

enum { KERNELS = sizeof kernels / sizeof *kernels };

/* ---- the matrix ---- */

/* Return an element of A'A. */
static double element_of_square(const bare *b, int row, int column)
{
    double sum = 0;
    int    k;

    for (k = 0; k < b->n; k++)
        sum += original_element(b, k, row) * original_element(b, k, column);
    return sum;
}

static void fill_matrix(bare *b)
{
    const size_t       n = (size_t)b->n;
    unsigned long long state = 1;
    size_t             i;

    for (i = 0; i < n * n; i++)
        b->here[i] = bare_draw(&state);
    for (i = 0; i < n && b->kernel->dominant; i++)
        b->here[i * n + i] = (double)n;
}

/* Choose elements of the lower triangle, from the first row to the last, with their values. */
static void sample_elements(bare *b)
{
    int i;

    for (i = 0; i < SAMPLES; i++) {
        b->row[i] = (int)((long long)(b->n - 1) * i / (SAMPLES - 1));
        b->column[i] = i % 2 ? b->row[i] : b->row[i] / 2;
        b->wanted[i] = (b->kernel->product == geqrf_product ? element_of_square : original_element)(
            b, b->row[i], b->column[i]);
    }
}

static void check_factors(const bare *b)
{
    char why[128];
    int  i;

    if (*b->info_here)
        bare_fail(b->kernel->name, "it gave up", BARE_FAILED);
    for (i = 0; i < SAMPLES; i++) {
        double got = b->kernel->product(b, b->row[i], b->column[i]);

        snprintf(why, sizeof why, "row %d, column %d of the product of its factors is %g, not %g",
                 b->row[i], b->column[i], got, b->wanted[i]);
        if (!(fabs(got - b->wanted[i]) <= 1e-9 * b->n))
            bare_fail(b->kernel->name, why, BARE_FAILED);
    }
}

static void open_matrix(bare *b, const kernel *k, int n, int tile)
{
    *b = (bare){.kernel = k, .n = n, .tile = tile};
    b->bytes = sizeof *b->here * (size_t)n * (size_t)n;
    CUDA(cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking));
    SOLVER(cusolverDnCreate(&b->solver));
    SOLVER(cusolverDnSetStream(b->solver, b->stream));
    CUDA(cudaHostAlloc((void **)&b->here, b->bytes, cudaHostAllocDefault));
    CUDA(cudaHostAlloc((void **)&b->info_here, sizeof *b->info_here, cudaHostAllocDefault));
    CUDA(cudaMalloc((void **)&b->there, b->bytes));
    CUDA(cudaMalloc((void **)&b->info, sizeof *b->info));
    if (k->vector) {
        CUDA(cudaMalloc(&b->vector, k->vector * (size_t)n));
        CUDA(cudaHostAlloc(&b->vector_here, k->vector * (size_t)n, cudaHostAllocDefault));
    }
    k->size(b);
    CUDA(cudaMalloc((void **)&b->work, sizeof *b->work * (size_t)b->work_size));
}

static void close_matrix(bare *b)
{
    CUDA(cudaFree(b->work));
    CUDA(cudaFreeHost(b->vector_here));
    CUDA(cudaFree(b->vector));
    CUDA(cudaFree(b->info));
    CUDA(cudaFree(b->there));
    CUDA(cudaFreeHost(b->info_here));
    CUDA(cudaFreeHost(b->here));
    SOLVER(cusolverDnDestroy(b->solver));
    CUDA(cudaStreamDestroy(b->stream));
}

/* ---- times ---- */

/* Copy the lower triangle by columns of tiles, each from the diagonal down. */
static void copy_lower(const bare *b, double *to, const double *from, enum cudaMemcpyKind way)
{
    const size_t pitch = sizeof *to * (size_t)b->n;
    int          j;

    for (j = 0; j < b->n; j += b->tile) {
        size_t corner = (size_t)j * (size_t)b->n + (size_t)j, rows = (size_t)(b->n - j);
        size_t columns = rows < (size_t)b->tile ? rows : (size_t)b->tile;

        CUDA(cudaMemcpy2DAsync(to + corner, pitch, from + corner, pitch, sizeof *to * rows, columns,
                               way, b->stream));
    }
}

static void copy_matrix(const bare *b, double *to, const double *from, enum cudaMemcpyKind way,
                        bool lower)
{
    if (lower)
        copy_lower(b, to, from, way);
    else
        CUDA(cudaMemcpyAsync(to, from, b->bytes, way, b->stream));
}

static void copy_home(const bare *b, bool lower)
{
    copy_matrix(b, b->here, b->there, cudaMemcpyDeviceToHost, lower);
    if (b->vector)
        CUDA(cudaMemcpyAsync(b->vector_here, b->vector, b->kernel->vector * (size_t)b->n,
                             cudaMemcpyDeviceToHost, b->stream));
    CUDA(
        cudaMemcpyAsync(b->info_here, b->info, sizeof *b->info, cudaMemcpyDeviceToHost, b->stream));
}

/* Time the copies with the factorisation, and the factorisation alone. The matrix on the GPU is NaN
 * before, so that a missing copy is noticed. */
static void time_factorisation(bare *b, bool lower, double *whole, double *alone)
{
    double start, ready, done;

    fill_matrix(b);
    sample_elements(b);
    CUDA(cudaMemsetAsync(b->there, 0xff, b->bytes, b->stream));
    CUDA(cudaStreamSynchronize(b->stream));
    start = bare_seconds();
    copy_matrix(b, b->there, b->here, cudaMemcpyHostToDevice, lower);
    CUDA(cudaStreamSynchronize(b->stream));
    ready = bare_seconds();
    b->kernel->launch(b);
    CUDA(cudaStreamSynchronize(b->stream));
    done = bare_seconds();
    copy_home(b, lower);
    CUDA(cudaStreamSynchronize(b->stream));
    *whole = bare_seconds() - start;
    *alone = done - ready;
    check_factors(b);
}

static void print_times(const bare *b, const char *how, double times[REPEATS])
{
    double flops = (double)b->n * b->n * b->n / 3 * b->kernel->thirds;
    double time = median(times, REPEATS);

    printf("%s%s,%d,%.6f,%.4f\n", b->kernel->name, how, b->n, time, 1e-9 * flops / time);
    fflush(stdout);
}

static void run_kernel(const kernel *k, int n, int tile)
{
    bare   b;
    double whole[REPEATS], alone[REPEATS];
    int    i;

    open_matrix(&b, k, n, tile);
    time_factorisation(&b, false, whole, alone); /* warm up: clocks rise, libraries load */
    for (i = 0; i < REPEATS; i++)
        time_factorisation(&b, false, &whole[i], &alone[i]);
    print_times(&b, "", alone);
    print_times(&b, "-copied", whole);
    for (i = 0; i < REPEATS && k->triangle; i++)
        time_factorisation(&b, true, &whole[i], &alone[i]);
    if (k->triangle)
        print_times(&b, "-copied-lower", whole);
    close_matrix(&b);
}

static const char usage[] = "[-t TILE] potrf:N|getrf:N|getrf-unpivoted:N|geqrf:N...";

/* "potrf:1024" */
static const kernel *kernel_of(const char *word, int *n)
{
    const char *colon = strchr(word, ':');
    size_t      length = colon ? (size_t)(colon - word) : 0;
    int         i;

    *n = colon ? atoi(colon + 1) : 0;
    for (i = 0; i < KERNELS && *n >= 1 && *n <= LARGEST; i++)
        if (strlen(kernels[i].name) == length && strncmp(word, kernels[i].name, length) == 0)
            return &kernels[i];
    bare_usage(usage);
}

int main(int argc, char **argv)
{
    int tile = 1024, n, i, c;

    while ((c = getopt(argc, argv, "t:")) != -1) {
        if (c != 't' || atoi(optarg) < 1)
            bare_usage(usage);
        tile = atoi(optarg);
    }
    for (i = optind; i < argc; i++)
        kernel_of(argv[i], &n);
    if (optind == argc)
        bare_usage(usage);
    bare_need_gpu();
    printf("what,n,seconds,gflops\n");
    for (i = optind; i < argc; i++) {
        const kernel *k = kernel_of(argv[i], &n);

        run_kernel(k, n, tile);
    }
    return 0;
}
