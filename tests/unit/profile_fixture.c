/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

char         profile_path[64];
hs_processor test_cpu, test_gpu;

static char folder[32];

void set_up_profile(void)
{
    strcpy(folder, "/dev/shm/profile.XXXXXX"); /* in memory, if possible: writes need no disk */
    if (!mkdtemp(folder)) {
        strcpy(folder, "/tmp/profile.XXXXXX");
        ck_assert_ptr_nonnull(mkdtemp(folder));
    }
    snprintf(profile_path, sizeof profile_path, "%s/profile.db", folder);
    hs_processor_init(&test_cpu);
    strcpy(test_cpu.model, "Test CPU @ 1 GHz");
    test_cpu.cores = 1;
    hs_processor_init(&test_gpu);
    test_gpu.type = HS_GPU;
    strcpy(test_gpu.model, "Test GPU");
}

void tear_down_profile(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

hs_features features_of(const char *key, uint64_t what, double size)
{
    hs_features f;

    hs_features_init(&f);
    strcpy(f.key, key);
    f.what = what;
    f.size = size;
    return f;
}

hs_cost *new_cost(void)
{
    hs_cost *cost = NULL;

    ck_assert_int_eq(hs_cost_create(&cost), HS_OK);
    return cost;
}

void observe(hs_cost *cost, hs_type type, hs_features features, double seconds, int64_t date)
{
    ck_assert_int_eq(hs_cost_observe(cost, type, &features, seconds, date), HS_OK);
}

hs_profile *open_profile(void)
{
    hs_profile *profile = NULL;
    hs_error    error = {0};

    ck_assert_msg(hs_profile_open(profile_path, HS_PROFILE_UPDATE, &profile, &error) == HS_OK, "%s",
                  error.why);
    return profile;
}

void flush_to(hs_profile *profile, hs_cost *cost)
{
    hs_error error = {0};

    ck_assert_msg(hs_profile_flush(profile, &test_cpu, &test_gpu, cost, &error) == HS_OK, "%s",
                  error.why);
}

void flush_cost(hs_cost *cost)
{
    hs_profile *profile = open_profile();

    flush_to(profile, cost);
    hs_profile_close(profile);
}

hs_cost *load_cost(void)
{
    hs_profile *profile = open_profile();
    hs_cost    *cost = new_cost();
    hs_error    error = {0};

    ck_assert_msg(hs_profile_load(profile, &test_cpu, &test_gpu, cost, &error) == HS_OK, "%s",
                  error.why);
    hs_profile_close(profile);
    return cost;
}

hs_cost_entry entry_of(const hs_cost *cost, hs_type type, hs_cost_level level,
                       const hs_features *features)
{
    hs_cost_entry entry, none;

    hs_cost_entry_init(&entry);
    hs_cost_entry_init(&none);
    for (size_t i = 0; hs_cost_entry_at(cost, i, &entry); i++) {
        const hs_features *own = &entry.features;

        if (entry.type == type && entry.level == level && own->size == features->size &&
            strcmp(own->key, features->key) == 0 &&
            (level == HS_COST_LEVEL_HISTORY || own->what == features->what))
            return entry;
    }
    return none;
}

double query(const char *text)
{
    sqlite3      *database = NULL;
    sqlite3_stmt *statement = NULL;
    double        number = 0;
    int           code;

    ck_assert_int_eq(sqlite3_open(profile_path, &database), SQLITE_OK);
    sqlite3_busy_timeout(database, 30000);
    ck_assert_int_eq(sqlite3_prepare_v2(database, text, -1, &statement, NULL), SQLITE_OK);
    code = sqlite3_step(statement);
    ck_assert_msg(code == SQLITE_ROW || code == SQLITE_DONE, "%s", sqlite3_errmsg(database));
    if (code == SQLITE_ROW)
        number = sqlite3_column_double(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return number;
}

void assert_integrity(void)
{
    ck_assert_double_eq(query("SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
}

size_t entry_count(const hs_cost *cost)
{
    hs_cost_entry entry;
    size_t        count = 0;

    hs_cost_entry_init(&entry);
    while (hs_cost_entry_at(cost, count, &entry))
        count++;
    return count;
}
