/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "core/error.h"
#include "io/text/csv_write.h"
#include "io/plan/plan_info.h"

static void put_double_line(hsi_output *out, const char *line, double value)
{
    hsi_output_text(out, line);
    hsi_output_double(out, value);
    hsi_output_char(out, '\n');
}

static void put_digest(hsi_output *out, const char *key, uint64_t digest)
{
    char text[24];

    snprintf(text, sizeof text, "%016llx", (unsigned long long)digest);
    hsi_put_note(out, key, text);
}

static void put_header(hsi_output *out, const hs_instance *in, const hsi_cell_list *list,
                       const hs_plan_info *info)
{
    hsi_put_instance_lines(out, in, "plan");
    /* always written, because readers need it: see io/plan/plan_header.h */
    hsi_put_note(out, "algorithm", info->algorithm);
    if (info->has_seed) {
        hsi_output_text(out, "# seed ");
        hsi_output_u64(out, info->seed);
        hsi_output_char(out, '\n');
    }
    put_double_line(out, "# makespan ", info->makespan);
    for (unsigned i = 0; i < info->bound_count; i++) {
        hsi_output_text(out, "# bound ");
        hsi_output_text(out, info->bounds[i].name);
        put_double_line(out, " ", info->bounds[i].value);
    }
    put_digest(out, "instance-digest", info->digest);
    put_digest(out, "plan-digest", info->plan_digest);
    hsi_output_text(out, "id,worker,start,end,state,");
    if (hs_instance_has_graph(in))
        hsi_output_text(out, "row,");
    hsi_put_column_names(out, list);
}

static void put_entry(hsi_output *out, const hs_instance *in, hsi_cell_list *list,
                      const char *worker, const hs_entry *entry)
{
    char   name[HS_MAX_ID + 16];
    size_t length = hs_instance_name(in, entry->task, name, sizeof name);
    size_t row = hs_instance_row_of(in, entry->task);

    hsi_put_text(out, name, length);
    hsi_output_char(out, ',');
    hsi_output_text(out, worker);
    hsi_output_char(out, ',');
    hsi_output_double(out, entry->start);
    hsi_output_char(out, ',');
    hsi_output_double(out, entry->end);
    hsi_output_text(out, entry->state == HS_ABORTED ? ",aborted," : ",run,");
    if (hs_instance_has_graph(in)) {
        hsi_output_u64(out, row);
        hsi_output_char(out, ',');
    }
    hsi_put_row(out, in, list, row);
}

/* Prefetch distances in entries, because tasks are far apart in memory. */
enum { FAR = 16, NEAR = 8 };

/*
 * Prefetch the data of later entries. Inlined by force: as a separate function it would have no
 * effect visible to gcc, and be removed.
 */
static inline __attribute__((always_inline)) void fetch_ahead(const hs_instance *in,
                                                              const hs_entry    *entry,
                                                              size_t             left)
{
    const hsi_store *store = in->store;
    const size_t    *at = store->cells[HSI_ID].at.data;

    if (store->first) /* finding the row takes as long */
        return;
    if (left > FAR) {
        __builtin_prefetch(&hsi_store_times(store, HSI_CPU)[entry[FAR].task]);
        __builtin_prefetch(&hsi_store_times(store, HSI_GPU)[entry[FAR].task]);
    }
    if (at && left > FAR)
        __builtin_prefetch(&at[entry[FAR].task]);
    if (at && left > NEAR)
        __builtin_prefetch((const char *)store->cells[HSI_ID].text.data + at[entry[NEAR].task]);
}

static void put_worker(hsi_output *out, const hs_instance *in, hsi_cell_list *list,
                       const hs_schedule *s, unsigned worker)
{
    size_t          count;
    const hs_entry *entries = hs_schedule_entries(s, worker, &count);
    char            name[16];

    hs_worker_name(hs_schedule_cpus(s), worker, name);
    for (size_t i = 0; i < count && !hsi_output_failed(out); i++) {
        fetch_ahead(in, &entries[i], count - i);
        put_entry(out, in, list, name, &entries[i]);
    }
}

static hs_status check_fit(const hs_instance *in, const hs_schedule *s, hs_error *error)
{
    unsigned workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);

    if (hs_schedule_cpus(s) != in->cpus || hs_schedule_gpus(s) != in->gpus)
        return hsi_error_set(error, HS_EINVAL,
                             "the schedule has %u CPUs and %u GPUs; expected %u and %u as in the "
                             "instance",
                             hs_schedule_cpus(s), hs_schedule_gpus(s), in->cpus, in->gpus);
    for (unsigned w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        for (size_t i = 0; i < count; i++)
            if (entries[i].task >= in->store->tasks)
                return hsi_error_set(error, HS_EINVAL,
                                     "the schedule has a task %u; expected one of the %zu tasks of "
                                     "the instance",
                                     (unsigned)entries[i].task, (size_t)in->store->tasks);
    }
    return HS_OK;
}

hs_status hs_plan_write(int fd, const hs_instance *in, const hs_schedule *s,
                        const hs_plan_info *info, hs_error *error)
{
    hs_plan_info  full;
    hsi_output    out;
    hsi_cell_list list;
    hs_status     st;

    if (!in || !s)
        return hsi_error_set_status(error, HS_EINVAL);
    st = hsi_plan_info_resolve(&full, info, error);
    if (st == HS_OK && hsi_require_known_times(in) != HS_OK)
        st = hsi_error_set_status(error, HS_EUNKNOWN);
    if (st == HS_OK)
        st = check_fit(in, s, error);
    if (st == HS_OK)
        st = hsi_check_writable(in, error);
    if (st != HS_OK)
        return st;
    st = hsi_output_open(&out, fd);
    if (st != HS_OK)
        return hsi_error_set_status(error, st);
    full.makespan = hs_schedule_makespan(s);
    full.digest = hs_instance_digest(in);
    full.plan_digest = hsi_plan_digest(in, s, &full);
    hsi_select_columns(&list, in->store, HSI_SHARED);
    put_header(&out, in, &list, &full);
    for (unsigned w = 0; w < in->cpus + in->gpus && !hsi_output_failed(&out) && !list.failed; w++)
        put_worker(&out, in, &list, s, w);
    return hsi_error_set_status(error, hsi_close_csv(&list, &out));
}
