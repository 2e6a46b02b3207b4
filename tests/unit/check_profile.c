/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles: what is written comes back, merges, and limits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile_fixture.h"
#include "suite.h"

enum { DAY = 86400 };

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static void assert_same_statistics(const hs_cost_entry *a, const hs_cost_entry *b)
{
    ck_assert_double_eq(a->runs, b->runs);
    ck_assert(is_close(a->mean, b->mean));
    ck_assert(is_close(a->m2, b->m2));
    ck_assert_double_eq(a->least, b->least);
    ck_assert_int_eq(a->last, b->last);
    ck_assert_uint_eq(a->strange, b->strange);
}

static void assert_same_entry(const hs_cost_entry *a, const hs_cost_entry *b)
{
    ck_assert_int_eq(a->type, b->type);
    ck_assert_int_eq(a->level, b->level);
    ck_assert_str_eq(a->features.key, b->features.key);
    ck_assert_uint_eq(a->features.what, b->features.what);
    ck_assert_double_eq(a->features.size, b->features.size);
    ck_assert_double_eq(a->features.flops, b->features.flops);
    ck_assert_double_eq(a->features.bytes_in, b->features.bytes_in);
    ck_assert_double_eq(a->features.bytes_out, b->features.bytes_out);
    assert_same_statistics(a, b);
}

START_TEST(entries_come_back)
{
    hs_cost      *cost = new_cost(), *loaded;
    hs_features   f = features_of("dgemm", 0xfedcba9876543210u, 1e9 + 1);
    hs_cost_entry entry, back;

    f.flops = 0.1;
    f.bytes_in = 1e300;
    f.bytes_out = 5e-324;
    for (int i = 1; i <= 3; i++) {
        observe(cost, HS_CPU, f, i / 3.0, 1700000000 + i);
        observe(cost, HS_GPU, f, 1e-9 * i, i);
    }
    observe(cost, HS_CPU, features_of("copy of caf\xc3\xa9 \xff'\"", 0, 0), 1e9, 0);
    flush_cost(cost);
    loaded = load_cost();
    ck_assert_uint_eq(entry_count(cost), 5); /* no task entry without a digest of the task */
    ck_assert_uint_eq(entry_count(loaded), 5);
    hs_cost_entry_init(&entry);
    for (size_t i = 0; hs_cost_entry_at(cost, i, &entry); i++) {
        if (entry.runs == 0)
            continue;
        back = entry_of(loaded, entry.type, entry.level, &entry.features);
        assert_same_entry(&entry, &back);
    }
    for (size_t i = 0; hs_cost_fresh_at(loaded, i, &entry); i++)
        ck_assert_double_eq(entry.runs, 0);
    ck_assert_double_eq(query("SELECT count(*) FROM machine"), 2);
    ck_assert_double_eq(query("PRAGMA application_id"), 0x48535046);
    ck_assert_double_eq(query("PRAGMA user_version"), 1);
    ck_assert_double_eq(query("SELECT journal_mode = 'delete' FROM pragma_journal_mode"), 1);
    hs_cost_free(cost);
    hs_cost_free(loaded);
}
END_TEST

START_TEST(longest_key_comes_back)
{
    hs_cost    *cost = new_cost(), *loaded;
    hs_features f = features_of("", 0, 0);

    memset(f.key, 'k', HS_MAX_KEY - 1);
    observe(cost, HS_CPU, f, 1, 0);
    flush_cost(cost);
    loaded = load_cost();
    ck_assert_double_eq(entry_of(loaded, HS_CPU, HS_COST_LEVEL_HISTORY, &f).runs, 1);
    hs_cost_free(cost);
    hs_cost_free(loaded);
}
END_TEST

