/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles on the fake: tasks are queued, and their tiles prefetched, while earlier tasks run. */
#include "exec_fixture.h"
#include "suite.h"
#include "tiles_fixture.h"
#include "trial.h"

typedef struct tally {
    unsigned kernels;
    unsigned ahead;       /* kernels queued before the kernel before them has ended */
    unsigned overlapping; /* kernels during which a tile is copied */
} tally;

static bool is_queued_ahead(const fake_record *kernel)
{
    for (size_t i = 0; i < fake_record_count(); i++) {
        fake_record other = fake_record_at(i);

        if (other.kind == FAKE_KERNEL && other.start < kernel->start && other.end > kernel->asked)
            return true;
    }
    return false;
}

static bool is_beside_copy(const fake_record *kernel)
{
    for (size_t i = 0; i < fake_record_count(); i++) {
        fake_record other = fake_record_at(i);

        if ((other.kind == FAKE_COPY_IN || other.kind == FAKE_COPY_OUT) && other.bytes > 4096 &&
            other.start < kernel->end && other.end > kernel->start)
            return true;
    }
    return false;
}

/* Run a factorisation on a single GPU with kernels of `seconds`. */
static tally count_on_one_gpu(int kind, double seconds)
{
    hs_exec_settings s = settings_of("plan");
    fake_settings    settings = devices_of_tests();
    tally            t = {0};

    settings.kernel = seconds;
    settings.bandwidth = 1e8;
    fake_reset(&settings);
    run_tiles(tiled(kind, 6, 32, 1, 1), "gpu-only", &s, 1, 1);
    for (size_t i = 0; i < fake_record_count(); i++) {
        fake_record r = fake_record_at(i);

        if (r.kind != FAKE_KERNEL)
            continue;
        t.kernels++;
        t.ahead += is_queued_ahead(&r);
        t.overlapping += is_beside_copy(&r);
    }
    trial_assert_clean();
    return t;
}

/* Check that, on a single GPU, a task is queued before its predecessors have ended, and that tiles
 * are copied while kernels run. Kernels become longer and longer, because a busy machine may delay
 * the thread that queues. */
START_TEST(queued_behind_each_other)
{
    double seconds;
    tally  t = {0};

    for (seconds = 0.0005; seconds < 0.1; seconds *= 4) {
        t = count_on_one_gpu(_i, seconds);
        if (t.ahead > t.kernels / 2 && t.overlapping > t.kernels / 8)
            return;
    }
    ck_assert_uint_gt(t.ahead, t.kernels / 2);
    ck_assert_uint_gt(t.overlapping, t.kernels / 8);
}
END_TEST

/* Return the number of copies to GPUs that start while a kernel runs, with copies of several
 * milliseconds. */
static unsigned overlapping_copies(const char *policy, int kind, int how, double kernel)
{
    hs_exec_settings s = settings_of(policy);
    fake_settings    settings = devices_of_tests();
    unsigned         overlapping = 0;
    size_t           i, j;

    s.fail.halt = HS_HALT_NEVER;
    settings.kernel = kernel;
    settings.bandwidth = 1e8;
    fake_reset(&settings);
    run_tiles(altered(kind, 6, 32, 1, 1, how), "gpu-only", &s, 1, 1);
    for (i = 0; i < fake_record_count(); i++)
        for (j = 0; fake_record_at(i).kind == FAKE_COPY_IN && j < fake_record_count(); j++)
            if (fake_record_at(j).kind == FAKE_KERNEL &&
                fake_record_at(i).start > fake_record_at(j).start &&
                fake_record_at(i).start < fake_record_at(j).end) {
                overlapping++;
                break;
            }
    trial_assert_clean();
    return overlapping;
}

/* Check that at least `least` copies overlap kernels, with longer and longer kernels: a busy
 * machine may delay a copy, but an input that is not prefetched is never copied early. */
static void require_overlap(const char *policy, int kind, int how, unsigned least)
{
    double   kernel;
    unsigned found = 0;

    for (kernel = 0.003; found < least && kernel < 1; kernel *= 4)
        found = overlapping_copies(policy, kind, how, kernel);
    ck_assert_uint_ge(found, least);
}

/* Check that inputs are prefetched while a kernel runs if tasks are not queued. */
START_TEST(fetched_ahead)
{
    require_overlap("plan", _i, 0, 4);
}
END_TEST

/* Check that a live policy's chosen or queued tasks are prefetched, and no further tasks. */
START_TEST(fetched_while_it_waits)
{
    static const char *const choose[] = {"heteroprio", "heteroprio-ns", "hp-sp", "hp-corrected",
                                         "dualhp"};
    static const char *const queue[] = {"dynamic", "h-ratio", "d-rank", "dmda", "plan+steal"};

    require_overlap(choose[_i], _i % 3, ON_GPUS | LINKED, 1);
    require_overlap(queue[_i], _i % 3, ON_GPUS, 1);
    ck_assert_uint_eq(overlapping_copies(choose[_i], _i % 3, ON_GPUS, 0.003), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda prefetch");
    TCase *cases = tcase_create("prefetch");

    setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0); /* leaky components, no device */
    tcase_set_timeout(cases, 600);
    tcase_add_checked_fixture(cases, tiles_setup, NULL);
    tcase_add_loop_test(cases, queued_behind_each_other, HS_CHOLESKY, HS_QR + 1);
    tcase_add_loop_test(cases, fetched_ahead, HS_CHOLESKY, HS_QR + 1);
    tcase_add_loop_test(cases, fetched_while_it_waits, 0, 5);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
