/* SPDX-License-Identifier: BSD-3-Clause */

/* A shared object that is no plugin. */

#include <hybridsched/export.h>

HS_API int task(const void *nothing);

int task(const void *nothing)
{
    (void)nothing;
    return 0;
}
