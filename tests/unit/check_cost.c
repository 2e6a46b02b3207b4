/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost models: features of tasks, and predictions by source. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "cost_fixture.h"
#include "suite.h"
#include "support/random.h"

static hsi_random random_state;

static hs_prediction predict(hs_cost *cost, hs_type type, hs_features f)
{
    hs_prediction p;

    hs_prediction_init(&p);
    hs_cost_predict(cost, type, &f, &p);
    return p;
}

/* Create an instance of 1 CPU and 1 GPU with a single row. */
static hs_instance *instance_of(const hs_task *task)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, task), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static hs_features row_features(const hs_instance *in, size_t row, hs_type type)
{
    hs_feature_index *index = NULL;
    hs_features       f;

    hs_features_init(&f);
    ck_assert_int_eq(hs_feature_index_create(in, &index), HS_OK);
    hs_feature_index_get(index, row, type, &f);
    hs_feature_index_free(index);
    return f;
}

START_TEST(commands_have_keys)
{
    static const char *const keys[][2] = {
        {"/usr/bin/convert a.png b.png", "convert"},
        {"N=3 M=4 ./run.sh 7", "run.sh"},
        {"python3 -u /home/me/train.py --epochs 3", "python3 train.py"},
        {"bash -x scripts/a.sh b", "bash a.sh"},
        {"java -Xmx2g Main x", "java Main"},
        {"for i in 1 2; do echo $i; done", "sh"},
        {"$HOME/bin/x", "sh"},
        {"(cd x && make)", "sh"},
        {"Rscript", "Rscript"},
        {"python3 -c 'secret=1'", "python3"},
        {"perl -e \"print 1\"", "perl"},
        {"python3 | x", "python3"},
        {"python3 < x.py", "python3"},
        {"sh /path/a.sh;rm x", "sh"},
        {"bash --login $HOME/x", "bash"},
        {"python3.12 -u -B a.py b", "python3.12 a.py"},
        {"java -jar /lib/a.jar b", "java a.jar"},
        {"perl -w a.pl", "perl a.pl"},
        {"Rscript --vanilla a.R", "Rscript a.R"},
        {"bash -xc secret", "bash"},
        {"sh -xe secret", "sh"},
        {"perl -ne secret", "perl"},
        {"node -pe secret", "node"},
        {"python3 - secret", "python3"},
        {"python3 -W secret.py a.py", "python3"},
        {"bash -o secret script.sh", "bash"},
        {"bash +o secret script.sh", "bash"},
        {"java -cp secret.jar Main", "java"},
        {"java @secret Main", "java"},
        {"node --eval=secret secret", "node"},
        {"python-config secret", "python-config"},
        {"python3\nsecret", "python3"},
        {"sleep 3", "command:sleep"},
        {"./dgemm_nopiv 3", "dgemm_nopiv"},
        {"X=1 ./dgetrf_nopiv 3", "command:dgetrf_nopiv"},
        {"copy a b", "command:copy"},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        hs_task      task;
        hs_instance *in;
        hs_features  f;

        hs_task_init(&task);
        task.cpu = HS_UNKNOWN;
        task.cpu_command = keys[i][0];
        task.size = 12;
        in = instance_of(&task);
        f = row_features(in, 0, HS_CPU);
        ck_assert_str_eq(f.key, keys[i][1]);
        ck_assert_double_eq(f.size, 12);
        ck_assert_double_eq(f.flops, 0);
        ck_assert_uint_ne(f.what, 0);
        hs_instance_free(in);
    }
}
END_TEST

