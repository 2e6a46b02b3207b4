/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CUDA_TILES_H
#define HSI_CUDA_TILES_H

#include <pthread.h>

#include "exec/backend/cuda/cuda.h"
#include "exec/client/sharing.h"
#include "exec/data/nodes.h"
#include "exec/tiled/matrix.h"

/*
 * Built-in kernels on the tiles of one matrix that CPUs and GPUs share. Each GPU has several
 * queues: one per stream context for kernels, and two for copies in and out. A copy or the kernels
 * of a task are a step of a queue. A step has a number, and an event behind it in the stream. Each
 * place of a tile records the step that wrote it last and the steps that have read it since. The
 * next step that uses the place waits for those steps. Streams wait for each other through events.
 * A thread waits only before it uses a tile on the host.
 *
 * Workers of other GPUs and of CPUs also start copies in a GPU's streams, so these functions need
 * the lock. No thread holds the lock while it waits. A launch waits if the queue of the stream is
 * full, so the number of kernels in a stream is bounded. A task with more kernels than the bound is
 * launched without the lock.
 *
 * Functions of type int return 1 for success and 0 for a fault (gpu->fault) unless a comment says
 * otherwise.
 */

enum {
    HSI_TILES_CONTEXTS = HSI_CUDA_CONTEXTS,
    HSI_TILES_GRAPH =
        HSI_TILES_CONTEXTS, /* first of the stream contexts for graphs, of the same number */
    HSI_TILES_ALL_CONTEXTS = 2 * HSI_TILES_CONTEXTS,
    HSI_TILES_IN = HSI_TILES_ALL_CONTEXTS,
    HSI_TILES_OUT,
    HSI_TILES_QUEUES,
    HSI_TILES_EVENTS = 64, /* events per queue, which later steps reuse */
    HSI_TILES_IN_FLIGHT = 2 * HSI_SEGMENT
};

typedef struct hsi_tiles_queue {
    cudaStream_t stream;
    uint64_t     last, over; /* last step, and last one known to be complete; numbers start at 1 */
    cudaEvent_t  event[HSI_TILES_EVENTS];
} hsi_tiles_queue;

/* A place for a tile: a slot on a GPU, or a piece on the host. */
typedef struct hsi_tiles_place {
    unsigned  writer;  /* queue of the step that wrote the place last */
    uint64_t  written; /* number of this step; 0: none */
    unsigned  peer;    /* node of the GPU from which this step copied; 0: none */
    uint64_t *read;    /* by queue: the last step that has read the place since */
} hsi_tiles_place;

typedef enum hsi_launched { HSI_LAUNCHED, HSI_NO_SLOTS, HSI_NOT_LAUNCHED } hsi_launched;

/* A task whose kernels were launched. */
typedef struct hsi_tiles_in_flight {
    bool                  there; /* true: in use */
    uint32_t              task;
    const hsi_matrix_row *row;
    unsigned              queue;
    uint64_t              number;  /* step in the queue */
    unsigned              kernels; /* kernels in the stream; 0 for a task of a graph */
    bool                  settled;
    hs_outcome            outcome; /* valid if settled */
    char                  why[HS_WHY];
    uint32_t              slot[HSI_OPERANDS], spare[HSI_OPERANDS]; /* HS_NONE: none */
} hsi_tiles_in_flight;

/* A sequence of tasks that form one graph (segment.c). */
typedef struct hsi_tiles_graph_segment hsi_tiles_graph_segment;

/* The record of a copy (copy_records.c). */
typedef struct hsi_tiles_copy hsi_tiles_copy;

