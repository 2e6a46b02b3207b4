/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_TRACE_TRACE_H
#define HSI_PICTURE_TRACE_TRACE_H

#include "io/text/output.h"
#include "picture/picture.h"

/*
 * A trace is an array with an event per line, written in one pass. Each event begins with "ph" and
 * "ts", so readers that need these first can skip the rest of the line. Each worker type is a
 * process whose pid is the tid of its first worker, so all threads have distinct tids. An arrow
 * leads from an aborted entry to the task's run, and from each task of a graph to its successors,
 * unless these are too many. Ready tasks and utilisation are counters of these processes
 * (counters.c). Copies of data have a process after them (copies.c). The prediction, if any, has
 * processes and threads of its own, numbered after the rest.
 */

/* An aborted entry: the origin of an arrow to the task's run. */
typedef struct hsi_origin {
    uint32_t task;
    size_t   id;
} hsi_origin;

typedef struct hsi_trace {
    hsi_output         out;
    const hs_instance *in;
    const hs_schedule *s;         /* the schedule being written */
    bool               predicted; /* whether `s` is the prediction */
    hs_picture         picture;
    unsigned           cpus, gpus;
    unsigned           first; /* tid of the first worker in `s` */
    unsigned           next;  /* next free tid */
    double             scale; /* nanoseconds per unit of the instance */
    hsi_origin        *origins;
    size_t             origin_count;
    size_t             arrows; /* last used arrow id */
    bool               begun;  /* whether an event was written before */
    char               name[HS_MAX_ID + 32];
} hsi_trace;

/* A thread of a viewer. */
typedef struct hsi_track {
    unsigned pid, tid;
} hsi_track;

/* Return a time as a whole number of nanoseconds, the resolution of viewers. */
double hsi_trace_ns(const hsi_trace *t, double time);

/*
 * Begin an event; begin a bar with a start and a length. The caller adds members and closes the
 * object.
 */
void hsi_trace_begin_event(hsi_trace *t, const char *phase, double ns, hsi_track track);
void hsi_trace_begin_bar(hsi_trace *t, double from, double to, hsi_track track);

void hsi_trace_put_string(hsi_trace *t, const char *key, const char *text);
void hsi_trace_put_number(hsi_trace *t, const char *key, double value);

/* Name a process, followed by the title, or a thread, followed by its node (may be NULL); a lower
 * `order` is shown further up. */
void hsi_trace_name_process(hsi_trace *t, hsi_track track, const char *name, unsigned order);
void hsi_trace_name_thread(hsi_trace *t, hsi_track track, const char *name, const char *node,
                           unsigned order);

/* Write the counters of the schedule being written. HS_ENOMEM. */
hs_status hsi_trace_write_counters(hsi_trace *t);

/* Write copies of data. HS_ENOMEM. */
hs_status hsi_trace_write_copies(hsi_trace *t, const hs_transfer *list, size_t count);

#endif
