/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing the executions of cost models to a profile. */
#include "profile/entry_row.h"
#include "profile/processor.h"

/* A flush in progress. */
typedef struct flush {
    hs_profile   *profile;
    hs_error     *error;
    hs_processor  processors[2]; /* by hs_type */
    bool          given[2];      /* true: the caller named the processor */
    sqlite3_int64 ids[2];        /* ids of the processors; 0: not looked up */
    sqlite3_stmt *find, *put;
    bool          replaces; /* true: all entries are written, in place of those in the file */
} flush;

/* Iterate over the entries to be written. */
static bool entry_at(const flush *f, const hs_cost *cost, size_t index, hs_cost_entry *entry)
{
    if (!f->replaces)
        return hs_cost_fresh_at(cost, index, entry);
    if (!hs_cost_entry_at(cost, index, entry))
        return false;
    entry->restarted = true;
    return true;
}

static bool has_executions(const hs_cost_entry *entry)
{
    return entry->runs > 0 || entry->strange > 0;
}

/* Merge the statistics in the file, if any, with those of `fresh`. */
static hs_status merge_stored(flush *f, sqlite3_int64 id, const hs_cost_entry *fresh,
                              hs_cost_entry *sum)
{
    bool      has_row;
    bool      is_valid = true;
    int       binding = sqlite3_bind_int64(f->find, 1, id) + hsi_entry_bind_key(f->find, 2, fresh);
    hs_status st = hsi_profile_step(f->profile, f->find, binding, &has_row, f->error);

    *sum = *fresh;
    if (st != HS_OK || !has_row)
        return st;
    is_valid = hsi_entry_read_statistics(f->find, 0, sum);
    hs_cost_entry_merge(sum, fresh);
    sqlite3_reset(f->find);
    return is_valid ? HS_OK : hsi_profile_damage(f->profile, "an entry is out of range", f->error);
}

static hs_status flush_entry(flush *f, const hs_cost_entry *fresh)
{
    sqlite3_int64 *id = &f->ids[fresh->type];
    hs_cost_entry  sum;
    bool           has_row;
    int            binding;
    hs_status      st = HS_OK;

    if (!f->given[fresh->type])
        return hsi_profile_misuse("an execution was observed on a type without a processor",
                                  f->error);
    if (*id == 0)
        st = hsi_processor_make_id(f->profile, &f->processors[fresh->type], id, f->error);
    if (st == HS_OK)
        st = merge_stored(f, *id, fresh, &sum);
    if (st != HS_OK)
        return st;
    binding = sqlite3_bind_int64(f->put, 1, *id) + hsi_entry_bind_key(f->put, 2, &sum) +
              hsi_entry_bind_statistics(f->put, 2 + HSI_ENTRY_KEY_COLUMNS, &sum);
    return hsi_profile_step(f->profile, f->put, binding, &has_row, f->error);
}

/* Write the entries from index `first` on. */
static hs_status flush_entries(flush *f, const hs_cost *cost, size_t first)
{
    hs_cost_entry entry;
    hs_status     st;

    st = hsi_profile_prepare(f->profile,
                             "SELECT " HSI_ENTRY_STATISTICS " FROM entry WHERE machine = ? AND "
                             "(" HSI_ENTRY_KEY ") = (?, ?, ?, ?, ?, ?, ?)",
                             &f->find, f->error);
    if (st == HS_OK)
        st = hsi_profile_prepare(f->profile,
                                 "REPLACE INTO entry(machine, " HSI_ENTRY_KEY
                                 ", " HSI_ENTRY_STATISTICS
                                 ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                 &f->put, f->error);
    hs_cost_entry_init(&entry);
    for (size_t i = first; st == HS_OK && entry_at(f, cost, i, &entry); i++)
        if (has_executions(&entry))
            st = flush_entry(f, &entry);
    sqlite3_finalize(f->find);
    sqlite3_finalize(f->put);
    return st;
}

/* Find the first entry to be written. False: there is none. */
static bool find_first(const flush *f, const hs_cost *cost, size_t *first)
{
    hs_cost_entry entry;

    hs_cost_entry_init(&entry);
    for (*first = 0; entry_at(f, cost, *first, &entry); ++*first)
        if (has_executions(&entry))
            return true;
    return false;
}

static hs_status take_processor(flush *f, const hs_processor *given, hs_type type)
{
    if (!given)
        return HS_OK;
    f->given[type] = true;
    return hsi_processor_take(given, type, &f->processors[type], f->error);
}

/* Write entries in one transaction; *f has the profile, and which entries to write. */
static hs_status write_entries(flush *f, const hs_processor *cpu, const hs_processor *gpu,
                               hs_cost *cost)
{
    size_t    first;
    hs_status st;

    if (!f->profile || !cost)
        return hsi_profile_misuse("a flush needs a profile and cost models", f->error);
    st = take_processor(f, cpu, HS_CPU);
    if (st == HS_OK)
        st = take_processor(f, gpu, HS_GPU);
    if (st != HS_OK || !find_first(f, cost, &first))
        return st;
    st = hsi_profile_begin(f->profile, f->error);
    if (st == HS_OK)
        st = hsi_profile_end(f->profile, flush_entries(f, cost, first), f->error);
    if (st == HS_OK)
        hs_cost_clear_fresh(cost);
    return st;
}

hs_status hs_profile_flush(hs_profile *profile, const hs_processor *cpu, const hs_processor *gpu,
                           hs_cost *cost, hs_error *error)
{
    flush f = {.profile = profile, .error = error};

    return write_entries(&f, cpu, gpu, cost);
}

hs_status hs_profile_replace_entries(hs_profile *profile, const hs_processor *cpu,
                                     const hs_processor *gpu, hs_cost *cost, hs_error *error)
{
    flush f = {.profile = profile, .error = error, .replaces = true};

    return write_entries(&f, cpu, gpu, cost);
}