START_TEST(kernels_have_size_work_and_bytes)
{
    static const struct {
        const char *kernel, *key;
        double      size, flops, in, out;
    } all[] = {
        {"dgemm:100", "dgemm", 100, 2e6, 3 * 8e4, 8e4},
        {"sgemm:100", "sgemm", 100, 2e6, 3 * 4e4, 4e4},
        {"dsyrk:10", "dsyrk", 10, 1100, 2 * 800, 800},
        {"dtrsm:10", "dtrsm", 10, 1000, 2 * 800, 800},
        {"dpotrf:3", "dpotrf", 3, 9, 72, 72},
        {"dgetrf_nopiv:3", "dgetrf", 3, 18, 72, 72},
        {"dgeqrt:3", "dgeqrf", 3, 36, 72, 72},
        {"dgemqrt:10", "dormqr", 10, 2000, 1600, 800},
        {"dtsqrt:10", "dtpqrt", 10, 2000, 1600, 1600},
        {"dtsmqr:10", "dtpmqrt", 10, 4000, 2400, 1600},
        {"copy:1000", "copy", 1000, 0, 1000, 1000},
        {"mine:7", "mine", 7, 0, 0, 0},
        {"plugin:/home/me/a.so:f", "plugin:a.so:f", 0, 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hs_task      task;
        hs_instance *in;
        hs_features  f;

        hs_task_init(&task);
        task.gpu = HS_UNKNOWN;
        task.kernel = all[i].kernel;
        in = instance_of(&task);
        f = row_features(in, 0, HS_GPU);
        ck_assert_str_eq(f.key, all[i].key);
        ck_assert_double_eq(f.size, all[i].size);
        ck_assert_double_eq_tol(f.flops, all[i].flops, 1e-9 * (1 + all[i].flops));
        ck_assert_double_eq(f.bytes_in, all[i].in);
        ck_assert_double_eq(f.bytes_out, all[i].out);
        hs_instance_free(in);
    }
}
END_TEST

START_TEST(bytes_come_from_data_and_edges)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      task;
    size_t       handle;
    hs_features  f;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 0), HS_OK);
    for (int row = 0; row < 3; row++) {
        hs_task_init(&task);
        task.cpu = 1;
        task.cpu_command = "x";
        task.count = row == 0 ? 2 : 1;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 10), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 2, 1, 0, 100), HS_OK);
    ck_assert_int_eq(hs_builder_add_handle(b, "h", &handle), HS_OK);
    ck_assert_int_eq(hs_builder_set_handle_bytes(b, handle, 1000), HS_OK);
    ck_assert_int_eq(hs_builder_add_access(b, 1, handle, HS_READ), HS_OK);
    ck_assert_int_eq(hs_builder_add_access(b, 2, handle, HS_READ_WRITE), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    f = row_features(in, 0, HS_CPU);
    ck_assert_double_eq(f.bytes_in, 0);
    ck_assert_double_eq(f.bytes_out, 10);
    ck_assert_double_eq(f.size, 10);
    f = row_features(in, 1, HS_CPU);
    ck_assert_double_eq(f.bytes_in, 2 * 10 + 1000);
    ck_assert_double_eq(f.bytes_out, 100);
    f = row_features(in, 2, HS_CPU);
    ck_assert_double_eq(f.bytes_in, 1100);
    ck_assert_double_eq(f.bytes_out, 1000);
    hs_instance_free(in);
}
END_TEST

