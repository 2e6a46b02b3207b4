/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CUDA_H
#define HSI_CUDA_H

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <hybridsched/backend.h>

#include "exec/backend/kernel/kernel.h"

/*
 * Built-in kernels on a GPU. A worker has some lanes: a stream with all that a task needs
 * on its way through it, so that the copies of one task overlap with the work of another.
 * Data are taken from the same pool as on CPUs: pinned, and copied straight from there.
 * One thread, the worker's, makes all calls.
 */

enum {
    HSI_CUDA_SIZE_MOST = 46340,  /* n (n + 1) is an int: cuBLAS and cuSOLVER may count in those */
    HSI_CUDA_STACK_MOST = 32767, /* and 2 n n */
    HSI_CUDA_LANES = 4,
    HSI_CUDA_LANES_MOST = 8,
    HSI_CUDA_BATCH = 64,              /* tasks of a graph, at most */
    HSI_CUDA_CAPTURED_MOST = 1 << 16, /* tasks that are put into graphs, of a list */
    HSI_CUDA_PANELS_MOST = 512,
    HSI_CUDA_SOLVERS = 10, /* kernels that cuSOLVER computes, in both precisions */
    HSI_CUDA_KERNELS = 18
};

typedef struct hsi_cuda_gpu   hsi_cuda_gpu;
typedef struct hsi_cuda_lane  hsi_cuda_lane;
typedef struct hsi_cuda_run   hsi_cuda_run;
typedef struct hsi_cuda_graph hsi_cuda_graph;

typedef struct hsi_cuda_kernel {
    const char *name;   /* that of its hsi_kernel_entry */
    int         single; /* 1: floats; 0: doubles */
    int         inputs; /* that are only read */
    int         solver; /* cuSOLVER's, or with its reflectors: not for graphs */
    double      flops;  /* of n^3 */
    /* Launch the next piece of it. 1: there is more; 0: that was all; -1: see the GPU's fault. */
    int (*launch)(hsi_cuda_run *run);
    /* Elements that cuSOLVER works in. 0: see the fault. */
    int (*work)(hsi_cuda_lane *lane, int n, int width, int *elements);
} hsi_cuda_kernel;

const hsi_cuda_kernel *hsi_cuda_kernel_find(const char *name); /* NULL: CPUs only */
const hsi_cuda_kernel *hsi_cuda_kernel_at(size_t index);

/*
 * Columns of a piece of it. `watched`: somebody may cancel it between two pieces, so that they are
 * of some milliseconds at most, small ones not cut; where nobody can, only very large ones are cut.
 */
int hsi_cuda_width(const hsi_cuda_kernel *kernel, int n, int watched);

/* Columns that a factorisation's panel is applied to at once. */
int hsi_cuda_piece(int n, int width);

int hsi_cuda_potrf(hsi_cuda_run *run);
int hsi_cuda_getrf(hsi_cuda_run *run);
int hsi_cuda_geqrf(hsi_cuda_run *run);
int hsi_cuda_ormqr(hsi_cuda_run *run);
int hsi_cuda_tpqrt(hsi_cuda_run *run);
int hsi_cuda_tpmqrt(hsi_cuda_run *run);
int hsi_cuda_potrf_work(hsi_cuda_lane *lane, int n, int width, int *elements);
int hsi_cuda_getrf_work(hsi_cuda_lane *lane, int n, int width, int *elements);
int hsi_cuda_geqrf_work(hsi_cuda_lane *lane, int n, int width, int *elements);
int hsi_cuda_ormqr_work(hsi_cuda_lane *lane, int n, int width, int *elements);
int hsi_cuda_tpqrt_work(hsi_cuda_lane *lane, int n, int width, int *elements);

/*
 * reflect.c: reflectors that stand below a unit matrix of n rows, as dtpqrt makes them. v is
 * n x n, its blocks' triangles are t. All is put into the lane's stream; 0: see the fault.
 */

/* Elements of `room` below, to apply them to so many columns; no column: to make triangles. */
size_t hsi_cuda_reflect_room(int columns);

/* Of v and the reflectors' factors. And where v's reflectors are dgeqrf's, below a diagonal of
 * ones; `unit` is a unit matrix of HSI_KERNEL_PANEL rows. */
int hsi_cuda_triangles(hsi_cuda_lane *lane, int n, const void *v, const void *tau, void *t,
                       void *room);
