/* SPDX-License-Identifier: BSD-3-Clause */

/* A plugin for an unsupported version of the interface. */

#include <hybridsched/export.h>

HS_API extern const unsigned hs_plugin_abi;
HS_API int                   task(const void *nothing);

const unsigned hs_plugin_abi = 99;

int task(const void *nothing)
{
    (void)nothing;
    return 0;
}
