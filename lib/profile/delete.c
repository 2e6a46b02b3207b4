/* SPDX-License-Identifier: BSD-3-Clause */
/* Deleting entries of a profile. */
#include "profile/entry_row.h"

/* Find the first machine after `last` with more than `most` entries; 0: there is none. */
static hs_status find_large_machine(hs_profile *profile, sqlite3_int64 last, sqlite3_int64 most,
                                    sqlite3_int64 *machine, hs_error *error)
{
    static const char text[] = "SELECT machine FROM entry WHERE machine > ? GROUP BY machine "
                               "HAVING count(*) > ? LIMIT 1";
    sqlite3_stmt     *statement;
    hs_status         st = hsi_profile_prepare(profile, text, &statement, error);

    *machine = 0;
    if (st != HS_OK)
        return st;
    return hsi_profile_finish(profile, statement,
                              sqlite3_bind_int64(statement, 1, last) +
                                  sqlite3_bind_int64(statement, 2, most),
                              machine, error);
}

static hs_status trim_machine(hs_profile *profile, sqlite3_int64 machine, sqlite3_int64 most,
                              hs_error *error)
{
    static const char text[] =
        "DELETE FROM entry WHERE machine = ?1 AND (" HSI_ENTRY_KEY ") IN "
        "(SELECT " HSI_ENTRY_KEY " FROM entry WHERE machine = ?1 ORDER BY last, " HSI_ENTRY_KEY
        " LIMIT max(0, (SELECT count(*) FROM entry WHERE machine = ?1) - ?2))";
    sqlite3_stmt *statement;
    hs_status     st = hsi_profile_prepare(profile, text, &statement, error);

    if (st != HS_OK)
        return st;
    return hsi_profile_finish(profile, statement,
                              sqlite3_bind_int64(statement, 1, machine) +
                                  sqlite3_bind_int64(statement, 2, most),
                              NULL, error);
}

hs_status hs_profile_trim(hs_profile *profile, uint64_t most, hs_error *error)
{
    sqlite3_int64 limit = most < INT64_MAX ? (sqlite3_int64)most : INT64_MAX, machine = 0;
    hs_status     st;

    if (!profile)
        return hsi_profile_misuse("no profile to trim", error);
    do {
        st = find_large_machine(profile, machine, limit, &machine, error);
        if (st == HS_OK && machine != 0)
            st = trim_machine(profile, machine, limit, error);
    } while (st == HS_OK && machine != 0);
    return st;
}

/* Delete entries, by a statement with `key` (may be NULL) as parameter, and count them. */
static hs_status delete_entries(hs_profile *profile, const char *text, const char *key,
                                uint64_t *deleted, hs_error *error)
{
    sqlite3_stmt *statement;
    int           binding = SQLITE_OK;
    hs_status     st = hsi_profile_prepare(profile, text, &statement, error);

    if (st != HS_OK)
        return st;
    if (key)
        binding = sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    st = hsi_profile_finish(profile, statement, binding, NULL, error);
    if (st == HS_OK)
        *deleted += (uint64_t)sqlite3_changes(profile->database);
    return st;
}

hs_status hs_profile_forget(hs_profile *profile, const char *key, uint64_t *deleted,
                            hs_error *error)
{
    uint64_t  count = 0;
    hs_status st;

    if (!profile)
        return hsi_profile_misuse("no profile to delete entries from", error);
    st = hsi_profile_begin(profile, error);
    if (st != HS_OK)
        return st;
    st = delete_entries(profile,
                        key ? "DELETE FROM entry WHERE key = ?" : "DELETE FROM entry", key, &count,
                        error);
    if (st == HS_OK)
        st = hsi_profile_execute(
            profile, "DELETE FROM machine WHERE id NOT IN (SELECT machine FROM entry)", error);
    st = hsi_profile_end(profile, st, error);
    if (st == HS_OK && deleted)
        *deleted = count;
    return st;
}
