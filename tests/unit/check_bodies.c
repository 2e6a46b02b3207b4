/* SPDX-License-Identifier: BSD-3-Clause */

/* Texts of the kernel column, bodies of emulated tasks, and waits until a time. */

#include "config.h"

#include "backend_fixture.h"
#include "suite.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>

#include "support/atomic.h"
#include "exec/backend/kernel/kernel.h"
#include "support/clock.h"

static void *cancel_soon(void *argument)
{
    struct timespec pause = {0, 2000000};

    nanosleep(&pause, NULL);
    fixture_cancel(argument);
    return NULL;
}

static void open_fixture(fixture *s, const hs_backend *backend, hs_type type)
{
    fixture_set(s, backend, type);
    fixture_open(s);
}

static hs_status read_kernel(const char *kernel, hs_error *error)
{
    hs_backend_options options = {.struct_size = sizeof options, .verify = 1};
    hs_task            row = {.kernel = kernel};
    hs_body           *body = NULL;
    hs_status          st;

    error->why[0] = '\0';
    st = hsi_backend_cpu.body_create(&options, &row, HS_CPU, &body, error);
    ck_assert_int_eq(body != NULL, st == HS_OK);
    if (body)
        hsi_backend_cpu.body_free(body);
    return st;
}

START_TEST(valid_kernels_are_accepted)
{
    static const char *const good[] = {"spin:0",  "spin:1000",   "spin:0.5",
                                       "sleep:0", "sleep:12.25", "spin:.5"};
    hs_error                 error;
    char                     name[64];
    const hsi_kernel_entry  *entry;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert_msg(read_kernel(good[i], &error) == HS_OK, "%s: %s", good[i], error.why);
    for (size_t i = 0; (entry = hsi_kernel_at(i)); i++) {
        snprintf(name, sizeof name, "%s:96", entry->name);
        ck_assert_int_eq(read_kernel(name, &error), entry->kernel ? HS_OK : HS_EUNSUPPORTED);
        ck_assert_int_eq(strstr(error.why, "without") != NULL, !entry->kernel);
    }
}
END_TEST

START_TEST(invalid_kernels_are_refused)
{
    static const char *const bad[] = {
        "dgemm",
        "dgemm:",
        "dgemm:0",
        "dgemm:-1",
        "dgemm:1x",
        "dgemm:1e3",
        "dgemm:2.5",
        "dgemm:65537",
        "dgemm: 5",
        "dgem:5",
        "dgemmm:5",
        ":5",
        "spin",
        "spin:",
        "spin:x",
        "spin:-1",
        "spin:1.2.3",
        "spin:1e3",
        "spin:.",
        "sleep:",
        "sleep:inf",
        "spin:99999999999999",
        "render",
        "Dgemm:5",
        "dgemm:99999999999999999999999999",
    };
#ifdef HAVE_OPENBLAS
    const hs_status of_dgemm = HS_EINVAL;
#else
    const hs_status of_dgemm = HS_EUNSUPPORTED; /* the build lacks the kernel, whatever its size */
#endif
    hs_error error;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const bool is_dgemm = strcspn(bad[i], ":") == 5 && strncmp(bad[i], "dgemm", 5) == 0;

        ck_assert_msg(read_kernel(bad[i], &error) == (is_dgemm ? of_dgemm : HS_EINVAL), "%s",
                      bad[i]);
        ck_assert_msg(error.why[0], "%s", bad[i]);
    }
}
END_TEST

START_TEST(unknown_kernel_error_lists_the_kernels)
{
    hs_error                error;
    char                    name[64];
    const hsi_kernel_entry *entry;

    ck_assert_int_eq(read_kernel("render:7", &error), HS_EINVAL);
    for (size_t i = 0; (entry = hsi_kernel_at(i)); i++) {
        snprintf(name, sizeof name, "%s:%s,", entry->name, entry->needs ? "N" : "BYTES");
        ck_assert_ptr_nonnull(strstr(error.why, name));
    }
    ck_assert_ptr_nonnull(strstr(error.why, "spin:US"));
}
END_TEST

