/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles: the processors of a file, similar processors, and the names of processors. */
#include <stdio.h>
#include <string.h>

#include "profile/detect.h"
#include "profile_fixture.h"
#include "suite.h"

START_TEST(processors_are_separate)
{
    hs_features   f = features_of("work", 0, 3);
    hs_processor  two = test_cpu, other = test_cpu;
    hs_processor *cpus[] = {&test_cpu, &two, &other};
    hs_profile   *profile = open_profile();

    two.cores = 2;
    strcpy(other.model, "Other CPU");
    for (int i = 0; i < 3; i++) {
        hs_cost *cost = new_cost();

        observe(cost, HS_CPU, f, 1 + i, 1);
        ck_assert_int_eq(hs_profile_flush(profile, cpus[i], NULL, cost, NULL), HS_OK);
        hs_cost_free(cost);
    }
    for (int i = 0; i < 3; i++) {
        hs_cost      *cost = new_cost();
        hs_cost_entry entry;

        ck_assert_int_eq(hs_profile_load(profile, cpus[i], NULL, cost, NULL), HS_OK);
        entry = entry_of(cost, HS_CPU, HS_COST_LEVEL_HISTORY, &f);
        ck_assert_double_eq(entry.runs, 1);
        ck_assert_double_eq(entry.mean, 1 + i);
        hs_cost_free(cost);
    }
    hs_profile_close(profile);
}
END_TEST

/* Write one execution of `seconds` for each key of a processor. */
static void add_keys(hs_profile *profile, const hs_processor *processor, const char *const *keys,
                     double seconds)
{
    bool     is_gpu = processor->type == HS_GPU;
    hs_cost *cost = new_cost();

    for (; *keys; keys++)
        observe(cost, processor->type, features_of(*keys, 7, 3), seconds, 1);
    ck_assert_int_eq(
        hs_profile_flush(profile, is_gpu ? NULL : processor, is_gpu ? processor : NULL, cost, NULL),
        HS_OK);
    hs_cost_free(cost);
}

static const char *const gemm_trsm[] = {"gemm", "trsm", NULL}, *const gemm[] = {"gemm", NULL},
                         *const all_four[] = {"gemm", "trsm", "syrk", "potrf", NULL};

/* Load similar entries of a processor; return the number of keys. */
static uint64_t load_similar(hs_profile *profile, hs_type type, const char *model, int cores,
                             hs_processor *from, hs_cost *cost)
{
    hs_processor own;
    uint64_t     keys = 99;

    hs_processor_init(&own);
    own.type = type;
    own.cores = cores;
    strcpy(own.model, model);
    hs_processor_init(from);
    ck_assert_int_eq(hs_profile_load_similar(profile, &own, cost, from, &keys, NULL), HS_OK);
    return keys;
}

/* The same, without the entries. */
static uint64_t similar(hs_profile *profile, hs_type type, const char *model, int cores,
                        hs_processor *from)
{
    hs_cost *cost = new_cost();
    uint64_t keys = load_similar(profile, type, model, cores, from, cost);

    ck_assert_int_eq(entry_count(cost) > 0, keys > 0);
    hs_cost_free(cost);
    return keys;
}

START_TEST(similar_processors_serve)
{
    hs_profile  *profile = open_profile();
    hs_processor two = test_cpu, large = test_cpu, emulated = test_gpu, found;

    two.cores = 2;
    strcpy(large.model, "Large CPU");
    strcpy(emulated.model, "emulated");
    ck_assert_uint_eq(similar(profile, HS_CPU, "Large CPU", 1, &found), 0);
    ck_assert_str_eq(found.model, "");
    add_keys(profile, &two, gemm_trsm, 1);
    ck_assert_uint_eq(similar(profile, HS_CPU, test_cpu.model, 2, &found), 0);
    ck_assert_uint_eq(similar(profile, HS_CPU, test_cpu.model, 1, &found), 2);
    ck_assert_int_eq(found.cores, 2);
    add_keys(profile, &large, all_four, 1);
    ck_assert_uint_eq(similar(profile, HS_CPU, test_cpu.model, 1, &found), 2);
    ck_assert_str_eq(found.model, test_cpu.model);
    ck_assert_uint_eq(similar(profile, HS_CPU, "New CPU", 1, &found), 4);
    ck_assert_str_eq(found.model, "Large CPU");
    add_keys(profile, &test_cpu, gemm_trsm, 1);
    ck_assert_uint_eq(similar(profile, HS_CPU, test_cpu.model, 1, &found), 2);
    ck_assert_str_eq(found.model, "Large CPU");
    ck_assert_uint_eq(similar(profile, HS_GPU, "New GPU", 0, &found), 0);
    add_keys(profile, &emulated, gemm, 1);
    ck_assert_uint_eq(similar(profile, HS_GPU, "New GPU", 0, &found), 0);
    add_keys(profile, &test_gpu, gemm_trsm, 1);
    ck_assert_uint_eq(similar(profile, HS_GPU, "New GPU", 0, &found), 2);
    ck_assert_uint_eq(similar(profile, HS_GPU, "emulated", 0, &found), 0);
    hs_profile_close(profile);
}
END_TEST

