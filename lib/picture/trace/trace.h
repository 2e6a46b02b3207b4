/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_TRACE_TRACE_H
#define HSI_PICTURE_TRACE_TRACE_H

#include "io/text/output.h"
#include "picture/picture.h"

/*
 * One event a line in one array, written as it goes. Each event begins with
 * "ph" and "ts": readers that look for them first then need no more of the
 * line. Each worker type is a process whose pid is the tid of its first worker,
 * so that no two workers look like the same thread. An arrow leads from an aborted part to the
 * task's run, and from each task of a graph to each that comes after it, if those are not too many.
 * Ready tasks and utilisation are counters of these processes (counters.c).
 * Copies of data have a process behind these (copies.c). What was predicted, if it is to stand
 * beside, has processes and threads of its own, numbered after the others.
 */

/* An aborted entry: where an arrow to the task's run starts. */
typedef struct hsi_origin {
    uint32_t task;
    size_t   id;
} hsi_origin;

typedef struct hsi_trace {
    hsi_output         out;
    const hs_instance *in;
    const hs_schedule *s;         /* the one being written */
    int                predicted; /* that is what was predicted */
    hs_picture         picture;
    unsigned           cpus, gpus;
    unsigned           first; /* tid of the first worker */
    unsigned           next;  /* tid that nobody has */
    double             scale; /* nanoseconds in the instance's unit */
    hsi_origin        *origins;
    size_t             origin_count;
    size_t             arrows; /* ids that are used up */
    int                begun;  /* there is an event before this one */
    char               name[HS_MAX_ID + 32];
} hsi_trace;

/* A line of a viewer. */
typedef struct hsi_track {
    unsigned pid, tid;
} hsi_track;

/* Time as a whole number of nanoseconds, which is what viewers keep. */
double hsi_trace_ns(const hsi_trace *t, double time);

/* All of an event but what it is and its last brace; that of an execution, or the like. */
void hsi_trace_begin(hsi_trace *t, const char *phase, double ns, hsi_track track);
void hsi_trace_begin_bar(hsi_trace *t, double from, double to, hsi_track track);

void hsi_trace_put_string(hsi_trace *t, const char *key, const char *text);
void hsi_trace_put_number(hsi_trace *t, const char *key, double value);

/* The name of a process, behind which the title stands, and that of a thread; the lower `order`
 * is, the further up they are. */
void hsi_trace_name_process(hsi_trace *t, hsi_track track, const char *name, unsigned order);
void hsi_trace_name_thread(hsi_trace *t, hsi_track track, const char *name, unsigned order);

/* Counters of the schedule being written. HS_ENOMEM. */
hs_status hsi_trace_counters(hsi_trace *t);

/* Copies of data. HS_ENOMEM. */
hs_status hsi_trace_copies(hsi_trace *t, const hs_transfer *list, size_t count);

#endif
