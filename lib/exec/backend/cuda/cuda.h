/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CUDA_H
#define HSI_CUDA_H

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <hybridsched/backend.h>

#include "exec/backend/kernel/kernel.h"

/*
 * Built-in kernels on a GPU. A worker has several stream contexts. A stream context is a stream
 * with the handles, the memory and the events of one task, so copies of one task overlap with
 * kernels of another. Tasks read the same pool of data as on CPUs. The pool is pinned, and copies
 * start there. Only the worker's thread calls these functions.
 *
 * Functions of type int return 1 for success and 0 for a fault unless a comment says otherwise.
 * The text of a fault is in gpu->fault, to which each stream context points.
 */

enum {
    HSI_CUDA_SIZE_MOST = 46340,  /* n (n + 1) must fit into an int of cuBLAS and cuSOLVER */
    HSI_CUDA_STACK_MOST = 32767, /* 2 n n must fit into an int */
    HSI_CUDA_CONTEXTS = 4,
    HSI_CUDA_CONTEXTS_MOST = 8,
    HSI_CUDA_BATCH = 64,              /* maximum of tasks in a graph */
    HSI_CUDA_CAPTURED_MOST = 1 << 16, /* maximum of tasks in all graphs of a worker */
    HSI_CUDA_PANELS_MOST = 512,
    HSI_CUDA_SOLVERS = 10, /* kernels that cuSOLVER computes, in both precisions */
    HSI_CUDA_KERNELS = 18
};

typedef struct hsi_cuda_gpu       hsi_cuda_gpu;
typedef struct hsi_stream_context hsi_stream_context;
typedef struct hsi_cuda_run       hsi_cuda_run;
typedef struct hsi_cuda_graph     hsi_cuda_graph;
typedef struct hsi_cuda_fault     hsi_cuda_fault;

typedef struct hsi_cuda_kernel {
    const char *name;   /* name of the hsi_kernel_entry */
    bool        single; /* true: floats; 0: doubles */
    int         inputs; /* number of matrices that are only read */
    bool        solver; /* true: cuSOLVER or reflectors, which a graph cannot capture */
    double      flops;  /* operations per n^3 */
    /* Launch the next piece. Return 1 if a piece is left, 0 after the last one, -1 for a fault. */
    int (*launch)(hsi_cuda_run *run);
    /* Set *elements to the size of cuSOLVER's work space. */
    int (*work)(hsi_stream_context *context, int n, int width, int *elements);
} hsi_cuda_kernel;

/* Return the kernel of that name, or NULL if only CPUs compute the kernel. */
const hsi_cuda_kernel *hsi_cuda_kernel_find(const char *name);
const hsi_cuda_kernel *hsi_cuda_kernel_at(size_t index);

/*
 * Return the number of columns per piece of a kernel. A task can be cancelled between two pieces
 * if `watched` is set: a piece then takes a few milliseconds at most, and small tasks are one
 * piece. Without `watched`, only very large tasks are cut.
 */
int hsi_cuda_piece_columns(const hsi_cuda_kernel *kernel, int n, bool watched);

/* Return the number of columns to which a factorisation applies a panel at once. */
int hsi_cuda_piece(int n, int width);

/* Launch functions of kernels: launch the next piece. Return 1 if a piece is left, 0 if none, -1 on
 * failure. */
int hsi_cuda_potrf(hsi_cuda_run *run);
int hsi_cuda_getrf(hsi_cuda_run *run);
int hsi_cuda_geqrf(hsi_cuda_run *run);
int hsi_cuda_ormqr(hsi_cuda_run *run);
int hsi_cuda_tpqrt(hsi_cuda_run *run);
int hsi_cuda_tpmqrt(hsi_cuda_run *run);
int hsi_cuda_potrf_work(hsi_stream_context *context, int n, int width, int *elements);
int hsi_cuda_getrf_work(hsi_stream_context *context, int n, int width, int *elements);
int hsi_cuda_geqrf_work(hsi_stream_context *context, int n, int width, int *elements);
int hsi_cuda_ormqr_work(hsi_stream_context *context, int n, int width, int *elements);
int hsi_cuda_tpqrt_work(hsi_stream_context *context, int n, int width, int *elements);

