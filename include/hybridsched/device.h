/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_DEVICE_H
#define HYBRIDSCHED_DEVICE_H

#include <stddef.h>

#include <hybridsched/status.h>

HS_BEGIN_DECLS

/*
 * The interface between libhybridsched-exec and the modules that drive devices. A module is a table
 * of functions. A device has memory, streams and events. A stream executes its copies and kernels
 * in the order of the calls. A step is what an event records: everything that is in the stream
 * before the event.
 *
 * Functions of type int return 1 for success and 0 for a fault unless a comment says otherwise, and
 * the device keeps the fault. Calls for one device, except list() and open(), never overlap: the
 * caller has a mutex for each device. A call that concerns two devices needs both mutexes.
 *
 * Only close(), stream_close(), alloc(), release() and host_release() may wait for work of the
 * device. The first launch of an operation in a stream may load libraries, which takes memory and
 * time. So the caller launches each operation once in each stream before it measures time.
 */

#define HS_DEVICE_ABI 2

typedef struct hs_device     hs_device;
typedef struct hs_device_ops hs_device_ops;

/** A piece of device memory. CUDA: the address; OpenCL: a cl_mem; otherwise private. */
typedef void *hs_buffer;

/** An available device. The layout is final. */
typedef struct hs_device_info {
    char     name[128]; /* product name, e.g. NVIDIA H200 */
    char     uuid[48];  /* GPU-... or MIG-..., in the syntax of CUDA_VISIBLE_DEVICES; empty: none */
    char     pci[32];   /* PCI address, e.g. 0000:3b:00.0; empty: none */
    uint64_t memory;    /* bytes of device memory */
} hs_device_info;

typedef enum hs_fault_kind {
    HS_FAULT_NONE,
    HS_FAULT_MEMORY, /* the call had no effect for lack of memory; the device is as good as before
                      */
    HS_FAULT_LOST,   /* every later call except closing calls fails without being made, and
                        query() of a step that was not seen reached returns -1 */
    HS_FAULT_HUNG    /* set by the caller: work still runs long after it was told to stop; closing
                        calls then wait for nothing and leak what the work may still use */
} hs_fault_kind;

typedef struct hs_fault {
    hs_fault_kind kind;
    char          text[240]; /* name of the failed call and its error text */
} hs_fault;

/**
 * A device, opened once: first member of the module's own structure. The first fault stays until
 * the caller resets `fault`, which is allowed for HS_FAULT_MEMORY alone; a loss replaces it.
 */
struct hs_device {
    const hs_device_ops *ops;
    const void          *domain;        /* wait() works between devices with equal domains */
    uint32_t             operations[2]; /* supported kinds, bits 1 << hs_operation_kind; [1]: in
                                           single precision */
    size_t               memory;        /* bytes that were free when the device was opened; OpenCL,
                                           which does not tell: all of the device */
    size_t   chunk;                     /* most bytes of one buffer */
    hs_fault fault;
};

/** A stream. The module owns the members. */
typedef struct hs_stream {
    hs_device *device;
    void      *native; /* for kernels of the application: cudaStream_t, cl_command_queue; or NULL */
    void      *own;
} hs_stream;

/** An event. The module owns the members. */
typedef struct hs_event {
    hs_device *device;
    void      *own;
} hs_event;

/** A place in the memory of a device, or of the host. */
typedef struct hs_address {
    hs_device *device; /* NULL: the host */
    hs_buffer  buffer; /* the host: a pointer */
    size_t     offset; /* bytes */
} hs_address;

/**
 * The operations, on matrices stored by column. Block reflectors have 32 columns V and an upper
 * triangle T with Q = I - V T V'; triangles lie beside each other in a matrix of 32 rows, zeros
 * below. A supported operation takes every combination of options that its line names.
 */
typedef enum hs_operation_kind {
    HS_OPERATION_GEMM,   /* C -= A op(B), C m x n, A m x k; HS_TRANSPOSED: op(B) = B' */
    HS_OPERATION_SYRK,   /* lower triangle of C -= A A', C n x n, A n x k */
    HS_OPERATION_TRSM,   /* C := C inv(op(A)), C m x n; HS_LEFT: C := inv(op(A)) C; HS_UPPER: A is
                            an upper triangle, otherwise a lower one; HS_TRANSPOSED: op(A) = A';
                            HS_UNIT: the diagonal of A is 1 */
    HS_OPERATION_POTRF,  /* lower triangle A = L L', n x n, in place */
    HS_OPERATION_GETRF,  /* P A = L U, m x n, m >= n, in place, pivots from 1; without `pivots`: A =
                            L U, m = n */
    HS_OPERATION_GEQRF,  /* A = Q R, m x n, m >= n, in place: R, and V below a diagonal of ones; T
                            32 x n */
    HS_OPERATION_ORMQR,  /* C := Q' C, C m x n, Q of k columns by A (V) and T of GEQRF */
    HS_OPERATION_TPQRT,  /* [A; B] = Q R, A n x n upper triangle, B m x n: R in A, V in B, T 32 x
                            n */
    HS_OPERATION_TPMQRT, /* [C; B] := Q' [C; B], C k x n, B m x n, Q of k columns by A (V, m x k)
                            and T of TPQRT */
    HS_OPERATION_KINDS
} hs_operation_kind;

enum { HS_TRANSPOSED = 1, HS_LEFT = 2, HS_UPPER = 4, HS_UNIT = 8 };

/** A matrix or vector in the memory of the stream's device. */
typedef struct hs_operand {
    hs_buffer buffer; /* NULL: none */
    size_t    offset; /* bytes; a multiple of the bytes of an element */
    int       ld;     /* elements from column to column */
} hs_operand;

