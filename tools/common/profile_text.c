/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts about profiles, in builds with and without SQLite. */
#include <stdio.h>

#include "common/message.h"
#include "common/profile.h"

int profile_refused(hs_status status, const hs_error *error)
{
    message("%s", error->why);
    return status == HS_ENOMEM || status == HS_ERESOURCE ? EXIT_RESOURCE : EXIT_USAGE;
}

void profile_describe(const hs_processor *processor, char text[PROFILE_PROCESSOR])
{
    int length = snprintf(text, PROFILE_PROCESSOR, "%s", processor->model);

    if (processor->cores > 1)
        snprintf(text + length, PROFILE_PROCESSOR - (size_t)length, " (%d cores a worker)",
                 processor->cores);
}
