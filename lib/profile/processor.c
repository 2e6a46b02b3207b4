/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the table `machine`: processor models. */
#include "profile/processor.h"

#include <limits.h>
#include <string.h>

#include "support/sized.h"

static const hs_processor no_processor = {.type = HS_CPU};

void hs_processor_init_sized(hs_processor *processor, size_t size)
{
    hsi_sized_init(processor, size, &no_processor, sizeof no_processor);
}

const char *hsi_processor_type_name(hs_type type)
{
    return type == HS_CPU ? "cpu" : "gpu";
}

hs_status hsi_processor_take(const hs_processor *given, hs_type type, hs_processor *own,
                             hs_error *error)
{
    *own = no_processor;
    if (!given || !hsi_sized_copy_in(own, sizeof *own, given) || own->type != type ||
        (type != HS_CPU && type != HS_GPU) || own->cores < 0 || !*own->model ||
        !memchr(own->model, '\0', sizeof own->model))
        return hsi_profile_misuse("a processor needs its type, a model and a number of cores",
                                  error);
    return HS_OK;
}

/* Fill a caller's structure from a row with type, model, cores. False: the row is damaged. */
static bool read_row(sqlite3_stmt *row, hs_processor *processor)
{
    const char   *type = (const char *)sqlite3_column_text(row, 0);
    const char   *model = (const char *)sqlite3_column_text(row, 1);
    sqlite3_int64 cores = sqlite3_column_int64(row, 2);
    hs_processor  full = no_processor;

    if (!type || !model || !*model || strlen(model) >= sizeof full.model || cores < 0 ||
        cores > INT_MAX || (strcmp(type, "cpu") != 0 && strcmp(type, "gpu") != 0))
        return false;
    full.type = *type == 'c' ? HS_CPU : HS_GPU;
    full.cores = (int)cores;
    strcpy(full.model, model);
    hsi_sized_copy_out(processor, &full, sizeof full);
    return true;
}

hs_status hsi_processor_query(hs_profile *profile, sqlite3_stmt *statement, int binding,
                              hs_processor *processor, uint64_t *number, bool *has_row,
                              hs_error *error)
{
    hs_status st = hsi_profile_step(profile, statement, binding, has_row, error);

    if (st != HS_OK || !*has_row)
        return st;
    if (!read_row(statement, processor))
        return hsi_profile_damage(profile, "a processor is out of range", error);
    *number = (uint64_t)sqlite3_column_int64(statement, 3);
    return HS_OK;
}

int hsi_processor_bind(sqlite3_stmt *statement, const hs_processor *own)
{
    return sqlite3_bind_text(statement, 1, hsi_processor_type_name(own->type), -1, SQLITE_STATIC) +
           sqlite3_bind_text(statement, 2, own->model, -1, SQLITE_STATIC) +
           sqlite3_bind_int(statement, 3, own->cores);
}

hs_status hsi_processor_find_id(hs_profile *profile, const hs_processor *own, sqlite3_int64 *id,
                                hs_error *error)
{
    sqlite3_stmt *statement;
    hs_status     st = hsi_profile_prepare(
            profile, "SELECT id FROM machine WHERE type = ? AND model = ? AND cores = ?", &statement,
            error);

    *id = 0;
    if (st != HS_OK)
        return st;
    return hsi_profile_finish(profile, statement, hsi_processor_bind(statement, own), id, error);
}

hs_status hsi_processor_make_id(hs_profile *profile, const hs_processor *own, sqlite3_int64 *id,
                                hs_error *error)
{
    sqlite3_stmt *statement;
    hs_status     st = hsi_processor_find_id(profile, own, id, error);

    if (st != HS_OK || *id != 0)
        return st;
    st = hsi_profile_prepare(profile, "INSERT INTO machine(type, model, cores) VALUES (?, ?, ?)",
                             &statement, error);
    if (st == HS_OK)
        st =
            hsi_profile_finish(profile, statement, hsi_processor_bind(statement, own), NULL, error);
    *id = sqlite3_last_insert_rowid(profile->database);
    return st;
}