typedef struct hsi_tiles_gpu {
    hs_backend_worker  base;
    hsi_memory        *memory;
    unsigned           node; /* memory node; 1 is the first GPU */
    int                device;
    char               label[160];
    hsi_cuda_fault     fault;
    bool               open;                            /* true: tiles may be here */
    bool               broken;                          /* true: no further work runs here */
    size_t             bytes;                           /* memory of the GPU */
    hsi_stream_context context[HSI_TILES_ALL_CONTEXTS]; /* stream contexts for graphs are open if
                                                           there are graphs */
    unsigned                 next;    /* stream context of the next task, modulo their number */
    hsi_tiles_graph_segment *segment; /* in the order of the worker's tasks */
    size_t                   segments, segment_room;
    size_t                   passed; /* segments launched or given up, from the start of the list */
    size_t                   captured;     /* tasks in all segments */
    bool                     no_segments;  /* true: no memory for further segments */
    int                      graph_events; /* 1: events in a graph are pending from its launch on */
    int                      work;      /* elements for cuSOLVER in each stream context's arena */
    void                    *unit;      /* unit matrix of HSI_KERNEL_PANEL rows on the GPU */
    void                    *unit_here; /* the same in pinned host memory */
    hsi_tiles_queue          queue[HSI_TILES_QUEUES];
    char                    *tiles;
    uint32_t                 slots;
    hsi_tiles_place         *place; /* by slot */
    uint64_t                *reads;
    int *info, *info_here; /* by in-flight entry: on the GPU, and in pinned host memory */
    hsi_tiles_in_flight in_flight[HSI_TILES_IN_FLIGHT];
    const hsi_matrix_row
                   *launching; /* row whose kernels are being launched without the lock, or NULL */
    const hs_body  *wanted;    /* next task, whose inputs are fetched; an atomic variable */
    hsi_cuda_time   time;      /* clock for records of copies */
    hsi_tiles_copy *copies;    /* records since the GPU was opened, the last one first */
} hsi_tiles_gpu;

struct hsi_memory {
    pthread_mutex_t  lock;
    hsi_matrix      *matrix;
    hsi_nodes       *nodes;
    unsigned         gpus, queues;
    size_t           tile_bytes;
    double           limit; /* bytes of tiles on each GPU; 0: `share` of the memory */
    double           share;
    hsi_tiles_place *home; /* by piece */
    uint64_t        *reads;
    char             why_lost[HS_WHY];
    int64_t          epoch;    /* zero of recorded times, in nanoseconds of the host's clock */
    hsi_tiles_copy  *copies;   /* records of closed GPUs */
    size_t           recorded; /* number of these records */
    hs_transfer     *transfers;
    hsi_tiles_gpu   *gpu;
};

typedef struct hsi_tiles_body {
    hs_body               base;
    const hsi_matrix_row *row;
    const char           *name;
    bool                  copies; /* true: the task may fail, so it works on copies of its inputs */
} hsi_tiles_body;

extern const hsi_sharing hsi_cuda_sharing;
extern const hs_backend  hsi_backend_tiles;

static inline const hsi_tiles_body *hsi_tiles_body_of(const hs_body *body)
{
    return (const hsi_tiles_body *)(const void *)body;
}

static inline hsi_tiles_gpu *hsi_tiles_of(hs_backend_worker *worker)
{
    return (hsi_tiles_gpu *)(void *)worker;
}

static inline unsigned hsi_tiles_queue_number(const hsi_tiles_gpu *gpu, unsigned queue)
{
    return (gpu->node - 1) * HSI_TILES_QUEUES + queue;
}

/* tile_memory.c */
hs_status hsi_tiles_create(hsi_matrix *matrix, unsigned gpus, const hs_exec_settings *settings,
                           hsi_memory **out, hs_error *error);
void      hsi_tiles_free(hsi_memory *memory);
void      hsi_tiles_reset_for_run(hsi_memory *memory);
int       hsi_tiles_was_lost(hsi_memory *memory, char why[HS_WHY]);
uint32_t
hsi_tiles_least(const hsi_matrix *matrix); /* return the slots that the largest task needs */

/* Allocate `places` places with a list of `queues` steps each. Return NULL without memory. The
 * caller frees the result and *reads. */
hsi_tiles_place *hsi_tiles_allocate_places(size_t places, unsigned queues, uint64_t **reads);

/* copy.c: these functions need the lock. The number of a queue is unique among all GPUs. */

