/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the entries of a profile into cost models. */
#include "core/error.h"
#include "profile/entry_row.h"
#include "profile/processor.h"

static hs_status merge_row(hs_profile *profile, sqlite3_stmt *row, hs_type type, hs_cost *cost,
                           hs_error *error)
{
    hs_cost_entry entry;
    hs_status     st = HS_EINVAL;

    hs_cost_entry_init(&entry);
    entry.type = type;
    if (hsi_entry_read_key(row, &entry) &&
        hsi_entry_read_statistics(row, HSI_ENTRY_KEY_COLUMNS, &entry))
        st = hs_cost_merge(cost, &entry);
    if (st == HS_EINVAL)
        return hsi_profile_damage(profile, "an entry is out of range", error);
    return hsi_error_set_status(error, st);
}

static hs_status load_processor(hs_profile *profile, const hs_processor *given, hs_type type,
                                hs_cost *cost, hs_error *error)
{
    static const char text[] =
        "SELECT " HSI_ENTRY_KEY ", " HSI_ENTRY_STATISTICS " FROM entry WHERE machine = ?";
    sqlite3_stmt *statement = NULL;
    hs_processor  own;
    sqlite3_int64 id = 0;
    bool          has_row = false;
    hs_status     st = hsi_processor_take(given, type, &own, error);

    if (st == HS_OK)
        st = hsi_processor_find_id(profile, &own, &id, error);
    if (st != HS_OK || id == 0)
        return st;
    st = hsi_profile_prepare(profile, text, &statement, error);
    if (st == HS_OK)
        st = hsi_profile_step(profile, statement, sqlite3_bind_int64(statement, 1, id), &has_row,
                              error);
    while (st == HS_OK && has_row) {
        st = merge_row(profile, statement, type, cost, error);
        if (st == HS_OK)
            st = hsi_profile_step(profile, statement, SQLITE_OK, &has_row, error);
    }
    sqlite3_finalize(statement);
    return st;
}

hs_status hs_profile_load(hs_profile *profile, const hs_processor *cpu, const hs_processor *gpu,
                          hs_cost *cost, hs_error *error)
{
    hs_status st = HS_OK;

    if (!profile || !cost)
        return hsi_profile_misuse("loading needs a profile and cost models", error);
    if (cpu)
        st = load_processor(profile, cpu, HS_CPU, cost, error);
    if (gpu && st == HS_OK)
        st = load_processor(profile, gpu, HS_GPU, cost, error);
    return st;
}
