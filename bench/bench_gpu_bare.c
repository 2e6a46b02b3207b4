/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The speed of a GPU without hybridsched: the matrix products of bench_gpu in a plain loop of
 * cuBLAS calls. Medians of 5. Rows:
 *
 *   dgemm                one stream, resident data
 *   dgemm-streams        as many streams as the module for GPUs uses, resident data
 *   dgemm-streams-copy   with a copy of the changed matrix, as for bench_gpu's resident tasks
 *   dgemm-streams-moved  with all copies between host and GPU, as for bench_gpu's other tasks
 *   copies               these copies alone, in both directions at once, pinned memory
 *   copies-in, -out      copies of whole sets in one direction
 *   tiny                 tiny products in a loop
 *   tiny-streams         tiny products, each after a copy of a matrix, on several streams in turn
 *   tiny-graph           the same copies and products as CUDA graphs
 *
 *   bench_gpu_bare [TASKS [TINY-TASKS [LARGEST]]]
 *
 * 0: done; 1: a call failed; 2: wrong usage; 3: no GPU.
 */
#include "../tests/gpu/bare.h"

#include <stdbool.h>
#include "bench_gpu_sizes.h"
#include "median.h"

enum { REPEATS = 5, SETS = 4, LARGEST = 2048, LANES = 4, BATCH = 64 };

const char bare_program[] = "bench_gpu_bare";

/* Bytes of each cuBLAS handle, as in the module for GPUs. */
static const size_t workspace = (size_t)32 << 20;

static size_t tasks = GEMM_TASKS, tiny_tasks = TINY_TASKS;
static int    largest = LARGEST;

/* A stream with the memory and handle of a task. */
typedef struct lane {
    cudaStream_t   stream;
    cublasHandle_t blas;
    void          *space;
    double        *c;    /* matrix on the GPU that a task changes */
    double        *home; /* destination of the matrix's copy, in pinned host memory */
    cudaEvent_t    join;
} lane;

/* Products use the sets of three matrices in turn, so that no product finds its matrices in a
 * cache. Lane i has set i, so that products of different lanes write to different memory. */
typedef struct bare {
    cudaStream_t    stream, back;
    cublasHandle_t  blas;
    void           *space;
    double         *there[SETS], *here, *results;
    lane            lane[LANES];
    cudaEvent_t     fork;
    cudaGraphExec_t graph; /* BATCH tiny tasks */
} bare;

static size_t matrix_bytes(int n)
{
    return sizeof(double) * (size_t)n * (size_t)n;
}

static size_t set_bytes(void)
{
    return 3 * matrix_bytes(largest);
}

static void fill_random(double *to, size_t count)
{
    unsigned long long state = 1;
    size_t             i;

    for (i = 0; i < count; i++)
        to[i] = bare_draw(&state) / 32;
}

static void open_lane(lane *l)
{
    CUDA(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&l->join, cudaEventDisableTiming));
    BLAS(cublasCreate(&l->blas));
    BLAS(cublasSetStream(l->blas, l->stream));
    CUDA(cudaMalloc(&l->space, workspace));
    BLAS(cublasSetWorkspace(l->blas, l->space, workspace));
    CUDA(cudaMalloc((void **)&l->c, matrix_bytes(largest)));
    CUDA(cudaHostAlloc((void **)&l->home, matrix_bytes(largest), cudaHostAllocDefault));
}

static void close_lane(lane *l)
{
    CUDA(cudaFreeHost(l->home));
    CUDA(cudaFree(l->c));
    BLAS(cublasDestroy(l->blas));
    CUDA(cudaFree(l->space));
    CUDA(cudaEventDestroy(l->join));
    CUDA(cudaStreamDestroy(l->stream));
}

/* Compute C := C - A B', where B follows A in memory. */
static void multiply(cublasHandle_t blas, const double *a, double *c, int n)
{
    static const double minus_one = -1, one = 1;

    BLAS(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &minus_one, a, n,
                     a + (size_t)n * (size_t)n, n, &one, c, n));
}

/* Copy the changed matrix and multiply, as a resident task of bench_gpu does. */
static void tiny_task(const bare *b, const lane *l)
{
    CUDA(cudaMemcpyAsync(l->c, b->there[0], matrix_bytes(TINY_SIZE), cudaMemcpyDeviceToDevice,
                         l->stream));
    multiply(l->blas, b->there[0], l->c, TINY_SIZE);
}

/* Capture a graph: the other lanes fork from the first lane and join it at the end. */
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

