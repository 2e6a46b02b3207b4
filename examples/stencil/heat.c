/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Heat in a plate whose upper edge is hot: 50 steps on 10 blocks of rows, each block of each step a
 * task (stencil.c). The tasks run on two cores, and on a GPU if the second argument names a module,
 * in the order that their data demand, without a barrier between steps. The library copies the
 * blocks between the cores and the GPU. The result is compared with a loop over all rows.
 *
 *     cc -O2 heat.c $(pkg-config --cflags --libs hybridsched-exec) -o heat
 *     ./heat ./stencil.so
 *     ./heat ./stencil.so cuda          (a plugin with stencil_cuda.cu)
 *     ./heat ./stencil.so opencl:all    (a plugin with stencil_opencl.c)
 *     ./heat ./stencil.so emulated
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

#include "stencil.h"

enum { STEPS = 50, BLOCKS = 10, ROWS = 20, ALL = BLOCKS * ROWS };

typedef double plate[ALL][COLUMNS];

static plate  present, next, expected, spare; /* the steps alternate between two plates */
static double hot[COLUMNS], cold[COLUMNS];    /* the upper edge and the lower edge */

/* Write the name of a block of the plate that has step `step`: "a3" or "b3"; beyond the plate, that
 * of an edge. */
static void name_block(char name[16], int step, int block)
{
    if (block < 0 || block == BLOCKS)
        snprintf(name, 16, "%s", block < 0 ? "hot" : "cold");
    else
        snprintf(name, 16, "%c%d", step % 2 ? 'b' : 'a', block);
}

/* Add the task of a block: it reads three blocks of a step, and writes one of the next. */
static hs_status add_task(hs_builder *b, const char *kernel, int step, int block)
{
    const hs_task task = {.struct_size = sizeof task, .kernel = kernel, .cpu = 50, .gpu = 50};
    hs_status     st = hs_builder_add_row(b, &task);

    for (int i = 0; i < 4 && st == HS_OK; i++) {
        char   name[16];
        size_t data;

        name_block(name, i < 3 ? step : step + 1, i < 3 ? block + i - 1 : block);
        st = hs_builder_add_handle(b, name, &data);
        if (st == HS_OK)
            st = hs_builder_add_access(b, (size_t)(step * BLOCKS + block), data,
                                       i < 3 ? HS_READ : HS_WRITE);
    }
    return st;
}

/* Make the graph of all tasks. The order of the rows defines which step a task reads. */
static hs_status make_graph(const char *plugin, unsigned gpus, hs_instance **out)
{
    hs_builder *b = NULL;
    char        kernel[512];
    hs_status   st = hs_builder_create(&b);

    snprintf(kernel, sizeof kernel, "plugin:%s:relax", plugin);
    if (st == HS_OK)
        st = hs_builder_set_workers(b, 2, gpus);
    if (st == HS_OK)
        st = hs_builder_set_unit(b, HS_MICROSECONDS);
    for (int task = 0; task < STEPS * BLOCKS && st == HS_OK; task++)
        st = add_task(b, kernel, task / BLOCKS, task % BLOCKS);
    if (st == HS_OK)
        st = hs_builder_finish(b, out, NULL);
    hs_builder_free(b);
    return st;
}

/* Name the memory of all blocks and of both edges. */
static hs_status place_data(hs_exec *exec)
{
    hs_status st = hs_exec_data(exec, "hot", hot, sizeof hot);

    if (st == HS_OK)
        st = hs_exec_data(exec, "cold", cold, sizeof cold);
    for (int i = 0; i < 2 * BLOCKS && st == HS_OK; i++) {
        double *at = i % 2 ? next[i / 2 * ROWS] : present[i / 2 * ROWS];
        char    name[16];

        name_block(name, i % 2, i / 2);
        st = hs_exec_data(exec, name, at, sizeof(double[ROWS][COLUMNS]));
    }
    return st;
}

/* Compute the same with a loop. */
static void compute_expected(void)
{
    for (int step = 0; step < STEPS; step++) {
        for (int row = 0; row < ALL; row++)
            relax_row(row > 0 ? expected[row - 1] : hot, expected[row],
                      row + 1 < ALL ? expected[row + 1] : cold, spare[row]);
        memcpy(expected, spare, sizeof expected);
    }
}

/* Return the number of tasks that the GPU has done. */
static size_t count_on_gpu(const hs_exec *exec)
{
    size_t                count, done = 0;
    const hs_exec_record *record = hs_exec_records(exec, 2, &count);

    for (; count > 0; count--, record++)
        done += record->outcome == HS_OUTCOME_DONE;
    return done;
}

int main(int argc, char **argv)
{
    hs_exec_settings settings;
    hs_instance     *in = NULL;
    hs_exec         *exec = NULL;
    hs_error         error = {0};
    const char      *module = argc > 2 ? argv[2] : NULL;
    size_t           on_gpu = 0;
    hs_status        st = make_graph(argc > 1 ? argv[1] : "./stencil.so", module != NULL, &in);

    for (int i = 0; i < COLUMNS; i++)
        hot[i] = 100;
    hs_exec_settings_init(&settings);
    settings.decide.policy = hs_policy_find("dynamic");
    settings.place.oversubscribe = 1; /* one core will do */
    settings.run.allow_plugins = 1;
    settings.gpu.module = module;
    if (st == HS_OK)
        st = hs_exec_create(in, NULL, &settings, &exec, &error);
    if (st == HS_OK)
        st = place_data(exec);
    if (st == HS_OK)
        st = hs_exec_run(exec, NULL, &error);
    if (st == HS_OK && module)
        on_gpu = count_on_gpu(exec);
    hs_exec_free(exec);
    hs_instance_free(in);
    if (st != HS_OK) {
        fprintf(stderr, "heat: %s\n", error.why[0] ? error.why : hs_status_text(st));
        return 1;
    }
    compute_expected();
    if (memcmp(present, expected, sizeof present) != 0) { /* the steps are even in number */
        fprintf(stderr, "heat: the result differs from the loop\n");
        return 1;
    }
    printf("%d tasks, %zu on a GPU, the same as the loop; %.4f below the hot edge\n",
           STEPS * BLOCKS, on_gpu, present[0][COLUMNS / 2]);
    return 0;
}
