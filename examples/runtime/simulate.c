/* SPDX-License-Identifier: BSD-3-Clause */
/* Run a task graph under the virtual clock as the policy of affine.c decides. The program needs
 * libhybridsched-policy alone. */
#include <stdio.h>

#include "affine.h"

/* Make a fork of three tasks behind the task 0, for a CPU and a GPU. */
static hs_status make_fork(hs_instance **out)
{
    static const double times[][2] = {{2, 1}, {8, 2}, {3, 3}, {9, 1}};
    hs_builder         *b = NULL;
    hs_status           st = hs_builder_create(&b);
    hs_task             task;
    size_t              i;

    if (st == HS_OK)
        st = hs_builder_set_workers(b, 1, 1);
    for (i = 0; st == HS_OK && i < 4; i++) {
        hs_task_init(&task);
        task.cpu = times[i][0];
        task.gpu = times[i][1];
        st = hs_builder_add_row(b, &task);
        if (st == HS_OK && i > 0)
            st = hs_builder_add_predecessor(b, i, 0, 0, 0);
    }
    if (st == HS_OK)
        st = hs_builder_finish(b, out, NULL);
    hs_builder_free(b);
    return st;
}

int main(void)
{
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    hs_status    st = make_fork(&in);

    if (st == HS_OK)
        st = hs_policy_simulate(&affine, in, NULL, in, NULL, &s, NULL);
    if (st == HS_OK)
        printf("%s: %g\n", affine.name, hs_schedule_makespan(s));
    else
        fprintf(stderr, "%s\n", hs_status_text(st));
    hs_schedule_free(s);
    hs_instance_free(in);
    return st != HS_OK;
}
