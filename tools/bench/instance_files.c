/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-bench: instances of the recipe `files PATH`: a file, a folder with files *.csv, or a pattern
 * with * and ?. The recipe of such a case is `file PATH` with a hash of the file, so that a changed
 * file is another instance.
 */
#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "common/checked_memory.h"
#include "common/input.h"
#include "common/message.h"

bool bench_reads_files(const char *recipe)
{
    return strncmp(recipe, "files ", 6) == 0;
}

/* Return the first word behind `files`; *options is the rest of the recipe. */
static char *path_of(const char *recipe, const char **options)
{
    const char *path = recipe + 6 + strspn(recipe + 6, " \t");
    size_t      length = strcspn(path, " \t");
    char       *made = checked_calloc(length + 1, 1);

    memcpy(made, path, length);
    *options = path + length + strspn(path + length, " \t");
    return made;
}

static int is_instance_name(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return entry->d_name[0] != '.' && length > 4 &&
           strcmp(entry->d_name + length - 4, ".csv") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static char **list_folder(const char *folder, size_t *count)
{
    struct dirent **entry = NULL;
    int             found = scandir(folder, &entry, is_instance_name, by_name);
    char          **path = checked_calloc((size_t)(found > 0 ? found : 0) + 1, sizeof *path);

    *count = found > 0 ? (size_t)found : 0;
    for (size_t i = 0; i < *count; i++) {
        size_t room = strlen(folder) + strlen(entry[i]->d_name) + 2, length = strlen(folder);

        path[i] = checked_calloc(room, 1);
        snprintf(path[i], room, "%s%s%s", folder, folder[length - 1] == '/' ? "" : "/",
                 entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    return path;
}

static char **list_pattern(const char *pattern, size_t *count)
{
    glob_t found = {0};
    char **path;

    if (glob(pattern, 0, NULL, &found) != 0)
        found.gl_pathc = 0;
    *count = found.gl_pathc;
    path = checked_calloc(*count + 1, sizeof *path);
    for (size_t i = 0; i < *count; i++)
        path[i] = checked_strdup(found.gl_pathv[i]);
    globfree(&found);
    return path;
}

char **bench_list_files(const char *where, const char *recipe, size_t *count)
{
    const char *options;
    char       *path = path_of(recipe, &options), **list;
    struct stat about;

    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        list = list_folder(path, count);
    else
        list = list_pattern(path, count);
    if (*count == 0)
        usage_error("%s: '%s' is no file, no pattern of files and no folder with files *.csv",
                    where, path);
    free(path);
    return list;
}

/* Hash the bytes of a file (FNV-1a). An error ends the program. */
static uint64_t hash_file(const char *path)
{
    uint64_t      hash = UINT64_C(0xcbf29ce484222325);
    unsigned char block[16384];
    input         in;
    ssize_t       got;
    int           code = input_open(path, &in);

    if (code)
        exit(code);
    while ((got = read(in.fd, block, sizeof block)) > 0)
        for (ssize_t i = 0; i < got; i++)
            hash = (hash ^ block[i]) * UINT64_C(0x100000001b3);
    if (got < 0)
        exit(input_status(&in, HS_EIO, NULL));
    input_close(&in);
    return hash;
}

char *bench_file_recipe(const char *recipe, const char *path)
{
    const char *options = bench_file_options(recipe);
    size_t      room = strlen(path) + strlen(options) + 32;
    char       *made = checked_calloc(room, 1);

    snprintf(made, room, "file %s %016llx%s%s", path, (unsigned long long)hash_file(path),
             *options ? " " : "", options);
    return made;
}

const char *bench_file_options(const char *recipe)
{
    const char *options;

    free(path_of(recipe, &options));
    return options;
}
