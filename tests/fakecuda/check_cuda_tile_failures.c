/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles on the fake with failing calls or broken devices: the run fails, or its factors are
 * correct. */
#include "exec_fixture.h"
#include "suite.h"
#include "tiles_fixture.h"
#include "trial.h"

/* Check the failure of each call, including lack of memory. */
START_TEST(every_call_fails_once)
{
    hs_exec_settings s = settings_of(_i / 3 % 2 ? "heteroprio" : "plan");
    fake_settings    settings = devices_of_tests();

    s.fail.retries = (unsigned)_i / 6 % 2;
    settings.error = _i / 12 ? 2 : 0; /* cudaErrorMemoryAllocation */
    s.keep.transfers = _i % 4 == 1;
    settings.sticky = _i % 2;
    settings.peers = _i / 2 % 2;
    fail_each_call(settings, &s, _i % 3, _i % 2 ? LINKED : 0);
}
END_TEST

/* Check that GPUs whose peer access cannot be enabled copy through the host. */
START_TEST(met_in_vain)
{
    hs_exec_settings s = settings_of("plan");
    fake_settings    settings = devices_of_tests();

    settings.peers = 1;
    settings.fail_name = "cudaSetDevice";
    for (unsigned spared = 0; spared < 12; spared++) {
        settings.spared = spared;
        fake_reset(&settings);
        run_tiles(tiled(_i, 3, 16, 1, 2), "heft", &s, 1, 0);
        ck_assert_ptr_nonnull(fake_name_of_failed_call());
        trial_assert_clean();
    }
}
END_TEST

/* Check that tiles copied from a GPU that breaks meanwhile are not used. */
START_TEST(a_peer_that_breaks)
{
    enum { MORE_THAN_THERE_ARE = 10000 }; /* operations; beyond the last operation no GPU breaks */
    fake_settings settings = devices_of_tests();
    unsigned      right = 0, wrong = 0;

    settings.peers = 1;
    settings.bandwidth = 1e8;
    for (settings.fail_operation = 5; settings.fail_operation < MORE_THAN_THERE_ARE;
         settings.fail_operation += 3 * trial_call_stride() + settings.fail_operation / 8) {
        hs_exec_settings s = settings_of("plan");
        result           r;

        fake_reset(&settings);
        r = run_tiles(tiled(_i, 4, 32, 1, 3), "heft", &s, 1, 0);
        right += r.status == HS_OK;
        wrong += r.status != HS_OK;
        ck_assert_uint_eq(fake_live_objects(), 0);
        ck_assert_msg(fake_misuse_count() == 0, "operation %u: %s", settings.fail_operation,
                      fake_first_misuse());
    }
    ck_assert_uint_gt(right, 0);
    ck_assert(wrong > 0 || trial_call_stride() > 1); /* a sparse choice of operations may hit only
                                                   needless copies */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda tile failures");
    TCase *cases = tcase_create("failures");

    setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0); /* leaky components, no device */
    tcase_set_timeout(cases, 600);
    tcase_add_checked_fixture(cases, tiles_setup, NULL);
    tcase_add_loop_test(cases, every_call_fails_once, 0, 18);
    tcase_add_loop_test(cases, met_in_vain, HS_CHOLESKY, HS_QR + 1);
    tcase_add_loop_test(cases, a_peer_that_breaks, HS_CHOLESKY, HS_QR + 1);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
