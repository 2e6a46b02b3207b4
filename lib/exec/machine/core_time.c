/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/machine/core_time.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Parse the next number and move *at behind it. Return -1 if there is none. */
static int64_t next_number(const char **at)
{
    int64_t number = 0;

    *at += strspn(*at, " ");
    if (**at < '0' || **at > '9')
        return -1;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        number = 10 * number + (**at - '0');
    return number;
}

/*
 * Return the second of the file's three numbers: ns on cores, ns of waits for a core, and the
 * number of times on a core. The third number is 0 if the kernel does not count. Return -1 if not
 * known.
 */
static int64_t read_wait(const char *path)
{
    int         fd = open(path, O_RDONLY | O_CLOEXEC);
    char        text[128];
    const char *at = text;
    ssize_t     got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    int64_t     waited;

    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return -1;
    text[got] = '\0';
    if (next_number(&at) < 0)
        return -1;
    waited = next_number(&at);
    return next_number(&at) > 0 ? waited : -1;
}

int64_t hsi_core_wait_ns(pid_t pid)
{
    static const char folder[] = "/proc/", file[] = "/schedstat";
    char              path[sizeof folder + sizeof file + 20];
    char             *at = path + sizeof path - sizeof file;

    memcpy(at, file, sizeof file);
    do
        *--at = (char)('0' + pid % 10);
    while ((pid /= 10) > 0);
    at -= sizeof folder - 1;
    memcpy(at, folder, sizeof folder - 1);
    return read_wait(at);
}

hsi_core_time hsi_core_time_now(void)
{
    int64_t         waited = read_wait("/proc/thread-self/schedstat");
    struct timespec used;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (hsi_core_time){.used = (double)used.tv_sec + 1e-9 * (double)used.tv_nsec,
                           .waited = waited < 0 ? NAN : 1e-9 * (double)waited};
}

double hsi_core_wait_for_others(hsi_core_time time, double wall, unsigned cores)
{
    double unused = fmax(0, cores * wall - time.used);

    return time.waited > unused ? unused : time.waited;
}