/* Flush two models of equal features in one order, and return the sum. */
static hs_cost_entry sum_of(const double *first, const double *second, size_t each)
{
    const double *parts[] = {first, second};
    hs_features   f = features_of("sum", 0, 3);
    hs_cost_entry sum;
    hs_cost      *loaded;

    unlink(profile_path);
    for (size_t part = 0; part < 2; part++) {
        hs_cost *cost = new_cost();

        for (size_t i = 0; i < each; i++)
            observe(cost, HS_CPU, f, parts[part][i], (int64_t)(part * each + i));
        flush_cost(cost);
        hs_cost_free(cost);
    }
    loaded = load_cost();
    sum = entry_of(loaded, HS_CPU, HS_COST_LEVEL_HISTORY, &f);
    hs_cost_free(loaded);
    return sum;
}

START_TEST(merges_commute)
{
    enum { EACH = 20 };
    double        one[EACH], other[EACH], mean = 0, m2 = 0;
    hs_cost_entry sum, reverse;

    srand48(_i);
    for (size_t i = 0; i < EACH; i++) {
        one[i] = 1 + drand48();
        other[i] = 3 + drand48();
        mean += (one[i] + other[i]) / (2 * EACH);
    }
    for (size_t i = 0; i < EACH; i++)
        m2 += (one[i] - mean) * (one[i] - mean) + (other[i] - mean) * (other[i] - mean);
    sum = sum_of(one, other, EACH);
    reverse = sum_of(other, one, EACH);
    assert_same_statistics(&sum, &reverse);
    ck_assert_double_eq(sum.runs, 2 * EACH);
    ck_assert(fabs(sum.mean - mean) <= 1e-12);
    ck_assert(fabs(sum.m2 - m2) <= 1e-9);
}
END_TEST

/* Only fresh executions are merged, so that a second flush does not count the first again. */
START_TEST(each_execution_counts_once)
{
    hs_features f = features_of("once", 7, 3);
    hs_profile *profile = open_profile();
    hs_cost    *cost;

    for (int run = 1; run <= 3; run++) {
        cost = new_cost();
        ck_assert_int_eq(hs_profile_load(profile, &test_cpu, NULL, cost, NULL), HS_OK);
        observe(cost, HS_CPU, f, run, run);
        flush_to(profile, cost);
        flush_to(profile, cost);
        ck_assert_double_eq(entry_of(cost, HS_CPU, HS_COST_LEVEL_HISTORY, &f).runs, run);
        hs_cost_free(cost);
    }
    hs_profile_close(profile);
    ck_assert_double_eq(query("SELECT sum(n) FROM entry WHERE level = 0"), 3);
    ck_assert_double_eq(query("SELECT sum(n) FROM entry WHERE level = 1"), 3);
    ck_assert_double_eq(query("SELECT mean FROM entry WHERE level = 1"), 2);
}
END_TEST

/* A machine that has changed replaces its old entries, and strange executions are kept. */
START_TEST(restarts_replace_entries)
{
    hs_features   f = features_of("changed", 0, 3);
    hs_cost      *cost = new_cost();
    hs_cost_entry entry;

    for (int i = 0; i < 10; i++)
        observe(cost, HS_CPU, f, 1, 1);
    flush_cost(cost);
    for (int i = 0; i < 4; i++)
        observe(cost, HS_CPU, f, 5, 2);
    flush_cost(cost);
    hs_cost_free(cost);
    cost = load_cost();
    entry = entry_of(cost, HS_CPU, HS_COST_LEVEL_HISTORY, &f);
    ck_assert_double_eq(entry.runs, 10);
    ck_assert_uint_eq(entry.strange, 4);
    observe(cost, HS_CPU, f, 5, 2);
    observe(cost, HS_CPU, f, 6, 2);
    flush_cost(cost);
    hs_cost_free(cost);
    cost = load_cost();
    entry = entry_of(cost, HS_CPU, HS_COST_LEVEL_HISTORY, &f);
    ck_assert_double_eq(entry.runs, 2);
    ck_assert_double_eq(entry.mean, 5.5);
    ck_assert_double_eq(entry.least, 5);
    ck_assert_uint_eq(entry.strange, 0);
    hs_cost_free(cost);
}
END_TEST

/*
 * After all times have become 5 times as long, a mean is within 20% after 8 executions, whatever
 * the number of older ones, and although each run of a tool observes without the older executions.
 */
