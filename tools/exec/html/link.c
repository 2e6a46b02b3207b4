/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: links from the page to files, relative, so that folders can move together. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "exec/html/html.h"

char *html_folder_of(const char *path)
{
    char *copy = strdup(path && strcmp(path, "-") != 0 ? path : "./-");
    char *folder = copy ? realpath(dirname(copy), NULL) : NULL;

    free(copy);
    return folder;
}

/* The part of a path that an address has as it is. */
static void put_escaped(FILE *out, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-._~/";

    for (; *path; path++)
        fprintf(out, strchr(plain, *path) ? "%c" : "%%%02X", (unsigned char)*path);
}

/* The way from one folder to a file, both without links and dots. */
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

void html_link(const page *p, const hs_exec_failure *f, const char *text)
{
    char *file = f->log && p->job->keeps_logs && p->folder ? realpath(f->log, NULL) : NULL;

    if (file) {
        fputs("<a href=\"", p->out);
        put_way(p->out, p->folder, file);
        fprintf(p->out, "\">%s</a>", text);
    } else {
        fputs(text, p->out);
    }
    free(file);
}
