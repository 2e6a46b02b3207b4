/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <hybridsched/version.h>

#include "bound/bound.h"
#include "config.h"
#include "core/graph/rest.h"
#include "core/settings.h"
#include "support/sized.h"

/* All bounds, in the order of `--list`, completions and property tests. */
static const hs_bound *const registry[] = {
    &hsi_bound_min_time,
    &hsi_bound_theorem2,
    &hsi_bound_area,
    &hsi_bound_deadline,
    &hsi_bound_critical_path,
    &hsi_bound_place_windows,
    &hsi_bound_place_probes,
#ifdef HAVE_GLPK
    &hsi_bound_allocation,
    &hsi_bound_configuration,
    &hsi_bound_paths,
    &hsi_bound_work_paths,
    &hsi_bound_mip,
#endif
};

bool hs_has_glpk(void)
{
#ifdef HAVE_GLPK
    return true;
#else
    return false;
#endif
}

size_t hs_bound_count(void)
{
    return sizeof registry / sizeof *registry;
}

const hs_bound *hs_bound_at(size_t index)
{
    return index < hs_bound_count() ? registry[index] : NULL;
}

const hs_bound *hs_bound_find(const char *name)
{
    size_t i;

    for (i = 0; name && i < hs_bound_count(); i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    return NULL;
}

const char *hs_bound_name(const hs_bound *bound)
{
    return bound->name;
}

const char *hs_bound_summary(const hs_bound *bound)
{
    return bound->summary;
}

const char *hs_bound_source(const hs_bound *bound)
{
    return bound->source;
}

const char *hs_bound_cost(const hs_bound *bound)
{
    return bound->cost;
}

int hs_bound_supports_available(const hs_bound *bound)
{
    return bound->supports_available;
}

hs_status hs_bound_compute(const hs_bound *bound, const hs_instance *in,
                           const hs_settings *settings, double *value)
{
    return hs_bound_compute_reported(bound, in, settings, value, NULL);
}

void hs_bound_report_init_sized(hs_bound_report *report, size_t size)
{
    memset(report, 0, size);
    report->struct_size = size;
}

/* Compute a bound of the tasks that are not done. */
static hs_status compute_for_rest(const hs_bound *bound, const hs_instance *in,
                                  const hs_settings *settings, double *value,
                                  hs_bound_report *report)
{
    hs_settings its = *settings;
    hsi_rest    rest;
    hs_status   st = hsi_rest_open(&rest, in, settings->skip, settings->skip_worker);

    its.skip = NULL;
    its.skip_worker = NULL;
    if (st == HS_OK)
        st = hs_bound_compute_reported(bound, rest.in, &its, value, report);
    hsi_rest_close(&rest);
    return st;
}

hs_status hs_bound_compute_reported(const hs_bound *bound, const hs_instance *in,
                                    const hs_settings *settings, double *value,
                                    hs_bound_report *report)
{
    hs_settings     resolved;
    hs_bound_report full;
    hs_status       st;

    if (!bound || !in || !value)
        return HS_EINVAL;
    hs_bound_report_init(&full);
    st = hsi_settings_resolve(&resolved, settings);
    if (st == HS_OK && resolved.skip)
        return compute_for_rest(bound, in, &resolved, value, report);
    if (st == HS_OK)
        st = hsi_settings_check_available(&resolved, in, bound->supports_available);
    if (st == HS_OK)
        st = hsi_bound_run(bound, in, &resolved, value, &full);
    if (st == HS_OK && report)
        hsi_sized_copy_out(report, &full, sizeof full);
    return st;
}