START_TEST(changed_machines_are_learned)
{
    static const int older[] = {1, 4, 10, 30, 64, 200};
    hs_features      f = features_of("changed", 0, 3);
    hs_profile      *profile = open_profile();
    hs_cost         *cost;

    srand48(_i);
    for (size_t k = 0; k < sizeof older / sizeof *older; k++) {
        ck_assert_int_eq(hs_profile_forget(profile, NULL, NULL, NULL), HS_OK);
        for (int i = 0; i < older[k] + 8; i++) {
            cost = new_cost();
            observe(cost, HS_CPU, f, (i < older[k] ? 1 : 5) * (0.85 + 0.3 * drand48()), i);
            flush_to(profile, cost);
            hs_cost_free(cost);
        }
        cost = load_cost();
        ck_assert_double_eq_tol(entry_of(cost, HS_CPU, HS_COST_LEVEL_HISTORY, &f).mean, 5, 1);
        hs_cost_free(cost);
    }
    hs_profile_close(profile);
}
END_TEST

/*
 * A cold first execution is replaced in the file, wherever the later ones are observed; but one of a
 * later run replaces no older execution.
 */
START_TEST(cold_first_executions_are_replaced)
{
    hs_features f = features_of("cold", 0, 3);
    hs_profile *profile = open_profile();
    hs_cost    *cost = new_cost();

    observe(cost, HS_CPU, f, 9, 1);
    if (_i == 1)
        flush_to(profile, cost);
    if (_i == 2) {
        flush_to(profile, cost);
        hs_cost_free(cost);
        cost = new_cost();
    }
    for (int i = 0; i < 3; i++)
        observe(cost, HS_CPU, f, 1, 2);
    flush_to(profile, cost);
    hs_cost_free(cost);
    ck_assert_double_eq(query("SELECT mean FROM entry WHERE level = 1"), 1);
    ck_assert_double_eq(query("SELECT n FROM entry WHERE level = 1"), 3);
    cost = new_cost();
    observe(cost, HS_CPU, f, 9, 3);
    observe(cost, HS_CPU, f, 1, 3);
    observe(cost, HS_CPU, f, 1, 3);
    flush_to(profile, cost);
    hs_cost_free(cost);
    hs_profile_close(profile);
    ck_assert_double_eq(query("SELECT mean FROM entry WHERE level = 1"), 1);
    ck_assert_double_eq(query("SELECT n FROM entry WHERE level = 1"), 5);
}
END_TEST

/* Single strange executions do not replace an entry, however many there are in total. */
START_TEST(rare_strange_executions_change_nothing)
{
    hs_features f = features_of("cached", 0, 3);
    hs_profile *profile = open_profile();
    hs_cost    *cost;

    for (int i = 0; i < 60; i++) {
        cost = new_cost();
        observe(cost, HS_CPU, f, i > 4 && i % 3 == 0 ? 50 : 1, i);
        flush_to(profile, cost);
        hs_cost_free(cost);
    }
    hs_profile_close(profile);
    ck_assert_double_eq(query("SELECT mean FROM entry WHERE level = 1"), 1);
}
END_TEST

/* Add `count` entries of a processor; the first has the oldest execution. */
static void add_entries(hs_profile *profile, const hs_processor *cpu, int count)
{
    hs_cost *cost = new_cost();

    for (int i = 0; i < count; i++)
        observe(cost, HS_CPU, features_of("old", 0, (i * 7) % count), 1, DAY * (i + 1));
    ck_assert_int_eq(hs_profile_flush(profile, cpu, NULL, cost, NULL), HS_OK);
    hs_cost_free(cost);
}

