/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_DATA_LEDGER_H
#define HSI_DATA_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/instance.h>

/*
 * A ledger records where the replicas of handles are: which version each memory node has, in which
 * range of its memory, and when a replica can be used. It decides which transfers to make and in
 * which order, makes room for replicas, and enters a transfer as soon as it is decided; the caller
 * copies. The ledger starts no thread, reads no clock and calls no device. It has no lock: calls
 * for one ledger must not overlap. It allocates memory in hsi_ledger_create() and
 * hsi_ledger_open_node() only.
 *
 * Node 0 is the host. A replica is invalid if its version is not the newest one, modified if its
 * node is the owner of the handle, else shared. A modified replica is the only valid one.
 *
 * In a ledger of a model nodes have no ranges: a replica has an arrival time, and transfers come
 * from the node that wrote the newest version. Otherwise devices copy from and to the host, and
 * from peers; a modified replica is copied to the host before other nodes read it.
 *
 * Operations on devices are steps, which the ledger numbers from 1 in each stream. A stream
 * executes its steps in order. Stream s of node v has the number (v - 1) * streams + s. An entered
 * transfer has its step, and the steps that it waits for. For the kernels of a task the caller
 * takes a step with hsi_ledger_next_step(), asks hsi_ledger_order() for the steps before it, and
 * records it with hsi_ledger_note(), all before it calls another function of the ledger. A thread
 * of the host begins a task, waits for the steps that hsi_ledger_order() returns for its ranges,
 * and starts the task unless hsi_ledger_input_was_lost().
 */
typedef struct hsi_ledger hsi_ledger;

enum { HSI_LEDGER_HOST = 0, HSI_LEDGER_UNIT = 256, HSI_LEDGER_MOST_NODES = 64 };

/* The version of a handle of which no valid replica is left. Other versions are the numbers of the
 * tasks that wrote them, or HS_NONE for the initial version. */
#define HSI_VERSION_LOST (HS_NONE - 1)

typedef enum hsi_coherence {
    HSI_REPLICA_INVALID,
    HSI_REPLICA_SHARED,
    HSI_REPLICA_MODIFIED
} hsi_coherence;

/* A step of a stream; number 0: none. */
typedef struct hsi_moment {
    uint64_t number : 48;
    uint64_t stream : 16;
} hsi_moment;

/* A range: a piece of a node's memory. Its offset and size are multiples of HSI_LEDGER_UNIT, except
 * on the host, where a range is memory of the caller. */
typedef struct hsi_range {
    void      *at;     /* host: address of the memory */
    size_t     offset; /* device: offset in the chunk */
    size_t     bytes;
    uint32_t   chunk;
    uint32_t   handle; /* handle whose replica is here; HS_NONE */
    uint32_t   pins;
    uint32_t   overwriters; /* host: tasks that write the range in place */
    uint32_t   losses;      /* number of times that the content was lost */
    bool       is_free;
    hsi_moment written;      /* step that wrote the range last */
    hsi_moment copied;       /* step of the last transfer to the range */
    uint64_t   origins;      /* bit v: this transfer fails if node v is lost before its end */
    uint64_t  *used;         /* by stream: last step that has used the range since */
    uint32_t   left, right;  /* neighbours in the chunk; HS_NONE */
    uint32_t   older, newer; /* neighbours in a ring of ranges */
    uint32_t   window;       /* window that needs the replica; older numbers are void */
    uint32_t   entry;        /* first entry of the window `window` that needs the replica */
} hsi_range;

/* The use of a handle by a task. The caller sets the first four fields. */
typedef struct hsi_use {
    uint32_t handle;
    uint32_t version;   /* version that the task reads or replaces */
    uint8_t  mode;      /* an hs_access_mode */
    bool     keep;      /* true: a write goes to a second range, so that the old version stays until
                           hsi_ledger_commit() */
    uint32_t range;     /* set by begin: range of the replica; HS_NONE: the task needs none */
    uint32_t second;    /* range that a write with `keep` writes; the caller sets it on the host,
                           begin on devices */
    uint32_t losses[2]; /* losses of both ranges at the begin */
} hsi_use;

/* An address: memory of the host, or a part of a device's chunk. */
typedef struct hsi_address {
    void    *at;
    size_t   offset;
    uint32_t chunk;
} hsi_address;

/* A transfer to be made, by the device that receives the data, or sends them to the host. */
typedef struct hsi_transfer_op {
    uint32_t    handle;
    uint32_t    from, to;
    hsi_address source, target;
    hsi_moment  step;
    size_t      first_wait, waits; /* part of out->wait: steps before this one */
} hsi_transfer_op;

