/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the entries of a profile into cost models. */
#include "core/error.h"
#include "profile/entry_row.h"
#include "profile/processor.h"
#include "support/sized.h"

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

/* Keys that the processor with the id in parameter 2 has. */
#define OWN_KEYS "(SELECT key FROM entry WHERE machine = ?2 AND level = 1)"

/* Merge the entries of processor `id` whose keys processor `own` (0: none) does not have. */
static hs_status load_entries(hs_profile *profile, sqlite3_int64 id, sqlite3_int64 own,
                              hs_type type, hs_cost *cost, hs_error *error)
{
    static const char text[] = "SELECT " HSI_ENTRY_KEY ", " HSI_ENTRY_STATISTICS
                               " FROM entry WHERE machine = ?1 AND key NOT IN " OWN_KEYS;
    sqlite3_stmt *statement = NULL;
    bool          has_row = false;
    hs_status     st = hsi_profile_prepare(profile, text, &statement, error);

    if (st == HS_OK)
        st = hsi_profile_step(
            profile, statement,
            sqlite3_bind_int64(statement, 1, id) + sqlite3_bind_int64(statement, 2, own), &has_row,
            error);
    while (st == HS_OK && has_row) {
        st = merge_row(profile, statement, type, cost, error);
        if (st == HS_OK)
            st = hsi_profile_step(profile, statement, SQLITE_OK, &has_row, error);
    }
    sqlite3_finalize(statement);
    return st;
}

/* Copy the caller's processor and find its id; 0: the profile does not have it. */
static hs_status identify(hs_profile *profile, const hs_processor *given, hs_type type,
                          hs_processor *own, sqlite3_int64 *id, hs_error *error)
{
    hs_status st = hsi_processor_take(given, type, own, error);

    return st == HS_OK ? hsi_processor_find_id(profile, own, id, error) : st;
}

static hs_status load_processor(hs_profile *profile, const hs_processor *given, hs_type type,
                                hs_cost *cost, hs_error *error)
{
    hs_processor  own;
    sqlite3_int64 id = 0;
    hs_status     st = identify(profile, given, type, &own, &id, error);

    return st == HS_OK && id != 0 ? load_entries(profile, id, 0, type, cost, error) : st;
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

/* Find the processor that serves `own` best, and count its keys that `own` does not have. */
static hs_status find_similar(hs_profile *profile, const hs_processor *own, sqlite3_int64 own_id,
                              hs_processor *from, uint64_t *keys, hs_error *error)
{
    static const char text[] =
        "SELECT type, model, cores, (SELECT count(DISTINCT key) FROM entry WHERE machine = id AND "
        "level = 1 AND key NOT IN " OWN_KEYS ") AS keys FROM machine WHERE id <> ?2 AND type = ?1 "
        "AND keys > 0 AND 'emulated' NOT IN (model, ?3) ORDER BY model = ?3 DESC, "
        "(SELECT count(*) FROM entry WHERE machine = id) DESC, id LIMIT 1";
    sqlite3_stmt *statement = NULL;
    bool          has_row = false;
    hs_status     st = hsi_profile_prepare(profile, text, &statement, error);

    if (st == HS_OK)
        st = hsi_processor_query(
            profile, statement,
            sqlite3_bind_text(statement, 1, hsi_processor_type_name(own->type), -1, SQLITE_STATIC) +
                sqlite3_bind_int64(statement, 2, own_id) +
                sqlite3_bind_text(statement, 3, own->model, -1, SQLITE_STATIC),
            from, keys, &has_row, error);
    sqlite3_finalize(statement);
    return st;
}

hs_status hs_profile_load_similar(hs_profile *profile, const hs_processor *own, hs_cost *cost,
                                  hs_processor *from, uint64_t *keys, hs_error *error)
{
    hs_processor  processor, found;
    sqlite3_int64 own_id = 0, id = 0;
    hs_status     st;

    if (!profile || !own || !cost || !from || !keys)
        return hsi_profile_misuse("loading needs a profile, a processor and cost models", error);
    *keys = 0;
    hs_processor_init(&found);
    st = identify(profile, own, own->type, &processor, &own_id, error);
    if (st == HS_OK)
        st = find_similar(profile, &processor, own_id, &found, keys, error);
    if (st != HS_OK || *keys == 0)
        return st;
    st = hsi_processor_find_id(profile, &found, &id, error);
    if (st == HS_OK)
        st = load_entries(profile, id, own_id, found.type, cost, error);
    if (st == HS_OK)
        hsi_sized_copy_out(from, &found, sizeof found);
    return st;
}