START_TEST(trimming_drops_the_oldest)
{
    hs_profile  *profile = open_profile();
    hs_processor small = test_cpu;

    small.cores = 2;
    add_entries(profile, &test_cpu, 20);
    add_entries(profile, &small, 5);
    ck_assert_int_eq(hs_profile_trim(profile, 20, NULL), HS_OK);
    ck_assert_double_eq(query("SELECT count(*) FROM entry"), 25);
    ck_assert_int_eq(hs_profile_trim(profile, 19, NULL), HS_OK);
    ck_assert_double_eq(query("SELECT count(*) FROM entry"), 24);
    ck_assert_int_eq(hs_profile_trim(profile, 8, NULL), HS_OK);
    ck_assert_double_eq(query("SELECT count(*) FROM entry WHERE machine = 1"), 8);
    ck_assert_double_eq(query("SELECT min(last) FROM entry WHERE machine = 1"), 13 * DAY);
    ck_assert_double_eq(query("SELECT count(*) FROM entry WHERE machine = 2"), 5);
    ck_assert_int_eq(hs_profile_trim(profile, UINT64_MAX, NULL), HS_OK);
    ck_assert_int_eq(hs_profile_trim(profile, 0, NULL), HS_OK);
    ck_assert_double_eq(query("SELECT count(*) FROM entry"), 0);
    hs_profile_close(profile);
}
END_TEST

