/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Run a target on an input of any bytes. A broken promise ends the process by abort(). */
typedef void fuzz_function(const uint8_t *data, size_t size);

typedef struct fuzz_target {
    const char    *name; /* also the name of the target's folder in tests/fuzz/corpus */
    fuzz_function *run;
    bool           reads_text; /* whether the target reads files like those of tests/reader/cases */
} fuzz_target;

/* All targets of this build; the last has no name. */
extern const fuzz_target fuzz_targets[];

fuzz_function fuzz_affinities, fuzz_campaign, fuzz_certificate, fuzz_commands, fuzz_dot,
    fuzz_instance, fuzz_journal, fuzz_kernels, fuzz_npy, fuzz_plan, fuzz_solve,
    fuzz_starpu_models, fuzz_starpu_tasks, fuzz_stg, fuzz_wfcommons;

/* Return the target of that name, or NULL. */
const fuzz_target *fuzz_target_find(const char *name);

/* Return the path and descriptor of a file in memory with this content, at its begin. The next call
 * reuses the file. */
int         fuzz_file(const uint8_t *data, size_t size);
const char *fuzz_file_path(void);

/* Discard what the program prints on stderr, or print again. Sanitizers print in any case. */
void fuzz_mute(bool mute);

/* Return a zero-terminated copy, to be freed. */
char *fuzz_text(const uint8_t *data, size_t size);

/* End the process with a message, unless the condition holds. */
#define FUZZ_REQUIRE(holds, ...)                              \
    do {                                                      \
        if (!(holds)) {                                       \
            fprintf(stderr, "fuzz: broken promise: " __VA_ARGS__); \
            fputc('\n', stderr);                              \
            abort();                                          \
        }                                                     \
    } while (0)

#endif
