/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: links from the page to files; relative, so that the folders can move together. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/escape.h"
#include "exec/html/html.h"

char *html_folder_of(const char *path)
{
    char *copy = strdup(path && strcmp(path, "-") != 0 ? path : "./-");
    char *folder = copy ? realpath(dirname(copy), NULL) : NULL;

    free(copy);
    return folder;
}

/* Write a path percent-encoded for an address. */
static void put_escaped(FILE *out, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-._~/";

    for (; *path; path++)
        fprintf(out, strchr(plain, *path) ? "%c" : "%%%02X", (unsigned char)*path);
}

/* Write the relative path from a folder to a file, both absolute and without symbolic links. */
static void put_way(FILE *out, const char *folder, const char *file)
{
    size_t same = 0, i = 0;

    for (; folder[i] && folder[i] == file[i]; i++)
        if (folder[i] == '/')
            same = i;
    if (!folder[i] && file[i] == '/')
        same = i;
    for (const char *rest = folder + same; *rest; rest++)
        if (*rest == '/' && rest[1])
            fputs("../", out);
    put_escaped(out, file + same + 1);
}

/*
 * Return the path of an attempt's log if it is kept and not empty, else NULL; the caller frees it.
 */
static char *find_log(const page *p, uint32_t task, uint32_t number, bool error)
{
    char        path[EXEC_PATH];
    struct stat about;

    if (!p->job->keeps_logs || !p->folder)
        return NULL;
    hs_exec_log_path(p->job->exec, task, number, error, path, sizeof path);
    return stat(path, &about) == 0 && about.st_size > 0 ? realpath(path, NULL) : NULL;
}

bool html_link(const page *p, uint32_t task, uint32_t number, bool error, const char *text)
{
    char *file = find_log(p, task, number, error);
    bool  found = file != NULL;

    if (file) {
        fputs("<a href=\"", p->out);
        put_way(p->out, p->folder, file);
        fprintf(p->out, "\">%s</a>", text);
    }
    free(file);
    return found;
}