/*
 * reflect.c: reflectors below a unit matrix of n rows, as dtpqrt computes them. The matrix v is
 * n x n, and t holds the triangles of its blocks. All kernels go into the stream of the stream
 * context.
 */

/* Return the number of elements that `room` needs to apply reflectors to `columns` columns, or to
 * compute triangles if `columns` is 0. */
size_t hsi_cuda_reflect_scratch_elements(int columns);

/* Compute the triangles from v, m x n, and the factors tau. The second function does so for
 * reflectors of dgeqrf, which lie below a diagonal of ones; `unit` is a unit matrix of
 * HSI_KERNEL_PANEL rows. */
int hsi_cuda_compute_triangles(hsi_stream_context *context, int m, int n, const void *v, int ldv,
                               const void *tau, void *t, void *scratch);
int hsi_cuda_compute_lower_triangles(hsi_stream_context *context, int m, int n, const void *v,
                                     int ldv, const void *tau, const void *unit, void *t,
                                     void *scratch);

/* Copy the factors tau out of the triangles. */
bool hsi_cuda_copy_tau(hsi_stream_context *context, int n, const void *t, void *tau);

/* Compute [A; B] := op(Q) [A; B] with k reflectors, where A has k rows, B has m, and both have
 * `columns` columns. */
int hsi_cuda_apply_reflectors(hsi_stream_context *context, cublasOperation_t op, int m, int columns,
                              int k, const void *v, int ldv, const void *t, void *a, int lda,
                              void *b, int ldb, void *scratch);

/* Copy the upper triangle of A, n x n, and B, m x n, below it into `stack`, with zeros elsewhere.
 * `packed` has room for n (n + 1) / 2 elements; it may be B. */
bool hsi_cuda_stack(hsi_stream_context *context, int m, int n, const void *a, int lda,
                    const void *b, int ldb, void *stack, void *packed);
/* Copy `stack` back into A and B. The elements below the diagonal of A are kept. */
bool hsi_cuda_unstack(hsi_stream_context *context, int m, int n, const void *stack, void *a,
                      int lda, void *b, int ldb, void *packed);

/*
 * event_trial.c: set *pending to whether an event that a graph records is pending from the launch
 * of the graph on. The streams are idle, and `space` is a megabyte of the GPU.
 */
bool hsi_cuda_try_graph_events(hsi_cuda_fault *fault, cudaStream_t stream, cudaStream_t other,
                               void *space, int *pending);

typedef struct hsi_cuda_body {
    hs_body                base;
    const hsi_kernel      *kernel; /* kernel of CPUs, which defines the data */
    const hsi_cuda_kernel *cuda;
    int                    n;
    hsi_kernel_size        size;
} hsi_cuda_body;

extern const hs_backend hsi_backend_cuda;

/* Set the number of hardware queues; call before the driver starts. */
void hsi_cuda_ask_for_queues(void);

static inline const hsi_cuda_body *hsi_cuda_body_of(const hs_body *body)
{
    return (const hsi_cuda_body *)(const void *)body;
}

/* Return the bytes of a task's matrices and vectors on the GPU, without cuSOLVER's work space. */
double hsi_cuda_body_bytes(const hsi_cuda_body *body);

struct hsi_cuda_fault {
    char text[240]; /* the first call that failed and its error; empty: none */
    bool memory;    /* true: only memory was missing, and the GPU can be used further */
    bool hung;      /* true: the GPU completes no work, so no thread may wait for it */
};

/* Return true if `error` or `status` is a success. Otherwise write the fault and return false. */
bool hsi_cuda_ok(hsi_cuda_fault *fault, cudaError_t error, const char *call);
bool hsi_cuda_blas_ok(hsi_cuda_fault *fault, cublasStatus_t status, const char *call);
bool hsi_cuda_solver_ok(hsi_cuda_fault *fault, cusolverStatus_t status, const char *call);

