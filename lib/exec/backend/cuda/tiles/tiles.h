/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CUDA_TILES_H
#define HSI_CUDA_TILES_H

#include <pthread.h>

#include "exec/backend/cuda/cuda.h"
#include "exec/data/nodes.h"
#include "exec/data/sharing.h"

/*
 * Built-in kernels on the tiles of one matrix, which CPUs work on too. Each GPU has some lanes for
 * kernels and two more streams, for copies in and out. Whatever is put into one of these, a copy
 * or the kernels of a task, is a step of it, and has a number there and an event behind it. Of
 * each place of a tile it is known which step wrote it last and which have read it since, and the
 * next one that uses it waits for those: streams for each other, by events, and only who reads
 * or writes a tile on the host is waited for by a thread.
 *
 * Workers of other GPUs and of CPUs put copies into a GPU's streams as well: all that is here is
 * done with the lock held, which is never held while something is waited for. A launch into a
 * stream whose queue is full waits as well: so the kernels in a stream are bounded, and those of a
 * task that exceeds the bound by itself are launched without the lock.
 */

enum {
    HSI_TILES_LANES = HSI_CUDA_LANES,
    HSI_TILES_GRAPH = HSI_TILES_LANES, /* as many lanes again: of what is in graphs */
    HSI_TILES_ALL_LANES = 2 * HSI_TILES_LANES,
    HSI_TILES_IN = HSI_TILES_ALL_LANES,
    HSI_TILES_OUT,
    HSI_TILES_LINES,
    HSI_TILES_EVENTS = 64, /* the last steps that can be waited for one by one */
    HSI_TILES_FLIGHTS = 2 * HSI_SEGMENT
};

typedef struct hsi_tiles_line {
    cudaStream_t stream;
    uint64_t     last, over; /* steps: their numbers begin with 1 */
    cudaEvent_t  event[HSI_TILES_EVENTS];
} hsi_tiles_line;

/* Where a tile is, or may be. */
typedef struct hsi_tiles_place {
    unsigned  writer; /* line of the step that wrote it last */
    uint64_t  written;
    unsigned  peer; /* the node that this step copied it from, of another GPU; 0: none */
    uint64_t *read; /* by line: the last step that has read it since */
} hsi_tiles_place;

typedef enum hsi_launched { HSI_LAUNCHED, HSI_NO_SLOTS, HSI_NOT_LAUNCHED } hsi_launched;

/* A task whose kernels are on their way, or over. */
typedef struct hsi_tiles_flight {
    int                   there; /* not: free */
    uint32_t              task;
    const hsi_matrix_row *row;
    unsigned              line;
    uint64_t              number;  /* of its step there */
    unsigned              kernels; /* in its stream, unless they are in a graph */
    int                   settled;
    hs_outcome            outcome; /* once it is settled */
    char                  why[HS_WHY];
    uint32_t              slot[HSI_OPERANDS], spare[HSI_OPERANDS]; /* HS_NONE: none */
} hsi_tiles_flight;

/* Tasks that are one graph (segment.c). */
typedef struct hsi_tiles_segment hsi_tiles_segment;

/* A copy that is on record (record.c). */
typedef struct hsi_tiles_copy hsi_tiles_copy;

typedef struct hsi_tiles_gpu {
    hs_backend_worker  base;
    hsi_memory        *memory;
    unsigned           node; /* 1: the first GPU */
    int                device;
    char               label[160];
    hsi_cuda_fault     fault;
    int                open;                      /* it has tiles, or may */
    int                broken;                    /* its streams do nothing any more */
    size_t             bytes;                     /* of its memory */
    hsi_cuda_lane      lane[HSI_TILES_ALL_LANES]; /* those of graphs are open if there are any */
    unsigned           next;                      /* of the first ones */
    hsi_tiles_segment *segment;                   /* in the order of the list */
    size_t             segments, segment_room, passed;  /* those launched, or given up */
    size_t             captured;                        /* tasks of them */
    int                no_segments;                     /* there is no memory for more */
    int                graph_events; /* those recorded in a graph are pending from its launch on */
    int                work;         /* elements for cuSOLVER, in each lane's arena */
    void              *unit; /* a unit matrix of HSI_KERNEL_PANEL rows, copied from pinned memory */
    void              *unit_here;
    hsi_tiles_line     line[HSI_TILES_LINES];
    char              *tiles;
    uint32_t           slots;
    hsi_tiles_place   *place; /* by slot */
    uint64_t          *reads;
    int               *info, *info_here; /* by flight: on the GPU, and pinned */
    hsi_tiles_flight   flight[HSI_TILES_FLIGHTS];
    const hsi_matrix_row *launching; /* its kernels are launched without the lock; NULL: none */
    const hs_body        *wanted; /* what it is to fetch the inputs of; shared without the lock */
    hsi_cuda_time         time;   /* where copies are recorded */
    hsi_tiles_copy       *copies; /* those since it was opened, the last one first */
} hsi_tiles_gpu;

