/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config.h"

const fuzz_target fuzz_targets[] = {
    {"affinities", fuzz_affinities, true},
    {"campaign", fuzz_campaign, true},
#ifdef HAVE_GMP
    {"certificate", fuzz_certificate, false},
#endif
    {"commands", fuzz_commands, true},
    {"dot", fuzz_dot, true},
    {"instance", fuzz_instance, true},
    {"journal", fuzz_journal, true},
    {"kernels", fuzz_kernels, true},
    {"npy", fuzz_npy, true},
    {"plan", fuzz_plan, true},
    {"solve", fuzz_solve, false},
    {"starpu-models", fuzz_starpu_models, true},
    {"starpu-tasks", fuzz_starpu_tasks, true},
    {"stg", fuzz_stg, true},
    {"wfcommons", fuzz_wfcommons, true},
    {NULL, NULL, false},
};

const fuzz_target *fuzz_target_find(const char *name)
{
    for (const fuzz_target *target = fuzz_targets; target->name; target++)
        if (strcmp(target->name, name) == 0)
            return target;
    return NULL;
}

static int file = -1;

int fuzz_file(const uint8_t *data, size_t size)
{
    if (file < 0)
        file = memfd_create("input", MFD_CLOEXEC);
    FUZZ_REQUIRE(file >= 0 && ftruncate(file, 0) == 0 &&
                     pwrite(file, data, size, 0) == (ssize_t)size && lseek(file, 0, SEEK_SET) == 0,
                 "no file in memory");
    return file;
}

const char *fuzz_file_path(void)
{
    static char path[32];

    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

void fuzz_mute(bool mute)
{
    static FILE *own, *nowhere;

    if (!own) {
        own = stderr;
        nowhere = fopen("/dev/null", "w");
        FUZZ_REQUIRE(nowhere, "no /dev/null");
    }
    stderr = mute ? nowhere : own; /* sanitizers use the descriptor */
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    FUZZ_REQUIRE(text, "out of memory");
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}
