/* SPDX-License-Identifier: BSD-3-Clause */

/* The entry of libFuzzer; HS_FUZZ in the environment names the target. */

#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const fuzz_target *target;

    if (!target) {
        const char *name = getenv("HS_FUZZ");

        target = name ? fuzz_target_find(name) : NULL;
        FUZZ_REQUIRE(target, "HS_FUZZ names no target");
    }
    target->run(data, size);
    return 0;
}
