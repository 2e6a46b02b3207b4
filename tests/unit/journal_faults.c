/* SPDX-License-Identifier: BSD-3-Clause */

#include "journal_faults.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "failing_memory.h"

hs_status __real_hs_name_index_create(const hs_instance *in, hs_name_index **out);
int       __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                void *(*start)(void *), void            *data);
ssize_t   __real_write(int fd, const void *at, size_t size);

/* Exported, since sanitizers look up these functions by name. */
hs_status      __wrap_hs_name_index_create(const hs_instance *in, hs_name_index **out);
HS_API int     __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                     void *(*start)(void *), void            *data);
HS_API ssize_t __wrap_write(int fd, const void *at, size_t size);
HS_API int     __wrap_fdatasync(int fd);
HS_API int     __wrap_fsync(int fd);

faulty_disk disk = {.clean_writes = 1};

void disk_reset(void)
{
    atomic_store(&disk.writes_left, -1);
    atomic_store(&disk.syncs_left, -1);
    atomic_store(&disk.drip, 0);
    atomic_store(&disk.gate_closed, 0);
    atomic_store(&disk.clean_writes, 1);
}

hs_status __wrap_hs_name_index_create(const hs_instance *in, hs_name_index **out)
{
    return allocation_fails() ? HS_ENOMEM : __real_hs_name_index_create(in, out);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void            *data)
{
    return allocation_fails() ? EAGAIN : __real_pthread_create(thread, attributes, start, data);
}

static bool fails(atomic_long *left)
{
    long before = atomic_load(left);

    if (before > 0)
        atomic_fetch_sub(left, 1);
    if (before == 0)
        errno = atomic_load(&disk.fault);
    return before == 0;
}

/* A line ends with the number of bytes that are on disk and its checksum. */
static void check_claim(const char *text, size_t size)
{
    enum { SUM = 18 }; /* length of the end of a line: a blank, the checksum, a newline */
    size_t at = size;

    if (size <= SUM || text[size - 1] != '\n' || text[size - SUM] != ' ')
        return;
    for (at -= SUM; at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9'; at--)
        ;
    if (strtol(text + at, NULL, 10) > atomic_load(&disk.safe))
        atomic_fetch_add(&disk.false_claims, 1);
}

ssize_t __wrap_write(int fd, const void *at, size_t size)
{
    static atomic_int turn;

    if (!atomic_load(&disk.drip))
        check_claim(at, size);
    if (atomic_load(&disk.drip)) {
        if (atomic_fetch_add(&turn, 1) % 2) {
            errno = EINTR;
            return -1;
        }
        return __real_write(fd, at, size < 7 ? size : 7);
    }
    if (fails(&disk.writes_left)) {
        if (!atomic_exchange(&disk.clean_writes, 1))
            return __real_write(fd, at, size / 2);
        errno = atomic_load(&disk.fault);
        return -1;
    }
    return __real_write(fd, at, size);
}

/* Count a sync, wait while the gate is closed, then succeed or fail. Nothing needs to reach the
 * disk, since the tests survive no power failure. */
static int sync_nothing(void)
{
    atomic_fetch_add(&disk.syncs, 1);
    while (atomic_load(&disk.gate_closed))
        usleep(200);
    return fails(&disk.syncs_left) ? -1 : 0;
}

int __wrap_fdatasync(int fd)
{
    struct stat begun;
    bool        failed = fstat(fd, &begun) != 0 || sync_nothing() != 0;

    if (!failed)
        atomic_store(&disk.safe, begun.st_size);
    return failed ? -1 : 0;
}

int __wrap_fsync(int fd)
{
    (void)fd;
    return sync_nothing();
}
