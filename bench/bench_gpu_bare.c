/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a GPU can do: the matrix products of bench_gpu by nothing but a loop of cuBLAS calls
 * on one stream, data resident; their copies alone, both ways at once, from and to pinned
 * memory; and tiny ones, in a loop, and with the copy of a matrix before each as bench_gpu's
 * tasks have it: from calls that go round some streams (tiny-streams), and as graphs of those
 * nodes (tiny-graph). Medians of 5.
 *
 *   bench_gpu_bare [TASKS [TINY-TASKS [LARGEST]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include "bench_gpu_sizes.h"

enum { REPEATS = 5, SETS = 4, LARGEST = 2048, LANES = 4, BATCH = 64 };

static size_t tasks = GEMM_TASKS, tiny_tasks = TINY_TASKS;
static int    largest = LARGEST;

static void fail(const char *call, const char *why)
{
    fprintf(stderr, "bench_gpu_bare: %s: %s\n", call, why);
    exit(3);
}

static void cuda_ok(cudaError_t error, const char *call)
{
    if (error != cudaSuccess)
        fail(call, cudaGetErrorString(error));
}

static void blas_ok(cublasStatus_t status, const char *call)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        fail(call, cublasGetStatusName(status));
}

#define CUDA(call) cuda_ok((call), #call)
#define BLAS(call) blas_ok((call), #call)

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What a tiny task goes through. */
typedef struct lane {
    cudaStream_t   stream;
    cublasHandle_t blas;
    void          *space;
    double        *c;
    cudaEvent_t    join;
} lane;

/* Three matrices each, taken in turn so that no product finds all of its own in a cache. */
typedef struct bare {
    cudaStream_t    stream, back;
    cublasHandle_t  blas;
    void           *space;
    double         *there[SETS], *here, *results;
    lane            lane[LANES];
    cudaEvent_t     fork;
    cudaGraphExec_t graph; /* BATCH tiny tasks */
} bare;

static size_t set_bytes(void)
{
    return 3 * sizeof(double) * (size_t)largest * (size_t)largest;
}

/* Not zeros, with which a GPU is faster than it is. */
static void fill(double *to, size_t count)
{
    unsigned long long state = 1;
    size_t             i;

    for (i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        to[i] = (double)(state >> 11) * 0x1p-53 / 32 - 1.0 / 64;
    }
}

static void open_lane(lane *l)
{
    const size_t space = (size_t)4 << 20;

    CUDA(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&l->join, cudaEventDisableTiming));
    BLAS(cublasCreate(&l->blas));
    BLAS(cublasSetStream(l->blas, l->stream));
    CUDA(cudaMalloc(&l->space, space));
    BLAS(cublasSetWorkspace(l->blas, l->space, space));
    CUDA(cudaMalloc((void **)&l->c, sizeof(double) * TINY_SIZE * TINY_SIZE));
}

static void close_lane(lane *l)
{
    CUDA(cudaFree(l->c));
    BLAS(cublasDestroy(l->blas));
    CUDA(cudaFree(l->space));
    CUDA(cudaEventDestroy(l->join));
    CUDA(cudaStreamDestroy(l->stream));
}

/* As a resident task of bench_gpu's: the matrix that it changes is copied, its inputs are there. */
static void tiny_task(const bare *b, const lane *l)
{
    static const double minus_one = -1, one = 1;
    const double       *inputs = b->there[0];
    const int           n = TINY_SIZE;

    CUDA(cudaMemcpyAsync(l->c, inputs, sizeof *inputs * TINY_SIZE * TINY_SIZE,
                         cudaMemcpyDeviceToDevice, l->stream));
    BLAS(cublasDgemm(l->blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &minus_one, inputs, n,
                     inputs + TINY_SIZE * TINY_SIZE, n, &one, l->c, n));
}

/* The first lane leads; the others branch off it and come back. */
static void make_graph(bare *b)
{
    cudaStream_t lead = b->lane[0].stream;
    cudaGraph_t  made;
    int          i;

    CUDA(cudaEventCreateWithFlags(&b->fork, cudaEventDisableTiming));
    CUDA(cudaStreamBeginCapture(lead, cudaStreamCaptureModeRelaxed));
    CUDA(cudaEventRecord(b->fork, lead));
    for (i = 1; i < LANES; i++)
        CUDA(cudaStreamWaitEvent(b->lane[i].stream, b->fork, 0));
    for (i = 0; i < BATCH; i++)
        tiny_task(b, &b->lane[i % LANES]);
    for (i = 1; i < LANES; i++) {
        CUDA(cudaEventRecord(b->lane[i].join, b->lane[i].stream));
        CUDA(cudaStreamWaitEvent(lead, b->lane[i].join, 0));
    }
    CUDA(cudaStreamEndCapture(lead, &made));
    CUDA(cudaGraphInstantiate(&b->graph, made, 0));
    CUDA(cudaGraphDestroy(made));
}