/* Keys of the own processor keep their entries alone; other keys come with both levels. */
START_TEST(similar_processors_serve_missing_keys)
{
    hs_profile  *profile = open_profile();
    hs_processor large = test_cpu, found;
    hs_cost     *cost = new_cost();
    hs_features  own = features_of("gemm", 7, 3), other = features_of("syrk", 7, 3);

    strcpy(large.model, "Large CPU");
    add_keys(profile, &test_cpu, gemm_trsm, 1);
    add_keys(profile, &large, all_four, 9);
    ck_assert_int_eq(hs_profile_load(profile, &test_cpu, NULL, cost, NULL), HS_OK);
    ck_assert_uint_eq(entry_count(cost), 4);
    ck_assert_uint_eq(load_similar(profile, HS_CPU, test_cpu.model, 1, &found, cost), 2);
    ck_assert_uint_eq(entry_count(cost), 8);
    ck_assert_double_eq(entry_of(cost, HS_CPU, HS_COST_LEVEL_HISTORY, &own).runs, 1);
    ck_assert_double_eq(entry_of(cost, HS_CPU, HS_COST_LEVEL_HISTORY, &own).mean, 1);
    ck_assert_double_eq(entry_of(cost, HS_CPU, HS_COST_LEVEL_HISTORY, &other).mean, 9);
    hs_cost_free(cost);
    hs_profile_close(profile);
}
END_TEST

static void assert_model(const char *text, const char *expected)
{
    char  model[HS_MAX_PROCESSOR_MODEL];
    FILE *file = fopen(profile_path, "we");

    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    hsi_detect_cpu_model(profile_path, "aarch64", model);
    ck_assert_str_eq(model, expected);
}

START_TEST(cpu_models_are_detected)
{
    char         model[HS_MAX_PROCESSOR_MODEL], long_line[2000] = "model name : ";
    hs_processor cpu;

    assert_model("processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC  7543 \t\n"
                 "model name\t: Second\n",
                 "AMD EPYC  7543");
    assert_model("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "aarch64 0xd0c");
    assert_model("CPU part\t: 0xd0c\nmodel name\t: Neoverse\n", "Neoverse");
    assert_model("model name\t:\n", "aarch64");
    assert_model("model name of it: a\n", "aarch64");
    assert_model("", "aarch64");
    hsi_detect_cpu_model("/nonexistent", "riscv64", model);
    ck_assert_str_eq(model, "riscv64");
    memset(long_line + strlen(long_line), 'x', sizeof long_line - strlen(long_line) - 1);
    FILE *file = fopen(profile_path, "we");
    fputs(long_line, file);
    fclose(file);
    hsi_detect_cpu_model(profile_path, "aarch64", model);
    ck_assert_uint_eq(strlen(model), HS_MAX_PROCESSOR_MODEL - 1);
    hs_processor_init(&cpu);
    hs_processor_detect_cpu(4, &cpu);
    ck_assert_int_eq(cpu.type, HS_CPU);
    ck_assert_int_eq(cpu.cores, 4);
    ck_assert_uint_gt(strlen(cpu.model), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profile processors");
    TCase *tcase = tcase_create("processors");

    tcase_add_checked_fixture(tcase, set_up_profile, tear_down_profile);
    tcase_add_test(tcase, processors_are_separate);
    tcase_add_test(tcase, similar_processors_serve);
    tcase_add_test(tcase, similar_processors_serve_missing_keys);
    tcase_add_test(tcase, cpu_models_are_detected);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
