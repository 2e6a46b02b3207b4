/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_STATE_H
#define FAKECUDA_STATE_H

#include <pthread.h>

#include <cuda_runtime_api.h>

#include "fake.h"

/* All below needs fake_lock, but for what an operation does when it runs. */

enum {
    FAKE_DEVICES = 8,
    FAKE_STREAMS = 64,
    FAKE_BRANCHES = 16, /* of a graph: streams that are captured into it */
    FAKE_SLOTS = 320,   /* of clocks: the streams', then those of branches in a stream */
    FAKE_SPANS = 8,
    FAKE_BEFORE = 16,
    FAKE_FUNCTIONS = 32
};

extern pthread_mutex_t fake_lock;
extern pthread_cond_t  fake_change; /* of anything */

/* Each call begins with the one, which locks and says with what it is to fail, and ends with
 * the other. On a device that is broken, what is given back is taken all the same. */
cudaError_t fake_enter(const char *name);
cudaError_t fake_enter_any(const char *name);            /* whatever the device is like */
cudaError_t fake_enter_on(const char *name, int device); /* which is not the thread's yet */
cudaError_t fake_leave(cudaError_t error);

int         fake_current(void); /* device of this thread */
cudaError_t fake_set_device(int device);
cudaError_t fake_last(int forget);
void        fake_break(int device, cudaError_t error);

__attribute__((format(printf, 1, 2))) void fake_complain(const char *format, ...);

typedef enum fake_type {
    FAKE_STREAM,
    FAKE_EVENT,
    FAKE_GRAPH_PLAN,
    FAKE_GRAPH_MADE,
    FAKE_BLAS,
    FAKE_SOLVER,
    FAKE_BLOCK,
    FAKE_TYPES
} fake_type;

/* The first member of each. It stays when it is destroyed, to know it by. */
typedef struct fake_object {
    struct fake_object *next;
    fake_type           type;
    int                 alive;
    int                 doubtful; /* destroying it failed: it may be destroyed again or not */
    int                 device;
    void (*dispose)(struct fake_object *object); /* of what it holds; NULL: nothing */
} fake_object;

void *fake_create(fake_type type, size_t size);
void  fake_destroy(fake_object *object);
int   fake_keeps(fake_object *object); /* the call that is to destroy it is made to fail */

/* Memory that comes with a handle of a library: cudaErrorInitializationError if there is none. */
cudaError_t fake_take_handle(void);
void        fake_give_handle(const fake_object *object);

/* Is it one, and alive? Otherwise it is a misuse. */
int fake_is(const void *object, fake_type type, const char *call);

/* Operations of each stream, and nodes of each branch of its graphs, that are over for the clock's
 * owner: the last one's number. */
typedef struct fake_clock {
    uint64_t seen[FAKE_SLOTS];
} fake_clock;

void fake_learn(fake_clock *clock, const fake_clock *other);

typedef struct fake_use {
    int         slot; /* of the stream, or of a branch in it */
    int         write;
    uint64_t    number;
    size_t      from, to;
    const char *name;
} fake_use;

typedef struct fake_block {
    fake_object object;
    char       *base; /* the address; of device memory, one that nothing may access */
    char       *real; /* where operations find it */
    size_t      size;
    int         pinned;
    int         borrowed; /* the caller's memory, registered */
    int         disputed; /* freed too early, so kept */
    fake_use   *uses;
    size_t      use_count, use_room;
} fake_block;

/* What an operation reads or writes. */
typedef struct fake_span {
    const void *base;
    size_t      size;
    int         write;
    int         pinned; /* else it has to be on the device */
    int         device; /* that one, where it is not the stream's: its number + 1 */
} fake_span;

fake_block     *fake_block_of(const void *pointer); /* NULL: none that is in use */
void           *fake_real(const void *pointer);     /* accessible host address of that memory */
void            fake_block_free(fake_block *block);
void            fake_block_borrow(void *base, size_t size); /* pin the caller's memory */
cudaError_t     fake_unpin(void *pointer, int borrowed, const char *call);
void            fake_note_use(fake_block *block, const fake_use *use);
const fake_use *fake_conflict(const fake_block *block, const fake_use *use,
                              const fake_clock *known);
int             fake_has_pending(const fake_block *block, size_t from, size_t to);

typedef struct CUstream_st    fake_stream;
typedef struct CUevent_st     fake_event;
typedef struct CUgraph_st     fake_graph;
typedef struct CUgraphExec_st fake_made_graph;
typedef struct fake_operation fake_operation;

/* Arguments of a kernel. */
typedef struct fake_kernel {
    int         side, uplo, trans, trans_b, diag;
    int         m, n, k, lda, ldb, ldc;
    double      alpha, beta;
    const void *a, *b;
    void       *c, *work;
    double     *tau;
    int        *pivots, *info;
    size_t      work_size; /* bytes */
} fake_kernel;

