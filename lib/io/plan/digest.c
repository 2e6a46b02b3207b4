/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The digest of a plan, as hsched-formats(5) defines it: a sum of the digests of the instance, the
 * header and the executions, so that the order of the rows does not matter.
 */
#include <hybridsched/io.h>

#include "core/digest.h"
#include "io/plan/plan_info.h"

static uint64_t header_digest(const hs_instance *in, const hs_plan_info *info)
{
    static const char magic[] = "hybridsched-plan-1";
    uint64_t          h = hsi_digest_bytes(HSI_FNV_BASIS, magic, sizeof magic);
    const char       *key, *value;

    for (size_t i = 0; (key = hs_instance_note(in, i, &value)); i++)
        h = hsi_digest_string(hsi_digest_string(h, key), value);
    h = hsi_digest_string(h, info->algorithm);
    h = hsi_digest_number(h, info->has_seed != 0, 1);
    h = hsi_digest_number(h, info->has_seed ? info->seed : 0, 8);
    for (unsigned i = 0; i < info->bound_count; i++) {
        h = hsi_digest_string(h, info->bounds[i].name);
        h = hsi_digest_double(h, info->bounds[i].value + 0.0); /* + 0.0 turns -0 into 0 */
    }
    return hsi_digest_finish(h);
}

static uint64_t entry_digest(const hs_instance *in, unsigned worker, const hs_entry *entry)
{
    char     name[HS_MAX_ID + 16];
    size_t   length = hs_instance_name(in, entry->task, name, sizeof name);
    uint64_t h = hsi_digest_bytes(HSI_FNV_BASIS, name, length + 1);

    h = hsi_digest_number(h, worker, 4);
    h = hsi_digest_double(h, entry->start + 0.0);
    h = hsi_digest_double(h, entry->end + 0.0);
    return hsi_digest_finish(hsi_digest_number(h, entry->state == HS_ABORTED, 1));
}

uint64_t hsi_plan_digest(const hs_instance *in, const hs_schedule *s, const hs_plan_info *info)
{
    unsigned workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);
    uint64_t sum = info->digest + header_digest(in, info);

    for (unsigned w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        for (size_t i = 0; i < count; i++)
            sum += entry_digest(in, w, &entries[i]);
    }
    return hsi_digest_finish(sum);
}

uint64_t hs_plan_digest(const hs_instance *in, const hs_schedule *s, const hs_plan_info *info)
{
    hs_plan_info full;

    if (hsi_plan_info_resolve(&full, info, NULL) != HS_OK)
        return 0;
    if (!full.has_digest)
        full.digest = hs_instance_digest(in);
    return hsi_plan_digest(in, s, &full);
}