/* Make the GPU the current device of the calling thread. */
bool hsi_tiles_make_gpu_current(hsi_tiles_gpu *gpu);

/* Let a queue wait for step `step` of another queue. */
bool hsi_tiles_wait_for_step(hsi_memory *memory, unsigned queue, unsigned other, uint64_t step);

/* Let the next step of a queue wait until it may read the place, or write it. */
bool hsi_tiles_wait_for_place(hsi_memory *memory, unsigned queue, const hsi_tiles_place *place,
                              bool write);

/* Record that the next step of a queue reads or writes the place. */
void hsi_tiles_record_access(hsi_memory *memory, unsigned queue, hsi_tiles_place *place,
                             bool write);

/* End the next step of a queue: record its event. */
bool hsi_tiles_end_step(hsi_memory *memory, unsigned queue);

/* Return 1 if the step has completed, 0 if not, -1 if its GPU is broken. */
int hsi_tiles_step_completed(hsi_memory *memory, unsigned queue, uint64_t step);

/* Start all copies. Return false if a GPU is broken. */
bool hsi_tiles_start_copies(hsi_memory *memory, const hsi_moves *moves);

/* Mark a GPU as broken after a fault. Pieces that only this GPU held are lost. */
void hsi_tiles_mark_broken(hsi_tiles_gpu *gpu);

/* copy_records.c: record the begin and the end of a copy in its stream. *out is NULL if the copy is
 * not recorded. */
bool hsi_tiles_record_copy_begin(hsi_tiles_gpu *gpu, cudaStream_t stream, const hsi_move *move,
                                 size_t bytes, hsi_tiles_copy **out);
bool hsi_tiles_record_copy_end(hsi_tiles_gpu *gpu, cudaStream_t stream, hsi_tiles_copy *copy);

/* Set the times of a GPU's records and move the records to the memory. The GPU is idle. */
void hsi_tiles_collect_copy_records(hsi_tiles_gpu *gpu);

/* Free all records before a new run. */
void hsi_tiles_free_copy_records(hsi_memory *memory);

/* Return the recorded copies with times relative to `start`, for sharing->transfers(). The memory
 * owns the list. */
const hs_transfer *hsi_tiles_transfers(hsi_memory *memory, int64_t start, size_t *count);

/* segment.c: create a segment of the tasks at the head of the list, for sharing->segment(). *count
 * becomes the number of its tasks, which may be 0. */
hs_status hsi_tiles_segment_make(hs_backend_worker *worker, const hsi_ahead *list, size_t *count,
                                 hs_error *error);

/* Return whether the next segment begins with this task. */
bool hsi_tiles_segment_begins_with(const hsi_tiles_gpu *gpu, uint32_t task);

/* Move on to the segment behind the next one. */
void hsi_tiles_segment_skip(hsi_tiles_gpu *gpu);

/* Launch the next segment if the list contains all its tasks and they are certain. Return the
 * number of tasks launched, or 0. */
size_t hsi_tiles_segment_launch(hsi_tiles_gpu *gpu, const hsi_ahead *list, size_t count);
void   hsi_tiles_segment_free_all(hsi_tiles_gpu *gpu);

/* gpu.c: a worker */
hs_status hsi_tiles_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                         hs_backend_worker **out, hs_error *error);
void      hsi_tiles_close(hs_backend_worker *worker);

/* gpu.c: return the set of steps of a matrix, as bits 1 << hsi_step. */
unsigned hsi_tiles_steps_of_matrix(const hsi_matrix *matrix);

/* warm_up.c: run each step once in the stream context, so a later launch loads no code. */
bool hsi_tiles_warm_up(hsi_tiles_gpu *gpu, hsi_stream_context *context);

/* gpu.c: open stream context number `context` with work space for each step, and its queue. */
bool hsi_tiles_open_stream_context(hsi_tiles_gpu *gpu, unsigned context);

