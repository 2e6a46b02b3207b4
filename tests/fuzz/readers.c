/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Targets of the library's readers. A reader accepts a file or names a line and a column of the
 * fault. What it accepts is written and read again: both instances and schedules are equal.
 */

#include "fuzz/fuzz.h"

#include <string.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

enum { MOST_TASKS = 10000 }; /* a digest takes time in proportion to the number of tasks */

/* Return whether the place is in the text or right behind it. */
static bool is_place(const uint8_t *data, size_t size, const hs_error *error)
{
    size_t   at = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, end;
    uint64_t line = 1;

    for (; line < error->line; line++) {
        const uint8_t *next = at < size ? memchr(data + at, '\n', size - at) : NULL;

        if (!next)
            return line + 1 == error->line && error->column == 1;
        at = (size_t)(next - data) + 1;
    }
    for (end = at; end < size && data[end] != '\n';)
        end++;
    return error->line >= 1 && error->column >= 1 && error->column <= end - at + 1;
}

static bool is_accepted(const uint8_t *data, size_t size, hs_status st, const hs_error *error)
{
    if (st == HS_OK)
        return true;
    FUZZ_REQUIRE(st == HS_ESYNTAX || st == HS_EKIND, "status %s: %s", hs_status_text(st),
                 error->why);
    FUZZ_REQUIRE(is_place(data, size, error), "%d:%d is no place: %s", (int)error->line,
                 (int)error->column, error->why);
    FUZZ_REQUIRE(error->why[0] && !strchr(error->why, '\n'), "a bad message: %s", error->why);
    return false;
}

/* Write the instance and read it again. Frees the instance. */
static void check_written(hs_instance *in)
{
    int          fd = fuzz_file(NULL, 0);
    hs_instance *again = NULL;
    hs_error     error = {0};
    hs_status    st = hs_instance_write(fd, in, &error);

    FUZZ_REQUIRE(st == HS_OK || st == HS_EINVAL, "an instance is not written: %s", error.why);
    if (st == HS_OK) {
        FUZZ_REQUIRE(lseek(fd, 0, SEEK_SET) == 0, "no file in memory");
        st = hs_instance_read(fd, NULL, &again, &error);
        FUZZ_REQUIRE(st == HS_OK, "its own file is refused, %d:%d: %s", (int)error.line,
                     (int)error.column, error.why);
        FUZZ_REQUIRE(hs_instance_tasks(in) == hs_instance_tasks(again) &&
                         hs_instance_rows(in) == hs_instance_rows(again),
                     "another number of tasks");
        FUZZ_REQUIRE(hs_instance_tasks(in) > MOST_TASKS ||
                         hs_instance_digest(in) == hs_instance_digest(again),
                     "another instance");
        hs_instance_free(again);
    }
    hs_instance_free(in);
}

void fuzz_instance(const uint8_t *data, size_t size)
{
    hs_read_settings settings;
    hs_instance     *in = NULL;
    hs_error         error = {0};
    hs_status        st;

    hs_read_settings_init(&settings);
    settings.ignore_unknown = size % 2;
    st = hs_instance_read(fuzz_file(data, size), &settings, &in, &error);
    if (is_accepted(data, size, st, &error))
        check_written(in);
}

void fuzz_commands(const uint8_t *data, size_t size)
{
    hs_read_settings settings;
    hs_instance     *in = NULL;
    hs_error         error = {0};
    hs_status        st;

    hs_read_settings_init(&settings);
    settings.has_cpus = 1;
    settings.cpus = 2;
    st = hs_commands_read(fuzz_file(data, size), &settings, &in, &error);
    if (st == HS_ESYNTAX && error.line == 0)
        return; /* a list without a command has no place to name */
    if (is_accepted(data, size, st, &error))
        check_written(in);
}

static const char instance_text[] =
    "# cpus 2\n# gpus 1\nid,cpu,gpu,count\na,3,1,1\n\"b,b\",4,2,1\n,5,1,2\n";

static hs_instance *small_instance(void)
{
    hs_instance *in = NULL;
    int          fd = fuzz_file((const uint8_t *)instance_text, sizeof instance_text - 1);

    FUZZ_REQUIRE(hs_instance_read(fd, NULL, &in, NULL) == HS_OK, "no instance");
    return in;
}

void fuzz_affinities(const uint8_t *data, size_t size)
{
    static hs_instance *in;
    hs_affinity        *affinities = NULL;
    size_t              count = 0;
    hs_settings         settings;
    hs_schedule        *plan = NULL;
    hs_error            error = {0};
    hs_status           st;

    if (!in)
        in = small_instance();
    st = hs_affinities_read(fuzz_file(data, size), in, &affinities, &count, &error);
    if (!is_accepted(data, size, st, &error))
        return;
    hs_settings_init(&settings);
    settings.affinities = affinities;
    settings.affinity_count = count;
    FUZZ_REQUIRE(hs_solve(hs_algorithm_find("dada"), in, &settings, &plan) == HS_OK, "no plan");
    FUZZ_REQUIRE(hs_schedule_check(in, plan, NULL) == HS_OK, "no schedule");
    hs_schedule_free(plan);
    free(affinities);
}

