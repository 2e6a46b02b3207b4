/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "common/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/message.h"

static char         path[4096];
static volatile int is_there; /* whether the folder exists; read by the signal handler */

const char *scratch_parent(void)
{
    const char *parent = getenv("TMPDIR");

    return parent && parent[0] ? parent : "/tmp";
}

const char *scratch_create(void)
{
    int      length = snprintf(path, sizeof path, "%s/%s.XXXXXX", scratch_parent(), message_tool());
    sigset_t all, before;

    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    sigfillset(&all);
    /* no signal may come between the creation and is_there */
    sigprocmask(SIG_SETMASK, &all, &before);
    is_there = mkdtemp(path) != NULL;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return is_there ? path : NULL;
}

/* The record that getdents64() writes, up to the name. */
struct entry {
    uint64_t       inode;
    int64_t        next;
    unsigned short size;
    unsigned char  type;
    char           name[];
};

/*
 * Remove all files of a folder. readdir() allocates, which a signal handler must not do. Removing a
 * file does not move the remaining entries.
 */
static void empty(int folder)
{
    _Alignas(8) char block[4096];
    long             got, at;

    while ((got = syscall(SYS_getdents64, folder, block, sizeof block)) > 0)
        for (at = 0; at < got;) {
            const struct entry *entry = (const struct entry *)(const void *)(block + at);

            if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
                unlinkat(folder, entry->name, 0);
            at += entry->size;
        }
}

void scratch_remove(void)
{
    int folder;

    if (!is_there)
        return;
    folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0) {
        empty(folder);
        close(folder);
    }
    rmdir(path);
    is_there = 0; /* last: a handler in another thread ends the program as soon as is_there is 0 */
}
