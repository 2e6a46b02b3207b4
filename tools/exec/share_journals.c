/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --share: the journals of the shares, JOURNAL.1of8 to JOURNAL.8of8. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"
#include "common/message.h"
#include "exec/share.h"

char *exec_share_journal(const char *journal, exec_share share)
{
    size_t size = strlen(journal) + 32;
    char  *path = checked_calloc(size, 1);

    snprintf(path, size, "%s.%uof%u", journal, share.index, share.count);
    return path;
}

bool exec_share_of_journal(const char *journal, const char *path, exec_share *share)
{
    size_t     length = strlen(journal);
    exec_share found;
    char      *again;
    bool       same;

    if (strncmp(path, journal, length) != 0 ||
        sscanf(path + length, ".%uof%u", &found.index, &found.count) != 2)
        return false;
    again = exec_share_journal(journal, found);
    same = strcmp(again, path) == 0 && found.index >= 1 && found.index <= found.count;
    free(again);
    if (same)
        *share = found;
    return same;
}

static void add(exec_journal_list *list, const char *path)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        char **more = checked_calloc(room, sizeof *more);

        if (list->count > 0)
            memcpy(more, list->path, list->count * sizeof *more);
        free(list->path);
        list->path = more;
        list->room = room;
    }
    list->path[list->count++] = checked_strdup(path);
}

/* Add the journals of shares in an open folder, whose name is the first `head` bytes of `journal`. */
static void add_from(DIR *folder, const char *journal, size_t head, const char *own,
                     exec_journal_list *list)
{
    const struct dirent *entry;
    exec_share           share;

    while ((entry = readdir(folder))) {
        size_t size = head + strlen(entry->d_name) + 1;
        char  *path = checked_calloc(size, 1);

        snprintf(path, size, "%.*s%s", (int)head, journal, entry->d_name);
        if (exec_share_of_journal(journal, path, &share) && strcmp(path, own) != 0)
            add(list, path);
        free(path);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int exec_share_list(const char *journal, const char *own, exec_journal_list *list)
{
    const char *slash = strrchr(journal, '/');
    size_t      head = slash ? (size_t)(slash - journal) + 1 : 0;
    char       *name = checked_calloc(head + 2, 1);
    DIR        *folder;
    int         code = EXIT_OK;

    *list = (exec_journal_list){.path = NULL};
    snprintf(name, head + 2, "%.*s", head ? (int)head : 1, head ? journal : ".");
    folder = opendir(name);
    if (folder) {
        add_from(folder, journal, head, own, list);
        closedir(folder);
    } else if (errno != ENOENT && errno != ENOTDIR) {
        message("cannot list the journals in the folder '%s': %s", name, strerror(errno));
        code = EXIT_USAGE;
    }
    free(name);
    if (strcmp(journal, own) != 0)
        add(list, journal);
    if (list->count > 1)
        qsort(list->path, list->count, sizeof *list->path, by_text);
    return code;
}

size_t exec_share_sort_idle(const char *journal, unsigned shares, exec_journal_list *list)
{
    char **others = checked_calloc(list->count + 1, sizeof *others);
    size_t idle = 0, rest = 0;

    for (size_t i = 0; i < list->count; i++) {
        exec_share share = {0};

        if (exec_share_of_journal(journal, list->path[i], &share) && share.count == shares)
            others[rest++] = list->path[i];
        else
            list->path[idle++] = list->path[i];
    }
    for (size_t i = 0; i < rest; i++)
        list->path[idle + i] = others[i];
    free(others);
    return idle;
}

void exec_share_free_list(exec_journal_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->path[i]);
    free(list->path);
    *list = (exec_journal_list){.path = NULL};
}
