/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_DEVICE_DEVICES_H
#define HSI_EXEC_DEVICE_DEVICES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <hybridsched/backend.h>
#include <hybridsched/device.h>
#include <hybridsched/exec.h>
#include <hybridsched/plugin.h>

#include "data/ledger.h"
#include "exec/device/ahead.h"
#include "exec/device/modules.h"

/*
 * Devices that share handles with the host, driven through the tables of modules. A ledger records
 * the replicas. Each device is a node of the ledger and has several streams: some for kernels, some
 * for segments, one for copies in and one for copies out. A copy or the kernels of a task are a
 * step of a stream, with an event behind them.
 *
 * Locks, in this order: the issue mutex of each device, by number, then the lock of the ledger. A
 * call for a device needs its issue mutex, from before the step is numbered until it is recorded,
 * so steps reach a stream in the ledger's order. No device is called under the lock of the ledger,
 * and nothing is awaited under any lock, except by hsi_node_lose().
 *
 * A device is lost at the first fault of a copy, a launch, a wait or a record. A wait for another
 * device also ends when that device is lost. So a step counts as reached only after the steps that
 * it waits for: the ledger is told of a loss before it learns that a step behind the loss is over.
 */

enum {
    HSI_KERNEL_STREAMS = 4,
    HSI_SEGMENT_STREAM = HSI_KERNEL_STREAMS, /* first of the streams for segments, of the same
                                                number */
    HSI_WORK_STREAMS = 2 * HSI_KERNEL_STREAMS,
    HSI_STREAM_IN = HSI_WORK_STREAMS,
    HSI_STREAM_OUT,
    HSI_STREAMS,
    HSI_STREAM_EVENTS = 64, /* events of a stream, which later steps reuse: the most steps of a
                               stream that are not reached */
    HSI_MOST_STREAMS = (HSI_LEDGER_MOST_NODES - 1) * HSI_STREAMS,
    HSI_MOST_IN_FLIGHT = 2 * HSI_SEGMENT,
    HSI_MOST_OPERANDS = 4,
    HSI_MOST_CALL_KINDS = 8
};

/* The steps that a step waits for: by stream of all devices, the last one; 0: none. */
typedef struct hsi_waits {
    uint64_t number[HSI_MOST_STREAMS];
} hsi_waits;

typedef struct hsi_device_stream {
    hs_stream stream;
    bool      is_open;
    uint64_t  recorded; /* last recorded step */
    uint64_t  reached;  /* last step known to be completed; atomic */
    hs_event  event[HSI_STREAM_EVENTS];
    uint64_t *waits; /* by event and stream: steps that the event's step waits for */
} hsi_device_stream;

/* The function of a plugin that computes a task. */
typedef struct hsi_device_call {
    const hs_instance  *in;
    double              seconds;                       /* expected duration */
    hs_plugin_function *function[HSI_MOST_CALL_KINDS]; /* by kind of call of the devices */
} hsi_device_call;

/* The body of a task on devices. */
typedef struct hsi_device_body {
    hs_body      base;
    char         name[40]; /* kernel and size */
    const char  *kernel;
    uint32_t     version; /* version of the handles that the task writes */
    unsigned     count;
    hsi_use      use[HSI_MOST_USES];
    bool         keeps; /* true: a use has `keep`, so the task may fail and be repeated */
    bool         is_last[HSI_MOST_USES]; /* no later task writes the handle */
    const hsi_device_call *call;                   /* NULL: the operation computes the task */
    hs_operation operation;              /* without addresses */
    uint8_t      operand[HSI_MOST_OPERANDS]; /* a, b, c, t: number of the use, from 1; 0: none */
    uint8_t      copy_from, copy_to;     /* uses: a copy behind the operation; 0: none */
} hsi_device_body;

/* A task whose kernels were launched. */
typedef struct hsi_in_flight {
    bool                   there; /* true: in use */
    uint32_t               task;
    uint32_t               attempt; /* number of the attempt, from 1 */
    uint64_t               place; /* tasks are settled in the order of their begins */
    const hsi_device_body *body;
    unsigned               stream;
    uint64_t               number;  /* step of the stream */
    unsigned               kernels; /* kernels in the stream; 0 for a task of a segment */
    bool                   settled;
    hs_outcome             outcome; /* valid if settled */
    char                   why[HS_WHY];
    hsi_use                use[HSI_MOST_USES];
} hsi_in_flight;

