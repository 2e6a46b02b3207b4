/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "suite.h"

static const world_function functions[] = {
    {"produce", 1, {HS_WRITE}},
    {"update", 1, {HS_READ_WRITE}},
    {"step", 2, {HS_READ, HS_WRITE}},
    {"add", 2, {HS_READ, HS_READ_WRITE}},
    {"blend", 4, {HS_READ, HS_READ_WRITE, HS_WRITE, HS_READ}},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static uint64_t dice;

void roll_from(uint64_t seed)
{
    dice = seed;
}

unsigned roll(unsigned sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(dice >> 33) % sides;
}

void name_datum(size_t data, char name[8])
{
    snprintf(name, 8, "d%zu", data);
}

/* Choose different data for a step. */
static void choose_data(world *w, world_step *s)
{
    for (size_t i = 0; i < s->function->count; i++) {
        size_t j = 0;

        s->data[i] = roll((unsigned)w->count);
        while (j < i && s->data[j] != s->data[i])
            j++;
        if (j < i)
            i--;
        else
            w->used[s->data[i]] = true;
    }
}

/* `kind`: the beginning of the tasks' names, of which every third gets another one. */
static void add_row(hs_builder *b, const world *w, size_t row, const char *kind)
{
    const world_step *s = &w->step[row];
    char          id[32], kernel[64], name[8];
    size_t        handle;
    const hs_task task = {.struct_size = sizeof task,
                          .id = id,
                          .kernel = kernel,
                          .cpu = 1 + roll(5),
                          .gpu = roll(4) ? 1 + roll(5) : INFINITY};

    snprintf(id, sizeof id, "%s%zu", roll(3) ? "task" : kind, row);
    snprintf(kernel, sizeof kernel, MIXER "%s", s->function->name);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    for (size_t i = 0; i < s->function->count; i++) {
        name_datum(s->data[i], name);
        ck_assert_int_eq(hs_builder_add_handle(b, name, &handle), HS_OK);
        ck_assert_int_eq(
            hs_builder_add_access(b, row, handle, (hs_access_mode)s->function->mode[i]), HS_OK);
    }
}

void make_world(world *w, const char *kind)
{
    hs_builder *b = NULL;
    size_t      handle;
    char        name[8];

    *w = (world){.rows = 1 + roll(WORLD_ROWS), .count = 4 + roll(MIXER_DATA - 4)};
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 2, 2);
    hs_builder_set_unit(b, HS_MICROSECONDS);
    for (size_t d = 0; d < w->count; d++) {
        w->bytes[d] = 8 * (1 + roll(roll(4) ? 20 : 2000));
        w->given[d] = roll(2);
    }
    for (size_t row = 0; row < w->rows; row++) {
        w->step[row].function = &functions[roll(FUNCTIONS)];
        choose_data(w, &w->step[row]);
        add_row(b, w, row, kind);
    }
    for (size_t d = 0; d < w->count; d++) {
        w->expected[d] = calloc(1, w->bytes[d]);
        name_datum(d, name);
        if (!w->used[d] || !w->given[d])
            continue;
        ck_assert_int_eq(hs_builder_add_handle(b, name, &handle), HS_OK);
        hs_builder_set_handle_bytes(b, handle, (double)w->bytes[d]);
    }
    ck_assert_int_eq(hs_builder_finish(b, &w->in, NULL), HS_OK);
    hs_builder_free(b);
}

void free_world(world *w)
{
    for (size_t d = 0; d < w->count; d++) {
        free(w->expected[d]);
        free(w->ours[d]);
    }
    hs_instance_free(w->in);
}

void run_world_in_order(world *w)
{
    for (size_t row = 0; row < w->rows; row++) {
        const world_step *s = &w->step[row];
        hs_plugin_data data[MIXER_MOST];

        for (size_t i = 0; i < s->function->count; i++)
            data[i] = (hs_plugin_data){.at = w->expected[s->data[i]],
                                       .bytes = w->bytes[s->data[i]],
                                       .mode = s->function->mode[i]};
        mixer_write(mixer_read((uint32_t)row, data, s->function->count), data, s->function->count);
    }
}

