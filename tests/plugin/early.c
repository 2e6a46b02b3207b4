/* SPDX-License-Identifier: BSD-3-Clause */

/* A plugin built before policies existed: its struct ends after the algorithms, so the policies
 * must not be read. */

#include <hybridsched/plugin.h>

#include <stddef.h>

HS_PLUGIN_FILE;

static hs_status run(void *data, const hs_instance *in, const hs_settings *settings,
                     hs_schedule **out)
{
    (void)data;
    return hs_solve(hs_algorithm_find("lpt"), in, settings, out);
}

static const hs_algorithm early = {
    .struct_size = sizeof(hs_algorithm),
    .name = "early",
    .run = run,
};

static const hs_algorithm *const   algorithms[] = {&early, NULL};
static const hs_policy_kind *const policies[] = {(const hs_policy_kind *)&early, NULL};

HS_PLUGIN_OFFER = {offsetof(hs_plugin_offer, policies), algorithms, policies};
