/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: a folder for what commands print, for the time of the run. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "exec/exec.h"

char *exec_folder_create(void)
{
    static const char name[] = "/hsched-exec.XXXXXX";
    const char       *parent = getenv("TMPDIR");
    char             *path;
    size_t            size;

    if (!parent || !parent[0])
        parent = "/tmp";
    size = strlen(parent) + sizeof name;
    path = malloc(size);
    if (!path)
        return NULL;
    snprintf(path, size, "%s%s", parent, name);
    if (mkdtemp(path))
        return path;
    message("what fails will be shown without its output: no folder for that can be made in "
            "'%s': %s",
            parent, strerror(errno));
    free(path);
    return NULL;
}

void exec_folder_remove(char *folder)
{
    DIR           *dir = folder ? opendir(folder) : NULL;
    struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    if (folder)
        rmdir(folder);
    free(folder);
}
