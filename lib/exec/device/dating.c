/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of events: the time of an anchor, plus the distance from the anchor. */
#include "exec/device/devices.h"
#include "support/clock.h"

/*
 * Record the anchor and query it until it is reached. Its time is that of the last query that did
 * not see it reached. Such a time may be early, since the event can wait in a queue that several
 * streams share, but is never late: no copy seems to begin after its first byte.
 */
static int try_to_set(hsi_anchor *anchor, hs_stream *stream, int64_t *doubt)
{
    const hs_device_ops *ops = stream->device->ops;
    int64_t              look = hsi_clock_ns(), before;
    const int64_t        start = look;
    int                  state;

    if (!ops->record(stream, &anchor->event))
        return -1;
    do {
        hsi_device_pause(start);
        before = look;
        look = hsi_clock_ns();
        state = ops->query(&anchor->event);
    } while (state == 0);
    *doubt = hsi_clock_ns() - before;
    anchor->ns = before;
    return state;
}

/* Try again if the host was interrupted between two queries, since the anchor would be early. */
bool hsi_anchor_set(hsi_anchor *anchor, hs_stream *stream)
{
    const int     most = 16;
    const int64_t fair = 50000;
    int64_t       doubt = fair + 1;

    if (!anchor->event.device && !stream->device->ops->event_open(stream->device, &anchor->event))
        return false;
    for (int tries = 0; tries < most && doubt > fair; tries++)
        if (try_to_set(anchor, stream, &doubt) < 0)
            return false;
    return true;
}

int64_t hsi_anchor_date(const hsi_anchor *anchor, const hs_event *event)
{
    int64_t ns;

    if (!event->device->ops->elapsed(&anchor->event, event, &ns))
        return 0;
    return anchor->ns + ns;
}
