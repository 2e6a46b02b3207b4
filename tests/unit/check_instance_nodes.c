/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of instances: their workers, transfers between them, digests and limits. */

#include <stdio.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "instance_fixture.h"
#include "suite.h"

/* Nodes a with 2 CPUs and no GPU, b with 1 and 2, and c with no CPU and 1 GPU. */
static hs_builder *builder_with_nodes(void)
{
    hs_builder *b = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 3, 3), HS_OK);
    ck_assert_int_eq(hs_builder_add_node(b, "a", 2, 0), HS_OK);
    ck_assert_int_eq(hs_builder_add_node(b, "b", 1, 2), HS_OK);
    ck_assert_int_eq(hs_builder_add_node(b, "c", 0, 1), HS_OK);
    add_row(b, "x", 1, 2, 1);
    return b;
}

static void set_links(hs_builder *b)
{
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 1, 10), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 2, 5), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2D, 4, 20), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_N2N, 8, 2), HS_OK);
}

static hs_instance *instance_with_nodes(bool links)
{
    hs_builder  *b = builder_with_nodes();
    hs_instance *in;

    if (links)
        set_links(b);
    in = finish_instance(b);
    hs_builder_free(b);
    return in;
}

START_TEST(workers_belong_to_nodes_in_order)
{
    static const size_t   node[] = {0, 0, 1, 1, 1, 2};
    static const uint32_t memory[] = {0, 0, 1, 3, 4, 5};
    hs_instance          *in = instance_with_nodes(false);
    unsigned              cpus, gpus;

    ck_assert_uint_eq(hs_instance_nodes(in), 3);
    for (unsigned w = 0; w < 6; w++) {
        ck_assert_uint_eq(hs_instance_node_of(in, w), node[w]);
        ck_assert_uint_eq(hs_instance_memory_node(in, w), memory[w]);
    }
    ck_assert_str_eq(hs_instance_node(in, 1, &cpus, &gpus), "b");
    ck_assert(cpus == 1 && gpus == 2);
    ck_assert_str_eq(hs_instance_node(in, 2, &cpus, &gpus), "c");
    ck_assert(cpus == 0 && gpus == 1);
    ck_assert_ptr_null(hs_instance_node(in, 3, &cpus, &gpus));
    hs_instance_free(in);
}
END_TEST

START_TEST(transfers_between_nodes_pass_through_hosts)
{
    hs_instance *in = instance_with_nodes(true);

    ck_assert(hs_instance_transfer_time(in, 0, 1, 20) == 8 + 10);         /* a to b */
    ck_assert(hs_instance_transfer_time(in, 0, 4, 20) == 8 + 10 + 1 + 2); /* a to gpu1 */
    ck_assert(hs_instance_transfer_time(in, 3, 0, 20) == 2 + 4 + 8 + 10); /* gpu0 to a */
    ck_assert(hs_instance_transfer_time(in, 4, 5, 20) == 2 + 4 + 8 + 10 + 1 + 2);
    ck_assert(hs_instance_transfer_time(in, 3, 4, 20) == 4 + 1); /* both of b */
    ck_assert(hs_instance_transfer_time(in, 1, 3, 20) == 1 + 2);
    ck_assert(hs_instance_transfer_time(in, 4, 1, 20) == 2 + 4);
    ck_assert(hs_instance_transfer_time(in, 2, 2, 20) == 0);
    ck_assert(hs_instance_transfer_time(in, 0, 5, 0) == 0);
    hs_instance_free(in);
}
END_TEST

START_TEST(other_workers_have_no_nodes)
{
    hs_instance *in = instance_with_nodes(true), *other = NULL, *back = NULL;
    unsigned     cpus, gpus;

    ck_assert_int_eq(hs_instance_with_workers(in, 3, 2, &other), HS_OK);
    ck_assert_int_eq(hs_instance_with_workers(other, 3, 3, &back), HS_OK);
    ck_assert_uint_eq(hs_instance_nodes(other), 1);
    ck_assert_ptr_null(hs_instance_node(other, 0, &cpus, &gpus));
    ck_assert_uint_eq(hs_instance_node_of(other, 4), 0);
    ck_assert_uint_eq(hs_instance_memory_node(other, 2), 0);
    ck_assert_uint_eq(hs_instance_memory_node(other, 4), 2);
    ck_assert(hs_instance_transfer_time(other, 1, 2, 20) == 4 + 1);
    ck_assert_uint_eq(hs_instance_nodes(back), 3);
    ck_assert(hs_instance_digest(back) == hs_instance_digest(in));
    hs_instance_free(in);
    hs_instance_free(other);
    hs_instance_free(back);
}
END_TEST