struct hsi_memory {
    pthread_mutex_t  lock;
    hsi_matrix      *matrix;
    hsi_nodes       *nodes;
    unsigned         gpus, lines;
    size_t           tile_bytes;
    double           limit; /* bytes of tiles on each GPU; 0: `share` of its memory */
    double           share;
    hsi_tiles_place *home;  /* by piece */
    uint64_t        *reads;
    char             why_lost[HS_WHY];
    int64_t          epoch;    /* of times on record, in nanoseconds of the host's clock */
    hsi_tiles_copy  *copies;   /* of GPUs that are closed */
    size_t           recorded; /* so many */
    hs_transfer     *transfers;
    hsi_tiles_gpu   *gpu;
};

typedef struct hsi_tiles_body {
    hs_body               base;
    const hsi_matrix_row *row;
    const char           *name;
    int                   copies; /* it may fail, and its input has to survive that */
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

static inline unsigned hsi_tiles_number(const hsi_tiles_gpu *gpu, unsigned line)
{
    return (gpu->node - 1) * HSI_TILES_LINES + line;
}

/* memory.c */
hs_status hsi_tiles_create(hsi_matrix *matrix, unsigned gpus, const hs_exec_settings *settings,
                           hsi_memory **out, char why[HS_WHY]);
void      hsi_tiles_free(hsi_memory *memory);
void      hsi_tiles_renew(hsi_memory *memory);
int       hsi_tiles_lost(hsi_memory *memory, char why[HS_WHY]);
uint32_t  hsi_tiles_least(const hsi_matrix *matrix); /* slots that the largest task needs */
/* `places` with their lists of `lines` steps each. NULL: no memory. */
hsi_tiles_place *hsi_tiles_places(size_t places, unsigned lines, uint64_t **reads);

/* copy.c: with the lock held. A line is numbered among all. */

/* The device of the calling thread. 0: see the GPU's fault. */
int hsi_tiles_enter(hsi_tiles_gpu *gpu);

/* The line waits for that step of another one. 0: see its GPU's fault. */
int hsi_tiles_wait(hsi_memory *memory, unsigned line, unsigned other, uint64_t number);

/* The step that comes next in the line may read the place, or write it. 0: see the fault. */
int hsi_tiles_order(hsi_memory *memory, unsigned line, const hsi_tiles_place *place, int write);

/* It does. And that was all of it; 0: see the fault. */
void hsi_tiles_touch(hsi_memory *memory, unsigned line, hsi_tiles_place *place, int write);
int  hsi_tiles_step(hsi_memory *memory, unsigned line);

/* Is it over? 0: not yet; -1: its GPU is broken. */
int hsi_tiles_over(hsi_memory *memory, unsigned line, uint64_t number);

/* Everything that is to be moved is on its way. 0: a GPU is broken. */
int hsi_tiles_move(hsi_memory *memory, const hsi_moves *moves);

/* The GPU's fault was seen: it does nothing any more, and what only it had is lost. */
void hsi_tiles_break(hsi_tiles_gpu *gpu);

/* record.c: before a copy is put on its way, and behind it. *out NULL: it is not on record. 0: see
 * the fault. */
int hsi_tiles_record_begin(hsi_tiles_gpu *gpu, cudaStream_t stream, const hsi_move *move,
                           size_t bytes, hsi_tiles_copy **out);
int hsi_tiles_record_end(hsi_tiles_gpu *gpu, cudaStream_t stream, hsi_tiles_copy *copy);

/* When all is over on the GPU: its copies are dated, and kept with the memory's. For a new run
 * they are forgotten. Between these, sharing->transfers(). */
void               hsi_tiles_record_close(hsi_tiles_gpu *gpu);
void               hsi_tiles_record_forget(hsi_memory *memory);
const hs_transfer *hsi_tiles_transfers(hsi_memory *memory, int64_t start, size_t *count);

/* segment.c: sharing->segment(). */
hs_status hsi_tiles_segment_make(hs_backend_worker *worker, const hsi_ahead *list, size_t *count,
                                 char why[HS_WHY]);

/* Does the next segment begin with this task? And it is launched, or never will be. */
int  hsi_tiles_segment_begins(const hsi_tiles_gpu *gpu, uint32_t task);
void hsi_tiles_segment_pass(hsi_tiles_gpu *gpu);

/* If all of it is in the list and certain, it is on its way: so many tasks. 0: not now. */
size_t hsi_tiles_segment_launch(hsi_tiles_gpu *gpu, const hsi_ahead *list, size_t count);
void   hsi_tiles_segment_free_all(hsi_tiles_gpu *gpu);

/* gpu.c: a worker */
hs_status hsi_tiles_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                         hs_backend_worker **out, char why[HS_WHY]);
void      hsi_tiles_close(hs_backend_worker *worker);