struct fake_operation {
    fake_operation *next;
    fake_kind       kind;
    const char     *name;
    void (*run)(const fake_operation *operation); /* without the lock; NULL: nothing */
    fake_span span[FAKE_SPANS];
    int       spans;
    uint64_t  number; /* in its stream */
    uint64_t  turn;   /* in its queue of the hardware */
    int64_t   asked;
    size_t    bytes;
    char      range[FAKE_RANGE]; /* that the calling thread was in */

    void                  *to; /* copies, memset */
    const void            *from;
    int                    value;
    void                  *own; /* freed with it: a copy of a pageable source, a graph's launch */
    uint64_t               sum; /* of the source when it was called for; 0: not known */
    fake_event            *event;
    uint64_t               ticket;
    fake_block            *block; /* to be freed */
    const fake_made_graph *graph;
    int                    mute; /* a graph whose nodes do nothing */
    fake_kernel            kernel;
    int                    first; /* launch of its function through its handle */

    int before[FAKE_BEFORE]; /* in a graph: nodes that it comes after */
    int befores;
    int branch, place; /* in a graph: its branch, and its number there, from 1 */
};

struct CUstream_st {
    fake_object     object;
    int             slot, serial;
    int             held; /* kernels and graphs that are not over */
    fake_operation *first, **last;
    int             closing;
    pthread_t       thread;
    pthread_cond_t  wake; /* there is an operation, or it is to close */
    fake_clock      known;
    fake_graph     *capture; /* NULL: none */
    int             before[FAKE_BEFORE], befores;
};

struct CUevent_st {
    fake_object object;
    unsigned    flags;
    uint64_t    asked, done; /* times it was recorded */
    int64_t     ns;
    int         device_of_record;
    fake_clock  known;
    fake_graph *capture; /* recorded into it */
    int         graphs;  /* instantiated ones that record it */
    int         before[FAKE_BEFORE], befores;
};

/* Functions that were launched through a handle. */
typedef struct fake_functions {
    const char *name[FAKE_FUNCTIONS];
    int         count;
} fake_functions;

/* A launch through a handle: its function is loaded now if this is the first one. */
void fake_load(fake_functions *functions, const fake_stream *stream, fake_operation *operation);

/* Replace device addresses in the operation by accessible host addresses. */
void fake_resolve(fake_operation *operation);

/* Put a copy of it into the stream, or into the graph that the stream is captured to. */
cudaError_t fake_enqueue(fake_stream *stream, const fake_operation *operation);

/* The NVTX range that the calling thread is in, "" if none. */
const char *fake_range(void);

/* Hold its memory, used as that number of the slot, against what is known, and note it. */
cudaError_t fake_touch(const fake_stream *stream, const fake_operation *operation, int slot,
                       uint64_t number, const fake_clock *known);

/* The slot of the clock for a branch of the stream's graphs; numbers for so many of its nodes,
 * which begin after the one returned; and the nodes up to that number are over. */
int      fake_branch(fake_stream *stream, int branch);
uint64_t fake_branch_ask(int slot, uint64_t nodes);
void     fake_branch_done(int slot, uint64_t number);

double fake_flops(const fake_operation *kernel); /* what it computes */

/* It ran, or waits to: on a stream's thread. */
void fake_perform(fake_stream *stream, const fake_operation *operation, int in_graph);

int               fake_is_pending(int slot, uint64_t number);
int               fake_stream_is_busy(const fake_stream *stream);
void              fake_host_learns(const fake_clock *clock);
const fake_clock *fake_host(void);
void              fake_drain_device(int device);
void              fake_streams_reset(void);

cudaError_t fake_capture(fake_stream *stream, const fake_operation *operation);
void        fake_capture_record(fake_stream *stream, fake_event *event);
cudaError_t fake_capture_wait(fake_stream *stream, fake_event *event);
void        fake_run_graph(fake_stream *stream, const fake_operation *operation);

/* The same as fake_touch() for each node of the operation's graph, which is about to be queued. */
cudaError_t fake_touch_graph(fake_stream *stream, fake_operation *operation);

/* Not allowed now, because this or another thread captures. */
int  fake_is_forbidden(const char *call);
void fake_captures_reset(void);

struct fake_device {
    cudaError_t broken;
    size_t      used, peak;
    int         busy[2]; /* engines of copies */
    int         kernels; /* that run */
    int         running; /* operations at memory of it; twice those of its own */
};

extern struct fake_state {
    fake_settings      settings;
    unsigned           generation;
    struct fake_device device[FAKE_DEVICES];
    unsigned           calls, operations, kernels, copies_home, full;
    const char        *failed;
    unsigned           misuses, pageable, default_workspaces;
    unsigned           begun[FAKE_KINDS], ended[FAKE_KINDS];
    int                held[FAKE_KINDS], fills;
    unsigned char      peers[FAKE_DEVICES][FAKE_DEVICES]; /* may the first reach the second? */
    fake_record       *records;
    size_t             record_count, record_room;
    unsigned           ranges;
    int                ranges_open;
    char               range[FAKE_RANGE];
} fake;

int64_t  fake_now(void);
void     fake_note(const fake_record *record);
uint64_t fake_sum(const void *data, size_t size);

#endif
