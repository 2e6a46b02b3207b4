/* SPDX-License-Identifier: BSD-3-Clause */
#include "generate/worst/worst.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <hybridsched/schedule.h>

#include "core/error.h"

static const hs_worst *const registry[] = {
    &hsi_worst_hp_1_1, &hsi_worst_hp_m_1, &hsi_worst_hp_m_n, &hsi_worst_balanced, &hsi_worst_list,
};

size_t hs_worst_count(void)
{
    return sizeof registry / sizeof *registry;
}

const hs_worst *hs_worst_at(size_t index)
{
    return index < hs_worst_count() ? registry[index] : NULL;
}

const hs_worst *hs_worst_find(const char *name)
{
    size_t i;

    for (i = 0; name && i < hs_worst_count(); i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    return NULL;
}

const char *hs_worst_name(const hs_worst *family)
{
    return family->name;
}

const char *hs_worst_summary(const hs_worst *family)
{
    return family->summary;
}

unsigned hs_worst_least_argument(const hs_worst *family)
{
    return family->least;
}

unsigned hs_worst_most_argument(const hs_worst *family)
{
    return family->most;
}

uint32_t hsi_worst_add_tasks(hsi_worst_case *c, const char *id, uint64_t cpu, uint64_t gpu,
                             int64_t priority, uint32_t count)
{
    hs_task  task = {.struct_size = sizeof task};
    uint32_t first = c->tasks;

    if (c->status != HS_OK || count == 0)
        return first;
    task.id = id;
    task.cpu = cpu == HSI_NEVER ? INFINITY : (double)cpu;
    task.gpu = gpu == HSI_NEVER ? INFINITY : (double)gpu;
    task.priority = priority;
    task.count = count;
    c->status = hs_builder_add_row(c->builder, &task);
    c->tasks += count;
    return first;
}

uint64_t hsi_worst_add_run(hsi_worst_case *c, hsi_vector *plan, uint32_t worker, uint64_t start,
                           uint64_t time, uint32_t task)
{
    hs_placement run;

    if (!plan || c->status != HS_OK)
        return start + time;
    run.start = (double)start;
    run.end = (double)(start + time);
    run.task = task;
    run.worker = worker;
    run.state = HS_RUN;
    if (hsi_vector_append(plan, &run, sizeof run))
        c->status = HS_ENOMEM;
    return start + time;
}

static hs_status write_case(const hs_worst *family, unsigned argument, unsigned cpus,
                            unsigned gpus, hsi_worst_case *c)
{
    char      command[128];
    hs_status st = hs_builder_set_workers(c->builder, cpus, gpus);

    snprintf(command, sizeof command, "hsched-gen worst %s %u", family->name, argument);
    if (st == HS_OK)
        st = hs_builder_add_note(c->builder, "generator", command);
    if (st == HS_OK)
        st = hs_builder_add_note(c->builder, "source", family->summary);
    if (st != HS_OK)
        return st;
    family->write(argument, c);
    return c->status;
}

/* Build a schedule; an empty plan gives none: the family has no such schedule. */
static hs_status build_plan(hsi_vector *plan, unsigned cpus, unsigned gpus, hs_schedule **out)
{
    size_t    count = plan->size / sizeof(hs_placement);
    hs_status st = count ? hs_schedule_build(cpus, gpus, count, plan->data, out) : HS_OK;

    hsi_vector_free(plan);
    return st;
}

static bool is_argument(const hs_worst *family, unsigned argument)
{
    return argument >= family->least && argument <= family->most &&
           (argument - family->least) % family->step == 0;
}

hs_status hs_generate_worst(const hs_worst *family, unsigned argument, hs_instance **instance,
                            hs_schedule **witness, hs_schedule **bad, hs_error *error)
{
    hs_status      st;
    hsi_vector     plans[2] = {{0}, {0}};
    hsi_worst_case c = {0};
    hs_instance   *in = NULL;
    hs_schedule   *good = NULL, *worse = NULL;
    unsigned       cpus, gpus;

    if (!family || !instance)
        return hsi_error_set_status(error, HS_EINVAL);
    if (!is_argument(family, argument))
        return hsi_error_set(error, HS_EINVAL,
                             "%u is no argument of the worst case '%s'; expected %u to %u in steps "
                             "of %u",
                             argument, family->name, family->least, family->most, family->step);
    c.witness = witness ? &plans[0] : NULL;
    c.bad = bad ? &plans[1] : NULL;
    st = hs_builder_create(&c.builder);
    if (st != HS_OK)
        goto out;
    family->workers(argument, &cpus, &gpus);
    st = write_case(family, argument, cpus, gpus, &c);
    if (st != HS_OK)
        goto out;
    st = hs_builder_finish(c.builder, &in, NULL);
    if (st != HS_OK)
        goto out;
    st = build_plan(&plans[0], cpus, gpus, &good);
    if (st != HS_OK)
        goto out;
    st = build_plan(&plans[1], cpus, gpus, &worse);
    if (st != HS_OK)
        goto out;
    *instance = in;
    if (witness)
        *witness = good;
    if (bad)
        *bad = worse;
    in = NULL;
    good = worse = NULL;
out:
    hs_instance_free(in);
    hs_schedule_free(good);
    hs_schedule_free(worse);
    hs_builder_free(c.builder);
    hsi_vector_free(&plans[0]);
    hsi_vector_free(&plans[1]);
    return hsi_error_set_status(error, st);
}