START_TEST(processors_are_listed)
{
    hs_profile  *profile = open_profile();
    hs_processor two = test_cpu, found;
    hs_cost     *cost = new_cost();
    uint64_t     entries = 9;
    size_t       count = 9;

    two.cores = 2;
    hs_processor_init(&found);
    ck_assert_int_eq(hs_profile_count_processors(profile, &count, NULL), HS_OK);
    ck_assert_uint_eq(count, 0);
    add_entries(profile, &test_cpu, 3);
    observe(cost, HS_GPU, features_of("dgemm", 0, 3), 1, 1);
    ck_assert_int_eq(hs_profile_flush(profile, NULL, &test_gpu, cost, NULL), HS_OK);
    hs_cost_free(cost);
    add_entries(profile, &two, 5);
    ck_assert_int_eq(hs_profile_count_processors(profile, &count, NULL), HS_OK);
    ck_assert_uint_eq(count, 3);
    ck_assert_int_eq(hs_profile_processor_at(profile, 0, &found, &entries, NULL), HS_OK);
    ck_assert_int_eq(found.type, HS_CPU);
    ck_assert_int_eq(found.cores, 1);
    ck_assert_str_eq(found.model, test_cpu.model);
    ck_assert_uint_eq(entries, 3);
    ck_assert_int_eq(hs_profile_processor_at(profile, 1, &found, &entries, NULL), HS_OK);
    ck_assert_int_eq(found.type, HS_GPU);
    ck_assert_int_eq(found.cores, 0);
    ck_assert_str_eq(found.model, test_gpu.model);
    ck_assert_uint_eq(entries, 1);
    ck_assert_int_eq(hs_profile_processor_at(profile, 2, &found, &entries, NULL), HS_OK);
    ck_assert_int_eq(found.cores, 2);
    ck_assert_uint_eq(entries, 5);
    ck_assert_int_eq(hs_profile_processor_at(profile, 3, &found, &entries, NULL), HS_EINVAL);
    query("DELETE FROM entry WHERE machine = 1");
    ck_assert_int_eq(hs_profile_count_processors(profile, &count, NULL), HS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(hs_profile_processor_at(profile, 0, &found, &entries, NULL), HS_OK);
    ck_assert_int_eq(found.type, HS_GPU);
    hs_profile_close(profile);
}
END_TEST

START_TEST(keys_are_forgotten)
{
    hs_profile *profile = open_profile();
    hs_cost    *cost = new_cost();
    uint64_t    deleted = 99;

    observe(cost, HS_CPU, features_of("convert", 1, 0), 1, 1);
    observe(cost, HS_CPU, features_of("convert", 2, 0), 1, 1);
    observe(cost, HS_GPU, features_of("convert", 2, 0), 1, 1);
    observe(cost, HS_CPU, features_of("gzip", 3, 0), 1, 1);
    observe(cost, HS_CPU, features_of("gzip", 2, 0), 1, 1);
    flush_to(profile, cost);
    ck_assert_double_eq(query("SELECT count(*) FROM entry"), 8);
    ck_assert_int_eq(hs_profile_forget(profile, "conv", &deleted, NULL), HS_OK);
    ck_assert_uint_eq(deleted, 0);
    ck_assert_int_eq(hs_profile_forget(profile, "convert", &deleted, NULL), HS_OK);
    ck_assert_uint_eq(deleted, 5);
    ck_assert_double_eq(query("SELECT count(*) FROM entry WHERE key = 'gzip'"), 3);
    ck_assert_double_eq(query("SELECT count(*) FROM machine"), 1);
    ck_assert_int_eq(hs_profile_forget(profile, NULL, &deleted, NULL), HS_OK);
    ck_assert_uint_eq(deleted, 3);
    ck_assert_double_eq(query("SELECT count(*) FROM machine"), 0);
    observe(cost, HS_CPU, features_of("gzip", 3, 0), 1, 1);
    flush_to(profile, cost);
    ck_assert_double_eq(query("SELECT count(*) FROM entry"), 2);
    hs_cost_free(cost);
    hs_profile_close(profile);
}
END_TEST

/* Check that repeated replacements write every entry and keep entries of other features. */
START_TEST(entries_are_replaced)
{
    hs_profile   *profile = open_profile();
    hs_cost      *cost = new_cost(), *models = new_cost();
    hs_cost_entry entry;

    observe(cost, HS_CPU, features_of("gemm", 0, 3), 1, 1);
    observe(cost, HS_CPU, features_of("gemm", 0, 4), 1, 1);
    flush_to(profile, cost);
    hs_cost_entry_init(&entry);
    entry.level = HS_COST_LEVEL_HISTORY;
    entry.features = features_of("gemm", 0, 4);
    entry.runs = 20;
    entry.mean = 9;
    entry.m2 = 0.5;
    ck_assert_int_eq(hs_cost_merge(models, &entry), HS_OK);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(hs_profile_replace_entries(profile, &test_cpu, NULL, models, NULL), HS_OK);
    ck_assert_double_eq(query("SELECT sum(n) FROM entry"), 21);
    ck_assert_double_eq(query("SELECT mean FROM entry WHERE size = 4"), 9);
    ck_assert_double_eq(query("SELECT m2 FROM entry WHERE size = 4"), 0.5);
    ck_assert_int_eq(hs_profile_replace_entries(NULL, &test_cpu, NULL, models, NULL), HS_EINVAL);
    hs_cost_free(cost);
    hs_cost_free(models);
    hs_profile_close(profile);
}
END_TEST

START_TEST(executions_need_a_processor)
{
    hs_profile *profile = open_profile();
    hs_cost    *cost = new_cost();
    hs_error    error = {0};

    observe(cost, HS_CPU, features_of("a", 0, 1), 1, 1);
    observe(cost, HS_GPU, features_of("a", 0, 1), 1, 1);
    ck_assert_int_eq(hs_profile_flush(profile, &test_cpu, NULL, cost, &error), HS_EINVAL);
    ck_assert_str_eq(error.why, "an execution was observed on a type without a processor");
    ck_assert_double_eq(query("SELECT count(*) FROM entry"), 0);
    flush_to(profile, cost);
    ck_assert_double_eq(query("SELECT count(*) FROM entry"), 2);
    hs_cost_free(cost);
    hs_profile_close(profile);
}
END_TEST

START_TEST(memory_keeps_nothing)
{
    hs_profile *profile = NULL;
    hs_cost    *cost = new_cost(), *loaded = new_cost();
    hs_features f = features_of("a", 0, 1);

    ck_assert_int_eq(hs_profile_open(":memory:", HS_PROFILE_UPDATE, &profile, NULL), HS_OK);
    observe(cost, HS_CPU, f, 1, 1);
    flush_to(profile, cost);
    ck_assert_int_eq(hs_profile_load(profile, &test_cpu, &test_gpu, loaded, NULL), HS_OK);
    ck_assert_double_eq(entry_of(loaded, HS_CPU, HS_COST_LEVEL_HISTORY, &f).runs, 1);
    ck_assert_int_ne(access(":memory:", F_OK), 0);
    hs_profile_close(profile);
    hs_cost_free(cost);
    hs_cost_free(loaded);
}
END_TEST

START_TEST(arguments_are_checked)
{
    hs_profile  *profile = open_profile();
    hs_cost     *cost = new_cost();
    hs_processor bad = test_cpu, found;
    hs_error     error = {0};
    uint64_t     entries;
    size_t       count;

    hs_processor_init(&found);
    ck_assert_int_eq(hs_profile_open(NULL, HS_PROFILE_UPDATE, &profile, &error), HS_EINVAL);
    ck_assert_str_eq(error.why, "a profile needs the name of a file");
    ck_assert_int_eq(hs_profile_open("", HS_PROFILE_UPDATE, &profile, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_profile_open(profile_path, HS_PROFILE_UPDATE, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_profile_open(profile_path, (hs_profile_access)2, &profile, NULL),
                     HS_EINVAL);
    ck_assert_int_eq(hs_profile_load(NULL, &test_cpu, NULL, cost, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_profile_load(profile, &test_cpu, NULL, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_profile_load(profile, &test_gpu, NULL, cost, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_profile_load(profile, NULL, &test_cpu, cost, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_profile_flush(NULL, &test_cpu, NULL, cost, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_profile_flush(profile, &test_cpu, NULL, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_profile_flush(profile, &test_gpu, NULL, cost, NULL), HS_EINVAL);
    bad.cores = -1;
    ck_assert_int_eq(hs_profile_load(profile, &bad, NULL, cost, NULL), HS_EINVAL);
    bad = test_cpu;
    bad.model[0] = '\0';
    ck_assert_int_eq(hs_profile_load(profile, &bad, NULL, cost, NULL), HS_EINVAL);
    memset(bad.model, 'm', sizeof bad.model);
    ck_assert_int_eq(hs_profile_load(profile, &bad, NULL, cost, NULL), HS_EINVAL);
    bad = test_cpu;
    bad.struct_size = 0;
    ck_assert_int_eq(hs_profile_load(profile, &bad, NULL, cost, NULL), HS_EINVAL);
    bad = test_cpu;
    bad.type = (hs_type)2;
    ck_assert_int_eq(hs_profile_load_similar(profile, &bad, cost, &found, &entries, NULL),
                     HS_EINVAL);
    ck_assert_int_eq(hs_profile_load_similar(profile, NULL, cost, &found, &entries, NULL),
                     HS_EINVAL);
    ck_assert_int_eq(hs_profile_load_similar(profile, &test_cpu, NULL, &found, &entries, NULL),
                     HS_EINVAL);
    ck_assert_int_eq(hs_profile_processor_at(profile, SIZE_MAX, &found, &entries, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_profile_count_processors(NULL, &count, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_profile_count_processors(profile, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_profile_trim(NULL, 1, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_profile_forget(NULL, NULL, NULL, NULL), HS_EINVAL);
    hs_profile_close(NULL);
    hs_profile_close(profile);
    hs_cost_free(cost);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profile");
    TCase *tcase = tcase_create("profile");

    tcase_add_checked_fixture(tcase, set_up_profile, tear_down_profile);
    tcase_add_test(tcase, entries_come_back);
    tcase_add_test(tcase, longest_key_comes_back);
    tcase_add_loop_test(tcase, merges_commute, 0, 5);
    tcase_add_test(tcase, each_execution_counts_once);
    tcase_add_test(tcase, restarts_replace_entries);
    tcase_add_loop_test(tcase, changed_machines_are_learned, 0, 5);
    tcase_add_test(tcase, rare_strange_executions_change_nothing);
    tcase_add_loop_test(tcase, cold_first_executions_are_replaced, 0, 3);
    tcase_add_test(tcase, trimming_drops_the_oldest);
    tcase_add_test(tcase, processors_are_listed);
    tcase_add_test(tcase, keys_are_forgotten);
    tcase_add_test(tcase, entries_are_replaced);
    tcase_add_test(tcase, executions_need_a_processor);
    tcase_add_test(tcase, memory_keeps_nothing);
    tcase_add_test(tcase, arguments_are_checked);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