int hsi_cuda_lower_triangles(hsi_cuda_lane *lane, int n, const void *v, const void *tau,
                             const void *unit, void *t, void *room);

/* The factors of such triangles. */
int hsi_cuda_factors_of(hsi_cuda_lane *lane, int n, const void *t, void *tau);

/* [A; B] := op(Q) [A; B], of n rows and so many columns each */
int hsi_cuda_reflect(hsi_cuda_lane *lane, cublasOperation_t op, int n, int columns, const void *v,
                     const void *t, void *a, void *b, void *room);

/* A's upper triangle with B below it, 2n x n, zeros elsewhere; what is in B is lost. And back: what
 * is below A's diagonal stays as it is. */
int hsi_cuda_stack(hsi_cuda_lane *lane, int n, const void *a, void *b, void *stack);
int hsi_cuda_unstack(hsi_cuda_lane *lane, int n, const void *stack, void *a, void *b);

typedef struct hsi_cuda_body {
    hs_body                base;
    const hsi_kernel      *kernel; /* the CPU's, for data */
    const hsi_cuda_kernel *cuda;
    int                    n;
} hsi_cuda_body;

extern const hs_backend hsi_backend_cuda;

static inline const hsi_cuda_body *hsi_cuda_body_of(const hs_body *body)
{
    return (const hsi_cuda_body *)(const void *)body;
}

/* Bytes of its matrices and vectors on the GPU, but for cuSOLVER's work. */
double hsi_cuda_body_bytes(const hsi_cuda_body *body);

typedef struct hsi_cuda_fault {
    char text[240]; /* the first call that failed, and how; empty: none did */
    int  memory;    /* only for want of memory: the GPU is as good as before */
    int  hung;      /* it ends nothing any more: nobody may wait for it */
} hsi_cuda_fault;

/* 1 if the call went well. */
int hsi_cuda_ok(hsi_cuda_fault *fault, cudaError_t error, const char *call);
int hsi_cuda_blas_ok(hsi_cuda_fault *fault, cublasStatus_t status, const char *call);
int hsi_cuda_solver_ok(hsi_cuda_fault *fault, cusolverStatus_t status, const char *call);