/* A call of a function, for an in-flight task. */
typedef struct hsi_called {
    hs_plugin_function *function;
    hs_plugin_task      task;
    hs_plugin_data      data[HSI_MOST_USES];
    char                id[HS_MAX_ID + 16];
    hs_attempt          attempt;
    char                message[HS_WHY];
    int                 result; /* of the function; valid once the step is reached */
} hsi_called;

typedef struct hsi_devices         hsi_devices;
typedef struct hsi_device_segment  hsi_device_segment;  /* segment.c */
typedef struct hsi_transfer_record hsi_transfer_record; /* transfer_records.c */

/* An event with a known time on the host. */
typedef struct hsi_anchor {
    hs_event event;
    int64_t  ns;
} hsi_anchor;

/* A device and its worker. The worker's thread alone uses the members from `base` on. */
typedef struct hsi_device_node {
    hsi_devices             *devices;
    uint32_t                 node;
    pthread_mutex_t          issue;
    const hsi_device_choice *choice;       /* set when a worker opens the device */
    const hs_device_ops     *ops;          /* of `choice` */
    hs_device               *device;       /* NULL: not open */
    bool                     is_lost;      /* atomic */
    bool                     is_in_ledger; /* the ledger's node is open; needs the lock */
    uint32_t                 domain;       /* its number in the ledger, while the node is open */
    char                     label[192];
    unsigned                 number; /* of the choice */
    size_t                   memory; /* bytes of the device */
    hsi_device_stream        stream[HSI_STREAMS];
    hs_buffer               *chunk; /* memory for replicas */
    size_t                  *chunk_bytes;
    uint32_t                 chunks;
    size_t                   units; /* replicas for which the chunks have room */
    hsi_anchor               anchor;
    hsi_transfer_record     *records; /* since the device was opened, the last one first */

    hs_backend_worker   base;
    char                why[HS_WHY]; /* reason why the worker cannot be opened */
    size_t              work_bytes;
    hs_buffer           work[HSI_WORK_STREAMS];
    hs_buffer           info;      /* by in-flight entry: an int */
    int                *info_here; /* the same in host memory */
    int                 pageable_info[HSI_MOST_IN_FLIGHT];
    hsi_in_flight       in_flight[HSI_MOST_IN_FLIGHT];
    hsi_called         *called;    /* by in-flight entry; NULL: no task calls functions */
    hs_plugin_task      described; /* members equal for all tasks */
    char                worker_name[16];
    unsigned            call_kind;      /* of the device */
    uint64_t            begun, settled; /* tasks */
    unsigned            next;           /* stream of the next task, modulo their number */
    const hs_body      *wanted;         /* next task, whose inputs are prefetched; atomic */
    hsi_device_segment *segment;        /* in the order of the worker's tasks */
    size_t              segments, segment_room;
    size_t              passed;      /* segments launched or given up, from the start of the list */
    size_t              captured;    /* tasks in all segments */
    bool                no_segments; /* true: no memory for further segments */
    hs_event            fork;        /* begin of a segment that is being collected */
    hs_address         *fixed;       /* by handle: address of the replica, in segments */
} hsi_device_node;

struct hsi_devices {
    const hsi_device_choice *choice;        /* by the device_index of a worker */
    const hs_backend        *backend;       /* of the workers */
    const char              *limit_setting; /* the user's name of `limit`, for messages */
    pthread_mutex_t          lock;          /* of the ledger, why_lost, records of closed devices */
    hsi_ledger              *ledger;
    unsigned                 count, streams; /* streams of all devices */
    hsi_device_node         *device;         /* node v is device[v - 1] */
    size_t                   handles;
    size_t                  *bytes;                   /* of a copy, by handle */
    size_t                   unit;                    /* bytes of any replica */
    size_t                   most_units, least_units; /* useful; needed by the largest task */
    size_t             together; /* units that at least one buffer of the device has room for */
    const hs_call_ops *call_kind[HSI_MOST_CALL_KINDS]; /* those of all devices */
    unsigned           call_kinds;                     /* 0: no task calls functions */
    double                   limit; /* bytes of replicas on each device; 0: `share` of the memory */
    double                   share;
    hs_operation            *operation; /* each operation of a body once */
    size_t                   operations;
    char                     why_lost[HS_WHY];
    bool                     keeps_records;
    int64_t                  epoch; /* zero of recorded times, in nanoseconds of the host's clock */
    hsi_transfer_record     *records;
    size_t                   recorded;
    hs_transfer             *transfers;
    pthread_mutex_t          host_lock;
    hs_device *host; /* device through which host memory is allocated; NULL: none yet */
};