static void begin(bare *b)
{
    const size_t space = (size_t)32 << 20;
    size_t       bytes = set_bytes();
    int          i;

    CUDA(cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&b->back, cudaStreamNonBlocking));
    BLAS(cublasCreate(&b->blas));
    BLAS(cublasSetStream(b->blas, b->stream));
    CUDA(cudaMalloc(&b->space, space));
    BLAS(cublasSetWorkspace(b->blas, b->space, space));
    CUDA(cudaHostAlloc((void **)&b->here, bytes, cudaHostAllocDefault));
    CUDA(cudaHostAlloc((void **)&b->results, bytes, cudaHostAllocDefault));
    fill(b->here, bytes / sizeof *b->here);
    for (i = 0; i < SETS; i++) {
        CUDA(cudaMalloc((void **)&b->there[i], bytes));
        CUDA(cudaMemcpyAsync(b->there[i], b->here, bytes, cudaMemcpyHostToDevice, b->stream));
    }
    CUDA(cudaStreamSynchronize(b->stream));
    for (i = 0; i < LANES; i++)
        open_lane(&b->lane[i]);
    make_graph(b);
}

static void end(bare *b)
{
    int i;

    CUDA(cudaGraphExecDestroy(b->graph));
    CUDA(cudaEventDestroy(b->fork));
    for (i = 0; i < LANES; i++)
        close_lane(&b->lane[i]);
    for (i = 0; i < SETS; i++)
        CUDA(cudaFree(b->there[i]));
    CUDA(cudaFreeHost(b->results));
    CUDA(cudaFreeHost(b->here));
    BLAS(cublasDestroy(b->blas));
    CUDA(cudaFree(b->space));
    CUDA(cudaStreamDestroy(b->back));
    CUDA(cudaStreamDestroy(b->stream));
}

static int size_of(size_t task)
{
    int n = gemm_size(task % GEMM_SIZES);

    return n < largest ? n : largest;
}

static void product(bare *b, size_t task, int n)
{
    static const double minus_one = -1, one = 1;
    double             *a = b->there[task % SETS], *other = a + (size_t)n * (size_t)n;

    BLAS(cublasDgemm(b->blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &minus_one, a, n, other, n, &one,
                     other + (size_t)n * (size_t)n, n));
}

static double products(bare *b)
{
    double start = seconds();
    size_t i;

    for (i = 0; i < tasks; i++)
        product(b, i, size_of(i));
    CUDA(cudaStreamSynchronize(b->stream));
    return seconds() - start;
}

static double tiny(bare *b)
{
    double start = seconds();
    size_t i;

    for (i = 0; i < tiny_tasks; i++)
        product(b, i, TINY_SIZE);
    CUDA(cudaStreamSynchronize(b->stream));
    return seconds() - start;
}

static double tiny_streams(bare *b)
{
    double start = seconds();
    size_t i;

    for (i = 0; i < tiny_tasks; i++)
        tiny_task(b, &b->lane[i % LANES]);
    for (i = 0; i < LANES; i++)
        CUDA(cudaStreamSynchronize(b->lane[i].stream));
    return seconds() - start;
}

/* The rest of a batch counts as one: the time is that of so many tasks. */
static double tiny_graph(bare *b)
{
    double start = seconds();
    size_t batches = (tiny_tasks + BATCH - 1) / BATCH, i;

    for (i = 0; i < batches; i++)
        CUDA(cudaGraphLaunch(b->graph, b->lane[0].stream));
    CUDA(cudaStreamSynchronize(b->lane[0].stream));
    return (seconds() - start) * (double)tiny_tasks / (double)(batches * BATCH);
}