START_TEST(the_most_accurate_source_predicts)
{
    hs_cost      *cost = new_cost();
    hs_prediction p = predict(NULL, HS_CPU, features_of("a", 1, 1, 0));

    ck_assert_int_eq(p.source, HS_COST_NONE);
    p = predict(cost, HS_CPU, features_of("a", 1, 1, 0));
    ck_assert_int_eq(p.source, HS_COST_NONE);
    ck_assert_double_eq(p.time, 1);
    observe(cost, HS_CPU, features_of("a", 1, 10, 0), 4);
    observe(cost, HS_CPU, features_of("a", 2, 10, 0), 8);
    observe(cost, HS_CPU, features_of("b", 3, 10, 0), 1);
    ck_assert_int_eq(predict(cost, HS_GPU, features_of("a", 1, 10, 0)).source, HS_COST_NONE);
    p = predict(cost, HS_CPU, features_of("a", 1, 10, 0));
    ck_assert_int_eq(p.source, HS_COST_TASK);
    ck_assert_double_eq(p.time, 4);
    ck_assert_uint_eq(p.runs, 1);
    ck_assert(isnan(p.spread));
    p = predict(cost, HS_CPU, features_of("a", 9, 10, 0));
    ck_assert_int_eq(p.source, HS_COST_HISTORY);
    ck_assert_double_eq(p.time, 6);
    ck_assert_double_eq_tol(p.spread, sqrt(8) / 6, 1e-12);
    p = predict(cost, HS_CPU, features_of("a", 9, 11, 0));
    ck_assert_int_eq(p.source, HS_COST_KEY);
    ck_assert_double_eq_tol(p.time, 6, 1e-12);
    p = predict(cost, HS_CPU, features_of("c", 9, 11, 0));
    ck_assert_int_eq(p.source, HS_COST_LEAST);
    ck_assert_double_eq_tol(p.time, 1, 1e-12);
    observe(cost, HS_CPU, features_of("a", 4, 20, 0), 24);
    observe(cost, HS_CPU, features_of("a", 5, 40, 0), 96);
    p = predict(cost, HS_CPU, features_of("a", 9, 30, 0));
    ck_assert_int_eq(p.source, HS_COST_POWER);
    ck_assert_double_eq_tol(p.time, 54, 0.01);
    hs_cost_free(cost);
}
END_TEST

/*
 * The law that fits better predicts: of bytes that say little about the time the log-linear one, of
 * a size the power law. Four points, which a law of four parameters always fits, decide nothing.
 */
START_TEST(the_better_law_predicts)
{
    hs_cost      *cost = new_cost();
    hs_features   f = features_of("work", 0, 0, 0);
    hs_prediction p;

    for (int key = 0; key < 3; key++)
        for (int i = 0; i < (key == 2 ? 8 : 12); i++) {
            double work = 100 + 13 * (i * 5 % 12), bytes = 1000 + 50 * i;

            if (key == 2)
                work = 100 + 13 * (i % 4 * 5 % 4), bytes = 1000 + 50 * (i % 4);
            f = features_of(key == 0 ? "work" : key == 1 ? "size" : "few", 0, bytes, work);
            f.bytes_in = key == 1 ? bytes : 1;
            observe(cost, HS_CPU, f, key == 1 ? bytes * bytes / 1e6 + 5 : work / 1000);
        }
    f = features_of("work", 0, 1225, 157);
    f.bytes_in = 1;
    p = predict(cost, HS_CPU, f);
    ck_assert_int_eq(p.source, HS_COST_LEARNED);
    ck_assert_double_eq_tol(p.time, 0.157, 0.002);
    hs_cost_predict_from(cost, HS_COST_POWER, HS_CPU, &f, &p);
    ck_assert_int_eq(p.source, HS_COST_POWER);
    f.flops = 1e6; /* beyond what the log-linear law has seen */
    ck_assert_int_eq(predict(cost, HS_CPU, f).source, HS_COST_POWER);
    f = features_of("size", 0, 1225, 157);
    f.bytes_in = 1225;
    ck_assert_int_eq(predict(cost, HS_CPU, f).source, HS_COST_POWER);
    hs_cost_predict_from(cost, HS_COST_LEARNED, HS_CPU, &f, &p);
    ck_assert_int_eq(p.source, HS_COST_LEARNED);
    f = features_of("few", 0, 1075, 120);
    f.bytes_in = 1;
    ck_assert_int_eq(predict(cost, HS_CPU, f).source, HS_COST_POWER);
    hs_cost_predict_from(cost, HS_COST_KEY, HS_CPU, &f, &p);
    ck_assert_int_eq(p.source, HS_COST_KEY);
    hs_cost_free(cost);
}
END_TEST

/* 4 of 24 executions have a size. The power law fits these closely as it has 3 parameters, which is
 * no evidence for it. */