#define CUDA(fault, function, ...) hsi_cuda_ok((fault), function(__VA_ARGS__), #function)
/* Call a function of cuBLAS or cuSOLVER with the handle of a stream context. */
#define BLAS(context, function, ...)                                                               \
    hsi_cuda_blas_ok((context)->fault, function((context)->blas, __VA_ARGS__), #function)
#define SOLVER(context, function, ...)                                                             \
    hsi_cuda_solver_ok((context)->fault, function((context)->solver, __VA_ARGS__), #function)

/* Call an operation of cuBLAS or cuSOLVER in the precision of the stream context. Matrices, vectors
 * and scalars are void pointers. */
#define BLAS_OF(context, operation, ...)                                                           \
    ((context)->single ? BLAS(context, cublasS##operation, __VA_ARGS__)                            \
                       : BLAS(context, cublasD##operation, __VA_ARGS__))
#define SOLVER_OF(context, operation, ...)                                                         \
    ((context)->single ? SOLVER(context, cusolverDnS##operation, __VA_ARGS__)                      \
                       : SOLVER(context, cusolverDnD##operation, __VA_ARGS__))

/* The last size of cuSOLVER's work space for a kernel. A query takes several calls per task. */
typedef struct hsi_cuda_asked {
    const hsi_cuda_kernel *kernel; /* NULL: no size is known */
    int                    n, elements;
} hsi_cuda_asked;

struct hsi_stream_context {
    hsi_cuda_fault    *fault;  /* fault of the GPU */
    int                single; /* precision of the current task: 1: floats; 0: doubles */
    cudaStream_t       stream;
    cublasHandle_t     blas;
    void              *blas_space;
    cusolverDnHandle_t solver; /* NULL: not created yet */
    hsi_cuda_asked     asked[HSI_CUDA_SOLVERS];
    char              *arena; /* memory on the GPU */
    size_t             arena_size;
    char              *room; /* pinned host memory for results */
    size_t             room_size;
    cudaEvent_t        done;    /* end of the current task */
    cudaEvent_t        landed;  /* end of the copies of a verified task to host memory */
    cudaEvent_t        pace[2]; /* ends of the last two pieces */
};

static inline size_t hsi_cuda_element_bytes(const hsi_stream_context *context)
{
    return context->single ? sizeof(float) : sizeof(double);
}

/* Return the address `elements` elements after `a`, in the stream context's precision. */
static inline void *hsi_cuda_element_address(const hsi_stream_context *context, const void *a,
                                             size_t elements)
{
    return (void *)((uintptr_t)a + elements * hsi_cuda_element_bytes(context));
}

/* Return the address of the scalar -1, 0 or 1 in the stream context's precision. */
const void *hsi_cuda_scalar(const hsi_stream_context *context, int value);

bool hsi_stream_context_open(hsi_stream_context *context, hsi_cuda_fault *fault, size_t blas_bytes);
void hsi_stream_context_close(hsi_stream_context *context);

/* Create the missing handles of cuBLAS, with work space, and of cuSOLVER. */
bool hsi_stream_context_make_blas(hsi_stream_context *context, size_t bytes);
bool hsi_stream_context_make_solver(hsi_stream_context *context);

/* Set *elements to the size of cuSOLVER's work space, or to 0 for a kernel of cuBLAS. */
bool hsi_stream_context_solver_elements(hsi_stream_context *context, const hsi_cuda_kernel *kernel,
                                        int n, int *elements);

/* Make the arena or the room at least `bytes` large. The contents are lost. */
bool hsi_stream_context_reserve_arena(hsi_stream_context *context, size_t bytes);
bool hsi_stream_context_reserve_room(hsi_stream_context *context, size_t bytes);

struct hsi_cuda_run {
    hsi_stream_context  *context;
    const hsi_cuda_body *body;
    int                  n, columns, width; /* columns of the results, and of a piece */
    int column, next; /* first column of the panel, and of the next piece behind the panel */
    const void *a, *b;
    void       *c, *d; /* results; d is NULL unless the kernel has two */
    void       *q;     /* matrix of `rows` rows for reflectors: c, or the stack of tpqrt */
    int         rows;
    void       *tau, *work;
    int         work_size;
    int        *pivots, *info;
    void       *t, *room; /* triangles of the blocks of reflectors, and their work space */
};

/* Addresses of the results in pinned host memory. */
typedef struct hsi_cuda_results {
    int   width;   /* columns per piece, from hsi_cuda_piece_columns() */
    int   checked; /* 1: the host verifies the results */
    void *c, *d;
    void *vector; /* result tau, and earlier the input tau or the diagonal */
    int  *pivots; /* per panel, counted from its first row */
    int  *info;
    void *t;
} hsi_cuda_results;

size_t           hsi_cuda_results_bytes(const hsi_cuda_body *body);
hsi_cuda_results hsi_cuda_results_at(const hsi_cuda_body *body, char *memory, bool watched);

/* Return the bytes of arena that a task of this body needs, or 0 for a fault. */
size_t hsi_cuda_arena_bytes(hsi_cuda_gpu *gpu, hsi_stream_context *context,
                            const hsi_cuda_body *body);

/* Start the copies of a task's data to the GPU and fill in `run`. The arena and the room of the
 * stream context must be large enough (hsi_stream_context_reserve_for_body). */
bool hsi_cuda_copy_in(hsi_cuda_gpu *gpu, hsi_stream_context *context, const hsi_cuda_body *body,
                      const hs_instance *instance, uint32_t task, const hsi_cuda_results *results,
                      hsi_cuda_run *run);
/* Start the copies as hsi_cuda_copy_in() does and launch all pieces. */
bool hsi_cuda_copy_in_and_launch(hsi_cuda_gpu *gpu, hsi_stream_context *context,
                                 const hsi_cuda_body *body, const hs_instance *instance,
                                 uint32_t task, const hsi_cuda_results *results, hsi_cuda_run *run);
/* Start the copies of the results to the host. Of resident results, copy only the status. */
bool hsi_cuda_copy_out(const hsi_cuda_gpu *gpu, const hsi_cuda_run *run,
                       const hsi_cuda_results *results);

/* Start the copies of resident results that the host verifies, after the end of the task. */
bool hsi_cuda_copy_out_to_verify(const hsi_cuda_gpu *gpu, const hsi_cuda_run *run,
                                 const hsi_cuda_results *results);

/* Return whether the attempt succeeded. The message of a failure goes into attempt->why. */
hs_outcome hsi_cuda_verify_results(hsi_cuda_gpu *gpu, const hsi_cuda_body *body,
                                   const hsi_cuda_results *results, hs_attempt *attempt);

/* Prefix sums of the squares of a pool, from which the factors of reflectors are computed. */
typedef struct hsi_cuda_squares {
    const void  *pool;
    int          single;          /* 1: floats; 0: doubles */
    long double *sum;             /* sum before every LINE-th element */
    size_t       count, elements; /* number of sums; number of elements of the pool */
} hsi_cuda_squares;

typedef struct hsi_cuda_data {
    hsi_space        space;      /* data of the host, with a pinned pool */
    hsi_cuda_squares squares[2]; /* [0]: doubles, [1]: floats */
    void            *there[2];   /* pools on the GPU for resident data, by precision */
    size_t           there_elements[2];
} hsi_cuda_data;

void hsi_cuda_data_open(hsi_cuda_data *data, hsi_cuda_fault *fault);
void hsi_cuda_data_close(hsi_cuda_data *data);

/* Make the pool large enough for a body. No copy from the pool may be in flight. */
bool hsi_cuda_data_grow_pool(hsi_cuda_gpu *gpu, const hsi_cuda_body *body);
/* Return whether the pool is large enough for a body. */
bool hsi_cuda_data_pool_suffices(const hsi_cuda_gpu *gpu, const hsi_cuda_body *body);

/* Set the addresses of a task's data in the pool. */
void hsi_cuda_data_locate(hsi_cuda_gpu *gpu, const hsi_cuda_body *body, const hs_instance *instance,
                          uint32_t task, hsi_job *job);

/* Compute the factors tau that make the reflectors in job->in[0] orthogonal. */
void hsi_cuda_compute_tau(const hsi_cuda_gpu *gpu, const hsi_job *job, void *tau);

/* check.c: verification of the results in host memory, by the host. */
typedef struct hsi_cuda_check {
    unsigned char *tasks; /* by kernel and size: tasks since the last verified one, or 0 if the next
                             task is verified; NULL: no result is verified */
    const hs_attempt *attempt; /* attempt of `job`; NULL: none */
    hsi_job           job;     /* data of the attempt, with the vector that right results give */
} hsi_cuda_check;

bool hsi_cuda_check_open(hsi_cuda_gpu *gpu); /* false: out of memory */
void hsi_cuda_check_close(hsi_cuda_gpu *gpu);

/* Count a task before its launch. Return whether its results are to be verified. */
bool hsi_cuda_check_is_due(hsi_cuda_gpu *gpu, const hsi_cuda_body *body);

/* Undo the count of a task that was not verified, so the next task of its kind is verified;
 * _all_again() does so for all kinds. */
void hsi_cuda_check_next_of_kind(hsi_cuda_gpu *gpu, const hsi_cuda_body *body);
void hsi_cuda_check_next_of_all_kinds(hsi_cuda_gpu *gpu);

/* Fill the host memory of the results with NaN before the launch. */
void hsi_cuda_check_fill_with_nan(const hsi_cuda_body *body, const hsi_cuda_results *results);

/* Compute the vector that right results give. It is kept until hsi_cuda_verify_results(). */
void hsi_cuda_check_predict_product(hsi_cuda_gpu *gpu, const hsi_cuda_body *body,
                                    const hs_attempt *attempt);

/* Times of events. The time of an event is the time of an anchor, which is an event with a known
 * time on the host, plus the distance from the anchor. */
typedef struct hsi_cuda_time {
    cudaStream_t stream;
    cudaEvent_t  anchor[2];
    int64_t      ns[2];
    int64_t      tried;    /* time of the last attempt to set an anchor */
    int          users[2]; /* events in flight that refer to the anchor */
    int          current;
} hsi_cuda_time;

bool    hsi_cuda_time_open(hsi_cuda_time *time, hsi_cuda_fault *fault);
void    hsi_cuda_time_close(hsi_cuda_time *time);
bool    hsi_cuda_time_anchor(hsi_cuda_time *time, hsi_cuda_fault *fault, int64_t now);
int64_t hsi_cuda_time_of_event(hsi_cuda_time *time, hsi_cuda_fault *fault, int anchor,
                               cudaEvent_t event);

/* Return 1 if the event has completed, 0 if not, -1 for a fault. Wait for the event if `wait`. */
int hsi_cuda_event_completed(hsi_cuda_fault *fault, cudaEvent_t event, bool wait);

/* Pause in a loop that has been waiting since `start`. The first calls return at once, since most
 * tasks end soon. Later calls sleep. */
void hsi_cuda_polling_pause(int64_t start);

/* A submitted attempt, in a stream context or in a batch. */
typedef struct hsi_cuda_in_flight {
    hs_attempt          *attempt; /* NULL: none */
    const hsi_cuda_body *body;
    size_t               item; /* index in the list of the graph */
    int64_t              start;
    int64_t              end; /* 0: not known to be complete */
    int                  anchor;
    hs_outcome           outcome; /* HS_OUTCOME_DONE until a failure is known */
    hsi_cuda_results     results;
} hsi_cuda_in_flight;

struct hsi_cuda_gpu {
    hs_backend_worker  base;
    unsigned           number;
    int                device;
    char               label[160]; /* NVIDIA H200, GPU-... */
    int                verify, resident, mode;
    bool               opened; /* true: the worker uses the device */
    hsi_cuda_fault     fault;
    bool               broken;       /* true: no further task may run here */
    int64_t            patience;     /* time for a cancelled attempt to end, in ns */
    char               note[HS_WHY]; /* feature that is missing, to report once; empty: none */
    size_t             memory;
    unsigned           contexts;
    hsi_stream_context context[HSI_CUDA_CONTEXTS_MOST];
    hsi_cuda_data      data;
    hsi_cuda_check     check;
    hsi_cuda_time      time;
    int64_t            last; /* end of the last collected attempt */
    hsi_cuda_graph    *graph;
    unsigned           count; /* submitted attempts, not yet collected */
    hsi_cuda_in_flight
        in_flight[HSI_CUDA_CONTEXTS_MOST]; /* attempts in stream contexts, by stream context */
    hsi_cuda_in_flight batched[2 * HSI_CUDA_BATCH]; /* attempts in batches, a ring buffer */
    unsigned           batched_first, batched_count;
};

static inline hsi_cuda_gpu *hsi_cuda_gpu_of(hs_backend_worker *worker)
{
    return (hsi_cuda_gpu *)(void *)worker;
}

/* Return the size of cuBLAS's work space per stream context. */
size_t hsi_cuda_blas_bytes(const hsi_cuda_gpu *gpu);

hs_status hsi_cuda_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                        hs_backend_worker **out, hs_error *error);
void      hsi_cuda_close(hs_backend_worker *worker);
hs_status hsi_cuda_prepare(hs_backend_worker *worker, const hs_instance *instance,
                           const hs_backend_item *items, size_t count, int ordered,
                           hs_error *error);
void     *hsi_cuda_stream(hs_backend_worker *worker);
hs_status hsi_cuda_devices(hs_backend_device *list, unsigned most, unsigned *count,
                           hs_error *error);
void      hsi_cuda_uuid(const struct cudaDeviceProp *properties, char text[48]);

/* copy_time.c: time copies from one memory to another, as hs_backend.time_copies(). */
hs_status hsi_cuda_time_copies(unsigned from, unsigned to, hs_copy_sample *samples, size_t count,
                               hs_error *error);

hs_outcome hsi_cuda_run_task(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt);
unsigned   hsi_cuda_most_in_flight(hs_backend_worker *worker);
int        hsi_cuda_submit(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt);
int        hsi_cuda_collect(hs_backend_worker *worker, int wait, hs_completion *out);

/* Fail an attempt with the text of the fault, then clear the fault if the GPU can be used. */
hs_outcome hsi_cuda_fail_attempt(hsi_cuda_gpu *gpu, hs_attempt *attempt);

/* Make the arena and the room of a stream context large enough for a body. */
bool hsi_stream_context_reserve_for_body(hsi_cuda_gpu *gpu, hsi_stream_context *context,
                                         const hsi_cuda_body *body);

/* Run a task in a stream context that hsi_stream_context_reserve_for_body() has prepared, and drop
 * its result.
 */
bool hsi_cuda_run_warm_up_task(hsi_cuda_gpu *gpu, hsi_stream_context *context,
                               const hs_instance *instance, const hsi_cuda_body *body,
                               uint32_t task);

/* Wait until the stream of a stream context is empty. Return at once if the GPU hangs. */
void hsi_cuda_drain_stream(hsi_stream_context *context);

/*
 * Batches of the cuBLAS tasks of a list. A batch is launched when its last task has been
 * submitted. Two batches at most are in flight.
 */
hs_status hsi_cuda_graph_create(hsi_cuda_gpu *gpu, const hs_instance *instance,
                                const hs_backend_item *items, size_t count, hsi_cuda_graph **out);
void      hsi_cuda_graph_free(hsi_cuda_graph *graph);

/* Free the memory of the host only, for a GPU that hangs. */
void hsi_cuda_graph_free_host_memory(hsi_cuda_graph *graph);

/* Submit an attempt if its task is the next task of the next batch, and set its item and results.
 * Return 1 if the attempt was submitted, 0 if the task is not the next one, -1 if both batches are
 * in flight. */
int hsi_cuda_graph_submit(hsi_cuda_gpu *gpu, hsi_cuda_in_flight *in_flight);

/* Return whether the batch of an item is not launched yet. */
bool hsi_cuda_graph_item_is_unlaunched(const hsi_cuda_graph *graph, size_t item);

/* Drop the batch that is not launched yet. */
void hsi_cuda_graph_drop_next_batch(hsi_cuda_graph *graph);

/* Return 1 if the task of an item has completed, and set the times of the in-flight task; 0 if not,
 * -1 for a fault. */
int  hsi_cuda_graph_item_completed(hsi_cuda_gpu *gpu, size_t item, hsi_cuda_in_flight *in_flight);
void hsi_cuda_graph_count_collected(hsi_cuda_graph *graph, size_t item);

#endif
