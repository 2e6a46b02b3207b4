/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_BACKEND_MEMORY_H
#define TESTS_BACKEND_MEMORY_H

#include "backend_fixture.h"
#include "failing_memory.h"

/* Create a body and a worker while the allocation after the first `allocations` fails; close the
 * fixture. *failed is 1 if an allocation failed. Return the status. */
static inline hs_status fixture_open_with_failing_memory(fixture *s, const hs_task *row,
                                                         long allocations, int *failed)
{
    hs_body  *body = NULL;
    hs_status st;

    memory_fail_after(allocations, 0);
    st = s->backend->body_create(&s->options, row, s->info.type, &body, &s->error);
    if (st == HS_OK)
        st = fixture_open_worker(s);
    *failed = memory_stop_failing() > 0;
    if (body)
        s->backend->body_free(body);
    fixture_close(s);
    return st;
}

#endif
