/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles in a build without SQLite: a profile is always empty and stores nothing. */
#include <string.h>

#include "common/message.h"
#include "common/profile.h"

bool profile_is_supported(void)
{
    return false;
}

int profile_open(times_profile *p, const char *path, hs_profile_access access, unsigned cores,
                 const char *gpu)
{
    (void)access;
    (void)cores;
    (void)gpu;
    *p = (times_profile){.path = path};
    if (strcmp(path, ":memory:") != 0) {
        message("--profile=%s: this build has no SQLite, so it keeps no profiles", path);
        return EXIT_USAGE;
    }
    return hs_cost_create(&p->known) == HS_OK ? EXIT_OK : message_status(HS_ENOMEM, path);
}

int profile_load(times_profile *p, bool quiet)
{
    (void)p;
    (void)quiet;
    return EXIT_OK;
}

hs_status profile_write(times_profile *p, hs_cost *cost, hs_error *error)
{
    (void)p;
    (void)error;
    hs_cost_clear_fresh(cost);
    return HS_OK;
}

hs_status profile_replace_entries(times_profile *p, hs_cost *cost, hs_error *error)
{
    return profile_write(p, cost, error);
}

hs_status profile_trim(times_profile *p, hs_error *error)
{
    (void)p;
    (void)error;
    return HS_OK;
}

hs_status profile_processor_at(times_profile *p, size_t index, hs_processor *processor,
                               hs_cost **cost, hs_error *error)
{
    (void)p;
    (void)index;
    (void)processor;
    (void)cost;
    (void)error;
    return HS_EINVAL;
}

hs_status profile_forget(times_profile *p, const char *key, uint64_t *deleted, hs_error *error)
{
    (void)p;
    (void)key;
    (void)error;
    *deleted = 0;
    return HS_OK;
}

void profile_close(times_profile *p)
{
    hs_cost_free(p->known);
    *p = (times_profile){0};
}