/* Transfers that calls have entered, and what the last call needs. The caller makes all entered
 * transfers, in order, whatever the call returned. */
typedef struct hsi_entered {
    hsi_transfer_op *transfer;
    size_t           count, room;
    hsi_moment      *wait;             /* steps that the transfers wait for */
    size_t           waits, wait_room; /* a transfer may need 2 * (all streams + 1) */
    uint64_t         locked; /* set by the caller; bit v: node v may get steps and be waited for */
    uint64_t         needed; /* HSI_LEDGER_NEED: further nodes that must be locked */
    uint32_t         range;  /* HSI_LEDGER_WAIT: range of the host that is in use */
    bool             write;  /* HSI_LEDGER_WAIT: true: the range will be written */
    hsi_moment       late;   /* HSI_LEDGER_BUSY: the step to wait for */
} hsi_entered;

typedef enum hsi_ledger_answer {
    HSI_LEDGER_OK,
    HSI_LEDGER_NO_ROOM, /* pinned ranges leave no room */
    HSI_LEDGER_STALE,   /* the newest version is not the one that a use names */
    HSI_LEDGER_LOST,    /* a handle to be read is lost */
    HSI_LEDGER_CLOSED,  /* the node is not open */
    HSI_LEDGER_NEED,    /* lock out->needed too, and call again */
    HSI_LEDGER_WAIT,    /* wait for the steps of hsi_ledger_order() of out->range, and call again */
    HSI_LEDGER_BUSY,    /* too many transfers are under way: wait for out->late, and call again */
    HSI_LEDGER_FULL     /* the list is full: make its transfers, and call again */
} hsi_ledger_answer;

typedef struct hsi_ledger_size {
    size_t   handles;
    uint32_t nodes;    /* with the host; at most HSI_LEDGER_MOST_NODES, except in a model */
    uint32_t streams;  /* streams of each device */
    uint32_t in, out;  /* streams of transfers to and from a device */
    uint32_t pending;  /* most steps of such a stream that are not reached; 0: no limit */
    uint32_t spares;   /* ranges of the host without a handle */
    bool     is_model; /* true: nodes have no ranges */
} hsi_ledger_size;

/* Create a ledger in which the host has all handles, of size 0. HS_ENOMEM, HS_ETOOBIG: too many
 * nodes, or more than 65535 streams of all devices. */
hs_status hsi_ledger_create(const hsi_ledger_size *size, hsi_ledger **out);
void      hsi_ledger_free(hsi_ledger *ledger);

/* Return to the initial version of all handles, on the host alone. Open nodes stay open, and their
 * memory becomes free. No task is in flight, and each step is reached. */
void hsi_ledger_reset(hsi_ledger *ledger);

/* Set the size of a handle, and its memory on the host of `room` bytes (model: NULL, 0): before the
 * first task, or in a task on the host that overwrites the handle in place, which may move it. */
void hsi_ledger_place(hsi_ledger *ledger, uint32_t handle, double bytes, void *at, size_t room);

/* Set the memory of spare range `number` of the host, and return its range. A task on the host that
 * writes with `keep` brings such a range in use->second. After hsi_ledger_commit() use->range is
 * the spare range instead, so tasks with handles of several sizes need equal rooms. */
uint32_t hsi_ledger_place_spare(hsi_ledger *ledger, uint32_t number, void *at, size_t room);

/* Open a device with `chunks` pieces of free memory. Steps of nodes of one domain can wait for each
 * other. All uses of an earlier opening have ended. HS_ENOMEM. */
hs_status hsi_ledger_open_node(hsi_ledger *ledger, uint32_t node, uint32_t domain,
                               const size_t *chunk_bytes, uint32_t chunks);

/* Let two devices copy to each other without the host. */
void hsi_ledger_link_peers(hsi_ledger *ledger, uint32_t node1, uint32_t node2);

/*
 * Begin a task on a node: pin the ranges of its uses, make room, and enter the transfers of its
 * inputs. If the result is not HSI_LEDGER_OK, no range is pinned. Ranges whose replica is invalid
 * are evicted first, then the least recently used ones, then those of the window, the last entry
 * first. A task that writes without `keep` must not be aborted after its start.
 */
hsi_ledger_answer hsi_ledger_begin(hsi_ledger *ledger, uint32_t node, hsi_use *use, size_t count,
                                   hsi_entered *out);

/* Make the results of a task the newest versions: what it wrote with `keep` becomes the replica.
 * Return false, and change nothing, if the node is closed or hsi_ledger_input_was_lost(). Steps
 * that wrote on the host are complete. */
