/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_DEVICE_STAGE_H
#define TESTS_DEVICE_STAGE_H

#include "fixture.h"

/* What the points of the suite share: open devices, and calls that must succeed. */

enum { STAGE_DEVICES = 2, STAGE_STREAMS = 4, STAGE_EVENTS = 6, STAGE_PAGEABLE = 8 };

typedef struct stage {
    const hs_device_ops *ops;
    const char          *which;
    unsigned             count;                    /* devices */
    void                *pageable[STAGE_PAGEABLE]; /* host memory that is not page-locked */
    hs_device           *device[STAGE_DEVICES];
    hs_stream            stream[STAGE_DEVICES][STAGE_STREAMS];
    hs_event             event[STAGE_DEVICES][STAGE_EVENTS];
} stage;

/* Open up to `devices` devices, each with streams and events; there may be one only. */
void stage_open(stage *s, unsigned devices, const planned_fault *fault);

/* Close everything; check that nothing is left if `whole`. */
void stage_close(stage *s, bool whole);

static inline hs_address on_host(void *at)
{
    return (hs_address){.buffer = at};
}

static inline hs_address on(hs_device *device, hs_buffer buffer, size_t offset)
{
    return (hs_address){device, buffer, offset};
}

/* Allocate; page-locked or pageable host memory. */
hs_buffer stage_alloc(stage *s, unsigned device, size_t bytes);
void     *stage_host(stage *s, size_t bytes);
void      stage_host_free(stage *s, void *at);

/* Poll an event until query() does not return 0; return its result. */
int stage_await(stage *s, hs_event *event);

/* Record event 0 of the device in a stream and wait until it is reached. */
void stage_finish(stage *s, hs_stream *stream);

/* Copy between pageable host memory and a buffer and wait for the end. */
void stage_write(stage *s, hs_buffer to, size_t offset, const void *from, size_t bytes);
void stage_read(stage *s, void *to, hs_buffer from, size_t offset, size_t bytes);

/* Fill memory with bytes that depend on the seed; return whether it has them. */
void stage_fill(void *at, size_t bytes, unsigned seed);
bool stage_has(const void *at, size_t bytes, unsigned seed);

/* The points, by file. */
TCase *basics_tcase(void);
TCase *order_tcase(void);
TCase *operations_tcase(void);
TCase *faults_tcase(void);
TCase *segments_tcase(void);

#endif