/** An operation to launch. The layout is final. */
typedef struct hs_operation {
    hs_operation_kind kind;
    int               single;  /* 1: elements are floats; 0: doubles */
    unsigned          options; /* HS_TRANSPOSED, ... */
    int               m, n, k;
    hs_operand        a, b, c, t; /* t: ld 32 */
    hs_operand        pivots;     /* n ints */
    hs_operand info; /* of factorisations and ORMQR: an int, 0 or the number of the pivot that is 0
                        or not positive */
    hs_operand work; /* scratch memory */
    size_t     work_bytes; /* size of `work` in bytes, at least the result of work() */
} hs_operation;

/** Operations that were recorded once and are launched together. */
typedef struct hs_segment hs_segment;

typedef struct hs_segment_ops {
    /**
     * Begin to collect work instead of executing it: in `lead`, and in each stream that waits for
     * an event recorded in a stream of the segment. At the end `lead` has waited for all others.
     */
    int (*begin)(hs_stream *lead);
    int (*end)(hs_stream *lead, hs_segment **out); /* out: NULL after a fault */
    /* Launch a segment again and again. Events that the segment records are steps of each launch.
     */
    int (*launch)(hs_segment *segment, hs_stream *stream);
    void (*release)(hs_segment *segment); /* no launch is running */
} hs_segment_ops;

/** Named ranges of the calling thread for a profiler. */
typedef struct hs_range_ops {
    void (*begin)(const char *name);
    void (*end)(void);
} hs_range_ops;

/** Calls of functions of the application, which compute on the data of a device. */
typedef struct hs_call_ops {
    const char *suffix; /* end of the symbols of such functions: "_gpu", "_opencl"; "": the
                           functions for CPUs */

    /**
     * Call the function while its device is the current one, so that it enqueues work in
     * stream->native. If the host can use the device's memory, the stream calls the function
     * instead, in its own thread, when all before it is done. 0: a fault; the function may not have
     * been called.
     */
    int (*call)(hs_stream *stream, void (*function)(void *argument), void *argument);

    /** Return the address for such functions. NULL: they get the buffer and the offset. */
    void *(*pointer)(hs_buffer buffer, size_t offset);
} hs_call_ops;

/** The functions of a module. */
struct hs_device_ops {
    unsigned    abi;  /* HS_DEVICE_ABI */
    const char *name; /* "cuda", "emulated", ... */

    /**
     * Write at most `room` devices to `list` and the number of all to *count. `which` selects
     * devices in the module's syntax; NULL: the usual ones. HS_ERESOURCE: there is none, and
     * error->why says why; HS_EINVAL: `which` is malformed.
     */
    hs_status (*list)(const char *which, hs_device_info *list, unsigned room, unsigned *count,
                      hs_error *error);

    /** Open the device with this index in the list of the same `which`. */
    hs_status (*open)(const char *which, unsigned index, hs_device **out, hs_error *error);

    /** Close a device whose streams, events, buffers and segments are closed. */
    void (*close)(hs_device *device);

    /** Allocate at most device->chunk bytes, aligned to 256 at least, which are really there. */
    int (*alloc)(hs_device *device, size_t bytes, hs_buffer *out);
    void (*release)(hs_device *device, hs_buffer buffer);

    /** Return page-locked host memory; at: lock that memory. NULL: pageable memory has to do, and
     * there is no fault. `locked_only`: unlock memory of the caller. */
    void *(*host_alloc)(hs_device *device, void *at, size_t bytes);
    void (*host_release)(hs_device *device, void *at, int locked_only);

    /** Return 1 if copy() in streams of `to` works between both, 0 if not, which is no fault. */
    int (*peer)(hs_device *to, hs_device *from);

    /** Open a stream. stream_close() waits for its work. */
    int (*stream_open)(hs_device *device, hs_stream *out);
    void (*stream_close)(hs_stream *stream);

    /** Copy bytes. Pageable host memory may be read at the call or later, before the next step; a
     * copy to it may wait for the stream. */
    int (*copy)(hs_stream *stream, hs_address to, hs_address from, size_t bytes);

    int (*event_open)(hs_device *device, hs_event *out);
    void (*event_close)(hs_event *event);

    /** Record a step; the event forgets the one before, which is reached or of the same stream.
     * Stream and event are of one device. */
    int (*record)(hs_stream *stream, hs_event *event);

    /** Let what is launched next in the stream wait for the step that the event has recorded by
     * now. The wait also ends if the device of the event is lost. */
    int (*wait)(hs_stream *stream, const hs_event *event);

    /** Return 1 if the step is reached, so that all before it is done and visible, or if nothing
     * was recorded; 0: not yet; -1: a fault. A step that was seen reached stays reached. A wait
     * also ends at a loss, so a step behind waits for other devices shows what they compute only
     * after the steps waited for were themselves seen reached. */
    int (*query)(hs_event *event);

    /** Set *ns to the time between two reached steps of the device. */
    int (*elapsed)(const hs_event *anchor, const hs_event *event, int64_t *ns);

    /** Launch an operation. 0 without a fault: the device has no such operation. */
    int (*launch)(hs_stream *stream, const hs_operation *operation);

    /* The members below may be NULL. */

    /** Set *bytes to the size of the work space that the operation needs. NULL: none needs any. */
    int (*work)(hs_device *device, const hs_operation *operation, size_t *bytes);

    const hs_segment_ops *segments;
    const hs_range_ops   *ranges;
    const hs_call_ops    *calls; /* NULL: functions of the application cannot use the devices */
};

/** The symbol of a module: returns its table, or NULL for another ABI. */
typedef const hs_device_ops *hs_device_module_function(unsigned abi);
#define HS_DEVICE_MODULE_SYMBOL "hs_device_module"

HS_END_DECLS

#endif