void fuzz_plan(const uint8_t *data, size_t size)
{
    hs_instance *in = NULL, *again = NULL;
    hs_schedule *plan = NULL, *copy = NULL;
    hs_plan_info info, found;
    hs_error     error = {0};
    hs_status    st, check;
    int          fd;

    hs_plan_info_init(&info);
    hs_plan_info_init(&found);
    st = hs_plan_read(fuzz_file(data, size), NULL, &in, &plan, &info, &error);
    if (!is_accepted(data, size, st, &error))
        return;
    check = hs_schedule_check(in, plan, &error);
    FUZZ_REQUIRE(check == HS_OK || check == HS_ESCHEDULE, "check: %s", hs_status_text(check));
    fd = fuzz_file(NULL, 0);
    st = hs_plan_write(fd, in, plan, &info, &error);
    FUZZ_REQUIRE(st == HS_OK || st == HS_EINVAL, "a plan is not written: %s", error.why);
    if (st == HS_OK) {
        FUZZ_REQUIRE(lseek(fd, 0, SEEK_SET) == 0, "no file in memory");
        st = hs_plan_read(fd, NULL, &again, &copy, &found, &error);
        FUZZ_REQUIRE(st == HS_OK, "its own plan is refused, %d:%d: %s", (int)error.line,
                     (int)error.column, error.why);
        FUZZ_REQUIRE(hs_schedule_check(again, copy, NULL) == check, "another verdict");
        FUZZ_REQUIRE(hs_plan_digest(again, copy, &found) == found.plan_digest, "another plan");
    }
    hs_schedule_free(copy);
    hs_instance_free(again);
    hs_schedule_free(plan);
    hs_instance_free(in);
}

void fuzz_kernels(const uint8_t *data, size_t size)
{
    hs_kernel_table *table = NULL;
    hs_error         error = {0};
    hs_status        st = hs_kernel_table_read(fuzz_file(data, size), &table, &error);

    if (!is_accepted(data, size, st, &error))
        return;
    for (size_t i = 0; i < table->count; i++)
        FUZZ_REQUIRE(table->kernels[i].cpu > 0 && table->kernels[i].gpu > 0, "a bad time");
    hs_kernel_table_free(table);
}

/* Settings of imports, of which the size of the input chooses some. */
static hs_import_settings import_settings(size_t size)
{
    hs_import_settings settings;

    hs_import_settings_init(&settings);
    settings.speedup = size % 4 == 0 ? NULL : "a=none,b*=3,*=2";
    settings.least_time = size % 3 == 0 ? 0.001 : 0;
    return settings;
}

typedef hs_status import(int fd, const hs_import_settings *settings, hs_instance **out,
                         hs_error *error);

static void check_import(import *read, const uint8_t *data, size_t size)
{
    hs_import_settings settings = import_settings(size);
    hs_instance       *in = NULL;
    hs_error           error = {0};
    hs_status          st = read(fuzz_file(data, size), &settings, &in, &error);

    if (is_accepted(data, size, st, &error))
        check_written(in);
}

void fuzz_dot(const uint8_t *data, size_t size)
{
    check_import(hs_import_dot, data, size);
}

void fuzz_stg(const uint8_t *data, size_t size)
{
    check_import(hs_import_stg, data, size);
}

void fuzz_wfcommons(const uint8_t *data, size_t size)
{
    check_import(hs_import_wfcommons, data, size);
}

void fuzz_starpu_models(const uint8_t *data, size_t size)
{
    hs_starpu_models *models = NULL;
    hs_starpu_timing  timing;
    hs_error          error = {0};
    size_t            cursor = 0;
    hs_status         st = hs_starpu_models_read(fuzz_file(data, size), &models, &error);

    if (!is_accepted(data, size, st, &error))
        return;
    hs_starpu_timing_init(&timing);
    while (hs_starpu_models_next(models, &cursor, &timing))
        FUZZ_REQUIRE(timing.mean > 0, "a bad time of %s", timing.model);
    hs_starpu_models_free(models);
}

static const char models_text[] =
    "%rec: worker_count\n\nArchitecture: cpu0\nNbWorkers: 2\n\nArchitecture: cuda0\nNbWorkers: 1\n\n"
    "MemoryNode: 0\nName: NUMA 0\n\nMemoryNode: 1\nName: CUDA 0\n\n"
    "MemoryNodeSrc: 0\nMemoryNodeDst: 1\nBandwidth: 8e3\nLatency: 1.5\n\n"
    "MemoryNodeSrc: 1\nMemoryNodeDst: 0\nBandwidth: 8000\nLatency: 2\n\n"
    "%rec: timing\n\nModel: gemm\nArchitecture: cpu0\nFootprint: 9a\nMean: 1.5e+04\n\n"
    "Name: gemm\nArchitecture: cuda0\nFootprint: 9a\nMean: 1e3\n";

void fuzz_starpu_tasks(const uint8_t *data, size_t size)
{
    static hs_starpu_models *models;
    hs_import_settings       settings = import_settings(size);
    hs_instance             *in = NULL;
    hs_error                 error = {0};
    hs_status                st;

    if (!models) {
        int fd = fuzz_file((const uint8_t *)models_text, sizeof models_text - 1);

        FUZZ_REQUIRE(hs_starpu_models_read(fd, &models, NULL) == HS_OK, "no models");
    }
    st = hs_import_starpu(fuzz_file(data, size), models, &settings, &in, &error);
    if (is_accepted(data, size, st, &error))
        check_written(in);
}
