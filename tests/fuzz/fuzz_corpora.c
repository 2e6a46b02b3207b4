/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Run each target of the fuzzer on its corpus, without the fuzzer: inputs that once revealed a
 * fault, and some to start from. Readers also read all files of tests/reader/cases. Arguments: a
 * target and files, to run only these; or --list, to print the names of the targets.
 */

#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>

static size_t inputs;

/* Run the target on a file; return false if there is no such file. */
static bool run_file(const fuzz_target *target, const char *path)
{
    FILE    *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t   size = 0, room = 0, got;

    if (!file)
        return false;
    do {
        if (room == size)
            data = realloc(data, room = 2 * room + 4096);
        FUZZ_REQUIRE(data, "out of memory");
        size += got = fread(data + size, 1, room - size, file);
    } while (got > 0);
    fclose(file);
    target->run(data, size);
    free(data);
    inputs++;
    return true;
}

/* Run the target on the files FOLDER/NAME and FOLDER/NAME/input.csv of every NAME; the folder may be
 * missing. */
static void run_folder(const fuzz_target *target, const char *folder)
{
    struct dirent **names = NULL;
    int             count = scandir(folder, &names, NULL, alphasort);
    char            path[PATH_MAX];

    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;

        if (name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s/input.csv", folder, name);
            if (!run_file(target, path)) {
                snprintf(path, sizeof path, "%s/%s", folder, name);
                run_file(target, path);
            }
        }
        free(names[i]);
    }
    free(names);
}

/* Run the target on its corpus. */
static void run_corpus(const fuzz_target *target)
{
    const char *srcdir = getenv("srcdir") ? getenv("srcdir") : ".";
    char        folder[PATH_MAX];

    inputs = 0;
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", srcdir, target->name);
    run_folder(target, folder);
    if (target->reads_text) {
        snprintf(folder, sizeof folder, "%s/tests/reader/cases", srcdir);
        run_folder(target, folder);
    }
    printf("fuzz: %s: %zu inputs\n", target->name, inputs);
    fflush(stdout);
    FUZZ_REQUIRE(inputs > 0, "%s has no corpus; srcdir is %s", target->name, srcdir);
}

int main(int argc, char **argv)
{
    bool              list = argc == 2 && strcmp(argv[1], "--list") == 0;
    const fuzz_target *only = argc > 1 && !list ? fuzz_target_find(argv[1]) : NULL;

    FUZZ_REQUIRE(argc == 1 || list || only, "%s is no target", argv[1]);
    for (const fuzz_target *target = fuzz_targets; target->name && !only; target++)
        if (list)
            puts(target->name);
        else
            run_corpus(target);
    if (only && argc == 2)
        run_corpus(only);
    for (int i = 2; i < argc; i++)
        FUZZ_REQUIRE(run_file(only, argv[i]), "%s: no such file", argv[i]);
    return EXIT_SUCCESS;
}
