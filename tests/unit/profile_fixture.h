/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PROFILE_FIXTURE_H
#define TESTS_PROFILE_FIXTURE_H

#include <hybridsched/profile.h>
#include <sqlite3.h>

/* A profile in a new folder, and two processors. */
extern char         profile_path[64];
extern hs_processor test_cpu, test_gpu;

/* Create the folder and set the processors; delete the folder. */
void set_up_profile(void);
void tear_down_profile(void);

hs_features features_of(const char *key, uint64_t what, double size);
hs_cost    *new_cost(void);

/* Observe an execution of `seconds`, which must succeed. */
void observe(hs_cost *cost, hs_type type, hs_features features, double seconds, int64_t date);

/* Open the file `profile_path` for updates, which must succeed. */
hs_profile *open_profile(void);

/* Merge the fresh executions into a profile, which must succeed. */
void flush_to(hs_profile *profile, hs_cost *cost);

/* Open the file `profile_path`, merge the fresh executions into it, and close it. */
void flush_cost(hs_cost *cost);

/* Load the entries of test_cpu and test_gpu from the file `profile_path`. */
hs_cost *load_cost(void);

/* Find the entry of these features; runs 0: there is none. */
hs_cost_entry entry_of(const hs_cost *cost, hs_type type, hs_cost_level level,
                       const hs_features *features);

/* Return the number of entries. */
size_t entry_count(const hs_cost *cost);

/* Execute SQL in the file, and return the number in the first column of the first row, or 0. */
double query(const char *text);

/* Check that SQLite finds no damage in the file. */
void assert_integrity(void);

#endif
