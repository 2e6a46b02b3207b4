/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <time.h>

#include "exec/backend/cuda/cuda.h"
#include "support/clock.h"

/* Clear cudaErrorNotReady, which would stay the last error of the thread and confuse plugins. */
static cudaError_t query(cudaEvent_t event)
{
    cudaError_t error = cudaEventQuery(event);

    if (error == cudaErrorNotReady)
        cudaGetLastError();
    return error;
}

void hsi_cuda_polling_pause(int64_t start)
{
    const struct timespec nap = {0, 10000};
    const int64_t         patience = 50000;

    if (hsi_clock_ns() - start > patience)
        nanosleep(&nap, NULL);
}

int hsi_cuda_event_completed(hsi_cuda_fault *fault, cudaEvent_t event, bool wait)
{
    int64_t     start = wait ? hsi_clock_ns() : 0;
    cudaError_t error;

    while ((error = query(event)) == cudaErrorNotReady && wait)
        hsi_cuda_polling_pause(start);
    if (error == cudaErrorNotReady)
        return 0;
    return hsi_cuda_ok(fault, error, "cudaEventQuery") ? 1 : -1;
}

/*
 * Record an anchor and query it until it has completed. The time of the anchor is the time of the
 * last query that did not see it complete. Such a time may be early, since the event can wait in
 * a queue that several streams share, but is never late: no task seems to begin after its first
 * kernel. Return 1 if the anchor is set, 0 if it has not completed by `until`, -1 for a fault.
 */
static int try_to_set(hsi_cuda_time *time, hsi_cuda_fault *fault, int which, int64_t until,
                      int64_t *doubt)
{
    int64_t look = hsi_clock_ns(), before;
    int     over;

    if (!CUDA(fault, cudaEventRecord, time->anchor[which], time->stream))
        return -1;
    do {
        before = look;
        look = hsi_clock_ns();
        over = hsi_cuda_event_completed(fault, time->anchor[which], false);
    } while (over == 0 && look < until);
    *doubt = hsi_clock_ns() - before;
    time->ns[which] = before;
    return over;
}

/*
 * Set an anchor. Retry if the host was interrupted between two queries, since the anchor would be
 * early. Stop at `until`, since the GPU gets no new task meanwhile. The current anchor stays valid
 * if no anchor was set.
 */
static bool set(hsi_cuda_time *time, hsi_cuda_fault *fault, int which, int64_t until)
{
    const int     most = 16;
    const int64_t fair = 50000;
    int64_t       doubt = 0;
    int           tries, done;

    time->tried = hsi_clock_ns();
    for (tries = 0; tries < most && (tries == 0 || doubt > fair); tries++) {
        if (tries && hsi_clock_ns() >= until)
            break;
        done = try_to_set(time, fault, which, until, &doubt);
        if (done <= 0)
            return done == 0;
    }
    time->current = which;
    return true;
}

/* Set the first anchor. No other work is in flight. */
bool hsi_cuda_time_open(hsi_cuda_time *time, hsi_cuda_fault *fault)
{
    const int64_t first = 1000000000;

    return CUDA(fault, cudaStreamCreateWithFlags, &time->stream, cudaStreamNonBlocking) &&
           CUDA(fault, cudaEventCreateWithFlags, &time->anchor[0], cudaEventDefault) &&
           CUDA(fault, cudaEventCreateWithFlags, &time->anchor[1], cudaEventDefault) &&
           set(time, fault, 0, hsi_clock_ns() + first) &&
           hsi_cuda_event_completed(fault, time->anchor[0], true) > 0;
}

void hsi_cuda_time_close(hsi_cuda_time *time)
{
    int i;

    for (i = 0; i < 2; i++)
        if (time->anchor[i])
            cudaEventDestroy(time->anchor[i]);
    if (time->stream)
        cudaStreamDestroy(time->stream);
    memset(time, 0, sizeof *time);
}

/* Set a new anchor every second, since distances are floats and the two clocks drift. */
bool hsi_cuda_time_anchor(hsi_cuda_time *time, hsi_cuda_fault *fault, int64_t now)
{
    const int64_t second = 1000000000, moment = 1000000;
    int           other = !time->current;

    if (now - time->ns[time->current] < second || now - time->tried < second || time->users[other])
        return true;
    return set(time, fault, other, hsi_clock_ns() + moment);
}

int64_t hsi_cuda_time_of_event(hsi_cuda_time *time, hsi_cuda_fault *fault, int anchor,
                               cudaEvent_t event)
{
    float ms = 0;

    if (!CUDA(fault, cudaEventElapsedTime, &ms, time->anchor[anchor], event))
        return 0;
    return time->ns[anchor] + (int64_t)(1e6 * (double)ms);
}