/* step.c: return the approximate number of kernels of a step, and the bound of a stream. */
unsigned hsi_tiles_kernel_count(hsi_step step, int n);
unsigned hsi_tiles_most_kernels_in_stream(void);

/* step.c: return whether cuSOLVER computes the step. Such a step can fail and is not captured. */
bool hsi_tiles_uses_cusolver(hsi_step step);

/* Set *elements to the size of cuSOLVER's work space for a step. */
bool hsi_tiles_solver_elements(hsi_stream_context *context, hsi_step step, int n, int *elements);

/* Return the bytes of arena for a step with `solver_elements` elements of work space for cuSOLVER.
 */
size_t hsi_tiles_arena_bytes(hsi_step step, int n, int solver_elements, size_t element_bytes);

/* Launch a step on tiles at the addresses `at`. */
int hsi_tiles_launch_step(const hsi_tiles_gpu *gpu, hsi_stream_context *context, hsi_step step,
                          void *const at[HSI_OPERANDS], int *info);

/* in_flight_tasks.c: register a task as in flight in stream context `queue`; NULL: too many tasks
 * are in flight. */
hsi_tiles_in_flight *hsi_tiles_in_flight_begin(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                                               uint32_t task, unsigned queue);
void                 hsi_tiles_in_flight_end(hsi_tiles_gpu *gpu, hsi_tiles_in_flight *in_flight);

/* Return whether a task that writes the piece is being launched without the lock on any GPU. */
bool hsi_tiles_is_launching(const hsi_memory *memory, size_t piece);

/* Return the in-flight entry of a task; NULL: the task is not in flight. */
hsi_tiles_in_flight *hsi_tiles_in_flight_of(hsi_tiles_gpu *gpu, uint32_t task);

/* Return whether an in-flight task of the GPU has not completed. */
bool hsi_tiles_has_running_task(const hsi_tiles_gpu *gpu);

/* Assign slots to the operands and start the copies into them. */
hsi_launched hsi_tiles_in_flight_assign_slots(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                                              hsi_tiles_in_flight *in_flight);

/* Let a queue wait for the steps that must complete before the task. */
bool hsi_tiles_in_flight_wait_for_inputs(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight,
                                         unsigned queue);

/* Launch the kernels of the task in its stream context. */
int hsi_tiles_in_flight_launch(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight);

/* Record in the places that the task's step reads and writes them. */
void hsi_tiles_in_flight_mark_places(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight);

/* Make the results the current versions of their pieces for all later steps. */
void hsi_tiles_in_flight_publish_results(hsi_tiles_gpu *gpu, hsi_tiles_in_flight *in_flight);

/* Set the outcome of an in-flight task whose kernels have completed (over > 0) or were lost
 * (over < 0), and release its slots. `body` is NULL for a task that worked in place. */
void hsi_tiles_in_flight_set_outcome(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                                     hsi_tiles_in_flight *in_flight, int over);

/* Settle all in-flight tasks that were launched ahead and have completed. */
void hsi_tiles_set_outcomes_of_completed(hsi_tiles_gpu *gpu);

/* Return whether an operand of the row is lost. */
bool hsi_tiles_operand_is_lost(const hsi_memory *memory, const hsi_matrix_row *row);

/* run_task.c */
hs_outcome hsi_tiles_run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt);
void hsi_tiles_launch_certain_tasks(hs_backend_worker *worker, const hsi_ahead *list, size_t count);
void hsi_tiles_set_prefetch(hs_backend_worker *worker, const hs_body *body);

/* host.c */

/* Return whether each operand has the version that the order of the rows requires. */
bool hsi_tiles_versions_are_current(const hsi_memory *memory, const hsi_matrix_row *row);
int  hsi_tiles_acquire_on_host(hsi_memory *memory, const hsi_matrix_row *row, char why[HS_WHY]);
void hsi_tiles_release_on_host(hsi_memory *memory, const hsi_matrix_row *row, int done);
void hsi_tiles_prefetch_to_host(hsi_memory *memory, const hsi_matrix_row *row);

#endif
