/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/control.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/error.h"
#include "support/cond.h"

hs_status hsi_control_open(hsi_control *control, hs_error *error)
{
    control->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (control->event_fd < 0)
        return hsi_error_set(error, HS_ERESOURCE, "no file descriptor is left: %s",
                             strerror(errno));
    if (pthread_mutex_init(&control->lock, NULL) != 0)
        return HS_ENOMEM;
    if (hsi_cond_init(&control->gate) != 0) {
        pthread_mutex_destroy(&control->lock);
        return HS_ENOMEM;
    }
    if (hsi_cond_init(&control->arrival) != 0) {
        pthread_cond_destroy(&control->gate);
        pthread_mutex_destroy(&control->lock);
        return HS_ENOMEM;
    }
    control->locks = true;
    return HS_OK;
}

void hsi_control_close(hsi_control *control)
{
    if (control->event_fd >= 0)
        close(control->event_fd);
    if (!control->locks)
        return;
    pthread_cond_destroy(&control->arrival);
    pthread_cond_destroy(&control->gate);
    pthread_mutex_destroy(&control->lock);
}

void hsi_lock(hsi_control *control)
{
    hsi_spin_lock(&control->lock);
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
