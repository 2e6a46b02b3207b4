/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factorisations on tiles shared by CPUs, GPUs of the fake and devices of another module. The steps
 * of devices of different modules cannot wait for each other, and no device copies to a device of
 * another module, so all tiles between them pass through the host.
 */
#include "exec_fixture.h"
#include "rounds.h"
#include "suite.h"
#include "tiles_fixture.h"
#include "trial.h"

/* Check policies with and without plans, in place and on copies, with little and much memory. */
START_TEST(modules_share_tiles)
{
    static const char *const lists[] = {MODULE ":,emulated:devices=2", "emulated," MODULE};
    static const char *const policies[] = {"plan", "heteroprio", "dynamic"};
    unsigned                 on_gpus = 0;

    for (int round = 0; round < rounds(12); round++) {
        fake_settings    settings = devices_of_tests();
        hs_exec_settings s = settings_of(policies[round % 3]);
        const unsigned   n = round % 2 ? 48 : 33;

        settings.devices = 1;
        settings.peers = 1;
        fake_reset(&settings);
        s.gpu.module = lists[roll(2)];
        s.fail.retries = roll(2);
        s.keep.transfers = (int)roll(2);
        s.gpu.tile_memory = roll(2) ? (double)(fake_bytes_of_tile(_i, n) * (6 + roll(4))) : 0;
        on_gpus += run_tiles(altered(_i, 3 + roll(4), n, 1 + roll(2), 2, roll(2) ? LINKED : 0),
                             "heft", &s, 2, 1)
                       .on_gpus;
        trial_assert_clean();
    }
    ck_assert_uint_gt(on_gpus, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda lists");
    TCase *cases = tcase_create("lists");

    setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0); /* leaky components, no device */
    tcase_add_checked_fixture(cases, tiles_setup, NULL);
    tcase_add_loop_test(cases, modules_share_tiles, HS_CHOLESKY, HS_QR + 1);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
