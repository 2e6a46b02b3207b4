/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of transfers for reports. A transfer lies between two events of its stream. The times of
 * the events are read when the device is idle. A transfer is not recorded if there is no memory for
 * the record or its events, or if the device was lost.
 */
#include <math.h>
#include <stdlib.h>

#include "exec/device/devices.h"

struct hsi_transfer_record {
    hsi_transfer_record *next;
    hs_transfer          what; /* times in nanoseconds since devices->epoch, set by date() */
    hs_event             begin, end;
    bool                 is_whole; /* both events are recorded */
};

/* Reset a lack of memory, after which the device is as good as before. Return false for another
 * fault. */
static bool do_without(hs_device *device)
{
    if (device->fault.kind != HS_FAULT_MEMORY)
        return false;
    device->fault = (hs_fault){.kind = HS_FAULT_NONE};
    return true;
}

bool hsi_record_begin(hsi_device_node *node, hs_stream *stream, const hsi_transfer_op *op,
                      size_t bytes, hsi_transfer_record **out)
{
    const hs_device_ops *ops = node->ops;
    hsi_transfer_record *r = node->devices->keeps_records ? calloc(1, sizeof *r) : NULL;

    *out = r;
    if (!r)
        return true;
    r->what =
        (hs_transfer){.bytes = (double)bytes, .data = op->handle, .from = op->from, .to = op->to};
    r->next = node->records;
    node->records = r; /* in the list first, so that the events are closed */
    if (ops->event_open(node->device, &r->begin) && ops->event_open(node->device, &r->end) &&
        ops->record(stream, &r->begin))
        return true;
    *out = NULL;
    return do_without(node->device);
}

bool hsi_record_end(hsi_transfer_record *r, hs_stream *stream)
{
    if (!r)
        return true;
    r->is_whole = stream->device->ops->record(stream, &r->end);
    return r->is_whole || do_without(stream->device);
}

/* Set the times of a transfer. Return false if its events have no times. */
static bool date(const hsi_device_node *node, hsi_transfer_record *r)
{
    int64_t begin = hsi_anchor_date(&node->anchor, &r->begin);
    int64_t end = hsi_anchor_date(&node->anchor, &r->end);

    r->what.start = (double)(begin - node->devices->epoch);
    r->what.end = (double)(end - node->devices->epoch);
    return begin && end;
}

static void close_events(const hs_device_ops *ops, hsi_transfer_record *r)
{
    if (r->begin.device)
        ops->event_close(&r->begin);
    if (r->end.device)
        ops->event_close(&r->end);
}

void hsi_records_collect(hsi_device_node *node)
{
    hsi_devices         *d = node->devices;
    hsi_transfer_record *r;

    while ((r = node->records) != NULL) {
        bool dated = r->is_whole && !hsi_node_is_lost(node) && date(node, r);

        node->records = r->next;
        close_events(node->ops, r);
        if (!dated) {
            free(r);
            continue;
        }
        pthread_mutex_lock(&d->lock);
        r->next = d->records;
        d->records = r;
        d->recorded++;
        pthread_mutex_unlock(&d->lock);
    }
}

void hsi_records_free(hsi_devices *d)
{
    hsi_transfer_record *r;

    while ((r = d->records) != NULL) {
        d->records = r->next;
        free(r);
    }
    free(d->transfers);
    d->transfers = NULL;
    d->recorded = 0;
}

static int by_target_and_start(const void *a, const void *b)
{
    const hs_transfer *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->data < y->data ? -1 : x->data > y->data;
}

hs_transfer *hsi_records_list(hsi_devices *d, int64_t start, size_t *count)
{
    const double               before = (double)(start - d->epoch);
    const hsi_transfer_record *r;
    hs_transfer               *list = calloc(d->recorded + 1, sizeof *list);

    *count = 0;
    free(d->transfers);
    d->transfers = list;
    for (r = d->records; list && r; r = r->next) {
        hs_transfer *t = &list[(*count)++];

        *t = r->what;
        t->start = fmax(0, 1e-9 * (t->start - before));
        t->end = fmax(t->start, 1e-9 * (t->end - before));
    }
    if (list)
        qsort(list, *count, sizeof *list, by_target_and_start);
    return list;
}