#define CUDA(fault, function, ...) hsi_cuda_ok((fault), function(__VA_ARGS__), #function)
/* With the handle of a lane. */
#define BLAS(lane, function, ...)                                                                  \
    hsi_cuda_blas_ok((lane)->fault, function((lane)->blas, __VA_ARGS__), #function)
#define SOLVER(lane, function, ...)                                                                \
    hsi_cuda_solver_ok((lane)->fault, function((lane)->solver, __VA_ARGS__), #function)

/* An operation of cuBLAS or cuSOLVER in the precision of the lane. Matrices, vectors and scalars are
 * void pointers. */
#define BLAS_OF(lane, operation, ...)                                                              \
    ((lane)->single ? BLAS(lane, cublasS##operation, __VA_ARGS__)                                  \
                    : BLAS(lane, cublasD##operation, __VA_ARGS__))
#define SOLVER_OF(lane, operation, ...)                                                            \
    ((lane)->single ? SOLVER(lane, cusolverDnS##operation, __VA_ARGS__)                            \
                    : SOLVER(lane, cusolverDnD##operation, __VA_ARGS__))

/* What cuSOLVER said last of a kernel: it is asked in several calls, and for each task. */
typedef struct hsi_cuda_asked {
    const hsi_cuda_kernel *kernel; /* NULL: nothing so far */
    int                    n, elements;
} hsi_cuda_asked;

struct hsi_cuda_lane {
    hsi_cuda_fault    *fault; /* its GPU's */
    int                single; /* precision of the present task: 1: floats; 0: doubles */
    cudaStream_t       stream;
    cublasHandle_t     blas;
    void              *blas_space;
    cusolverDnHandle_t solver; /* NULL: not needed so far */
    hsi_cuda_asked     asked[HSI_CUDA_SOLVERS];
    char              *arena; /* on the GPU */
    size_t             arena_size;
    char              *room; /* pinned: what comes back */
    size_t             room_size;
    cudaEvent_t        done;    /* the work of the present task */
    cudaEvent_t        landed;  /* and, if it is checked, its results are in host memory */
    cudaEvent_t        pace[2]; /* the last pieces of it */
};

static inline size_t hsi_cuda_element(const hsi_cuda_lane *lane)
{
    return lane->single ? sizeof(float) : sizeof(double);
}

/* Return the address `elements` elements after `a`, in the lane's precision. */
static inline void *hsi_cuda_past(const hsi_cuda_lane *lane, const void *a, size_t elements)
{
    return (void *)((uintptr_t)a + elements * hsi_cuda_element(lane));
}

/* Return the address of the scalar -1, 0 or 1 in the lane's precision. */
const void *hsi_cuda_scalar(const hsi_cuda_lane *lane, int value);

int  hsi_cuda_lane_open(hsi_cuda_lane *lane, hsi_cuda_fault *fault, size_t blas_bytes);
void hsi_cuda_lane_close(hsi_cuda_lane *lane);

/* Elements that the kernel has to work in; 0 unless it is cuSOLVER's. 0: see the fault. */
int hsi_cuda_lane_work(hsi_cuda_lane *lane, const hsi_cuda_kernel *kernel, int n, int *elements);

/* Make room; what was there is lost. 0: see the fault. */
int hsi_cuda_lane_arena(hsi_cuda_lane *lane, size_t bytes);
int hsi_cuda_lane_room(hsi_cuda_lane *lane, size_t bytes);

struct hsi_cuda_run {
    hsi_cuda_lane       *lane;
    const hsi_cuda_body *body;
    int                  n, width;
    int                  column, next; /* a panel's first column, and where it goes on behind it */
    const void          *a, *b;
    void                *c, *d; /* d: NULL, but for kernels of two results */
    void                *q;     /* what gets reflectors, of `rows` rows: c, or dtpqrt's stack */
    int                  rows;
    void                *tau, *work;
    int                  work_size;
    int                 *pivots, *info;
    void                *t, *room; /* triangles of blocks of reflectors, and to work with those */
};

/* What comes back, in pinned memory: where each part is. */
typedef struct hsi_cuda_results {
    int     width;   /* of a piece, as hsi_cuda_width() has it */
    int     checked; /* whether the host verifies them */
    void   *c, *d;
    void   *vector; /* tau; and on the way there, tau or the diagonal */
    int    *pivots; /* of each panel, counted from its first row */
    int    *info;
    void   *t;
} hsi_cuda_results;

size_t           hsi_cuda_results_bytes(const hsi_cuda_body *body);
hsi_cuda_results hsi_cuda_results_at(const hsi_cuda_body *body, char *room, int watched);

/* Bytes of arena for it; 0: see the fault. */
size_t hsi_cuda_arena_bytes(hsi_cuda_gpu *gpu, hsi_cuda_lane *lane, const hsi_cuda_body *body);

/* Put its data on their way. The lane has all the room that it needs. 0: see the fault. */
int hsi_cuda_copy_in(hsi_cuda_gpu *gpu, hsi_cuda_lane *lane, const hsi_cuda_body *body,
                     const hs_instance *instance, uint32_t task, const hsi_cuda_results *results,
                     hsi_cuda_run *run);
/* The same, and launch all of it. */
int hsi_cuda_send(hsi_cuda_gpu *gpu, hsi_cuda_lane *lane, const hsi_cuda_body *body,
                  const hs_instance *instance, uint32_t task, const hsi_cuda_results *results,
                  hsi_cuda_run *run);
/* What is resident stays, but for what says how it went. */
int hsi_cuda_copy_out(const hsi_cuda_gpu *gpu, const hsi_cuda_run *run,
                      const hsi_cuda_results *results);

/* Behind the task's time: copy home the results that stay but are to be verified. */
int hsi_cuda_copy_checked(const hsi_cuda_gpu *gpu, const hsi_cuda_run *run,
                          const hsi_cuda_results *results);

/* Has it gone well? With a verdict in attempt->why. */
hs_outcome hsi_cuda_judge(hsi_cuda_gpu *gpu, const hsi_cuda_body *body,
                          const hsi_cuda_results *results, hs_attempt *attempt);

/* Sums of squares of the pool, for the factors of reflectors. */
typedef struct hsi_cuda_squares {
    const void   *pool;            /* that they are of */
    int           single;          /* 1: of floats; 0: of doubles */
    long double  *sum;             /* before each LINE-th element */
    size_t        count, elements; /* sums; and what they are of */
} hsi_cuda_squares;

typedef struct hsi_cuda_data {
    hsi_space        space; /* its pool is pinned */
    hsi_cuda_squares squares[2];   /* [0]: of doubles, [1]: of floats */
    void            *there[2]; /* resident: the pools on the GPU; of doubles, of floats */
    size_t           there_elements[2];
} hsi_cuda_data;

void hsi_cuda_data_open(hsi_cuda_data *data, hsi_cuda_fault *fault);
void hsi_cuda_data_close(hsi_cuda_data *data);

/* The pool is to serve this body. Nothing may be on its way. 0: see the fault. */
int hsi_cuda_data_fit(hsi_cuda_gpu *gpu, const hsi_cuda_body *body);
int hsi_cuda_data_fits(const hsi_cuda_gpu *gpu, const hsi_cuda_body *body);

/* Where in the pool the task's data are. */
void hsi_cuda_data_locate(hsi_cuda_gpu *gpu, const hsi_cuda_body *body, const hs_instance *instance,
                          uint32_t task, hsi_job *job);

/* The factors that make the reflectors of job->in[0] orthogonal. */
void hsi_cuda_reflectors(const hsi_cuda_gpu *gpu, const hsi_job *job, void *tau);

/* check.c: verification on the host of results that have landed in its memory. */
typedef struct hsi_cuda_check {
    unsigned char *tasks;      /* by kernel and size: of so many tasks the last one was not checked,
                                  or is due if 0; NULL: nothing is verified */
    const hs_attempt *attempt; /* that the job's `want` is of; NULL: none */
    hsi_job           job;
} hsi_cuda_check;

int  hsi_cuda_check_open(hsi_cuda_gpu *gpu); /* 0: no memory */
void hsi_cuda_check_close(hsi_cuda_gpu *gpu);

/* Count a task that is about to be launched: is it to be checked? And take that back. */
int  hsi_cuda_check_due(hsi_cuda_gpu *gpu, const hsi_cuda_body *body);
void hsi_cuda_check_again(hsi_cuda_gpu *gpu, const hsi_cuda_body *body);
void hsi_cuda_check_all_again(hsi_cuda_gpu *gpu);

/* Before the launch: fill the host memory of the results with what is no result. */
void hsi_cuda_check_fill(const hsi_cuda_body *body, const hsi_cuda_results *results);

/* Compute the vector that the right results give: it is kept until the attempt is judged. */
void hsi_cuda_check_predict(hsi_cuda_gpu *gpu, const hsi_cuda_body *body,
                            const hs_attempt *attempt);

/* Events are dated by their distance to one whose time on the host is known. */
typedef struct hsi_cuda_time {
    cudaStream_t stream;
    cudaEvent_t  anchor[2];
    int64_t      ns[2];
    int64_t      tried;    /* when it was last tried to set one */
    int          users[2]; /* events on their way that will be dated by it */
    int          current;
} hsi_cuda_time;

int     hsi_cuda_time_open(hsi_cuda_time *time, hsi_cuda_fault *fault);
void    hsi_cuda_time_close(hsi_cuda_time *time);
int     hsi_cuda_time_anchor(hsi_cuda_time *time, hsi_cuda_fault *fault, int64_t now);
int64_t hsi_cuda_time_of(hsi_cuda_time *time, hsi_cuda_fault *fault, int anchor, cudaEvent_t event);

/* Is it over? With `wait`, when it is. 0: no; -1: see the fault. */
int hsi_cuda_over(hsi_cuda_fault *fault, cudaEvent_t event, int wait);

/* For a loop that waits since `start`: spins at first, since most tasks are over soon; then
 * sleeps, a little at a time. */
void hsi_cuda_pause(int64_t start);

/* An attempt that was submitted: through a lane, or as part of a batch. */
typedef struct hsi_cuda_flight {
    hs_attempt          *attempt; /* NULL: there is none */
    const hsi_cuda_body *body;
    size_t               item; /* of the graph's list */
    int64_t              start;
    int64_t              end; /* 0: it is not known to be over */
    int                  anchor;
    hs_outcome           outcome; /* DONE as long as nothing is known */
    hsi_cuda_results     results;
} hsi_cuda_flight;

struct hsi_cuda_gpu {
    hs_backend_worker base;
    unsigned          number;
    int               device;
    char              label[160]; /* NVIDIA H200, GPU-... */
    int               verify, resident, mode;
    int               opened; /* the device is ours */
    hsi_cuda_fault    fault;
    int               broken;       /* it is to run nothing more */
    int64_t           patience;     /* with what was told to stop, ns */
    char              note[HS_WHY]; /* what it does without, to be said once; empty: nothing */
    size_t            memory;
    unsigned          lanes;
    hsi_cuda_lane     lane[HSI_CUDA_LANES_MOST];
    hsi_cuda_data     data;
    hsi_cuda_check    check;
    hsi_cuda_time     time;
    int64_t           last; /* end of what was collected */
    hsi_cuda_graph   *graph;
    unsigned          count;                       /* of attempts that are not collected */
    hsi_cuda_flight   flight[HSI_CUDA_LANES_MOST]; /* by lane */
    hsi_cuda_flight   batched[2 * HSI_CUDA_BATCH]; /* a ring */
    unsigned          batched_first, batched_count;
};

static inline hsi_cuda_gpu *hsi_cuda_gpu_of(hs_backend_worker *worker)
{
    return (hsi_cuda_gpu *)(void *)worker;
}

/* What cuBLAS is given to work in. */
size_t hsi_cuda_blas_bytes(const hsi_cuda_gpu *gpu);

hs_status hsi_cuda_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                        hs_backend_worker **out, char why[HS_WHY]);
void      hsi_cuda_close(hs_backend_worker *worker);
hs_status hsi_cuda_prepare(hs_backend_worker *worker, const hs_instance *instance,
                           const hs_backend_item *items, size_t count, int ordered,
                           char why[HS_WHY]);
void     *hsi_cuda_stream(hs_backend_worker *worker);
hs_status hsi_cuda_devices(hs_backend_device *list, unsigned room, unsigned *count,
                           char why[HS_WHY]);
void      hsi_cuda_uuid(const struct cudaDeviceProp *properties, char text[48]);

hs_outcome hsi_cuda_run_task(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt);
unsigned   hsi_cuda_depth(hs_backend_worker *worker);
int        hsi_cuda_submit(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt);
int        hsi_cuda_collect(hs_backend_worker *worker, int wait, hs_completion *out);

/* What the fault says, of an attempt; and then it is forgotten. */
hs_outcome hsi_cuda_give_up(hsi_cuda_gpu *gpu, hs_attempt *attempt);

/* Make a lane ready for a body. 0: see the fault. */
int hsi_cuda_lane_fit(hsi_cuda_gpu *gpu, hsi_cuda_lane *lane, const hsi_cuda_body *body);

/* Run a task through a lane that is ready for it, and drop its result. 0: see the fault. */
int hsi_cuda_rehearse(hsi_cuda_gpu *gpu, hsi_cuda_lane *lane, const hs_instance *instance,
                      const hsi_cuda_body *body, uint32_t task);

/* Nothing of it is on its way any more, or ever will be; a GPU that hangs is not waited for. */
void hsi_cuda_settle(hsi_cuda_lane *lane);

/*
 * Batches of the list's cuBLAS tasks. A batch is launched when its last task has been
 * submitted; two are on their way at most.
 */
hs_status hsi_cuda_graph_create(hsi_cuda_gpu *gpu, const hs_instance *instance,
                                const hs_backend_item *items, size_t count, hsi_cuda_graph **out);
void      hsi_cuda_graph_free(hsi_cuda_graph *graph);
void      hsi_cuda_graph_forget(hsi_cuda_graph *graph); /* but for what the GPU has of it */

/* Is it the next task of the next batch? 1: and now it is on its way, and the flight has its item
 * and results; -1: there is no room. */
int hsi_cuda_graph_submit(hsi_cuda_gpu *gpu, hsi_cuda_flight *flight);
/* The batch's tasks are not launched, and will not be. */
int  hsi_cuda_graph_waits(const hsi_cuda_graph *graph, size_t item);
void hsi_cuda_graph_abandon(hsi_cuda_graph *graph);
/* Is the task over, and when was it run? 0: not yet; -1: see the fault. */
int  hsi_cuda_graph_over(hsi_cuda_gpu *gpu, size_t item, hsi_cuda_flight *flight);
void hsi_cuda_graph_collected(hsi_cuda_graph *graph, size_t item);

#endif
