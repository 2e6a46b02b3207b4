/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hs_instance *instance_of(const char *const *kernels, unsigned times)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    unsigned     i, k;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    for (i = 0; i < times; i++)
        for (k = 0; kernels[k]; k++) {
            hs_task row = {.struct_size = sizeof row, .cpu = 1, .gpu = 1, .kernel = kernels[k]};
            char    id[32];

            /* the name of a task of a divided product says which part it computes */
            snprintf(id, sizeof id, "p%u#%u", k, k + i + 1);
            row.id = strchr(kernels[k], '/') ? id : NULL;
            ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
        }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

trial *trial_create(const char *const *kernels, unsigned times)
{
    trial     *t = calloc(1, sizeof *t);
    hsi_module opened;

    ck_assert_ptr_nonnull(t);
    ck_assert_msg(hsi_module_open(MODULE, &opened, &t->error) == HS_OK, "%s", t->error.why);
    t->module = opened.backend; /* the module stays loaded */
    t->in = instance_of(kernels, times);
    t->count = (unsigned)hs_instance_tasks(t->in);
    ck_assert_uint_le(t->count, TRIAL_MOST);
    t->options = (hs_backend_options){
        .struct_size = sizeof t->options, .seconds_per_unit = 1, .grace = 1000, .verify = 1};
    t->info = (hs_backend_worker_info){.struct_size = sizeof t->info,
                                       .number = 1,
                                       .type = HS_GPU,
                                       .cpus = 1,
                                       .gpus = 1,
                                       .os_cpu = -1};
    return t;
}

void trial_free(trial *t)
{
    hs_instance_free(t->in);
    free(t);
}

static void describe(trial *t, unsigned i)
{
    t->items[i] = (hs_backend_item){t->bodies[i], i};
    t->attempts[i] = (hs_attempt){.struct_size = sizeof t->attempts[i],
                                  .instance = t->in,
                                  .task = i,
                                  .number = 1,
                                  .worker = 1,
                                  .seconds = 1,
                                  .cancel = &t->cancel[i],
                                  .wake_fd = -1,
                                  .why = t->why[i]};
}

static hs_status make_bodies(trial *t)
{
    hs_status st = HS_OK;
    hs_task   row;
    unsigned  i;

    for (i = 0; i < t->count && st == HS_OK; i++) {
        hs_instance_row(t->in, i, &row);
        st = t->module->body_create(&t->options, &row, HS_GPU, &t->bodies[i], &t->error);
        ck_assert(st != HS_OK || t->bodies[i]);
        describe(t, i);
    }
    return st;
}

int trial_open_worker(trial *t, int ordered)
{
    t->status = make_bodies(t);
    if (t->status == HS_OK)
        t->status = t->module->worker_open(&t->options, &t->info, &t->worker, &t->error);
    if (t->status == HS_OK && t->module->prepare)
        t->status = t->module->prepare(t->worker, t->in, t->items, t->count, ordered, &t->error);
    return t->status == HS_OK;
}

void trial_close_worker(trial *t)
{
    unsigned i;

    if (t->worker)
        t->module->worker_close(t->worker);
    t->worker = NULL;
    for (i = 0; i < t->count; i++)
        if (t->bodies[i])
            t->module->body_free(t->bodies[i]);
}

void trial_submit(trial *t)
{
    unsigned depth = t->module->depth(t->worker);

    while (t->submitted < t->count && t->submitted - t->collected < depth &&
           t->module->submit(t->worker, t->bodies[t->submitted], &t->attempts[t->submitted]))
        t->submitted++;
    ck_assert_uint_gt(t->submitted, t->collected); /* an idle worker accepts a task */
}

void trial_collect(trial *t)
{
    hs_completion end;
    unsigned      i;

    ck_assert_int_eq(t->module->collect(t->worker, 1, &end), 1);
    for (i = 0; i < t->submitted && end.attempt != &t->attempts[i]; i++)
        ;
    ck_assert_uint_lt(i, t->submitted);
    ck_assert_ptr_null(t->ends[i].attempt); /* each attempt ends once */
    ck_assert_int_ge(end.start, t->last);
    ck_assert_int_ge(end.end, end.start);
    t->last = end.end;
    t->ends[i] = end;
    t->collected++;
}

void trial_run_pipeline(trial *t)
{
    while (t->collected < t->count) {
        trial_submit(t);
        trial_collect(t);
    }
}

hs_outcome trial_run(trial *t, unsigned which)
{
    return t->module->run(t->worker, t->bodies[which], &t->attempts[which]);
}

int trial_message_names_call(const char *said, const char *call, int sticky)
{
    int silent = strstr(call, "Free") || strstr(call, "Destroy") ||
                 strcmp(call, "cudaStreamSynchronize") == 0;

    return strstr(said, call) != NULL || (sticky && silent);
}

unsigned trial_call_stride(void)
{
    const char *percent = getenv("HS_TEST_ROUNDS");
    int         share = percent ? atoi(percent) : 100;
    unsigned    slow = 1;

#if defined __SANITIZE_THREAD__
    slow = 11;
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
    slow = 11;
#endif
#endif
    return share > 0 && share < 100 ? slow * (100 / (unsigned)share) : slow;
}

void trial_assert_clean(void)
{
    char text[256];

    fake_list_live_objects(text, sizeof text);
    ck_assert_msg(fake_live_objects() == 0, "left: %s", text);
    ck_assert_msg(fake_misuse_count() == 0, "%s", fake_first_misuse());
}
