/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asks CUDA what becomes of an event that a graph records (cudaEventRecordExternal), right after
 * the graph's launch: a query of the event, a host that waits for it, another stream that waits
 * for it, and its time. CUDA's manual is silent on some of that, and the module for GPUs depends
 * on all of it. Each question is asked of an event that was never recorded, of one that a stream
 * has recorded before, and of one that an earlier launch of the graph has recorded.
 *
 *   gpu_probe [SIZE]
 *   gpu_probe -v
 *
 * SIZE: of the matrices whose products keep the graph busy. -v: only print the versions of CUDA's
 * libraries, which needs no GPU.
 *
 * 0: all questions have answers, whichever; 1: a call failed; 2: wrong usage; 3: no GPU.
 */
#include <string.h>

#include "bare.h"

enum { LARGEST = 16384, MOST_PRODUCTS = 1000 };

const char bare_program[] = "gpu_probe";

static const double busy = 0.05; /* seconds that a launch of the graph takes at least */

typedef struct probe {
    cudaStream_t    stream, other;
    cudaEvent_t     begun, mark; /* recorded in `stream` before the graph; in `other` */
    cudaEvent_t     event;       /* recorded by the graph, behind all its products */
    cudaGraphExec_t graph;
    cublasHandle_t  blas;
    void           *space;
    double         *matrix; /* three of them */
    int             n, products;
} probe;

static void multiply(const probe *p, int count)
{
    static const double one = 1, zero = 0;
    const size_t        square = (size_t)p->n * (size_t)p->n;

    for (; count > 0; count--)
        BLAS(cublasDgemm(p->blas, CUBLAS_OP_N, CUBLAS_OP_N, p->n, p->n, p->n, &one, p->matrix, p->n,
                         p->matrix + square, p->n, &zero, p->matrix + 2 * square, p->n));
}

/* As many products as keep the GPU busy for long enough. */
static void count_products(probe *p)
{
    double start, count;

    multiply(p, 1); /* loads the kernel */
    CUDA(cudaStreamSynchronize(p->stream));
    start = bare_seconds();
    multiply(p, 1);
    CUDA(cudaStreamSynchronize(p->stream));
    count = 1 + busy / (bare_seconds() - start);
    p->products = count < MOST_PRODUCTS ? (int)count : MOST_PRODUCTS;
}

static void begin(probe *p, int n)
{
    const size_t space = (size_t)32 << 20, bytes = 3 * sizeof(double) * (size_t)n * (size_t)n;

    p->n = n;
    CUDA(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&p->other, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&p->begun, cudaEventDefault));
    CUDA(cudaEventCreateWithFlags(&p->mark, cudaEventDefault));
    BLAS(cublasCreate(&p->blas));
    BLAS(cublasSetStream(p->blas, p->stream));
    CUDA(cudaMalloc(&p->space, space));
    BLAS(cublasSetWorkspace(p->blas, p->space, space));
    CUDA(cudaMalloc((void **)&p->matrix, bytes));
    CUDA(cudaMemsetAsync(p->matrix, 0, bytes, p->stream));
    count_products(p);
}

static void end(probe *p)
{
    CUDA(cudaFree(p->matrix));
    BLAS(cublasDestroy(p->blas));
    CUDA(cudaFree(p->space));
    CUDA(cudaEventDestroy(p->mark));
    CUDA(cudaEventDestroy(p->begun));
    CUDA(cudaStreamDestroy(p->other));
    CUDA(cudaStreamDestroy(p->stream));
}

typedef enum past { NEVER, BY_STREAM, BY_GRAPH, PASTS } past;

static const char *const past_text[PASTS] = {"never recorded before", "recorded by a stream before",
                                             "recorded by an earlier launch"};

static void launch(const probe *p)
{
    CUDA(cudaEventRecord(p->begun, p->stream));
    CUDA(cudaGraphLaunch(p->graph, p->stream));
}

/* A new event and a new graph that records it, with that past. */
static void make_graph(probe *p, past before)
{
    cudaGraph_t made;

    CUDA(cudaEventCreateWithFlags(&p->event, cudaEventDefault));
    if (before == BY_STREAM)
        CUDA(cudaEventRecord(p->event, p->stream));
    CUDA(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeRelaxed));
    multiply(p, p->products);
    CUDA(cudaEventRecordWithFlags(p->event, p->stream, cudaEventRecordExternal));
    CUDA(cudaStreamEndCapture(p->stream, &made));
    CUDA(cudaGraphInstantiate(&p->graph, made, 0));
    CUDA(cudaGraphDestroy(made));
    CUDA(cudaGraphUpload(p->graph, p->stream));
    if (before == BY_GRAPH)
        launch(p);
    CUDA(cudaStreamSynchronize(p->stream));
}