static inline hsi_device_node *hsi_node_of_worker(hs_backend_worker *worker)
{
    return (hsi_device_node *)(void *)((char *)worker - offsetof(hsi_device_node, base));
}

static inline const hsi_device_body *hsi_device_body_of(const hs_body *body)
{
    return (const hsi_device_body *)(const void *)body;
}

static inline hsi_device_node *hsi_node_of_stream(const hsi_devices *d, uint32_t stream)
{
    return &d->device[stream / HSI_STREAMS];
}

static inline uint32_t hsi_stream_number(const hsi_device_node *node, unsigned stream)
{
    return (node->node - 1) * HSI_STREAMS + stream;
}

static inline uint64_t hsi_node_bit(uint32_t node)
{
    return UINT64_C(1) << node;
}

static inline bool hsi_node_is_lost(const hsi_device_node *node)
{
    return __atomic_load_n(&node->is_lost, __ATOMIC_ACQUIRE);
}

/* devices.c: create devices that no worker has opened, over a ledger of `handles` handles. The
 * choices, at least `count`, are the caller's. HS_ENOMEM, HS_ETOOBIG. */
hs_status hsi_devices_create(const hsi_device_choice *choice, unsigned count, size_t handles,
                             hsi_devices *out);
void      hsi_devices_free(hsi_devices *d);

/* Set the backend of the workers, which gets the name of the first module, and the limits that the
 * settings have. */
void hsi_devices_set_up(hsi_devices *d, hs_backend *backend, const hs_exec_settings *settings);

/* Prepare for a run: no worker is open, and no step is in flight. The caller places all handles. */
void hsi_devices_renew(hsi_devices *d);

/* Return true if a handle is lost, and write why. */
bool hsi_devices_lost(hsi_devices *d, char why[HS_WHY]);

/* Allocate page-locked memory of the host, aligned to 64 bytes. If the module has none, allocate
 * pageable memory, to and from which copies are slower. NULL: out of memory. Callable from any
 * thread. */
void *hsi_devices_allocate(hsi_devices *d, size_t bytes);
void  hsi_devices_release(hsi_devices *d, void *at);

/* worker.c: open a device for a worker whose options have an hsi_devices as their data; close it.
 */
hs_status hsi_device_worker_open(const hs_backend_options     *options,
                                 const hs_backend_worker_info *info, hs_backend_worker **out,
                                 hs_error *error);
void      hsi_device_worker_close(hs_backend_worker *worker);

/* worker.c: open a stream for kernels, with work space for each operation. Return false for a
 * fault.
 */
bool hsi_node_open_stream(hsi_device_node *node, unsigned stream);

/* warm_up.c: launch each operation once in a stream for kernels, while the device has no replica.
 * Return false for a fault. */
bool hsi_node_warm_up(hsi_device_node *node, unsigned stream);

/* reach.c: return whether a step is reached or its device is lost. */
bool hsi_step_is_over(const hsi_devices *d, uint32_t stream, uint64_t number);

/* Look for steps of the nodes, given as bits, that are reached, and tell the ledger. A device whose
 * issue mutex another thread has is left out. */
void hsi_devices_look(hsi_devices *d, uint64_t nodes);

/* Wait for steps. */
void hsi_devices_await(hsi_devices *d, const hsi_moment *step, size_t count);

/* Pause in a loop that has been waiting since `start`. The first calls return at once, since most
 * steps end soon. Later calls sleep. */
void hsi_device_pause(int64_t start);

/*
 * Mark a device as lost after a fault. The caller has its issue mutex, and not the lock. The call
 * closes the device's streams first, and so waits under issue mutexes for work that still runs:
 * before the ledger learns of the loss, and other tasks use the host's memory, no copy to or from
 * that memory may be left. The work waits for steps of other devices that were launched before,
 * never for a thread of the host.
 */
void hsi_node_lose(hsi_device_node *node);

/* issue.c: let the next step of a stream wait for the steps. The caller has the issue mutexes of
 * the nodes. Return false for a fault. */