START_TEST(executions_without_a_size_say_nothing_of_the_power_law)
{
    hs_cost    *cost = new_cost();
    hs_features f;

    for (int i = 0; i < 24; i++) {
        double work = 100 * (1 + i % 12), noise = i % 2 == i / 12 % 2 ? 1.1 : 0.9;

        f = features_of("work", 0, i < 4 ? work : 0, work);
        f.bytes_in = 1 + 10 * (i * 5 % 7);
        observe(cost, HS_CPU, f, work / 1000 * noise);
    }
    f = features_of("work", 0, 250, 250);
    f.bytes_in = 31;
    ck_assert_int_eq(predict(cost, HS_CPU, f).source, HS_COST_LEARNED);
    hs_cost_free(cost);
}
END_TEST

START_TEST(rates_give_a_roofline)
{
    hs_cost      *cost = new_cost();
    hs_features   copy = features_of("copy", 1, 1e6, 0), other = features_of("x", 2, 0, 4e9);
    hs_prediction p;

    copy.bytes_in = copy.bytes_out = 1e6;
    for (hs_type type = HS_CPU; type <= HS_GPU; type++) {
        observe(cost, type, features_of("dgemm", 3, 1000, 2e9), 1);
        observe(cost, type, copy, 0.002);
        p = predict(cost, type, other);
        ck_assert_int_eq(p.source, HS_COST_ROOFLINE);
        ck_assert_double_eq_tol(p.time, 2 + (type == HS_GPU ? 0.002 : 0), 1e-12);
    }
    other.bytes_in = 1e10;
    ck_assert_double_eq_tol(predict(cost, HS_CPU, other).time, 10, 1e-9);
    observe(cost, HS_CPU, features_of("x", 4, 0, 1e9), 2);
    ck_assert_double_eq_tol(predict(cost, HS_CPU, features_of("x", 2, 0, 4e9)).time, 8, 1e-9);
    hs_cost_free(cost);
}
END_TEST

/* Compare means with a list that is searched from its begin. */
START_TEST(the_table_equals_a_list)
{
    enum { KEYS = 20, SIZES = 5, WHATS = 3, ALL = KEYS * SIZES * WHATS };
    static double sum[2][ALL], count[2][ALL];
    hs_cost      *cost = new_cost();

    for (int i = 0; i < 20000; i++) {
        unsigned type = (unsigned)hsi_random_below(&random_state, 2);
        unsigned key = (unsigned)hsi_random_below(&random_state, KEYS);
        unsigned size = (unsigned)hsi_random_below(&random_state, SIZES);
        unsigned what = (unsigned)hsi_random_below(&random_state, WHATS);
        unsigned at = (key * SIZES + size) * WHATS + what;
        double   seconds = 1 + hsi_random_unit(&random_state);
        char     name[16];

        if (count[type][at] >= 64)
            continue;
        snprintf(name, sizeof name, "key%u", key);
        observe(cost, (hs_type)type, features_of(name, 1 + key * WHATS + what, size, 0), seconds);
        sum[type][at] += seconds;
        count[type][at]++;
        ck_assert_double_eq_tol(
            predict(cost, (hs_type)type, features_of(name, 1 + key * WHATS + what, size, 0)).time,
            sum[type][at] / count[type][at], 1e-9);
    }
    hs_cost_free(cost);
}
END_TEST