static void free_graph(probe *p)
{
    CUDA(cudaGraphExecDestroy(p->graph));
    CUDA(cudaEventDestroy(p->event));
}

static void print(const char *what, past before, const char *answer, const char *wanted)
{
    printf("%s,%s,%s,%s\n", what, past_text[before], answer, wanted);
    fflush(stdout);
}

/* A graph that is over by now leaves the question open. */
static const char *query(const probe *p)
{
    cudaError_t error = cudaEventQuery(p->event), whole = cudaStreamQuery(p->stream);

    if (error == cudaErrorNotReady)
        cudaGetLastError();
    else
        CUDA(error);
    return error == cudaErrorNotReady ? "pending" : whole == cudaSuccess ? "unknown" : "over";
}

static void ask_query(probe *p, past before)
{
    make_graph(p, before);
    launch(p);
    print("query", before, query(p), "pending");
    CUDA(cudaStreamSynchronize(p->stream));
    free_graph(p);
}

/* The event is the last that the graph does: who waits for it waits for about the whole graph. */
static const char *is_waited(double start, double waited, double over)
{
    return waited - start >= (over - start) / 2 ? "waits" : "does not wait";
}

static void ask_host(probe *p, past before)
{
    double start, waited;

    make_graph(p, before);
    start = bare_seconds();
    launch(p);
    CUDA(cudaEventSynchronize(p->event));
    waited = bare_seconds();
    CUDA(cudaStreamSynchronize(p->stream));
    print("host that waits", before, is_waited(start, waited, bare_seconds()), "waits");
    free_graph(p);
}

static void ask_stream(probe *p, past before)
{
    double start, waited;

    make_graph(p, before);
    start = bare_seconds();
    launch(p);
    CUDA(cudaStreamWaitEvent(p->other, p->event, 0));
    CUDA(cudaEventRecord(p->mark, p->other));
    CUDA(cudaEventSynchronize(p->mark));
    waited = bare_seconds();
    CUDA(cudaStreamSynchronize(p->stream));
    print("stream that waits", before, is_waited(start, waited, bare_seconds()), "waits");
    free_graph(p);
}

/* Beside an event that the stream records behind the graph. */
static void ask_time(probe *p, past before)
{
    float inside = 0, behind = 0;

    make_graph(p, before);
    launch(p);
    CUDA(cudaEventRecord(p->mark, p->stream));
    CUDA(cudaStreamSynchronize(p->stream));
    CUDA(cudaEventElapsedTime(&inside, p->begun, p->event));
    CUDA(cudaEventElapsedTime(&behind, p->begun, p->mark));
    print("time", before, inside <= behind && inside >= behind / 2 ? "right" : "wrong", "right");
    free_graph(p);
}

static void print_library(const char *name, const int version[3])
{
    printf("%s %d.%d.%d\n", name, version[0], version[1], version[2]);
}

static void print_versions(void)
{
    static const libraryPropertyType property[3] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
    int                              runtime = 0, driver = 0, blas[3], solver[3], i;

    CUDA(cudaRuntimeGetVersion(&runtime));
    CUDA(cudaDriverGetVersion(&driver));
    for (i = 0; i < 3; i++) {
        BLAS(cublasGetProperty(property[i], &blas[i]));
        SOLVER(cusolverGetProperty(property[i], &solver[i]));
    }
    print_library("cuBLAS", blas);
    print_library("cuSOLVER", solver);
    printf("CUDA runtime %d.%d\n", runtime / 1000, runtime % 1000 / 10);
    printf("driver for CUDA %d.%d\n", driver / 1000, driver % 1000 / 10);
}

static void ask_all(int n)
{
    probe p;
    past  before;

    begin(&p, n);
    printf("what,event,answer,wanted\n");
    for (before = NEVER; before < PASTS; before++) {
        ask_query(&p, before);
        ask_host(&p, before);
        ask_stream(&p, before);
        ask_time(&p, before);
    }
    end(&p);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2048;

    if (argc > 1 && strcmp(argv[1], "-v") == 0) {
        print_versions();
        return 0;
    }
    if (n < 1 || n > LARGEST)
        bare_usage("[SIZE] | -v");
    bare_need_gpu();
    ask_all(n);
    return 0;
}
