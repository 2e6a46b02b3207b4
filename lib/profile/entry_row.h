/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PROFILE_ENTRY_ROW_H
#define HSI_PROFILE_ENTRY_ROW_H

#include "profile/database.h"

/* Columns of the table `entry` in this order, without `machine`: the key, then the statistics. */
#define HSI_ENTRY_KEY "level, key, what, size, flops, bytes_in, bytes_out"
#define HSI_ENTRY_STATISTICS "n, mean, m2, least, last, strange"

enum { HSI_ENTRY_KEY_COLUMNS = 7 };

/*
 * Read the key of an entry from the first columns of a row. False: the row is damaged. The level
 * and the features may be out of range; hs_cost_merge() checks them.
 */
bool hsi_entry_read_key(sqlite3_stmt *row, hs_cost_entry *entry);

/* Read the statistics of an entry from column `first` on. False: the row is damaged. */
bool hsi_entry_read_statistics(sqlite3_stmt *row, int first, hs_cost_entry *entry);

/*
 * Bind the key, or the statistics, of an entry to the parameters from `first` on. Return the sum of
 * the results of sqlite3_bind_*().
 */
int hsi_entry_bind_key(sqlite3_stmt *statement, int first, const hs_cost_entry *entry);
int hsi_entry_bind_statistics(sqlite3_stmt *statement, int first, const hs_cost_entry *entry);

#endif