void give_memory(world *w, hs_exec *exec)
{
    char name[8];

    for (size_t d = 0; d < w->count; d++) {
        name_datum(d, name);
        if (!w->used[d])
            continue;
        if (roll(2)) {
            w->ours[d] = malloc(w->bytes[d]);
            for (size_t i = 0; i < w->bytes[d] / 8; i++)
                w->ours[d][i] = w->expected[d][i] = roll(1u << 30);
            ck_assert_int_eq(hs_exec_data(exec, name, w->ours[d], w->bytes[d]), HS_OK);
        } else if (!w->given[d]) {
            ck_assert_int_eq(hs_exec_data(exec, name, NULL, w->bytes[d]), HS_OK);
        }
    }
}

void compare_world(const world *w, const hs_exec *exec)
{
    char   name[8];
    size_t bytes;

    for (size_t d = 0; d < w->count; d++) {
        const void *at;

        name_datum(d, name);
        at = hs_exec_data_at(exec, name, &bytes);
        ck_assert_int_eq(at != NULL, w->used[d]);
        if (!at)
            continue;
        ck_assert_uint_eq(bytes, w->bytes[d]);
        ck_assert_int_eq(memcmp(at, w->expected[d], bytes), 0);
        if (w->ours[d])
            ck_assert_ptr_eq(at, w->ours[d]);
    }
}

hs_exec_settings world_settings(const char *policy)
{
    hs_exec_settings s;

    hs_exec_settings_init(&s);
    s.decide.policy = hs_policy_find(policy);
    s.run.emulate[HS_GPU] = s.place.oversubscribe = s.place.unbound = true;
    s.run.allow_plugins = true;
    s.fail.retry_delay = -1;
    return s;
}

/* Return the first failure of a run, with an empty `why` if there is none. */
static hs_exec_failure first_failure(const hs_exec *exec)
{
    hs_exec_failure failure;

    hs_exec_failure_init(&failure);
    if (!hs_exec_failure_at(exec, 0, &failure))
        failure.why = "";
    return failure;
}

/* Return the number of tasks that ended well on GPUs. */
static unsigned count_on_gpus(const hs_exec *exec, const hs_instance *in)
{
    unsigned cpus = hs_instance_cpus(in), done = 0;

    for (unsigned w = cpus; w < cpus + hs_instance_gpus(in); w++) {
        size_t                count;
        const hs_exec_record *r = hs_exec_records(exec, w, &count);

        for (; count > 0; count--, r++)
            done += r->outcome == HS_OUTCOME_DONE;
    }
    return done;
}

world_outcome try_world(world *w, const hs_exec_settings *s, int runs)
{
    hs_schedule  *plan = NULL;
    hs_exec      *exec = NULL;
    world_outcome o = {.on_gpus = 0};

    if (hs_policy_needs_plan(s->decide.policy))
        ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), w->in, NULL, &plan), HS_OK);
    o.status = hs_exec_create(w->in, plan, s, &exec, &o.error);
    if (o.status == HS_OK)
        give_memory(w, exec);
    for (int i = 0; i < runs && o.status == HS_OK; i++) {
        o.status = hs_exec_run(exec, NULL, &o.error);
        snprintf(o.first_failure, sizeof o.first_failure, "%s", first_failure(exec).why);
        o.on_gpus += count_on_gpus(exec, w->in);
        if (o.status != HS_OK)
            continue;
        run_world_in_order(w);
        compare_world(w, exec);
    }
    hs_exec_free(exec);
    hs_schedule_free(plan);
    return o;
}

unsigned run_world(world *w, const hs_exec_settings *s, int runs)
{
    world_outcome o = try_world(w, s, runs);

    ck_assert_msg(o.status == HS_OK, "%s: %s; %s", s->decide.policy->name, o.error.why,
                  o.first_failure);
    return o.on_gpus;
}
