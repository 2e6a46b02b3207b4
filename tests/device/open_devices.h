/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_DEVICE_OPEN_DEVICES_H
#define TESTS_DEVICE_OPEN_DEVICES_H

#include "fixture.h"

/* What the points of the suite share: open devices, and calls that must succeed. */

enum { MOST_DEVICES = 2, MOST_STREAMS = 4, MOST_EVENTS = 6, MOST_PAGEABLE = 8 };

typedef struct open_devices {
    const hs_device_ops *ops;
    const char          *which;
    unsigned             count;                   /* devices */
    void                *pageable[MOST_PAGEABLE]; /* host memory that is not page-locked */
    hs_device           *device[MOST_DEVICES];
    hs_stream            stream[MOST_DEVICES][MOST_STREAMS];
    hs_event             event[MOST_DEVICES][MOST_EVENTS];
} open_devices;

/* Open up to `devices` devices, each with streams and events; there may be one only. */
void devices_open(open_devices *s, unsigned devices, const planned_fault *fault);

/* Close everything; check that nothing is left if `whole`. */
void devices_close(open_devices *s, bool whole);

static inline hs_address on_host(void *at)
{
    return (hs_address){.buffer = at};
}

static inline hs_address on(hs_device *device, hs_buffer buffer, size_t offset)
{
    return (hs_address){device, buffer, offset};
}

/* Allocate; page-locked or pageable host memory. */
hs_buffer devices_alloc(open_devices *s, unsigned device, size_t bytes);
void     *devices_host(open_devices *s, size_t bytes);
void      devices_host_free(open_devices *s, void *at);

/* Poll an event until query() does not return 0; return its result. */
int devices_await(open_devices *s, hs_event *event);

/* Record event 0 of the device in a stream and wait until it is reached. */
void devices_finish(open_devices *s, hs_stream *stream);

/* Copy between pageable host memory and a buffer and wait for the end. */
void devices_write(open_devices *s, hs_buffer to, size_t offset, const void *from, size_t bytes);
void devices_read(open_devices *s, void *to, hs_buffer from, size_t offset, size_t bytes);

/* Fill memory with bytes that depend on the seed; return whether it has them. */
void devices_fill(void *at, size_t bytes, unsigned seed);
bool devices_has(const void *at, size_t bytes, unsigned seed);

/* The points, by file. */
TCase *basics_tcase(void);
TCase *order_tcase(void);
TCase *operations_tcase(void);
TCase *faults_tcase(void);
TCase *segments_tcase(void);

#endif
