/* SPDX-License-Identifier: BSD-3-Clause */
#include "tiles_fixture.h"

#include <math.h>
#include <string.h>

#include "exec_fixture.h"
#include "factorisation.h"
#include "trial.h"

static uint64_t dice;

void reseed_dice(void)
{
    dice = 1;
}

unsigned roll(unsigned sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(dice >> 33) % sides;
}

static int late;

void set_events_late(int wanted)
{
    late = wanted;
}

fake_settings devices_of_tests(void)
{
    fake_settings settings = FAKE_SETTINGS;

    settings.devices = 4;
    settings.late = late;
    return settings;
}

void tiles_setup(void)
{
    fake_settings settings = devices_of_tests();

    scripted_reset();
    fake_reset(&settings);
}

hs_exec_settings settings_of(const char *policy)
{
    hs_exec_settings s;

    hs_exec_settings_init(&s);
    s.decide.policy = hs_policy_find(policy);
    ck_assert_ptr_nonnull(s.decide.policy);
    s.place.oversubscribe = s.place.unbound = 1;
    s.gpu.module = MODULE;
    s.run.matrix_seed = roll(1000);
    return s;
}

size_t fake_bytes_of_tile(int kind, unsigned n)
{
    size_t element = kind < SINGLE ? sizeof(double) : sizeof(float);
    size_t bytes = element * n * (n > 32 ? n : 32);

    return (bytes + 255) / 256 * 256;
}

int64_t time_of_first_tile_copy(unsigned n)
{
    int64_t first = INT64_MAX;
    size_t  i;

    for (i = 0; i < fake_record_count(); i++) {
        fake_record r = fake_record_at(i);

        if (r.kind == FAKE_COPY_IN && r.bytes == 8 * (size_t)n * n && r.asked < first)
            first = r.asked;
    }
    return first;
}

static void add_row(hs_builder *b, const hs_instance *in, size_t row, int how)
{
    hs_task task;

    hs_instance_row(in, row, &task);
    if (isinf(task.gpu))
        task.gpu = task.cpu / 2;
    if (how & FACTORS_AT_HOME && strstr(task.kernel, "trf"))
        task.gpu = INFINITY;
    else if (how & (ON_GPUS | FACTORS_AT_HOME))
        task.cpu = INFINITY;
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
}

hs_instance *altered(int kind, unsigned tiles, unsigned n, unsigned cpus, unsigned gpus, int how)
{
    hs_instance *in = factorisation(kind, tiles, n, cpus, gpus), *out = NULL;
    hs_builder  *b = NULL;
    size_t       i;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, cpus, gpus);
    for (i = 0; i < hs_instance_rows(in); i++)
        add_row(b, in, i, how);
    ck_assert_int_eq(hs_builder_copy_graph(b, in), HS_OK);
    ck_assert_int_eq(hs_builder_set_default_bytes(b, (kind < SINGLE ? 8.0 : 4.0) * n * n), HS_OK);
    for (i = HS_H2D; how & LINKED && i <= HS_D2H; i++)
        ck_assert_int_eq(hs_builder_set_link(b, (hs_link)i, 0, 1e12), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &out, NULL), HS_OK);
    hs_builder_free(b);
    hs_instance_free(in);
    return out;
}

hs_instance *tiled(int kind, unsigned tiles, unsigned n, unsigned cpus, unsigned gpus)
{
    return altered(kind, tiles, n, cpus, gpus, 0);
}

static void is_right(const hs_exec *exec)
{
    hs_exec_factorisation f;

    hs_exec_factorisation_init(&f);
    ck_assert_int_eq(hs_exec_describe_factorisation(exec, &f), 1);
    ck_assert_int_eq(f.verified, 1);
    ck_assert_int_eq(f.wrong, 0);
    ck_assert_double_lt(f.relative_residual, f.single_precision ? 5e-6 : 1e-13);
    ck_assert_double_lt(f.largest_residual, f.single_precision ? 5e-3 : 1e-10);
}

static void count_records(const hs_exec *exec, const hs_instance *in, result *r)
{
    unsigned w;

    for (w = hs_instance_cpus(in); w < hs_instance_cpus(in) + hs_instance_gpus(in); w++) {
        size_t                count;
        const hs_exec_record *record = hs_exec_records(exec, w, &count);

        for (; count > 0; count--, record++)
            r->on_gpus += record->outcome == HS_OUTCOME_DONE;
    }
}

result run_tiles(hs_instance *in, const char *algorithm, const hs_exec_settings *s, int times,
                 int right)
{
    hs_schedule *plan = hs_policy_needs_plan(s->decide.policy) ? solved(in, algorithm) : NULL;
    hs_exec     *exec = NULL;
    result       r = {.on_gpus = 0};

    hs_exec_report_init(&r.report);
    r.status = hs_exec_create(in, plan, s, &exec, &r.error);
    while (r.status == HS_OK && times-- > 0) {
        r.status = hs_exec_run(exec, &r.report, &r.error);
        if (r.status == HS_OK)
            is_right(exec);
        count_records(exec, in, &r);
    }
    if (right)
        ck_assert_msg(r.status == HS_OK, "%s", r.error.why);
    hs_exec_free(exec);
    hs_schedule_free(plan);
    hs_instance_free(in);
    return r;
}

static void require_told(const result *r, unsigned call)
{
    const char *failed = fake_name_of_failed_call() ? fake_name_of_failed_call() : "";
    char        text[256];

    ck_assert_msg(r->status == HS_OK || r->status == HS_EFAILED || r->status == HS_ERESOURCE ||
                      r->status == HS_ENOMEM,
                  "call %u, %s: %s", call, failed, hs_status_text(r->status));
    fake_list_live_objects(text, sizeof text);
    ck_assert_msg(fake_live_objects() == 0, "call %u, %s: left: %s", call, failed, text);
    ck_assert_msg(fake_misuse_count() == 0, "call %u, %s: %s", call, failed, fake_first_misuse());
}

/* Check that a GPU whose streams cannot be destroyed has still completed its tasks. */
static void fail_at_the_end(fake_settings settings, const hs_exec_settings *s, int kind, int how)
{
    settings.fail_name = "cudaStreamDestroy";
    fake_reset(&settings);
    run_tiles(altered(kind, 3, 16, 1, 2, how), "heft", s, 1, 1);
    ck_assert_ptr_nonnull(fake_name_of_failed_call());
    ck_assert_uint_eq(fake_live_objects(), 0);
    ck_assert_uint_eq(fake_misuse_count(), 0);
}

/* Make each call of a run fail in turn. The number of calls varies, because events are queried
 * until they are over; so a failing call may come after the last task. */
void fail_each_call(fake_settings settings, const hs_exec_settings *s, int kind, int how)
{
    unsigned wrong = 0;

    fail_at_the_end(settings, s, kind, how);
    settings.fail_call = 1;
    do {
        result r;

        fake_reset(&settings);
        r = run_tiles(altered(kind, 3, 16, 1, 2, how), "heft", s, 1, 0);
        require_told(&r, settings.fail_call);
        wrong += r.status != HS_OK;
        settings.fail_call += settings.fail_call % 61 + trial_call_stride();
    } while (fake_name_of_failed_call());
    ck_assert(wrong > 1 || trial_call_stride() > 1);
}