bool hsi_ledger_commit(hsi_ledger *ledger, uint32_t node, const hsi_use *use, size_t count,
                       uint32_t task);

/* End a task: unpin its ranges. Without hsi_ledger_commit() this aborts the task. Tasks of a device
 * end in the order in which they began. */
void hsi_ledger_end(hsi_ledger *ledger, uint32_t node, const hsi_use *use, size_t count);

/* Return true if a range that the task reads or writes has lost its content since the begin. */
bool hsi_ledger_input_was_lost(const hsi_ledger *ledger, uint32_t node, const hsi_use *use,
                               size_t count);

/* Mark as lost what a failed task wrote without `keep`, or committed. hsi_ledger_end() follows. */
void hsi_ledger_fail(hsi_ledger *ledger, uint32_t node, const hsi_use *use, size_t count,
                     uint32_t task);

/* Declare that a device's window of next tasks changes: earlier calls of hsi_ledger_prefetch() no
 * longer protect their replicas. */
void hsi_ledger_renew_window(hsi_ledger *ledger, uint32_t node);

/* Enter the transfers of the inputs of window entry `entry` whose versions exist; pin nothing. No
 * range of an earlier entry is evicted. */
hsi_ledger_answer hsi_ledger_prefetch(hsi_ledger *ledger, uint32_t node, const hsi_use *use,
                                      size_t count, uint32_t entry, hsi_entered *out);

/* Enter the transfer of a modified replica to the host. */
hsi_ledger_answer hsi_ledger_flush(hsi_ledger *ledger, uint32_t handle, hsi_entered *out);

/* Evict all ranges of a device that are not pinned. */
hsi_ledger_answer hsi_ledger_evict_all(hsi_ledger *ledger, uint32_t node, hsi_entered *out);

/*
 * Close a device and drop its replicas. On other nodes the replicas are dropped whose transfer is
 * not reached and depends on the device. A handle without a valid replica is lost. Without a valid
 * replica on the host the lowest node keeps the only one.
 */
void hsi_ledger_lose(hsi_ledger *ledger, uint32_t node);

/* Record that a step of a stream, and all before it, are complete. A wait also ends when the device
 * waited for is lost, so the caller first sees reached each step that one of them waits for. */
void hsi_ledger_reach(hsi_ledger *ledger, uint32_t stream, uint64_t number);

/* Store in `out` (room for all streams + 1) the steps that are not reached and that a step of the
 * stream (HS_NONE: a thread of the host) must wait for before it reads or writes the range; return
 * their number. */
size_t hsi_ledger_order(const hsi_ledger *ledger, uint32_t node, uint32_t range, bool write,
                        uint32_t stream, hsi_moment *out);

/* Return the next step of a stream. */
hsi_moment hsi_ledger_next_step(hsi_ledger *ledger, uint32_t stream);

/* Record that a step reads or writes the range. */
void hsi_ledger_note(hsi_ledger *ledger, uint32_t node, uint32_t range, bool write,
                     hsi_moment step);

/* Model: record a version that exists on a node from `time` on. */
void hsi_ledger_write(hsi_ledger *ledger, uint32_t handle, uint32_t node, uint32_t task,
                      double time);

/* Model: request the newest version on a node, where a transfer would bring it at `time`. Return
 * false if an earlier request brings it no later. */
bool hsi_ledger_request(hsi_ledger *ledger, uint32_t handle, uint32_t node, double time);

/* Model: return when the newest version is on the node; infinity: it was not requested. */
double hsi_ledger_arrival(const hsi_ledger *ledger, uint32_t handle, uint32_t node);

/* Return the node from which a transfer of the newest version to the node starts. */
uint32_t hsi_ledger_source(const hsi_ledger *ledger, uint32_t handle, uint32_t node);

uint32_t         hsi_ledger_newest(const hsi_ledger *ledger, uint32_t handle);
double           hsi_ledger_bytes(const hsi_ledger *ledger, uint32_t handle);
hsi_coherence    hsi_ledger_state(const hsi_ledger *ledger, uint32_t handle, uint32_t node);
uint32_t         hsi_ledger_range_of(const hsi_ledger *ledger, uint32_t handle, uint32_t node);
const hsi_range *hsi_ledger_range(const hsi_ledger *ledger, uint32_t node, uint32_t range);

/* Return the bytes that a node lacks of what the uses read. */
double hsi_ledger_missing(const hsi_ledger *ledger, uint32_t node, const hsi_use *use,
                          size_t count);

/* Return the invariant that does not hold, or NULL. O(handles x nodes + ranges). */
const char *hsi_ledger_check(const hsi_ledger *ledger);

#endif
