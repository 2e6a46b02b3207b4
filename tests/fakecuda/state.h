/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_STATE_H
#define FAKECUDA_STATE_H

#include <pthread.h>

#include <cuda_runtime_api.h>

#include "fake.h"

/* Internal state of the fake. Everything below requires fake_lock, except run() of an operation. */

enum {
    FAKE_DEVICES = 8,
    FAKE_STREAMS = 64,
    FAKE_BRANCHES = 16, /* of a graph: streams captured into it */
    FAKE_SLOTS = 320,   /* clocks of streams, then of graph branches in streams */
    FAKE_SPANS = 8,
    FAKE_BEFORE = 16,
    FAKE_FUNCTIONS = 32
};

extern pthread_mutex_t fake_lock;
extern pthread_cond_t  fake_change; /* broadcast at any change of state */

/* Begin and end a call: fake_begin_call() takes the lock and returns the error to fail with;
 * fake_end_call() releases the lock. On a broken device, objects are still released. */
cudaError_t fake_begin_call(const char *name);
cudaError_t fake_begin_call_even_if_broken(const char *name); /* also on a broken device */
cudaError_t fake_begin_call_on_device(const char *name,
                                      int device); /* on a device that is not the thread's yet
                                                    */
cudaError_t fake_end_call(cudaError_t error);

int         fake_current_device(void); /* device of this thread */
cudaError_t fake_set_device(int device);
cudaError_t fake_last_error(int forget);
void        fake_break_device(int device, cudaError_t error);

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

/* The first member of each object. Destroyed objects stay allocated to recognise later misuse. */
typedef struct fake_object {
    struct fake_object *next;
    fake_type           type;
    int                 alive;
    int                 doubtful; /* its destruction failed: the caller may or may not repeat it */
    int                 device;
    void (*dispose)(
        struct fake_object *object); /* destructor of the object's content; NULL: no content */
} fake_object;

void *fake_object_create(fake_type type, size_t size);
void  fake_object_destroy(fake_object *object);
int   fake_object_kept_by_failure(fake_object *object); /* is the present call made to fail? */

/* Take or return the memory of a library handle: cudaErrorInitializationError without memory. */
cudaError_t fake_take_handle_memory(void);
void        fake_return_handle_memory(const fake_object *object);

/* Tell whether the pointer is a live object of the type; otherwise count a misuse. */
int fake_is_live_object(const void *object, fake_type type, const char *call);

/* For each slot (a stream or a graph branch in a stream), the number of the last operation or node
 * known to be over by the clock's owner. */
typedef struct fake_clock {
    uint64_t seen[FAKE_SLOTS];
} fake_clock;

void fake_clock_merge(fake_clock *clock, const fake_clock *other);

typedef struct fake_use {
    int         slot; /* slot of the stream or branch */
    int         write;
    uint64_t    number;
    size_t      from, to;
    const char *name;
} fake_use;

typedef struct fake_block {
    fake_object object;
    char       *base; /* address; inaccessible for device memory */
    char       *real; /* host address for operations */
    size_t      size;
    int         pinned;
    int         borrowed; /* registered memory of the caller */
    int         disputed; /* freed too early, so kept */
    fake_use   *uses;
    size_t      use_count, use_room;
} fake_block;

/* A range of memory that an operation reads or writes. */
typedef struct fake_span {
    const void *base;
    size_t      size;
    int         write;
    int         pinned; /* host memory; 0: device memory */
    int         device; /* another device's number + 1; 0: the stream's device */
} fake_span;

fake_block *fake_block_of(const void *pointer);     /* NULL: no live block */
void       *fake_host_address(const void *pointer); /* accessible host address */
void        fake_block_free(fake_block *block);
void        fake_block_register_host_memory(void *base, size_t size); /* pin the caller's memory */
cudaError_t fake_free_pinned(void *pointer, int borrowed, const char *call);
void        fake_record_use(fake_block *block, const fake_use *use);
const fake_use *fake_find_conflict(const fake_block *block, const fake_use *use,
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
    void       *tau;
    int        *pivots, *info;
    size_t      work_size; /* bytes */
} fake_kernel;

struct fake_operation {
    fake_operation *next;
    fake_kind       kind;
    const char     *name;
    void (*run)(const fake_operation *operation); /* runs without the lock; NULL: no effect */
    fake_span span[FAKE_SPANS];
    int       spans;
    uint64_t  number; /* number in the stream */
    uint64_t  turn;   /* number in the hardware queue */
    int64_t   asked;
    size_t    bytes;
    char      range[FAKE_RANGE]; /* NVTX range of the calling thread */