bool hsi_node_wait(hsi_device_node *node, unsigned stream, const hsi_waits *waits);

/* Record a step that waits for the steps. Return false for a fault. */
bool hsi_node_record(hsi_device_node *node, unsigned stream, uint64_t number,
                     const hsi_waits *waits);

/* Note the waits of a step whose event a segment records. */
void hsi_node_note_step(hsi_device_node *node, unsigned stream, uint64_t number,
                        const hsi_waits *waits);

/* Calls of the ledger, and the transfers that they enter. */
typedef struct hsi_issue {
    hsi_devices    *devices;
    hsi_entered     entered;
    hsi_transfer_op transfer[16];
    hsi_moment      wait[2 * (HSI_MOST_STREAMS + 1) + 512];
} hsi_issue;

/* Take the issue mutexes of the nodes, given as bits, and the lock of the ledger. */
void hsi_issue_lock(hsi_issue *issue, hsi_devices *d, uint64_t nodes);

/*
 * Do what an answer of the ledger asks for: take further mutexes, make the entered transfers, or
 * wait. Return true if the call is to be repeated, with everything locked again; the mutexes may
 * have been free meanwhile. Unless `may_wait`, return false instead of waiting.
 */
bool hsi_issue_again(hsi_issue *issue, hsi_ledger_answer answer, bool may_wait);

/* Release the lock of the ledger, then make the entered transfers. The mutexes stay taken. */
void hsi_issue_transfers(hsi_issue *issue);

/* Take the lock of the ledger again; release the mutexes of all nodes, or of all but some, given as
 * bits. */
void hsi_issue_relock(hsi_issue *issue);
void hsi_issue_unlock(hsi_issue *issue);
void hsi_issue_unlock_others(hsi_issue *issue, uint64_t nodes);

/* Add to `waits` the steps before a step of a stream of the node that reads or writes the range,
 * and record that the step does so. Both need the lock. */
void hsi_node_order(hsi_device_node *node, uint32_t range, bool write, unsigned stream,
                    hsi_waits *waits);
void hsi_node_note(hsi_device_node *node, const hsi_use *use, unsigned count, hsi_moment step);

/* Enter and make the transfers of the inputs of a task that exist already. Needs no lock. */
void hsi_devices_prefetch(hsi_devices *d, uint32_t node, const hsi_use *use, size_t count,
                          uint32_t entry);

/* Evict all replicas of a device that no task uses: copy to the host what the device alone has. May
 * wait; needs no lock. */
void hsi_node_evict_all(hsi_device_node *node);

/* Declare that the window of a node's next tasks changes. */
void hsi_devices_renew_window(hsi_devices *d, uint32_t node);

/* Return the address of a range. */
hs_address hsi_node_address(const hsi_device_node *node, uint32_t range);

/* dating.c: record an event in an idle stream, and find its time on the host. Return false for a
 * fault. */
bool hsi_anchor_set(hsi_anchor *anchor, hs_stream *stream);

/* Return the time of a reached event of the same device; 0: a fault. */
int64_t hsi_anchor_date(const hsi_anchor *anchor, const hs_event *event);

/* transfer_records.c: record the begin and the end of a transfer in its stream. *out is NULL if the
 * transfer is not recorded. Return false for a fault. */
bool hsi_record_begin(hsi_device_node *node, hs_stream *stream, const hsi_transfer_op *op,
                      size_t bytes, hsi_transfer_record **out);
bool hsi_record_end(hsi_transfer_record *record, hs_stream *stream);

/* Set the times of a device's records and move the records to the devices. The device is idle. */
void hsi_records_collect(hsi_device_node *node);

/* Free all records before a new run. */
void hsi_records_free(hsi_devices *d);

/* Return the recorded transfers with times in seconds from `start`, sorted by target and start. The
 * devices own the list. */
hs_transfer *hsi_records_list(hsi_devices *d, int64_t start, size_t *count);

/* operation.c: return the approximate number of kernels of an operation, and the bound of a stream.
 */
unsigned hsi_operation_kernels(const hs_operation *operation);
unsigned hsi_stream_bound(void);

/* Return the name of a kind of operation. */
const char *hsi_operation_name(hs_operation_kind kind);

/* Return true if data can make the operation fail; the host then reads the operation's status. */
bool hsi_operation_has_info(const hs_operation *operation);