START_TEST(unfit_nodes_are_refused)
{
    hs_builder  *b = builder_with_nodes();
    hs_instance *in = NULL;
    hs_error     error = {0};

    ck_assert_int_eq(hs_builder_add_node(b, "b", 1, 0), HS_EINVAL);
    ck_assert_int_eq(hs_builder_add_node(b, "", 1, 0), HS_EINVAL);
    ck_assert_int_eq(hs_builder_add_node(b, "d e", 1, 0), HS_EINVAL);
    ck_assert_int_eq(hs_builder_add_node(b, "d", 0, 0), HS_EINVAL);
    ck_assert_int_eq(hs_builder_add_node(b, "d", HS_MAX_WORKERS, 0), HS_ETOOBIG);
    ck_assert_int_eq(hs_builder_set_workers(b, 4, 3), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, &error), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(error.why, "the nodes together"));
    ck_assert_int_eq(hs_builder_set_workers(b, 3, 3), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 1, 10), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 1, 10), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, &error), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(error.why, "need n2n"));
    set_links(b);
    in = finish_instance(b);
    hs_instance_free(in);
    hs_builder_free(b);
}
END_TEST

START_TEST(digest_depends_on_nodes)
{
    static const struct {
        const char *name;
        unsigned    cpus, gpus;
    } first[] = {{"a", 2, 0}, {"A", 2, 0}, {"a", 1, 0}, {"a", 2, 1}};
    uint64_t     digest[5];
    hs_instance *in;

    for (int i = 0; i < 4; i++) {
        hs_builder *b = NULL;

        ck_assert_int_eq(hs_builder_create(&b), HS_OK);
        ck_assert_int_eq(hs_builder_set_workers(b, 3, 3), HS_OK);
        add_row(b, "x", 1, 2, 1);
        ck_assert_int_eq(hs_builder_add_node(b, first[i].name, first[i].cpus, first[i].gpus),
                         HS_OK);
        ck_assert_int_eq(hs_builder_add_node(b, "b", 3 - first[i].cpus, 3 - first[i].gpus), HS_OK);
        in = finish_instance(b);
        digest[i] = hs_instance_digest(in);
        hs_instance_free(in);
        hs_builder_free(b);
    }
    in = instance_with_nodes(false);
    digest[4] = hs_instance_digest(in);
    hs_instance_free(in);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++)
            ck_assert_uint_ne(digest[i], digest[j]);
}
END_TEST

START_TEST(copies_have_the_nodes)
{
    hs_instance *in = instance_with_nodes(true), *copy, *smaller;
    hs_builder  *b = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 3, 3), HS_OK);
    add_row(b, "x", 1, 2, 1);
    ck_assert_int_eq(hs_builder_copy_graph(b, in), HS_OK);
    copy = finish_instance(b);
    ck_assert(hs_instance_digest(copy) == hs_instance_digest(in));
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    add_row(b, "x", 1, 2, 1);
    ck_assert_int_eq(hs_builder_copy_graph(b, in), HS_OK);
    smaller = finish_instance(b);
    ck_assert_uint_eq(hs_instance_nodes(smaller), 1);
    hs_instance_free(in);
    hs_instance_free(copy);
    hs_instance_free(smaller);
    hs_builder_free(b);
}
END_TEST

/* The limits that hsched-formats(5) states, of nodes and of their names. */
START_TEST(nodes_have_a_limit)
{
    static char long_name[HS_MAX_ID + 2];
    hs_builder *b = NULL;
    char        name[16];

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    memset(long_name, 'x', sizeof long_name - 1);
    ck_assert_int_eq(hs_builder_add_node(b, long_name, 1, 0), HS_ETOOBIG);
    long_name[HS_MAX_ID] = '\0';
    ck_assert_int_eq(hs_builder_add_node(b, long_name, 1, 0), HS_OK);
    for (unsigned i = 1; i < HS_MAX_NODES; i++) {
        snprintf(name, sizeof name, "n%u", i);
        ck_assert_int_eq(hs_builder_add_node(b, name, 1, 0), HS_OK);
    }
    ck_assert_int_eq(hs_builder_add_node(b, "last", 1, 0), HS_ETOOBIG);
    hs_builder_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("instance_nodes");
    TCase *nodes = tcase_create("nodes");

    tcase_add_test(nodes, workers_belong_to_nodes_in_order);
    tcase_add_test(nodes, transfers_between_nodes_pass_through_hosts);
    tcase_add_test(nodes, other_workers_have_no_nodes);
    tcase_add_test(nodes, unfit_nodes_are_refused);
    tcase_add_test(nodes, digest_depends_on_nodes);
    tcase_add_test(nodes, copies_have_the_nodes);
    tcase_add_test(nodes, nodes_have_a_limit);
    suite_add_tcase(suite, nodes);
    return run_suite(suite);
}