/* Three matrices in, one out; each on a stream of its own, which waits for nothing. */
static double copies(bare *b)
{
    double start = seconds();
    size_t i;

    for (i = 0; i < tasks; i++) {
        size_t matrix = (size_t)size_of(i) * (size_t)size_of(i);
        int    part;

        for (part = 0; part < 3; part++)
            CUDA(cudaMemcpyAsync(b->there[i % 2] + (size_t)part * matrix,
                                 b->here + (size_t)part * matrix, sizeof(double) * matrix,
                                 cudaMemcpyHostToDevice, b->stream));
        CUDA(cudaMemcpyAsync(b->results, b->there[2], sizeof(double) * matrix,
                             cudaMemcpyDeviceToHost, b->back));
    }
    CUDA(cudaStreamSynchronize(b->stream));
    CUDA(cudaStreamSynchronize(b->back));
    return seconds() - start;
}

static double one_way(bare *b, int out)
{
    double start = seconds();
    int    i;

    for (i = 0; i < 2 * SETS; i++)
        CUDA(out ? cudaMemcpyAsync(b->results, b->there[i % SETS], set_bytes(),
                                   cudaMemcpyDeviceToHost, b->stream)
                 : cudaMemcpyAsync(b->there[i % SETS], b->here, set_bytes(), cudaMemcpyHostToDevice,
                                   b->stream));
    CUDA(cudaStreamSynchronize(b->stream));
    return seconds() - start;
}

static double in_only(bare *b)
{
    return one_way(b, 0);
}

static double out_only(bare *b)
{
    return one_way(b, 1);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(bare *b, double (*measure)(bare *))
{
    double all[REPEATS];
    int    i;

    measure(b); /* clocks rise, libraries load */
    for (i = 0; i < REPEATS; i++)
        all[i] = measure(b);
    qsort(all, REPEATS, sizeof *all, by_value);
    return all[REPEATS / 2];
}

static void print(const char *what, size_t count, double time, double amount, const char *unit)
{
    printf("%s,%zu,%.6f,%.4f,%s\n", what, count, time, amount, unit);
    fflush(stdout);
}

static void print_device(void)
{
    struct cudaDeviceProp properties;
    int                   runtime = 0, driver = 0;

    CUDA(cudaGetDeviceProperties(&properties, 0));
    CUDA(cudaRuntimeGetVersion(&runtime));
    CUDA(cudaDriverGetVersion(&driver));
    printf("# %s; CUDA runtime %d.%d, driver for CUDA %d.%d\n", properties.name, runtime / 1000,
           runtime % 1000 / 10, driver / 1000, driver % 1000 / 10);
}

int main(int argc, char **argv)
{
    bare   b;
    double flops = 0, bytes = 0, time;
    size_t i;

    if (argc > 1)
        tasks = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        tiny_tasks = strtoull(argv[2], NULL, 10);
    if (argc > 3)
        largest = atoi(argv[3]);
    if (tasks < 1 || tiny_tasks < 1 || largest < TINY_SIZE || largest > LARGEST)
        fail("usage", "bench_gpu_bare [TASKS [TINY-TASKS [LARGEST]]]");
    tasks = (tasks + GEMM_SIZES - 1) / GEMM_SIZES * GEMM_SIZES;
    for (i = 0; i < tasks; i++) {
        flops += gemm_flops(size_of(i));
        bytes += 4.0 * sizeof(double) * size_of(i) * size_of(i);
    }
    print_device();
    begin(&b);
    printf("what,tasks,seconds,amount,unit\n");
    time = median(&b, products);
    print("dgemm", tasks, time, 1e-9 * flops / time, "GFLOP/s");
    time = median(&b, copies);
    print("copies", tasks, time, 1e-9 * bytes / time, "GB/s");
    time = median(&b, in_only);
    print("copies-in", 2 * SETS, time, 2e-9 * SETS * (double)set_bytes() / time, "GB/s");
    time = median(&b, out_only);
    print("copies-out", 2 * SETS, time, 2e-9 * SETS * (double)set_bytes() / time, "GB/s");
    time = median(&b, tiny);
    print("tiny", tiny_tasks, time, 1e6 * time / (double)tiny_tasks, "us/task");
    time = median(&b, tiny_streams);
    print("tiny-streams", tiny_tasks, time, 1e6 * time / (double)tiny_tasks, "us/task");
    time = median(&b, tiny_graph);
    print("tiny-graph", tiny_tasks, time, 1e6 * time / (double)tiny_tasks, "us/task");
    end(&b);
    return 0;
}