typedef enum hsi_launched { HSI_LAUNCHED, HSI_NO_ROOM, HSI_NOT_LAUNCHED } hsi_launched;

/* call.c: let the devices call functions of plugins, before a worker opens. Return NULL, or the
 * name of a module that cannot. */
const char *hsi_devices_allow_calls(hsi_devices *d);

/* Prepare a device of a worker for calls, if the devices allow them. Return false if memory is
 * short. */
bool hsi_node_prepare_calls(hsi_device_node *node, const hs_backend_worker_info *info);

/* Call the function of a task in a stream. Return false for a fault. */
bool hsi_in_flight_call(hsi_device_node *node, const hsi_in_flight *f, unsigned stream);

/* Return how the function ended, after its step is reached, and write its message to `why`. */
hs_outcome hsi_in_flight_judge_call(hsi_device_node *node, const hsi_in_flight *f,
                                    char why[HS_WHY]);

/* in_flight.c: register a task as in flight; NULL: too many tasks are in flight. An entry is
 * removed if the task does not begin. */
hsi_in_flight *hsi_in_flight_add(hsi_device_node *node, const hsi_device_body *body, uint32_t task,
                                 unsigned stream);

/* Return the in-flight entry of a task; NULL: the task is not in flight. */
hsi_in_flight *hsi_in_flight_find(hsi_device_node *node, uint32_t task);

/* Count a task that has begun in the ledger, number its step, and add the steps before it to
 * `waits`. The caller has the lock. The results of a task in place are the newest versions for
 * tasks that are launched behind it. */
void hsi_in_flight_begun(hsi_device_node *node, hsi_in_flight *f, hsi_waits *waits);

/* Launch the kernels of a task in a stream. Return false for a fault. */
bool hsi_in_flight_launch(hsi_device_node *node, const hsi_in_flight *f, unsigned stream);

/* Launch a task. If the result is HSI_LAUNCHED, *out is the task's in-flight entry. *answer is the
 * last answer of the ledger. */
hsi_launched hsi_in_flight_start(hsi_device_node *node, const hsi_device_body *body, uint32_t task,
                                 uint32_t attempt, hsi_in_flight **out, hsi_ledger_answer *answer);

/* Settle all in-flight tasks that have completed and whose predecessors are settled. */
void hsi_in_flight_settle(hsi_device_node *node);

/* Return the address of the memory that the kernels of a task use for a use, counted from 1. */
hs_address hsi_in_flight_address(const hsi_device_node *node, const hsi_in_flight *f, unsigned use);

/* Copy the results of a task to the host that no later task writes. */
void hsi_in_flight_flush_results(hsi_device_node *node, const hsi_in_flight *f);

/* run.c: the worker's functions */
hs_outcome hsi_device_run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt);
void       hsi_device_ahead(hs_backend_worker *worker, const hsi_ahead *list, size_t count);
void       hsi_device_next(hs_backend_worker *worker, const hs_body *body);

/* segment.c: create a segment of the tasks at the head of the list. *count becomes the number of
 * its tasks, which may be 0. */
hs_status hsi_device_segment_make(hs_backend_worker *worker, const hsi_ahead *list, size_t *count,
                                  hs_error *error);

/* Return whether the next segment begins with this task; move on to the segment behind. */
bool hsi_device_segment_begins_with(const hsi_device_node *node, uint32_t task);
void hsi_device_segment_skip(hsi_device_node *node);

/* Launch the next segment if the list contains all its tasks and they are certain. Return the
 * number of tasks launched, or 0. */
size_t hsi_device_segment_launch(hsi_device_node *node, const hsi_ahead *list, size_t count);
void   hsi_device_segment_free_all(hsi_device_node *node);

/* What a task on the host has done with the data that it writes. */
typedef enum hsi_given {
    HSI_GIVEN_NEW,     /* it has made the next version */
    HSI_GIVEN_NOTHING, /* they are as before */
    HSI_GIVEN_SPOILED
} hsi_given;

/* host.c: bring the data of a task to the host, and wait until they can be used. Return false if
 * the task cannot run, and write why. Otherwise hsi_devices_give() ends the task; `version` is the
 * next version. */
bool hsi_devices_take(hsi_devices *d, hsi_use *use, size_t count, char why[HS_WHY]);
void hsi_devices_give(hsi_devices *d, const hsi_use *use, size_t count, uint32_t version,
                      hsi_given given);

#endif