/* pending.c: sets gpu->graph_events, by a trial in the first stream of graphs. 0: see the fault. */
int hsi_tiles_try_events(hsi_tiles_gpu *gpu);

/* gpu.c: the steps of a matrix, 1 << hsi_step each */
unsigned hsi_tiles_steps(const hsi_matrix *matrix);

/* warm.c: run each step once through the lane, so that a later launch loads nothing. 0: see the
 * fault. */
int hsi_tiles_warm(hsi_tiles_gpu *gpu, hsi_cuda_lane *lane);

/* gpu.c: with room to work in for each of the steps, and its line. 0: see the fault. */
int hsi_tiles_lane_open(hsi_tiles_gpu *gpu, unsigned number);

/* step.c: kernels that its launch puts into a stream, about; and how many may be there at once. */
unsigned hsi_tiles_kernels(hsi_step step, int n);
unsigned hsi_tiles_kernels_most(void);

/* step.c: is it cuSOLVER's, which may fail and is not for graphs? */
int hsi_tiles_solves(hsi_step step);

/* Elements that cuSOLVER works in; bytes of a lane's arena, with so many of these for the
 * largest of the steps. And launch it on tiles that are there. 0: see the fault. */
int    hsi_tiles_work(hsi_cuda_lane *lane, hsi_step step, int n, int *elements);
size_t hsi_tiles_room(hsi_step step, int n, int work, size_t element);
int    hsi_tiles_launch(const hsi_tiles_gpu *gpu, hsi_cuda_lane *lane, hsi_step step,
                        void *const at[HSI_OPERANDS], int *info);

/* flight.c: a free one for the task, in that lane; NULL: there is none */
hsi_tiles_flight *hsi_tiles_flight_begin(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                                         uint32_t task, unsigned line);
void              hsi_tiles_flight_end(hsi_tiles_gpu *gpu, hsi_tiles_flight *flight);
/* Is a task that writes the piece being launched without the lock, on any GPU? */
int hsi_tiles_is_launching(const hsi_memory *memory, size_t piece);

hsi_tiles_flight *hsi_tiles_flight_of(hsi_tiles_gpu *gpu, uint32_t task); /* NULL: none */
int               hsi_tiles_any_under_way(const hsi_tiles_gpu *gpu);

/* Its operands get their slots, and are put on their way there. */
hsi_launched hsi_tiles_flight_take(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                                   hsi_tiles_flight *flight);

/* The line waits for what has to be over before the task's step; its kernels go into its lane; the
 * places know of the step. 0: see the fault. */
int  hsi_tiles_flight_order(hsi_tiles_gpu *gpu, const hsi_tiles_flight *flight, unsigned line);
int  hsi_tiles_flight_kernels(hsi_tiles_gpu *gpu, const hsi_tiles_flight *flight);
void hsi_tiles_flight_touch(hsi_tiles_gpu *gpu, const hsi_tiles_flight *flight);

/* The results are the tiles, from here on for all that is put on its way. */
void hsi_tiles_flight_adopt(hsi_tiles_gpu *gpu, hsi_tiles_flight *flight);

/* Its kernels are over, or never will be; body NULL: it worked in place. And that of all those that
 * were launched ahead and are over. */
void hsi_tiles_flight_settle(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                             hsi_tiles_flight *flight, int over);
void hsi_tiles_settle_those_over(hsi_tiles_gpu *gpu);
int  hsi_tiles_any_lost(const hsi_memory *memory, const hsi_matrix_row *row);

/* turn.c */
hs_outcome hsi_tiles_run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt);
void       hsi_tiles_ahead(hs_backend_worker *worker, const hsi_ahead *list, size_t count);
void       hsi_tiles_next(hs_backend_worker *worker, const hs_body *body);

/* host.c */

/* Every access is held against the order of the rows: what is there is what is to be there. */
int  hsi_tiles_are_right(const hsi_memory *memory, const hsi_matrix_row *row);
int  hsi_tiles_take(hsi_memory *memory, const hsi_matrix_row *row, char why[HS_WHY]);
void hsi_tiles_give(hsi_memory *memory, const hsi_matrix_row *row, int done);
void hsi_tiles_expect(hsi_memory *memory, const hsi_matrix_row *row);

#endif
