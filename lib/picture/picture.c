/* SPDX-License-Identifier: BSD-3-Clause */
#include "picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "support/sized.h"

enum { WIDTH_LEAST = 360, WIDTH_MOST = 100000 };

void hs_picture_init_sized(hs_picture *picture, size_t size)
{
    memset(picture, 0, size);
    picture->struct_size = size;
}

/* Return whether the bound's name is NUL-terminated. */
static bool ends(const hs_named_bound *bound)
{
    return !bound || memchr(bound->name, '\0', sizeof bound->name);
}

/* Copy the caller's picture to `full`, with defaults. HS_EINVAL: invalid values. */
static hs_status resolve(hs_picture *full, const hs_picture *picture, hs_error *error)
{
    hs_picture_init(full);
    if (picture && !hsi_sized_copy_in(full, sizeof *full, picture))
        return hsi_error_set_status(error, HS_EINVAL);
    if (!(full->width == 0 || (full->width >= WIDTH_LEAST && full->width <= WIDTH_MOST)))
        return hsi_error_set(error, HS_EINVAL, "a width of %g; expected %d to %d, or 0",
                             full->width, WIDTH_LEAST, WIDTH_MOST);
    if (!ends(full->bound) || !ends(full->predicted_bound))
        return hsi_error_set(error, HS_EINVAL, "the name of a bound has no end");
    return HS_OK;
}

static bool before(const hs_picture_failure *f, unsigned worker, double end)
{
    return f->worker != worker ? f->worker < worker : f->end < end;
}

/* Return the first failure at or after a worker and an end. */
static size_t first_failure(const hs_picture *picture, unsigned worker, double end)
{
    size_t low = 0, high = picture->failure_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (before(&picture->failures[middle], worker, end))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const hs_picture_failure *hsi_picture_failure(const hs_picture *picture, unsigned worker,
                                              const hs_entry *entry)
{
    if (entry->state != HS_ABORTED)
        return NULL;
    for (size_t i = first_failure(picture, worker, entry->end); i < picture->failure_count; i++) {
        const hs_picture_failure *f = &picture->failures[i];

        if (f->worker != worker || f->end != entry->end)
            break;
        if (f->task == entry->task)
            return f;
    }
    return NULL;
}

size_t hsi_picture_count_failures(const hs_picture *picture, unsigned from, unsigned to)
{
    return first_failure(picture, to, -INFINITY) - first_failure(picture, from, -INFINITY);
}

static hs_status unsorted(hs_error *error, const char *what, size_t index, const char *order)
{
    return hsi_error_set(error, HS_EINVAL, "%s %zu is out of order; expected an order by %s", what,
                         index, order);
}

static hs_status check_failures(const hs_picture *picture, const hs_instance *in, unsigned workers,
                                hs_error *error)
{
    for (size_t i = 0; i < picture->failure_count; i++) {
        const hs_picture_failure *f = &picture->failures[i];

        if (f->worker >= workers || f->task >= hs_instance_tasks(in) || !isfinite(f->end))
            return hsi_error_set(error, HS_ESCHEDULE, "failure %zu has no such worker, task or end",
                                 i);
        if (i > 0 && before(f, f[-1].worker, f[-1].end))
            return unsorted(error, "failure", i, "worker, then end");
    }
    return HS_OK;
}

static bool is_transfer(const hs_transfer *t, const hs_instance *in)
{
    uint32_t nodes = hs_instance_gpus(in) + (uint32_t)hs_instance_nodes(in);

    return t->from < nodes && t->to < nodes && t->from != t->to && isfinite(t->end) &&
           t->start >= 0 && t->start <= t->end && t->bytes >= 0 && isfinite(t->bytes);
}

static hs_status check_transfers(const hs_transfer *list, size_t count, const hs_instance *in,
                                 hs_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const hs_transfer *t = &list[i];

        if (!is_transfer(t, in) || (t->data != UINT32_MAX && !hs_instance_handle_name(in, t->data)))
            return hsi_error_set(error, HS_ESCHEDULE,
                                 "transfer %zu has no such memory, data or times", i);
        if (i > 0 && (t->to < t[-1].to || (t->to == t[-1].to && t->start < t[-1].start)))
            return unsorted(error, "transfer", i, "destination, then start");
    }
    return HS_OK;
}

static hs_status check_waits(const hs_picture *picture, const hs_instance *in, unsigned workers,
                             hs_error *error)
{
    for (size_t i = 0; i < picture->wait_count; i++) {
        const hs_wait *w = &picture->waits[i];

        if (w->worker >= workers || w->victim >= workers || w->task >= hs_instance_tasks(in) ||
            !(w->start >= 0 && w->start <= w->end) || isinf(w->end))
            return hsi_error_set(error, HS_ESCHEDULE, "wait %zu has no such worker, task or times",
                                 i);
        if (i > 0 &&
            (w->worker < w[-1].worker || (w->worker == w[-1].worker && w->start < w[-1].start)))
            return unsorted(error, "wait", i, "worker, then start");
    }
    return HS_OK;
}

static hs_status check_schedule(const hs_instance *in, const hs_schedule *s, hs_error *error)
{
    unsigned           workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);
    size_t             tasks = hs_instance_tasks(in), moved;
    const hs_transfer *transfers = hs_schedule_transfers(s, &moved);

    if (hs_schedule_cpus(s) != hs_instance_cpus(in) || hs_schedule_gpus(s) != hs_instance_gpus(in))
        return hsi_error_set(error, HS_ESCHEDULE,
                             "the schedule has %u CPUs and %u GPUs; expected %u and %u as in the "
                             "instance",
                             hs_schedule_cpus(s), hs_schedule_gpus(s), hs_instance_cpus(in),
                             hs_instance_gpus(in));
    for (unsigned w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        for (size_t i = 0; i < count; i++)
            if (entries[i].task >= tasks)
                return hsi_error_set(error, HS_ESCHEDULE,
                                     "the schedule has a task %u; expected one of the %zu tasks of "
                                     "the instance",
                                     (unsigned)entries[i].task, tasks);
    }
    return check_transfers(transfers, moved, in, error);
}

hs_status hsi_picture_begin(hs_picture *full, const hs_picture *picture, const hs_instance *in,
                            const hs_schedule *s, hs_error *error)
{
    hs_status st;

    if (!in || !s)
        return hsi_error_set_status(error, HS_EINVAL);
    st = resolve(full, picture, error);
    if (st == HS_OK)
        st = check_schedule(in, s, error);
    if (st == HS_OK && full->predicted)
        st = check_schedule(in, full->predicted, error);
    if (st == HS_OK)
        st = check_failures(full, in, hs_schedule_cpus(s) + hs_schedule_gpus(s), error);
    if (st == HS_OK)
        st = check_transfers(full->transfers, full->transfer_count, in, error);
    if (st == HS_OK)
        st = check_waits(full, in, hs_schedule_cpus(s) + hs_schedule_gpus(s), error);
    if (st == HS_OK && !full->transfers)
        full->transfers = hs_schedule_transfers(s, &full->transfer_count);
    return st;
}

bool hsi_picture_has_title(const hs_picture *picture)
{
    return picture->title && picture->title[0];
}

bool hsi_picture_has_bound(const hs_named_bound *bound)
{
    return bound && isfinite(bound->value) && bound->value >= 0;
}
