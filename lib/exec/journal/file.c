/* SPDX-License-Identifier: BSD-3-Clause */

/* Open, lock, read, write and sync the file of a journal. */

#include "exec/journal/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/error.h"

hs_status hsi_journal_io_error(const char *path, const char *action, int errno_value,
                               hs_error *error)
{
    char reason[128] = "";

    if (strerror_r(errno_value, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", errno_value);
    return hsi_error_set(error, HS_EIO, "cannot %s the journal '%.300s': %s", action, path, reason);
}

/* Return HS_EINVAL if the path cannot name a journal, which is the caller's mistake, else
 * HS_EIO. */
static hs_status cannot_open(const char *path, int code, hs_error *error)
{
    hs_status st = hsi_journal_io_error(path, "open", code, error);

    switch (code) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case ENAMETOOLONG:
        return HS_EINVAL;
    default:
        return st;
    }
}

/* Open an existing file or, unless `made` is NULL, create it. Return the descriptor, or -1 with
 * errno. */
static int open_or_make(const char *path, int *made)
{
    const int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int       fd = -1;

    do {
        if (made) {
            fd = open(path, flags | O_CREAT | O_EXCL, 0666);
            *made = fd >= 0;
        }
        if (!made || (fd < 0 && errno == EEXIST))
            fd = open(path, flags);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

/* Lock the file (LOCK_EX or LOCK_SH), and try for a second: a process that was just killed may
 * leave a child that holds the lock until the child has started its program. Return 0 or errno. */
static int lock(int fd, int kind)
{
    const struct timespec pause = {0, 10000000};
    int                   tries = 100;

    while (flock(fd, kind | LOCK_NB) != 0) {
        if (errno != EINTR && errno != EWOULDBLOCK)
            return errno;
        if (errno == EWOULDBLOCK && tries-- == 0)
            return EWOULDBLOCK;
        nanosleep(&pause, NULL);
    }
    return 0;
}

bool hsi_journal_file_is_at_path(int fd, const char *path)
{
    struct stat opened, named;

    return fstat(fd, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

static hs_status open_and_lock(const char *path, int *fd, int *made, hs_error *error)
{
    struct stat about;
    int         code;

    *fd = open_or_make(path, made);
    if (*fd < 0)
        return cannot_open(path, errno, error);
    if (fstat(*fd, &about) != 0)
        return hsi_journal_io_error(path, "open", errno, error);
    if (!S_ISREG(about.st_mode))
        return hsi_error_set(error, HS_EINVAL, "the journal '%.300s' must be a regular file", path);
    code = lock(*fd, LOCK_EX);
    if (code == EWOULDBLOCK)
        return hsi_error_set(error, HS_EINVAL,
                             "the journal '%.300s' is in use by another process: wait for its end, "
                             "or name another file",
                             path);
    return code ? hsi_journal_io_error(path, "lock", code, error) : HS_OK;
}

hs_status hsi_journal_file_open(const char *path, int *out, int *created, hs_error *error)
{
    hs_status st;
    int       fd, tries;

    for (tries = 0; tries < 16; tries++) {
        st = open_and_lock(path, &fd, created, error);
        if (st == HS_OK && hsi_journal_file_is_at_path(fd, path)) {
            *out = fd;
            return HS_OK;
        }
        if (fd >= 0)
            close(fd);
        if (st != HS_OK)
            return st;
    }
    return hsi_journal_io_error(path, "open", ESTALE, error);
}

/* Return the folder of a path, to be freed. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

hs_status hsi_journal_file_open_existing(const char *path, int *fd, hs_error *error)
{
    struct stat about;
    char       *folder;
    int         code = 0;

    *fd = -1;
    if (stat(path, &about) == 0 || errno != ENOENT || !path[0])
        return hsi_journal_file_open(path, fd, NULL, error);
    folder = folder_of(path);
    if (!folder)
        return HS_ENOMEM;
    if (access(folder, W_OK | X_OK) != 0)
        code = errno;
    free(folder);
    return code ? cannot_open(path, code, error) : HS_OK;
}

/* Take a shared lock on a journal opened for reading; no process can write the journal meanwhile.
 */
static hs_status lock_reading(const char *path, int fd, hs_error *error)
{
    int code = lock(fd, LOCK_SH);

    if (code == EWOULDBLOCK)
        return hsi_error_set(error, HS_EINVAL,
                             "another process is writing the journal '%.300s', and its tasks would "
                             "run twice: resume when it has ended",
                             path);
    return code ? hsi_journal_io_error(path, "lock", code, error) : HS_OK;
}

hs_status hsi_journal_file_open_reading(const char *path, bool is_idle, int *fd, hs_error *error)
{
    struct stat about;
    hs_status   st;

    do
        *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (*fd < 0 && errno == EINTR);
    if (*fd < 0)
        return errno == ENOENT ? HS_OK : cannot_open(path, errno, error);
    if (fstat(*fd, &about) == 0 && S_ISREG(about.st_mode))
        st = is_idle ? lock_reading(path, *fd, error) : HS_OK;
    else
        st = hsi_error_set(error, HS_EINVAL, "the journal '%.300s' must be a regular file", path);
    if (st != HS_OK)
        close(*fd);
    return st;
}

hs_status hsi_journal_file_load(const char *path, int fd, char **text, size_t *size,
                                hs_error *error)
{
    struct stat about;
    size_t      at = 0;
    ssize_t     got = 1;

    if (fstat(fd, &about) != 0)
        return hsi_journal_io_error(path, "read", errno, error);
    *text = malloc((size_t)about.st_size + 1);
    if (!*text)
        return HS_ENOMEM;
    while (at < (size_t)about.st_size && got > 0) {
        got = pread(fd, *text + at, (size_t)about.st_size - at, (off_t)at);
        if (got > 0)
            at += (size_t)got;
        else if (got < 0 && errno == EINTR)
            got = 1;
    }
    if (got < 0) {
        hsi_journal_io_error(path, "read", errno, error);
        free(*text);
        *text = NULL;
        return HS_EIO;
    }
    (*text)[at] = '\0';
    *size = at;
    return HS_OK;
}

int hsi_journal_file_write(int fd, const char *at, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, at, size);

        if (put < 0 && errno != EINTR)
            return errno;
        if (put == 0)
            return EIO;
        if (put > 0) {
            at += put;
            size -= (size_t)put;
        }
    }
    return 0;
}

int hsi_journal_file_sync(int fd)
{
    while (fdatasync(fd) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

int hsi_journal_file_truncate(int fd, size_t size)
{
    while (ftruncate(fd, (off_t)size) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

int hsi_journal_file_sync_folder(const char *path)
{
    char *folder = folder_of(path);
    int   fd, error = 0;

    if (!folder)
        return ENOMEM;
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (fd < 0)
        return 0; /* a folder may be writable without being readable */
    /* EINVAL: the file system cannot sync folders */
    while (fsync(fd) != 0 && (error = errno) == EINTR)
        ;
    close(fd);
    return error == EINVAL || error == EINTR ? 0 : error;
}
