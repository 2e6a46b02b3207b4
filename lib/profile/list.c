/* SPDX-License-Identifier: BSD-3-Clause */
/* The processors of a profile. */
#include "profile/processor.h"

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
        "SELECT type, model, cores, (SELECT count(*) FROM entry WHERE machine = id) FROM machine "
        "WHERE id IN (SELECT machine FROM entry) ORDER BY id LIMIT 1 OFFSET ?";
    sqlite3_stmt *statement = NULL;
    bool          has_row = false;
    hs_status     st;

    if (!profile || !processor || !entries || index > INT32_MAX)
        return hsi_profile_misuse("no such processor", error);
    st = hsi_profile_prepare(profile, text, &statement, error);
    if (st == HS_OK)
        st = hsi_processor_query(profile, statement,
                                 sqlite3_bind_int64(statement, 1, (sqlite3_int64)index), processor,
                                 entries, &has_row, error);
    if (st == HS_OK && !has_row)
        st = hsi_profile_misuse("no such processor", error);
    sqlite3_finalize(statement);
    return st;
}
