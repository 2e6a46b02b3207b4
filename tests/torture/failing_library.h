/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_TORTURE_FAILING_LIBRARY_H
#define TESTS_TORTURE_FAILING_LIBRARY_H

#include <stdint.h>

#include "failing_call.h"

/* State shared with the preloaded library through the file that FAILING_STATE names. */
typedef struct failing_state {
    uint64_t kind, at, made; /* calls made so far */
} failing_state;

#define FAILING_STATE "HS_TEST_FAILING_STATE"

/* Tell the runner where the library is, and make the file of the state. Return false if not possible. */
bool failing_library_open(const char *library, const char *state_path);

/* In the runner before a run; in the new process before exec; in the runner after the run. */
void failing_library_begin(void);
void failing_library_preload(const failing_call *call);
unsigned long failing_library_calls(void);

#endif
