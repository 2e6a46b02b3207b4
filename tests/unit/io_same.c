/* SPDX-License-Identifier: BSD-3-Clause */

#include "io_same.h"

#include "io_fixture.h"

static void same_text(const char *a, const char *b)
{
    ck_assert_int_eq(!a, !b);
    if (a)
        ck_assert_str_eq(a, b);
}

static void same_rows(const hs_instance *a, const hs_instance *b)
{
    ck_assert_uint_eq(hs_instance_rows(a), hs_instance_rows(b));
    for (size_t row = 0; row < hs_instance_rows(a); row++) {
        hs_task x, y;

        hs_instance_row(a, row, &x);
        hs_instance_row(b, row, &y);
        ck_assert(x.cpu == y.cpu && x.gpu == y.gpu);
        ck_assert(x.priority == y.priority && x.count == y.count);
        ck_assert_int_eq(x.restartable, y.restartable);
        same_text(x.id, y.id);
        same_text(x.kernel, y.kernel);
        same_text(x.cpu_command, y.cpu_command);
        same_text(x.gpu_command, y.gpu_command);
    }
}

void assert_same_header(const hs_instance *a, const hs_instance *b)
{
    const char *value_a = NULL, *value_b = NULL, *key;
    size_t      i = 0;

    ck_assert_uint_eq(hs_instance_cpus(a), hs_instance_cpus(b));
    ck_assert_uint_eq(hs_instance_gpus(a), hs_instance_gpus(b));
    ck_assert_int_eq(hs_instance_unit(a), hs_instance_unit(b));
    for (; (key = hs_instance_note(a, i, &value_a)); i++) {
        same_text(key, hs_instance_note(b, i, &value_b));
        same_text(value_a, value_b);
    }
    ck_assert_ptr_null(hs_instance_note(b, i, &value_b));
}

void assert_same_instance(const hs_instance *a, const hs_instance *b)
{
    assert_same_header(a, b);
    same_rows(a, b);
    ck_assert_uint_eq(hs_instance_digest(a), hs_instance_digest(b));
}

void instance_round_trip(int fd, const hs_instance *in)
{
    hs_instance *back;
    char        *first, *second;

    set_text(fd, "", 0);
    ck_assert_int_eq(hs_instance_write(fd, in, NULL), HS_OK);
    first = get_text(fd, NULL);
    back = read_valid_instance(fd);
    assert_same_instance(in, back);
    set_text(fd, "", 0);
    ck_assert_int_eq(hs_instance_write(fd, back, NULL), HS_OK);
    second = get_text(fd, NULL);
    ck_assert_str_eq(first, second);
    hs_instance_free(back);
    free(first);
    free(second);
}