START_TEST(tasks_of_other_backends_are_passed_over)
{
    hs_backend_options options = {.struct_size = sizeof options};
    hs_backend_options emulating = {.struct_size = sizeof options, .emulate = {1, 1}};
    hs_task            plugin = {.kernel = "plugin:a.so:b"},
            command = {.kernel = "dgemm:8", .cpu_command = "true"};
    hs_task  none = {0}, kernel = {.kernel = "spin:1"};
    hs_error error;
    const struct {
        const hs_task            *row;
        const hs_backend_options *options;
        hs_type                   type;
        bool                      cpu, emulated; /* whether the backend makes a body for the row */
    } cases[] = {
        {&none, &options, HS_CPU, false, true},     {&none, &options, HS_GPU, false, true},
        {&plugin, &options, HS_CPU, false, false},  {&plugin, &options, HS_GPU, false, true},
        {&command, &options, HS_CPU, false, false}, {&command, &options, HS_GPU, false, true},
        {&kernel, &options, HS_CPU, true, false},   {&kernel, &options, HS_GPU, false, true},
        {&kernel, &emulating, HS_CPU, false, true}, {&command, &emulating, HS_CPU, false, true},
        {&plugin, &emulating, HS_CPU, false, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hs_backend *const backend[] = {&hsi_backend_cpu, &hsi_backend_emulated};

        for (int b = 0; b < 2; b++) {
            hs_body *body = NULL;

            ck_assert_int_eq(backend[b]->body_create(cases[i].options, cases[i].row, cases[i].type,
                                                     &body, &error),
                             HS_OK);
            ck_assert_msg((body != NULL) == (b ? cases[i].emulated : cases[i].cpu), "%zu %s", i,
                          backend[b]->name);
            if (body && backend[b]->body_free)
                backend[b]->body_free(body);
        }
    }
}
END_TEST

/* Refuse to emulate a task with only a gpu_command on a CPU: the task would count as done although
 * no command ran. */
START_TEST(gpu_command_is_not_emulated_on_a_cpu)
{
    hs_backend_options options = {.struct_size = sizeof options};
    hs_task            row = {.cpu = 1, .gpu_command = "true"};
    hs_body           *body = NULL;
    hs_error           error = {0};

    ck_assert_int_eq(hsi_backend_emulated.body_create(&options, &row, HS_CPU, &body, &error),
                     HS_EINVAL);
    ck_assert_ptr_null(body);
    ck_assert_ptr_nonnull(strstr(error.why, "nothing to run"));
    options.emulate[HS_CPU] = 1;
    ck_assert_int_eq(hsi_backend_emulated.body_create(&options, &row, HS_CPU, &body, &error),
                     HS_OK);
    ck_assert_ptr_nonnull(body);
}
END_TEST

static int64_t run_timed(fixture *s, const char *kernel, hs_outcome wanted)
{
    hs_task  row = {.kernel = kernel};
    hs_body *body = fixture_create_body(s, &row);
    int64_t  start = hsi_clock_ns(), took;

    ck_assert_int_eq(s->backend->run(s->worker, body, &s->attempt), wanted);
    took = hsi_clock_ns() - start;
    if (s->backend->body_free)
        s->backend->body_free(body);
    return took;
}

START_TEST(bodies_last_their_duration)
{
    fixture s;

    open_fixture(&s, &hsi_backend_cpu, HS_CPU);
    ck_assert_int_ge(run_timed(&s, "spin:1500", HS_OUTCOME_DONE), 1500000);
    ck_assert_int_ge(run_timed(&s, "sleep:1500", HS_OUTCOME_DONE), 1500000);
    run_timed(&s, "spin:0", HS_OUTCOME_DONE);
    fixture_close(&s);
    open_fixture(&s, &hsi_backend_emulated, HS_GPU);
    s.attempt.seconds = 0.0015;
    ck_assert_int_ge(run_timed(&s, "dgemm:960", HS_OUTCOME_DONE), 1500000);
    fixture_close(&s);
}
END_TEST

/* Cancel bodies with a duration of a year or more: the attempts end as aborted. */
START_TEST(cancelled_bodies_are_aborted)
{
    static const char *const kernel[] = {"spin:31000000000000", "sleep:31000000000000",
                                         "dgemm:960"};
    pthread_t                thread;
    fixture                  s;

    for (int i = 0; i < 3; i++) {
        open_fixture(&s, i == 2 ? &hsi_backend_emulated : &hsi_backend_cpu,
                     i == 2 ? HS_GPU : HS_CPU);
        s.attempt.seconds = 1e300;
        ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, &s), 0);
        run_timed(&s, kernel[i], HS_OUTCOME_ABORTED);
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
        run_timed(&s, kernel[i], HS_OUTCOME_ABORTED); /* cancelled before the attempt starts */
        fixture_close(&s);
    }
}
END_TEST

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Assert that no wait ends early, and print how late waits end. */
START_TEST(waits_end_on_time)
{
    static const int us[] = {20, 100, 1000, 10000};
    int64_t          late[101], end;
    int              count = rounds(101) < 101 ? rounds(101) : 101;
    fixture          s;

    open_fixture(&s, &hsi_backend_emulated, HS_GPU);
    prctl(PR_SET_TIMERSLACK, 1);
    for (int q = 0; q < 4; q++) {
        for (int i = 0; i < count; i++) {
            end = hsi_clock_ns() + 1000 * us[q];
            ck_assert_int_eq(hsi_wait_until(&s.attempt, end), 0);
            late[i] = hsi_clock_ns() - end;
            ck_assert_int_ge(late[i], 0);
        }
        qsort(late, (size_t)count, sizeof *late, by_value);
        printf("a wait of %d us ends %.2f us late (median of %d; 90 %%: %.2f)\n", us[q],
               (double)late[count / 2] / 1e3, count, (double)late[count * 9 / 10] / 1e3);
    }
    ck_assert_int_eq(hsi_wait_until(&s.attempt, hsi_clock_ns() - 1), 0);
    fixture_close(&s);
}
END_TEST
int main(void)
{
    Suite *suite = suite_create("bodies");
    TCase *tc = tcase_create("bodies");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, valid_kernels_are_accepted);
    tcase_add_test(tc, invalid_kernels_are_refused);
    tcase_add_test(tc, unknown_kernel_error_lists_the_kernels);
    tcase_add_test(tc, tasks_of_other_backends_are_passed_over);
    tcase_add_test(tc, gpu_command_is_not_emulated_on_a_cpu);
    tcase_add_test(tc, bodies_last_their_duration);
    tcase_add_test(tc, cancelled_bodies_are_aborted);
    tcase_add_test(tc, waits_end_on_time);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
