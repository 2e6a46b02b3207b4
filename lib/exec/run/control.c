/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

hs_status hsi_make_cond(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    int                error = pthread_condattr_init(&attributes);

    if (error)
        return HS_ENOMEM;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    error = pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
    return error ? HS_ENOMEM : HS_OK;
}

hs_status hsi_control_open(hsi_control *control, char why[HS_WHY])
{
    control->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (control->event_fd < 0) {
        snprintf(why, HS_WHY, "no file descriptor is left: %s", strerror(errno));
        return HS_ERESOURCE;
    }
    if (pthread_mutex_init(&control->lock, NULL) != 0)
        return HS_ENOMEM;
    if (hsi_make_cond(&control->gate) != HS_OK) {
        pthread_mutex_destroy(&control->lock);
        return HS_ENOMEM;
    }
    control->locks = 1;
    return HS_OK;
}

void hsi_control_close(hsi_control *control)
{
    if (control->event_fd >= 0)
        close(control->event_fd);
    if (!control->locks)
        return;
    pthread_cond_destroy(&control->gate);
    pthread_mutex_destroy(&control->lock);
}

/* It is held for a fraction of a microsecond: sleeping costs more than trying for that long. */
void hsi_lock(hsi_control *control)
{
    enum { TRIES = 100 };
    int i;

    for (i = 0; i < TRIES; i++) {
        if (pthread_mutex_trylock(&control->lock) == 0)
            return;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    pthread_mutex_lock(&control->lock);
}

void hsi_unlock(hsi_control *control)
{
    pthread_mutex_unlock(&control->lock);
}

void hsi_wake_caller(const hsi_control *control)
{
    const uint64_t one = 1;
    int            before = errno;

    while (write(control->event_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    errno = before;
}
