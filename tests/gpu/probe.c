/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu_probe: examines the state of an event recorded by a graph (cudaEventRecordExternal) right
 * after the graph's launch: a query of the event, a wait of the host, a wait of another stream, and
 * the event's time. CUDA's manual leaves parts of this open, and the module for GPUs depends on
 * them. Each examination covers an event never recorded, an event recorded by a stream before, and
 * an event recorded by an earlier launch of the graph.
 *
 *   gpu_probe [SIZE]
 *   gpu_probe -v
 *
 * SIZE: size of the matrices whose products keep the graph busy. -v: only print the versions of
 * CUDA's libraries, which needs no GPU.
 *
 * Exit status 0: every examination gave an answer; 1: a call failed; 2: wrong usage; 3: no GPU.
 */
#include <string.h>

#include "bare.h"

enum { LARGEST = 16384, MOST_PRODUCTS = 1000 };

const char bare_program[] = "gpu_probe";

static const double busy = 0.05; /* least seconds of a launch of the graph */

typedef struct probe {
    cudaStream_t    stream, other;
    cudaEvent_t     begun, mark; /* begun: recorded in `stream` before the graph; mark: in `other`
                                    */
    cudaEvent_t     event;       /* recorded by the graph after its products */
    cudaGraphExec_t graph;
    cublasHandle_t  blas;
    void           *space;
    double         *matrix; /* three matrices */
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

/* Set the number of products that keep the GPU busy for long enough. */
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

/* Make a new event with that history, and a new graph that records it. */
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

/* Return the state of the event; unknown if the graph has ended already. */
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

/* Tell whether a wait for the event took about as long as the graph, whose last node is the event.
 * */
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

/* Compare the event's time with an event recorded in the stream after the graph. */
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
