/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA module on the fake: each call, and each operation, fails once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "ways.h"

static const char *const mixed[] = {"dgemm:40",  "sgemm:24",  "dsyrk:33",  "dtrsm:20", "dpotrf:110",
                                    "dgetrf:30", "dgeqrf:25", "dormqr:20", NULL};

/* Run every function of a worker despite failures, and keep the outcome of each attempt. */
static void live_through(trial *t)
{
    hs_backend_device devices[4];
    unsigned          count = 0, i;

    t->status = t->module->devices(devices, 4, &count, &t->error);
    if (t->status != HS_OK || !trial_open_worker(t, 1))
        return;
    trial_run_pipeline(t);
    for (i = 0; i < t->count && i < 4; i++) {
        hs_outcome outcome = trial_run(t, 2 * i % t->count);

        if (outcome != HS_OUTCOME_DONE)
            t->ends[2 * i % t->count].outcome = outcome;
    }
}

/* Return the first error text, or NULL. */
static const char *complaint(const trial *t)
{
    unsigned i;

    if (t->status != HS_OK)
        return t->error.why;
    for (i = 0; i < t->collected; i++)
        if (t->ends[i].outcome != HS_OUTCOME_DONE)
            return t->why[i];
    return NULL;
}

static void bears_it(const trial *t, const char *call, int sticky, unsigned number)
{
    const char *said = complaint(t);
    unsigned    i, lost = 0;

    ck_assert(t->status == HS_OK || t->status == HS_ERESOURCE);
    if (said)
        ck_assert_msg(trial_message_names_call(said, call, sticky),
                      "call %u: '%s' does not name %s", number, said, call);
    for (i = 0; i < t->collected && t->status == HS_OK; i++) {
        ck_assert_msg(t->ends[i].outcome != HS_OUTCOME_ABORTED, "call %u, %s", number, call);
        ck_assert_msg(t->ends[i].outcome == HS_OUTCOME_DONE || t->why[i][0], "call %u, %s", number,
                      call);
        lost += t->ends[i].outcome == HS_OUTCOME_LOST;
    }
    if (sticky && said && t->status == HS_OK)
        ck_assert_msg(lost > 0, "call %u, %s: %s", number, call, said);
}

/* Stride between failing calls or operations; loop indices cover the skipped numbers with different
 * errors. */
enum { APART = 3 };

static unsigned stride(void)
{
    return trial_call_stride() > APART ? trial_call_stride() : APART;
}

/* Check that the module survives the failure of any call without leaks or misuse, and names the
 * call. */
START_TEST(every_call_fails_once)
{
    int           way = _i / 2, sticky = _i % 2;
    fake_settings settings = FAKE_SETTINGS;
    unsigned      number;
    char          name[64] = "", text[256];
    trial        *t;

    settings.sticky = sticky;
    for (number = 1 + (unsigned)_i % APART;; number += stride()) {
        settings.fail_call = number;
        fake_reset(&settings);
        t = trial_create(mixed, 2);
        choose(t, way);
        live_through(t);
        if (fake_name_of_failed_call())
            snprintf(name, sizeof name, "%s", fake_name_of_failed_call());
        trial_close_worker(t);
        if (!fake_name_of_failed_call())
            break;
        snprintf(name, sizeof name, "%s", fake_name_of_failed_call());
        fake_list_live_objects(text, sizeof text);
        ck_assert_msg(fake_live_objects() == 0, "call %u, %s: left: %s", number, name, text);
        ck_assert_msg(fake_misuse_count() == 0, "call %u, %s: %s", number, name,
                      fake_first_misuse());
        bears_it(t, name, sticky, number);
        trial_free(t);
    }
    ck_assert_ptr_null(complaint(t));
    trial_free(t);
    ck_assert_uint_gt(number, 100);
}
END_TEST

/* Check that the module survives a GPU that breaks in any copy or kernel. */
START_TEST(every_operation_breaks_the_gpu)
{
    fake_settings settings = FAKE_SETTINGS;
    unsigned      number, i;
    char          text[256];
    trial        *t;

    for (number = 1 + (unsigned)_i % APART;; number += stride()) {
        settings.fail_operation = number;
        settings.error = 700;
        fake_reset(&settings);
        t = trial_create(mixed, 2);
        choose(t, _i);
        live_through(t);
        trial_close_worker(t);
        if (!fake_name_of_failed_call())
            break;
        fake_list_live_objects(text, sizeof text);
        ck_assert_msg(fake_live_objects() == 0, "operation %u: left: %s", number, text);
        ck_assert_msg(fake_misuse_count() == 0, "operation %u: %s", number, fake_first_misuse());
        if (complaint(t))
            ck_assert_msg(strstr(complaint(t), "cudaErrorIllegalAddress") ||
                              strstr(complaint(t), "CUBLAS") || strstr(complaint(t), "cuSOLVER"),
                          "operation %u: %s", number, complaint(t));
        for (i = 0; t->status == HS_OK && i < t->collected; i++)
            ck_assert(t->ends[i].outcome == HS_OUTCOME_DONE ||
                      t->ends[i].outcome == HS_OUTCOME_LOST);
        trial_free(t);
    }
    ck_assert_ptr_null(complaint(t));
    trial_free(t);
    ck_assert_uint_gt(number, 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda failures");
    TCase *tcase = tcase_create("cuda");

    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_loop_test(tcase, every_call_fails_once, 0, 2 * WAYS);
    tcase_add_loop_test(tcase, every_operation_breaks_the_gpu, 0, WAYS);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
