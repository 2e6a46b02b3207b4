/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the table `entry`: statistics of equal executions. */
#include "profile/entry_row.h"

#include <math.h>
#include <string.h>

/* Return whether the columns from `first` on have these types: i integer, r real, t text. */
static bool has_types(sqlite3_stmt *row, int first, const char *types)
{
    for (int i = 0; types[i]; i++) {
        int type = sqlite3_column_type(row, first + i);

        if (type != (types[i] == 'i'   ? SQLITE_INTEGER
                     : types[i] == 'r' ? SQLITE_FLOAT
                                       : SQLITE_TEXT))
            return false;
    }
    return true;
}

bool hsi_entry_read_key(sqlite3_stmt *row, hs_cost_entry *entry)
{
    bool         is_typed = has_types(row, 0, "itirrrr");
    const char  *key = (const char *)sqlite3_column_text(row, 1);
    hs_features *f = &entry->features;

    if (!is_typed || !key || strlen(key) >= sizeof f->key)
        return false;
    entry->level = (hs_cost_level)sqlite3_column_int(row, 0);
    strcpy(f->key, key);
    f->what = (uint64_t)sqlite3_column_int64(row, 2);
    f->size = sqlite3_column_double(row, 3);
    f->flops = sqlite3_column_double(row, 4);
    f->bytes_in = sqlite3_column_double(row, 5);
    f->bytes_out = sqlite3_column_double(row, 6);
    return true;
}

bool hsi_entry_read_statistics(sqlite3_stmt *row, int first, hs_cost_entry *entry)
{
    bool          is_typed = has_types(row, first, "rrrrii");
    sqlite3_int64 strange = sqlite3_column_int64(row, first + 5);

    entry->runs = sqlite3_column_double(row, first);
    entry->mean = sqlite3_column_double(row, first + 1);
    entry->m2 = sqlite3_column_double(row, first + 2);
    entry->least = sqlite3_column_double(row, first + 3);
    entry->last = sqlite3_column_int64(row, first + 4);
    entry->strange = (uint64_t)strange;
    return is_typed && strange >= 0 && entry->runs >= 0 && isfinite(entry->runs) &&
           entry->m2 >= 0 && isfinite(entry->m2) && entry->least >= 0 && isfinite(entry->least) &&
           (entry->runs == 0 || (entry->mean > 0 && isfinite(entry->mean)));
}

int hsi_entry_bind_key(sqlite3_stmt *statement, int first, const hs_cost_entry *entry)
{
    const hs_features *f = &entry->features;

    return sqlite3_bind_int(statement, first, entry->level) +
           sqlite3_bind_text(statement, first + 1, f->key, -1, SQLITE_STATIC) +
           sqlite3_bind_int64(statement, first + 2, (sqlite3_int64)f->what) +
           sqlite3_bind_double(statement, first + 3, f->size) +
           sqlite3_bind_double(statement, first + 4, f->flops) +
           sqlite3_bind_double(statement, first + 5, f->bytes_in) +
           sqlite3_bind_double(statement, first + 6, f->bytes_out);
}

int hsi_entry_bind_statistics(sqlite3_stmt *statement, int first, const hs_cost_entry *entry)
{
    return sqlite3_bind_double(statement, first, entry->runs) +
           sqlite3_bind_double(statement, first + 1, entry->mean) +
           sqlite3_bind_double(statement, first + 2, entry->m2) +
           sqlite3_bind_double(statement, first + 3, entry->least) +
           sqlite3_bind_int64(statement, first + 4, entry->last) +
           sqlite3_bind_int64(statement, first + 5, (sqlite3_int64)entry->strange);
}
