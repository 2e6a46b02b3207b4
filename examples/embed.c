/* SPDX-License-Identifier: BSD-3-Clause */
/* Run functions of a program as the tasks of a graph, on CPUs and GPUs. */
#include <math.h>
#include <stdio.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

static int square(void *number, const hs_plugin_task *task)
{
    (void)task;
    *(int *)number *= *(int *)number;
    return HS_PLUGIN_DONE;
}

/* A runtime system launches a kernel on its GPU number task->index, and waits for the end. */
static int square_on_gpu(void *number, const hs_plugin_task *task)
{
    return square(number, task);
}

static int print_sum(void *numbers, const hs_plugin_task *task)
{
    const int *at = numbers;

    (void)task;
    printf("%d + %d + %d = %d\n", at[0], at[1], at[2], at[0] + at[1] + at[2]);
    return HS_PLUGIN_DONE;
}

/* Build the graph: three squares, on one CPU and one GPU, and then their sum, on the CPU. */
static hs_status build(hs_builder *b, hs_instance **out, hs_error *error)
{
    const hs_task squares = {.struct_size = sizeof squares, .cpu = 4, .gpu = 1, .count = 3};
    const hs_task sum = {.struct_size = sizeof sum, .cpu = 1, .gpu = INFINITY, .count = 1};

    if (hs_builder_set_workers(b, 1, 1) != HS_OK || hs_builder_add_row(b, &squares) != HS_OK ||
        hs_builder_add_row(b, &sum) != HS_OK ||
        hs_builder_add_predecessor(b, 1, 0, 0, 0) != HS_OK) /* row 1 comes after row 0 */
        return HS_ENOMEM;
    return hs_builder_finish(b, out, error);
}

int main(void)
{
    int                numbers[] = {1, 2, 3};
    const hs_exec_call calls[] = {{{square, square_on_gpu}, &numbers[0]},
                                  {{square, square_on_gpu}, &numbers[1]},
                                  {{square, square_on_gpu}, &numbers[2]},
                                  {{print_sum, NULL}, numbers}};
    hs_exec_settings   settings;
    hs_builder        *b = NULL;
    hs_instance       *in = NULL;
    hs_exec           *exec = NULL;
    hs_error           error = {0};
    hs_status          st = hs_builder_create(&b);

    hs_exec_settings_init(&settings);
    settings.run.calls = calls; /* one element for each task */
    settings.decide.policy = hs_policy_find("heteroprio");
    settings.place.unbound = 1; /* bind no worker to a core */
    if (st == HS_OK)
        st = build(b, &in, &error);
    if (st == HS_OK)
        st = hs_exec_create(in, NULL, &settings, &exec, &error);
    if (st == HS_OK)
        st = hs_exec_run(exec, NULL, &error);
    if (st != HS_OK)
        fprintf(stderr, "%s: %s\n", hs_status_text(st), error.why);
    hs_exec_free(exec);
    hs_instance_free(in);
    hs_builder_free(b);
    return st != HS_OK;
}
