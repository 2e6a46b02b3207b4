/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "common/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef O_TMPFILE

enum { PROC_PATH = 32, NAME_LONGEST = 64, NAME_TRIES = 1000 };

/* How the file is called while it has no name: without /proc it can be given none. */
static void proc_path(int fd, char path[PROC_PATH])
{
    snprintf(path, PROC_PATH, "/proc/self/fd/%d", fd);
}

/* Up to and with the last slash. */
static size_t folder_length(const char *target)
{
    const char *slash = strrchr(target, '/');

    return slash ? (size_t)(slash + 1 - target) : 0;
}

int unnamed_open(const char *target)
{
    size_t      length = folder_length(target);
    char       *folder = length ? strndup(target, length) : strdup(".");
    char        path[PROC_PATH];
    struct stat st;
    int         fd;

    if (!folder)
        return -1;
    fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    free(folder);
    if (fd < 0)
        return -1;
    proc_path(fd, path);
    if (lstat(path, &st) == 0)
        return fd;
    close(fd);
    return -1;
}

/*
 * What has the name can only be replaced by another name: one that is there from here
 * to the next line, in which no signal ends us. It is short, for the target's may be long.
 */
static int replace(const char *from, const char *target)
{
    size_t length = folder_length(target);
    char  *name = malloc(length + NAME_LONGEST);
    int    error = EEXIST;

    if (!name)
        return ENOMEM;
    memcpy(name, target, length);
    for (int i = 0; i < NAME_TRIES && error == EEXIST; i++) {
        snprintf(name + length, NAME_LONGEST, ".hsched-%ld-%d", (long)getpid(), i);
        error = linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    }
    if (!error && rename(name, target) != 0) {
        error = errno;
        unlink(name);
    }
    free(name);
    return error;
}

int unnamed_publish(int fd, const char *target)
{
    char     path[PROC_PATH];
    sigset_t all, before;
    int      error = 0;

    proc_path(fd, path);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    if (linkat(AT_FDCWD, path, AT_FDCWD, target, AT_SYMLINK_FOLLOW) != 0)
        error = errno == EEXIST ? replace(path, target) : errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return error;
}

#else

int unnamed_open(const char *target)
{
    (void)target;
    return -1;
}

int unnamed_publish(int fd, const char *target)
{
    (void)fd;
    (void)target;
    return ENOSYS;
}

#endif
