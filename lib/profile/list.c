/* SPDX-License-Identifier: BSD-3-Clause */
/* The processors of a profile. */
#include "profile/processor.h"

#define ENTRIES "(SELECT count(*) FROM entry WHERE machine = id)"

/* Execute a query for at most one row of type, model, cores, entries. */
static hs_status read_processor(hs_profile *profile, sqlite3_stmt *statement, int binding,
                                hs_processor *processor, uint64_t *entries, bool *has_row,
                                hs_error *error)
{
    hs_status st = hsi_profile_step(profile, statement, binding, has_row, error);

    if (st != HS_OK || !*has_row)
        return st;
    if (!hsi_processor_read_row(statement, processor))
        return hsi_profile_damage(profile, "a processor is out of range", error);
    *entries = (uint64_t)sqlite3_column_int64(statement, 3);
    return HS_OK;
}

hs_status hs_profile_count_processors(hs_profile *profile, size_t *count, hs_error *error)
{
    sqlite3_stmt *statement;
    sqlite3_int64 number = 0;
    hs_status     st;

    if (!profile || !count)
        return hsi_profile_misuse("no profile to count processors in", error);
    st = hsi_profile_prepare(profile,
                             "SELECT count(*) FROM machine WHERE id IN (SELECT machine FROM entry)",
                             &statement, error);
    if (st == HS_OK)
        st = hsi_profile_finish(profile, statement, SQLITE_OK, &number, error);
    if (st == HS_OK)
        *count = (size_t)number;
    return st;
}

hs_status hs_profile_processor_at(hs_profile *profile, size_t index, hs_processor *processor,
                                  uint64_t *entries, hs_error *error)
{
    static const char text[] =
        "SELECT type, model, cores, " ENTRIES " FROM machine "
        "WHERE id IN (SELECT machine FROM entry) ORDER BY id LIMIT 1 OFFSET ?";
    sqlite3_stmt *statement = NULL;
    bool          has_row = false;
    hs_status     st;

    if (!profile || !processor || !entries || index > INT32_MAX)
        return hsi_profile_misuse("no such processor", error);
    st = hsi_profile_prepare(profile, text, &statement, error);
    if (st == HS_OK)
        st = read_processor(profile, statement,
                            sqlite3_bind_int64(statement, 1, (sqlite3_int64)index), processor,
                            entries, &has_row, error);
    if (st == HS_OK && !has_row)
        st = hsi_profile_misuse("no such processor", error);
    sqlite3_finalize(statement);
    return st;
}

hs_status hs_profile_find_processor(hs_profile *profile, const hs_processor *wanted,
                                    hs_processor *found, uint64_t *entries, hs_error *error)
{
    static const char text[] =
        "SELECT type, model, cores, " ENTRIES " AS entries FROM machine "
        "WHERE type = ?1 AND entries > 0 AND (model = ?2 OR 'emulated' NOT IN (model, ?2)) "
        "ORDER BY model = ?2 DESC, cores = ?3 DESC, entries DESC, id LIMIT 1";
    sqlite3_stmt *statement = NULL;
    hs_processor  own;
    bool          has_row = false;
    hs_status     st;

    if (!profile || !wanted || !found || !entries)
        return hsi_profile_misuse("no processor to look for", error);
    *entries = 0;
    st = hsi_processor_take(wanted, wanted->type, &own, error);
    if (st == HS_OK)
        st = hsi_profile_prepare(profile, text, &statement, error);
    if (st == HS_OK)
        st = read_processor(profile, statement, hsi_processor_bind(statement, &own), found, entries,
                            &has_row, error);
    sqlite3_finalize(statement);
    return st;
}
