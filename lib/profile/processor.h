/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PROFILE_PROCESSOR_H
#define HSI_PROFILE_PROCESSOR_H

#include "profile/database.h"

/* Return the name of a type in the table `machine`. */
const char *hsi_processor_type_name(hs_type type);

/*
 * Copy the caller's processor to *own. HS_EINVAL: it is NULL, not of type `type`, has no model or
 * negative cores.
 */
hs_status hsi_processor_take(const hs_processor *given, hs_type type, hs_processor *own,
                             hs_error *error);

/*
 * Execute a query for at most one row of type, model, cores and a number: fill the caller's
 * structure and set *number and *has_row. `binding` as in hsi_profile_step().
 */
hs_status hsi_processor_query(hs_profile *profile, sqlite3_stmt *statement, int binding,
                              hs_processor *processor, uint64_t *number, bool *has_row,
                              hs_error *error);

/* Bind a processor to the parameters 1 to 3 of a statement. Return the sum of the results. */
int hsi_processor_bind(sqlite3_stmt *statement, const hs_processor *own);

/* Find the id of a processor; 0: the profile does not have it. */
hs_status hsi_processor_find_id(hs_profile *profile, const hs_processor *own, sqlite3_int64 *id,
                                hs_error *error);

/* Find or add a processor in a transaction, and set its id. */
hs_status hsi_processor_make_id(hs_profile *profile, const hs_processor *own, sqlite3_int64 *id,
                                hs_error *error);

#endif
