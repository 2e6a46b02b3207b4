/* SPDX-License-Identifier: BSD-3-Clause */
/* The runner's side of the preloaded library (failing_library.c). */
#include "failing_library.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static failing_state *state;
static const char    *library_path, *path_of_state;

bool failing_library_open(const char *library, const char *state_path)
{
    int fd = open(state_path, O_RDWR | O_CREAT | O_TRUNC, 0644);

    library_path = library;
    path_of_state = state_path;
    if (fd < 0 || ftruncate(fd, sizeof *state) != 0)
        return false;
    state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (state == MAP_FAILED)
        state = NULL;
    return state != NULL;
}

void failing_library_begin(void)
{
    if (state)
        *state = (failing_state){0, 0, 0};
}

void failing_library_preload(const failing_call *call)
{
    if (!state || setenv("LD_PRELOAD", library_path, 1) != 0 ||
        setenv(FAILING_STATE, path_of_state, 1) != 0)
        _exit(99);
    state->kind = (uint64_t)call->kind;
    state->at = call->at;
}

unsigned long failing_library_calls(void)
{
    return state ? (unsigned long)state->made : 0;
}