START_TEST(entries_carry_everything_to_another_table)
{
    hs_cost      *cost = new_cost(), *copy = new_cost();
    hs_cost_entry entry;
    size_t        fresh = 0;

    hs_cost_entry_init(&entry);
    for (int i = 0; i < 300; i++)
        observe(cost, (hs_type)(i % 2), features_of(i % 3 ? "a" : "b", 1 + (uint64_t)i % 7, i % 5, 0),
                1 + hsi_random_unit(&random_state));
    for (size_t i = 0; hs_cost_fresh_at(cost, i, &entry); i++)
        if (entry.runs > 0) {
            ck_assert_int_eq(hs_cost_merge(copy, &entry), HS_OK);
            fresh++;
        }
    ck_assert_uint_gt(fresh, 20);
    for (int i = 0; i < 300; i++) {
        hs_features f = features_of(i % 3 ? "a" : "b", 1 + (uint64_t)i % 7, i % 5, 0);

        for (int known = 0; known < 2; known++, f.what = 99)
            ck_assert_double_eq_tol(predict(copy, (hs_type)(i % 2), f).time,
                                    predict(cost, (hs_type)(i % 2), f).time, 1e-9);
    }
    for (size_t i = 0; hs_cost_fresh_at(copy, i, &entry); i++)
        ck_assert_double_eq(entry.runs, 0);
    hs_cost_clear_fresh(cost);
    for (size_t i = 0; hs_cost_fresh_at(cost, i, &entry); i++)
        ck_assert_double_eq(entry.runs, 0);
    hs_cost_free(cost);
    hs_cost_free(copy);
}
END_TEST

START_TEST(a_changed_machine_is_learned_again)
{
    hs_cost    *cost = new_cost();
    hs_features f = features_of("a", 1, 2, 0);

    for (int i = 0; i < 20; i++)
        observe(cost, HS_CPU, f, 1);
    for (int i = 0; i < 8; i++)
        observe(cost, HS_CPU, f, 5);
    ck_assert_double_eq_tol(predict(cost, HS_CPU, f).time, 5, 1);
    hs_cost_free(cost);
}
END_TEST

/* The square of the difference overflows; statistics of a profile must be finite. */
START_TEST(extreme_times_have_finite_statistics)
{
    hs_cost      *cost = new_cost();
    hs_features   f = features_of("a", 1, 2, 0);
    hs_cost_entry entry;

    observe(cost, HS_CPU, f, 1e-3);
    observe(cost, HS_CPU, f, 1e200);
    hs_cost_entry_init(&entry);
    for (size_t i = 0; hs_cost_entry_at(cost, i, &entry); i++)
        ck_assert(isfinite(entry.mean) && isfinite(entry.m2));
    hs_cost_free(cost);
}
END_TEST

START_TEST(invalid_observations_are_refused)
{
    hs_cost    *cost = new_cost();
    hs_features f = features_of("a", 1, 2, 0), bad = features_of("a", 1, -1, 0);

    ck_assert_int_eq(hs_cost_observe(cost, HS_CPU, &f, 0, 0), HS_EINVAL);
    ck_assert_int_eq(hs_cost_observe(cost, HS_CPU, &f, NAN, 0), HS_EINVAL);
    ck_assert_int_eq(hs_cost_observe(cost, HS_CPU, &f, INFINITY, 0), HS_EINVAL);
    ck_assert_int_eq(hs_cost_observe(cost, (hs_type)2, &f, 1, 0), HS_EINVAL);
    ck_assert_int_eq(hs_cost_observe(cost, HS_CPU, &bad, 1, 0), HS_EINVAL);
    ck_assert_int_eq(predict(cost, HS_CPU, f).source, HS_COST_NONE);
    hs_cost_free(cost);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cost models");
    TCase *cases = tcase_create("cost");

    hsi_random_seed(&random_state, 1, 0);
    tcase_add_test(cases, commands_have_keys);
    tcase_add_test(cases, kernels_have_size_work_and_bytes);
    tcase_add_test(cases, bytes_come_from_data_and_edges);
    tcase_add_test(cases, the_most_accurate_source_predicts);
    tcase_add_test(cases, the_better_law_predicts);
    tcase_add_test(cases, executions_without_a_size_say_nothing_of_the_power_law);
    tcase_add_test(cases, rates_give_a_roofline);
    tcase_add_test(cases, the_table_equals_a_list);
    tcase_add_test(cases, entries_carry_everything_to_another_table);
    tcase_add_test(cases, a_changed_machine_is_learned_again);
    tcase_add_test(cases, extreme_times_have_finite_statistics);
    tcase_add_test(cases, invalid_observations_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