    void                  *to; /* copies, memset */
    const void            *from;
    int                    value;
    void                  *own; /* owned memory: copy of a pageable source, or a graph's launch */
    uint64_t               sum; /* checksum of the source at the call; 0: unknown */
    fake_event            *event;
    uint64_t               ticket;
    fake_block            *block; /* block to free */
    cudaHostFn_t           host;  /* function of the host, with argument `to` */
    const fake_made_graph *graph;
    int                    mute; /* a graph whose nodes have no effect */
    fake_kernel            kernel;
    int                    first; /* first launch of a function through its handle */

    int before[FAKE_BEFORE]; /* predecessors in a graph */
    int befores;
    int branch, place; /* branch of a graph; number in the branch, from 1 */
};

struct CUstream_st {
    fake_object     object;
    int             slot, serial;
    int             held; /* kernels and graphs not over */
    fake_operation *first, **last;
    int             closing;
    pthread_t       thread;
    pthread_cond_t  wake; /* signalled at a new operation or at closing */
    fake_clock      known;
    fake_graph     *capture; /* NULL: none */
    int             before[FAKE_BEFORE], befores;
};

struct CUevent_st {
    fake_object object;
    unsigned    flags;
    uint64_t    asked, done; /* numbers of records requested and done */
    int64_t     ns;
    int         device_of_record;
    fake_clock  known;
    fake_graph *capture; /* graph of the latest record, or NULL */
    int         graphs;  /* instantiated graphs that record it */
    int         before[FAKE_BEFORE], befores;
};

/* The functions launched through a handle so far. */
typedef struct fake_functions {
    const char *name[FAKE_FUNCTIONS];
    int         count;
} fake_functions;

/* Load the operation's function if this is its first launch through the handle. */
void fake_load_function(fake_functions *functions, const fake_stream *stream,
                        fake_operation *operation);

/* Replace device addresses in the operation by accessible host addresses. */
void fake_resolve_addresses(fake_operation *operation);

/* Append a copy of the operation to the stream, or to the graph that captures the stream. */
cudaError_t fake_enqueue(fake_stream *stream, const fake_operation *operation);

/* Return the NVTX range of the calling thread, or "". */
const char *fake_current_range(void);

/* Check the operation's memory against uses not ordered by `known`, and record its own use with
 * that number of the slot. */
cudaError_t fake_check_and_record_uses(const fake_stream *stream, const fake_operation *operation,
                                       int slot, uint64_t number, const fake_clock *known);

/* Return the slot for a branch of the stream's graphs; reserve numbers for nodes and return the
 * number before the first; mark nodes up to a number as over. */
int      fake_branch_slot(fake_stream *stream, int branch);
uint64_t fake_branch_reserve_numbers(int slot, uint64_t nodes);
void     fake_branch_mark_done(int slot, uint64_t number);

double fake_flops(const fake_operation *kernel); /* number of flops */

/* Carry out an operation on its stream's thread, including its waiting. */
void fake_execute(fake_stream *stream, const fake_operation *operation, int in_graph);

int               fake_is_pending(int slot, uint64_t number);
int               fake_stream_is_busy(const fake_stream *stream);
void              fake_host_clock_merge(const fake_clock *clock);
const fake_clock *fake_host_clock(void);
void              fake_drain_device(int device);
void              fake_streams_reset(void);

cudaError_t fake_capture(fake_stream *stream, const fake_operation *operation);
void        fake_capture_record(fake_stream *stream, fake_event *event);
cudaError_t fake_capture_wait(fake_stream *stream, fake_event *event);
void        fake_run_graph(fake_stream *stream, const fake_operation *operation);

/* Do fake_check_and_record_uses() for each node of the operation's graph, before it is queued. */
cudaError_t fake_check_and_record_graph_uses(fake_stream *stream, fake_operation *operation);

/* Tell whether a capture in any thread forbids the call; if so, count a misuse. */
int  fake_is_forbidden(const char *call);
void fake_captures_reset(void);

struct fake_device {
    cudaError_t broken;
    size_t      used, peak;
    int         busy[2]; /* copy engines */
    int         kernels; /* running kernels */
    int         running; /* running operations on its memory; its own operations count twice */
};

extern struct fake_state {
    fake_settings      settings;
    unsigned           generation;
    struct fake_device device[FAKE_DEVICES];
    unsigned           calls, operations, kernels, copies_home, full;
    const char        *failed;
    unsigned           misuses, pageable, default_workspaces;
    unsigned           begun[FAKE_KINDS], ended[FAKE_KINDS];
    int                held[FAKE_KINDS], holds_when_full;
    unsigned char      peers[FAKE_DEVICES][FAKE_DEVICES]; /* [first][second]: peer access */
    fake_record       *records;
    size_t             record_count, record_room;
    unsigned           ranges;
    int                ranges_open;
    char               range[FAKE_RANGE];
} fake;

int64_t  fake_now(void);
void     fake_add_record(const fake_record *record);
uint64_t fake_checksum(const void *data, size_t size);

#endif
