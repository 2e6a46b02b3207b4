/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

static hs_status make_instance(const gpu_list *list, hs_instance **out)
{
    hs_builder *b = NULL;
    hs_status   st = hs_builder_create(&b);
    char        id[32];
    size_t      i;

    if (st == HS_OK)
        st = hs_builder_set_workers(b, 0, 1);
    for (i = 0; i < list->rows && st == HS_OK; i++) {
        hs_task row = {.struct_size = sizeof row,
                       .id = id, .cpu = INFINITY, .gpu = 1, .count = list->count};

        row.kernel = list->kernels[i];
        snprintf(id, sizeof id, "row%zu", i);
        st = hs_builder_add_row(b, &row);
    }
    if (st == HS_OK)
        st = hs_builder_finish(b, out, NULL);
    hs_builder_free(b);
    return st;
}

/* Return a plan with the first task of each row, then the second task of each row, ... */
static hs_status make_plan(const gpu_list *list, hs_schedule **out)
{
    size_t        count = list->rows * list->count, i;
    hs_placement *all = calloc(count, sizeof *all);
    hs_status     st;

    if (!all)
        return HS_ENOMEM;
    for (i = 0; i < count; i++)
        all[i] = (hs_placement){.start = (double)i,
                                .end = (double)(i + 1),
                                .task = (uint32_t)(i % list->rows * list->count + i / list->rows)};
    st = hs_schedule_build(0, 1, count, all, out);
    free(all);
    return st;
}

static bool is_by_cuda(const hs_exec *exec, size_t tasks)
{
    size_t i;

    for (i = 0; i < tasks; i++)
        if (strcmp(hs_exec_backend_name(exec, (uint32_t)i, HS_GPU), "cuda") != 0)
            return false;
    return true;
}

static void choose(const gpu_list *list, hs_exec_settings *s)
{
    hs_exec_settings_init(s);
    s->run.verify = list->verify;
    s->fail.halt = HS_HALT_NEVER;
    s->gpu.mode = list->mode;
    s->gpu.resident = list->resident;
    s->gpu.module = list->module;
}

static void run(const gpu_list *list, const hs_instance *in, const hs_schedule *plan,
                gpu_list_result *r)
{
    hs_exec_settings settings;
    hs_exec_report   report;
    hs_exec_failure  failure;
    hs_exec         *exec = NULL;

    choose(list, &settings);
    hs_exec_report_init(&report);
    hs_exec_failure_init(&failure);
    r->status = hs_exec_create(in, plan, &settings, &exec, &r->error);
    if (r->status == HS_OK && !is_by_cuda(exec, hs_instance_tasks(in))) {
        snprintf(r->error.why, HS_WHY, "another backend took tasks that are for the GPU");
        r->status = HS_ERESOURCE;
    }
    if (r->status == HS_OK) {
        r->status = hs_exec_run(exec, &report, &r->error);
        r->seconds = report.seconds;
        r->overhead = report.overhead;
        r->done = report.done;
        r->checked = report.verified;
        if (r->status != HS_OK && hs_exec_failure_at(exec, 0, &failure))
            snprintf(r->error.why, HS_WHY, "%s", failure.why);
    }
    hs_exec_free(exec);
}

hs_status gpu_list_run(const gpu_list *list, gpu_list_result *result)
{
    hs_instance *in = NULL;
    hs_schedule *plan = NULL;

    *result = (gpu_list_result){0};
    result->status = make_instance(list, &in);
    if (result->status == HS_OK)
        result->status = make_plan(list, &plan);
    if (result->status == HS_OK)
        run(list, in, plan, result);
    if (result->status != HS_OK && !result->error.why[0])
        snprintf(result->error.why, HS_WHY, "%s", hs_status_text(result->status));
    hs_schedule_free(plan);
    hs_instance_free(in);
    return result->status;
}
