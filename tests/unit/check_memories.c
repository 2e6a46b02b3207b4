/* SPDX-License-Identifier: BSD-3-Clause */

/* Memories that have data at the start: set, copied, moved to other workers, written and read. */

#define _GNU_SOURCE
#include <check.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "suite.h"

enum { HANDLES = 3 };

/* Return a builder with a task that reads three handles on two nodes: 2 + 1 and 1 + 2 workers. */
static hs_builder *begin(bool with_nodes)
{
    hs_builder *b = NULL;
    hs_task     task;
    size_t      handle;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 3, 3), HS_OK);
    for (int node = 0; with_nodes && node < 2; node++)
        ck_assert_int_eq(hs_builder_add_node(b, node ? "b" : "a", node ? 1 : 2, node ? 2 : 1),
                         HS_OK);
    for (hs_link link = HS_H2D; link < HS_LINKS; link++)
        ck_assert_int_eq(hs_builder_set_link(b, link, 0, 1), HS_OK);
    hs_task_init(&task);
    task.cpu = task.gpu = 1;
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    for (int i = 0; i < HANDLES; i++) {
        char name[] = {(char)('x' + i), 0};

        ck_assert_int_eq(hs_builder_add_handle(b, name, &handle), HS_OK);
        ck_assert_int_eq(hs_builder_add_access(b, 0, handle, HS_READ), HS_OK);
    }
    return b;
}

static hs_instance *finish(hs_builder *b)
{
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Return an instance with x on GPU 2, y on the host of the second node, and z on the first host. */
static hs_instance *sample(bool with_nodes)
{
    hs_builder *b = begin(with_nodes);

    ck_assert_int_eq(hs_builder_set_handle_memory(b, 0, HS_GPU, 2), HS_OK);
    ck_assert_int_eq(hs_builder_set_handle_memory(b, 1, HS_CPU, 1), HS_OK);
    return finish(b);
}

static void require_memories(const hs_instance *in, uint32_t x, uint32_t y, uint32_t z)
{
    ck_assert_uint_eq(hs_instance_handle_memory_node(in, 0), x);
    ck_assert_uint_eq(hs_instance_handle_memory_node(in, 1), y);
    ck_assert_uint_eq(hs_instance_handle_memory_node(in, 2), z);
    ck_assert_uint_eq(hs_instance_handle_memory_node(in, HANDLES), 0);
}

START_TEST(bad_memories_are_refused)
{
    hs_builder *b = begin(true);

    ck_assert_int_eq(hs_builder_set_handle_memory(b, HANDLES, HS_GPU, 0), HS_EINVAL);
    ck_assert_int_eq(hs_builder_set_handle_memory(b, 0, (hs_type)2, 0), HS_EINVAL);
    ck_assert_int_eq(hs_builder_set_handle_memory(b, 0, HS_CPU, HS_MAX_NODES), HS_EINVAL);
    ck_assert_int_eq(hs_builder_set_handle_memory(b, 0, HS_GPU, HS_MAX_WORKERS), HS_EINVAL);
    ck_assert_int_eq(hs_builder_set_handle_memory(NULL, 0, HS_GPU, 0), HS_EINVAL);
    ck_assert_int_eq(hs_builder_set_handle_memory(b, 2, HS_GPU, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_handle_memory(b, 2, HS_CPU, 0), HS_OK);
    hs_instance_free(finish(b));
}
END_TEST

START_TEST(a_memory_that_is_gone_is_the_first_host)
{
    hs_instance *in = sample(true), *moved = NULL;

    require_memories(in, 4, 1, 0);
    ck_assert_int_eq(hs_instance_with_workers(in, 1, 3, &moved), HS_OK);
    require_memories(moved, 3, 0, 0); /* one node: GPU 2 is memory node 1 + 2 */
    hs_instance_free(moved);
    ck_assert_int_eq(hs_instance_with_workers(in, 3, 2, &moved), HS_OK);
    require_memories(moved, 0, 0, 0);
    ck_assert_uint_ne(hs_instance_digest(in), hs_instance_digest(moved));
    hs_instance_free(moved);
    hs_instance_free(in);
    in = sample(false);
    require_memories(in, 3, 0, 0);
    hs_instance_free(in);
}
END_TEST

START_TEST(copies_have_the_memories)
{
    hs_instance *in = sample(true), *copy;
    hs_builder  *b = NULL;
    hs_task      task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 3, 3), HS_OK);
    hs_instance_row(in, 0, &task);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_copy_graph(b, in), HS_OK);
    copy = finish(b);
    require_memories(copy, 4, 1, 0);
    ck_assert_uint_eq(hs_instance_digest(in), hs_instance_digest(copy));
    hs_instance_free(copy);
    hs_instance_free(in);
}
END_TEST

START_TEST(files_have_the_memories)
{
    hs_instance *in = sample(_i), *back = NULL;
    hs_schedule *plan = NULL, *read = NULL;
    int          file = memfd_create("instance", 0);

    ck_assert_int_eq(hs_instance_write(file, in, NULL), HS_OK);
    ck_assert_int_eq(lseek(file, 0, SEEK_SET), 0);
    ck_assert_int_eq(hs_instance_read(file, NULL, &back, NULL), HS_OK);
    ck_assert_uint_eq(hs_instance_digest(in), hs_instance_digest(back));
    for (size_t i = 0; i < HANDLES; i++)
        ck_assert_uint_eq(hs_instance_handle_memory_node(in, i),
                          hs_instance_handle_memory_node(back, i));
    hs_instance_free(back);
    ck_assert_int_eq(ftruncate(file, 0), 0);
    ck_assert_int_eq(lseek(file, 0, SEEK_SET), 0);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &plan), HS_OK);
    ck_assert_int_eq(hs_plan_write(file, in, plan, NULL, NULL), HS_OK);
    ck_assert_int_eq(lseek(file, 0, SEEK_SET), 0);
    ck_assert_int_eq(hs_plan_read(file, NULL, &back, &read, NULL, NULL), HS_OK);
    ck_assert_uint_eq(hs_instance_digest(in), hs_instance_digest(back));
    ck_assert_int_eq(hs_schedule_check(back, read, NULL), HS_OK);
    hs_schedule_free(plan);
    hs_schedule_free(read);
    hs_instance_free(back);
    hs_instance_free(in);
    close(file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memories");
    TCase *tcase = tcase_create("of data");

    tcase_add_test(tcase, bad_memories_are_refused);
    tcase_add_test(tcase, a_memory_that_is_gone_is_the_first_host);
    tcase_add_test(tcase, copies_have_the_memories);
    tcase_add_loop_test(tcase, files_have_the_memories, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
