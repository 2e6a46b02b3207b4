/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_INSTANCE_FIXTURE_H
#define TESTS_INSTANCE_FIXTURE_H

/* Build instances row by row; calls must succeed. */

#include <hybridsched/hybridsched.h>

#include "suite.h"

static inline hs_builder *builder_on(unsigned cpus, unsigned gpus)
{
    hs_builder *b = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, cpus, gpus), HS_OK);
    return b;
}

static inline void add_row(hs_builder *b, const char *id, double cpu, double gpu, uint32_t count)
{
    hs_task task = {.struct_size = sizeof task, .id = id, .cpu = cpu, .gpu = gpu, .count = count};

    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
}

static inline hs_instance *finish_instance(hs_builder *b)
{
    hs_instance *in = NULL;
    hs_status    st = hs_builder_finish(b, &in, NULL);

    ck_assert_msg(st == HS_OK, "hs_builder_finish: %s", hs_status_text(st));
    return in;
}

#endif