/* Reset the matrices before each measurement, since products in place make numbers grow. */
static void send_sets(bare *b)
{
    int i;

    for (i = 0; i < SETS; i++)
        CUDA(cudaMemcpyAsync(b->there[i], b->here, set_bytes(), cudaMemcpyHostToDevice, b->stream));
    CUDA(cudaStreamSynchronize(b->stream));
}

static void begin_timing(bare *b)
{
    size_t bytes = set_bytes();
    int    i;

    CUDA(cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&b->back, cudaStreamNonBlocking));
    BLAS(cublasCreate(&b->blas));
    BLAS(cublasSetStream(b->blas, b->stream));
    CUDA(cudaMalloc(&b->space, workspace));
    BLAS(cublasSetWorkspace(b->blas, b->space, workspace));
    CUDA(cudaHostAlloc((void **)&b->here, bytes, cudaHostAllocDefault));
    CUDA(cudaHostAlloc((void **)&b->results, bytes, cudaHostAllocDefault));
    fill_random(b->here, bytes / sizeof *b->here);
    for (i = 0; i < SETS; i++)
        CUDA(cudaMalloc((void **)&b->there[i], bytes));
    send_sets(b);
    for (i = 0; i < LANES; i++)
        open_lane(&b->lane[i]);
    make_graph(b);
}

static void end_timing(bare *b)
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

/* Return the third matrix of a task's set. */
static double *third_matrix(double *set, int n)
{
    return set + 2 * (size_t)n * (size_t)n;
}

static void run_product(bare *b, size_t task, int n)
{
    double *set = b->there[task % SETS];

    multiply(b->blas, set, third_matrix(set, n), n);
}

static double time_products(bare *b)
{
    double start = bare_seconds();
    size_t i;

    for (i = 0; i < tasks; i++)
        run_product(b, i, size_of(i));
    CUDA(cudaStreamSynchronize(b->stream));
    return bare_seconds() - start;
}

static void multiply_in_place(const bare *b, const lane *l, double *set, int n)
{
    (void)b;
    multiply(l->blas, set, third_matrix(set, n), n);
}

static void multiply_in_copy(const bare *b, const lane *l, double *set, int n)
{
    (void)b;
    CUDA(cudaMemcpyAsync(l->c, third_matrix(set, n), matrix_bytes(n), cudaMemcpyDeviceToDevice,
                         l->stream));
    multiply(l->blas, set, l->c, n);
}

static void multiply_moved(const bare *b, const lane *l, double *set, int n)
{
    CUDA(cudaMemcpyAsync(l->c, third_matrix(b->here, n), matrix_bytes(n), cudaMemcpyHostToDevice,
                         l->stream));
    CUDA(cudaMemcpyAsync(set, b->here, matrix_bytes(n), cudaMemcpyHostToDevice, l->stream));
    CUDA(cudaMemcpyAsync(set + (size_t)n * (size_t)n, b->here + (size_t)n * (size_t)n,
                         matrix_bytes(n), cudaMemcpyHostToDevice, l->stream));
    multiply(l->blas, set, l->c, n);
    CUDA(cudaMemcpyAsync(l->home, l->c, matrix_bytes(n), cudaMemcpyDeviceToHost, l->stream));
}

static void wait_for_lanes(const bare *b)
{
    int i;

    for (i = 0; i < LANES; i++)
        CUDA(cudaStreamSynchronize(b->lane[i].stream));
}

static double round_lanes(bare *b, void (*task)(const bare *b, const lane *l, double *set, int n))
{
    double start = bare_seconds();
    size_t i;

    for (i = 0; i < tasks; i++)
        task(b, &b->lane[i % LANES], b->there[i % LANES], size_of(i));
    wait_for_lanes(b);
    return bare_seconds() - start;
}

static double time_products_streams(bare *b)
{
    return round_lanes(b, multiply_in_place);
}

static double time_products_copy(bare *b)
{
    return round_lanes(b, multiply_in_copy);
}

static double time_products_moved(bare *b)
{
    return round_lanes(b, multiply_moved);
}

static double time_tiny_tasks(bare *b)
{
    double start = bare_seconds();
    size_t i;

    for (i = 0; i < tiny_tasks; i++)
        run_product(b, i, TINY_SIZE);
    CUDA(cudaStreamSynchronize(b->stream));
    return bare_seconds() - start;
}

