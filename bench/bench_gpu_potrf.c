/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a factorisation on tiles is held against on a GPU: cuSOLVER's dpotrf of the whole matrix,
 * resident ("potrf"), and with the way there and back, from and to pinned memory
 * ("potrf-copied"). Medians of 3.
 *
 *   bench_gpu_potrf N...
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cuda_runtime_api.h>
#include <cusolverDn.h>

enum { REPEATS = 3 };

static void fail(const char *call, const char *why)
{
    fprintf(stderr, "bench_gpu_potrf: %s: %s\n", call, why);
    exit(3);
}

static void cuda_ok(cudaError_t error, const char *call)
{
    if (error != cudaSuccess)
        fail(call, cudaGetErrorString(error));
}

static void solver_ok(cusolverStatus_t status, const char *call)
{
    char text[32];

    snprintf(text, sizeof text, "status %d", (int)status);
    if (status != CUSOLVER_STATUS_SUCCESS)
        fail(call, text);
}

#define CUDA(call) cuda_ok((call), #call)
#define SOLVER(call) solver_ok((call), #call)

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct bare {
    cudaStream_t       stream;
    cusolverDnHandle_t solver;
    int                n, work_size;
    size_t             bytes;
    double            *here, *there, *work;
    int               *info, *info_here;
} bare;

/* Not zeros, with which a GPU is faster than it is; the diagonal outweighs the rest. */
static void fill(double *to, size_t n)
{
    unsigned long long state = 1;
    size_t             i;

    for (i = 0; i < n * n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        to[i] = (double)(state >> 11) * 0x1p-53 - 0.5;
    }
    for (i = 0; i < n; i++)
        to[i * n + i] = (double)n;
}

static void begin(bare *b, int n)
{
    b->n = n;
    b->bytes = sizeof *b->here * (size_t)n * (size_t)n;
    CUDA(cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking));
    SOLVER(cusolverDnCreate(&b->solver));
    SOLVER(cusolverDnSetStream(b->solver, b->stream));
    CUDA(cudaHostAlloc((void **)&b->here, b->bytes, cudaHostAllocDefault));
    CUDA(cudaHostAlloc((void **)&b->info_here, sizeof *b->info_here, cudaHostAllocDefault));
    CUDA(cudaMalloc((void **)&b->there, b->bytes));
    CUDA(cudaMalloc((void **)&b->info, sizeof *b->info));
    SOLVER(cusolverDnDpotrf_bufferSize(b->solver, CUBLAS_FILL_MODE_LOWER, n, b->there, n,
                                       &b->work_size));
    CUDA(cudaMalloc((void **)&b->work, sizeof *b->work * (size_t)b->work_size));
}

static void end(bare *b)
{
    CUDA(cudaFree(b->work));
    CUDA(cudaFree(b->info));
    CUDA(cudaFree(b->there));
    CUDA(cudaFreeHost(b->info_here));
    CUDA(cudaFreeHost(b->here));
    SOLVER(cusolverDnDestroy(b->solver));
    CUDA(cudaStreamDestroy(b->stream));
}

/* All of it, and the factor alone. */
static void measure(bare *b, double *whole, double *alone)
{
    double start, ready, done;

    fill(b->here, (size_t)b->n);
    start = seconds();
    CUDA(cudaMemcpyAsync(b->there, b->here, b->bytes, cudaMemcpyHostToDevice, b->stream));
    CUDA(cudaStreamSynchronize(b->stream));
    ready = seconds();
    SOLVER(cusolverDnDpotrf(b->solver, CUBLAS_FILL_MODE_LOWER, b->n, b->there, b->n, b->work,
                            b->work_size, b->info));
    CUDA(cudaStreamSynchronize(b->stream));
    done = seconds();
    CUDA(cudaMemcpyAsync(b->here, b->there, b->bytes, cudaMemcpyDeviceToHost, b->stream));
    CUDA(
        cudaMemcpyAsync(b->info_here, b->info, sizeof *b->info, cudaMemcpyDeviceToHost, b->stream));
    CUDA(cudaStreamSynchronize(b->stream));
    *whole = seconds() - start;
    *alone = done - ready;
    if (*b->info_here)
        fail("cusolverDnDpotrf", "it gave up");
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print(const char *what, int n, double times[REPEATS])
{
    double flops = (double)n * n * n / 3, time;

    qsort(times, REPEATS, sizeof *times, by_value);
    time = times[REPEATS / 2];
    printf("%s,%d,%.6f,%.4f\n", what, n, time, 1e-9 * flops / time);
    fflush(stdout);
}

static void bench(int n)
{
    bare   b;
    double whole[REPEATS], alone[REPEATS];
    int    i;

    begin(&b, n);
    measure(&b, whole, alone); /* clocks rise, libraries load */
    for (i = 0; i < REPEATS; i++)
        measure(&b, &whole[i], &alone[i]);
    print("potrf", n, alone);
    print("potrf-copied", n, whole);
    end(&b);
}

int main(int argc, char **argv)
{
    int i;

    if (argc < 2)
        fail("usage", "bench_gpu_potrf N...");
    printf("what,n,seconds,gflops\n");
    for (i = 1; i < argc; i++) {
        int n = atoi(argv[i]);

        if (n < 1)
            fail("usage", "bench_gpu_potrf N...");
        bench(n);
    }
    return 0;
}
