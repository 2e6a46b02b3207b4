/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_DEVICE_EMULATED_PRIVATE_H
#define HSI_EXEC_DEVICE_EMULATED_PRIVATE_H

#include <pthread.h>

#include "exec/device/emulated/emulated.h"
#include "exec/device/fault.h"

typedef struct emulated_device {
    hs_device             base;
    hsi_emulated_settings settings;
    size_t                used; /* bytes of buffers */
    unsigned              calls, operations;
    const char           *last_call;
    bool                  lost; /* an operation failed; calls notice it and set base.fault */
} emulated_device;

typedef struct emulated_buffer {
    char  *at;
    size_t bytes;
} emulated_buffer;

/* Records are numbered from 1. */
typedef struct emulated_event {
    emulated_device *device;
    unsigned         users; /* the event itself, and queued records and waits */
    uint64_t         asked; /* last record */
    uint64_t         done;  /* last record that the stream executed */
    uint64_t         seen;  /* last record that a query saw reached */
    int64_t          ns;    /* time of the last executed record */
} emulated_event;

typedef struct emulated_operand {
    void *at; /* NULL: none */
    int   ld;
} emulated_operand;

/* An operation with addresses in the memory of the device. */
typedef struct emulated_operation {
    hs_operation_kind kind;
    bool              single;
    unsigned          options;
    int               m, n, k;
    emulated_operand  a, b, c, t;
    int              *pivots, *info;
} emulated_operation;

typedef enum item_kind { ITEM_COPY, ITEM_OPERATION, ITEM_CALL, ITEM_RECORD, ITEM_WAIT } item_kind;

/* An entry of the queue of a stream. */
typedef struct emulated_item {
    struct emulated_item *next;
    item_kind             kind;
    bool                  fails; /* the settings chose this copy, operation or call */
    void                 *to;    /* of a copy; of an operation: its result; NULL: of a call */
    const void           *from;
    size_t                bytes;
    emulated_operation    operation;
    void (*function)(void *argument); /* of a call */
    void                 *argument;
    double                seconds;
    emulated_event       *event;
    uint64_t              ticket; /* number of the record */
} emulated_item;

static inline emulated_device *hsi_emulated_of(hs_device *device)
{
    return (emulated_device *)(void *)device;
}

/* Guards the queues, events and counters of all devices: a stream may wait for another device. */
extern pthread_mutex_t hsi_emulated_lock;
extern pthread_cond_t  hsi_emulated_change; /* broadcast at any change */

/* Take the lock and count a call. If the call must fail, release the lock, keep the fault and
 * return false. */
bool hsi_emulated_begin_call(hs_device *device, const char *call);

/* operation.c: the supported kinds in both precisions; 0 if OpenBLAS cannot be loaded. */
uint32_t hsi_emulated_kinds(void);

/* Set the addresses of an operation; the result is *to. Return NULL, or why it is invalid. */
const char *hsi_emulated_resolve(const hs_operation *operation, emulated_operation *out, void **to);
double      hsi_emulated_flops(const emulated_operation *operation);
void        hsi_emulated_compute(const emulated_operation *operation);

/* stream.c */
int  hsi_emulated_stream_open(hs_device *device, hs_stream *out);
void hsi_emulated_stream_close(hs_stream *stream);
int  hsi_emulated_event_open(hs_device *device, hs_event *out);
void hsi_emulated_event_close(hs_event *event);
int  hsi_emulated_copy(hs_stream *stream, hs_address to, hs_address from, size_t bytes);
int  hsi_emulated_launch(hs_stream *stream, const hs_operation *operation);
int  hsi_emulated_call(hs_stream *stream, void (*function)(void *argument), void *argument);
int  hsi_emulated_record(hs_stream *stream, hs_event *event);
int  hsi_emulated_wait(hs_stream *stream, const hs_event *event);
int  hsi_emulated_query(hs_event *event);
int  hsi_emulated_elapsed(const hs_event *anchor, const hs_event *event, int64_t *ns);

#endif