static double time_tiny_streams(bare *b)
{
    double start = bare_seconds();
    size_t i;

    for (i = 0; i < tiny_tasks; i++)
        tiny_task(b, &b->lane[i % LANES]);
    wait_for_lanes(b);
    return bare_seconds() - start;
}

/* Launch whole batches, and scale the time to the number of tasks. */
static double time_tiny_graph(bare *b)
{
    double start = bare_seconds();
    size_t batches = (tiny_tasks + BATCH - 1) / BATCH, i;

    for (i = 0; i < batches; i++)
        CUDA(cudaGraphLaunch(b->graph, b->lane[0].stream));
    CUDA(cudaStreamSynchronize(b->lane[0].stream));
    return (bare_seconds() - start) * (double)tiny_tasks / (double)(batches * BATCH);
}

/* Copy three matrices to the GPU and one to the host, on two streams that never wait. */
static double time_copies(bare *b)
{
    double start = bare_seconds();
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
    return bare_seconds() - start;
}

static double time_one_way(bare *b, bool out)
{
    double start = bare_seconds();
    int    i;

    for (i = 0; i < 2 * SETS; i++)
        CUDA(out ? cudaMemcpyAsync(b->results, b->there[i % SETS], set_bytes(),
                                   cudaMemcpyDeviceToHost, b->stream)
                 : cudaMemcpyAsync(b->there[i % SETS], b->here, set_bytes(), cudaMemcpyHostToDevice,
                                   b->stream));
    CUDA(cudaStreamSynchronize(b->stream));
    return bare_seconds() - start;
}

static double time_copies_to_gpu(bare *b)
{
    return time_one_way(b, false);
}

static double time_copies_to_host(bare *b)
{
    return time_one_way(b, true);
}

static double time_of(bare *b, double (*measure)(bare *))
{
    double all[REPEATS];
    int    i;

    send_sets(b);
    measure(b); /* warm up: clocks rise, libraries load */
    for (i = 0; i < REPEATS; i++)
        all[i] = measure(b);
    return median(all, REPEATS);
}

typedef struct row {
    const char *what;
    double (*measure)(bare *);
    size_t      count;
    double      amount; /* operations or bytes of all tasks; 0: report the time per task */
    const char *unit;
} row;

static void print_row(bare *b, const row *r)
{
    double time = time_of(b, r->measure);
    double amount = r->amount > 0 ? r->amount / time : 1e6 * time / (double)r->count;

    printf("%s,%zu,%.6f,%.4f,%s\n", r->what, r->count, time, amount, r->unit);
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

static void measure_all(bare *b)
{
    double set = 1e-9 * (double)set_bytes(), flops = 0, bytes = 0;
    size_t i;

    for (i = 0; i < tasks; i++) {
        flops += 1e-9 * gemm_flops(size_of(i));
        bytes += 4e-9 * (double)matrix_bytes(size_of(i));
    }
    const row rows[] = {
        {"dgemm", time_products, tasks, flops, "GFLOP/s"},
        {"dgemm-streams", time_products_streams, tasks, flops, "GFLOP/s"},
        {"dgemm-streams-copy", time_products_copy, tasks, flops, "GFLOP/s"},
        {"dgemm-streams-moved", time_products_moved, tasks, flops, "GFLOP/s"},
        {"copies", time_copies, tasks, bytes, "GB/s"},
        {"copies-in", time_copies_to_gpu, 2 * SETS, 2 * SETS * set, "GB/s"},
        {"copies-out", time_copies_to_host, 2 * SETS, 2 * SETS * set, "GB/s"},
        {"tiny", time_tiny_tasks, tiny_tasks, 0, "us/task"},
        {"tiny-streams", time_tiny_streams, tiny_tasks, 0, "us/task"},
        {"tiny-graph", time_tiny_graph, tiny_tasks, 0, "us/task"},
    };

    printf("what,tasks,seconds,amount,unit\n");
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        print_row(b, &rows[i]);
}

int main(int argc, char **argv)
{
    bare b;

    if (argc > 1)
        tasks = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        tiny_tasks = strtoull(argv[2], NULL, 10);
    if (argc > 3)
        largest = atoi(argv[3]);
    if (tasks < 1 || tiny_tasks < 1 || largest < TINY_SIZE || largest > LARGEST)
        bare_usage("[TASKS [TINY-TASKS [LARGEST]]]");
    tasks = (tasks + GEMM_SIZES - 1) / GEMM_SIZES * GEMM_SIZES;
    bare_need_gpu();
    print_device();
    begin_timing(&b);
    measure_all(&b);
    end_timing(&b);
    return 0;
}
