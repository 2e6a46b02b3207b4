/* SPDX-License-Identifier: BSD-3-Clause */

/* What the kernel column may say, emulated tasks, waits, and the cores there are. */

#include "config.h"

#include "backend_fixture.h"
#include "suite.h"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include "support/atomic.h"
#include "exec/backend/kernel/kernel.h"
#include "support/clock.h"
#include "exec/machine/limits.h"
#include "exec/machine/machine.h"

static double cpus; /* that the control group allows; negative: what it does */

double __real_hsi_limit_cpus(void);
double __wrap_hsi_limit_cpus(void);

double __wrap_hsi_limit_cpus(void)
{
    return cpus < 0 ? __real_hsi_limit_cpus() : cpus;
}

static double memory = -1; /* likewise */

double __real_hsi_limit_memory(void);
double __wrap_hsi_limit_memory(void);

double __wrap_hsi_limit_memory(void)
{
    return memory < 0 ? __real_hsi_limit_memory() : memory;
}

static void *cancel_soon(void *argument)
{
    struct timespec pause = {0, 2000000};

    nanosleep(&pause, NULL);
    stage_cancel(argument);
    return NULL;
}

static void open_stage(stage *s, const hs_backend *backend, hs_type type)
{
    stage_set(s, backend, type);
    stage_open(s);
}

static hs_status read_kernel(const char *kernel, char why[HS_WHY])
{
    hs_backend_options options = {.struct_size = sizeof options, .verify = 1};
    hs_task            row = {.kernel = kernel};
    hs_body           *body = NULL;
    hs_status          st;

    why[0] = '\0';
    st = hsi_backend_cpu.body_create(&options, &row, HS_CPU, &body, why);
    ck_assert_int_eq(body != NULL, st == HS_OK);
    if (body)
        hsi_backend_cpu.body_free(body);
    return st;
}

START_TEST(good_kernels)
{
    static const char *const good[] = {"spin:0",  "spin:1000",   "spin:0.5",
                                       "sleep:0", "sleep:12.25", "spin:.5"};
    char                     why[HS_WHY], name[64];
    const hsi_kernel_entry  *entry;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert_msg(read_kernel(good[i], why) == HS_OK, "%s: %s", good[i], why);
    for (size_t i = 0; (entry = hsi_kernel_at(i)); i++) {
        snprintf(name, sizeof name, "%s:96", entry->name);
        ck_assert_int_eq(read_kernel(name, why), entry->kernel ? HS_OK : HS_ERESOURCE);
        ck_assert_int_eq(strstr(why, "without") != NULL, !entry->kernel);
    }
}
END_TEST

START_TEST(bad_kernels)
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
    char why[HS_WHY];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(read_kernel(bad[i], why) == HS_EINVAL, "%s", bad[i]);
        ck_assert_msg(why[0], "%s", bad[i]);
    }
}
END_TEST

START_TEST(the_unknown_is_told_what_there_is)
{
    char                    why[HS_WHY], name[64];
    const hsi_kernel_entry *entry;

    ck_assert_int_eq(read_kernel("render:7", why), HS_EINVAL);
    for (size_t i = 0; (entry = hsi_kernel_at(i)); i++) {
        snprintf(name, sizeof name, "%s:N", entry->name);
        ck_assert_ptr_nonnull(strstr(why, name));
    }
    ck_assert_ptr_nonnull(strstr(why, "spin:US"));
}
END_TEST

START_TEST(what_is_for_others_is_left_to_them)
{
    hs_backend_options options = {.struct_size = sizeof options};
    hs_backend_options emulating = {.struct_size = sizeof options, .emulate = {1, 1}};
    hs_task            plugin = {.kernel = "plugin:a.so:b"},
            command = {.kernel = "dgemm:8", .cpu_command = "true"};
    hs_task none = {0}, kernel = {.kernel = "spin:1"};
    char    why[HS_WHY];
    const struct {
        const hs_task            *row;
        const hs_backend_options *options;
        hs_type                   type;
        int                       cpu, emulated; /* who claims it */
    } cases[] = {
        {&none, &options, HS_CPU, 0, 1},     {&none, &options, HS_GPU, 0, 1},
        {&plugin, &options, HS_CPU, 0, 0},   {&plugin, &options, HS_GPU, 0, 1},
        {&command, &options, HS_CPU, 0, 0},  {&command, &options, HS_GPU, 0, 1},
        {&kernel, &options, HS_CPU, 1, 0},   {&kernel, &options, HS_GPU, 0, 1},
        {&kernel, &emulating, HS_CPU, 0, 1}, {&command, &emulating, HS_CPU, 0, 1},
        {&plugin, &emulating, HS_CPU, 0, 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hs_backend *const backend[] = {&hsi_backend_cpu, &hsi_backend_emulated};

        for (int b = 0; b < 2; b++) {
            hs_body *body = NULL;

            ck_assert_int_eq(
                backend[b]->body_create(cases[i].options, cases[i].row, cases[i].type, &body, why),
                HS_OK);
            ck_assert_msg((body != NULL) == (b ? cases[i].emulated : cases[i].cpu), "%zu %s", i,
                          backend[b]->name);
            if (body && backend[b]->body_free)
                backend[b]->body_free(body);
        }
    }
}
END_TEST

/* It would be held to be done, although nothing was run. */
START_TEST(a_command_for_gpus_alone_is_nothing_for_a_cpu)
{
    hs_backend_options options = {.struct_size = sizeof options};
    hs_task            row = {.cpu = 1, .gpu_command = "true"};
    hs_body           *body = NULL;
    char               why[HS_WHY] = "";

    ck_assert_int_eq(hsi_backend_emulated.body_create(&options, &row, HS_CPU, &body, why),
                     HS_EINVAL);
    ck_assert_ptr_null(body);
    ck_assert_ptr_nonnull(strstr(why, "nothing to run"));
    options.emulate[HS_CPU] = 1;
    ck_assert_int_eq(hsi_backend_emulated.body_create(&options, &row, HS_CPU, &body, why), HS_OK);
    ck_assert_ptr_nonnull(body);
}
END_TEST

static int64_t run_timed(stage *s, const char *kernel, hs_outcome wanted)
{
    hs_task  row = {.kernel = kernel};
    hs_body *body = stage_body(s, &row);
    int64_t  start = hsi_clock_ns(), took;

    ck_assert_int_eq(s->backend->run(s->worker, body, &s->attempt), wanted);
    took = hsi_clock_ns() - start;
    if (s->backend->body_free)
        s->backend->body_free(body);
    return took;
}

START_TEST(bodies_last_as_long_as_they_say)
{
    stage s;

    open_stage(&s, &hsi_backend_cpu, HS_CPU);
    ck_assert_int_ge(run_timed(&s, "spin:1500", HS_OUTCOME_DONE), 1500000);
    ck_assert_int_ge(run_timed(&s, "sleep:1500", HS_OUTCOME_DONE), 1500000);
    run_timed(&s, "spin:0", HS_OUTCOME_DONE);
    stage_close(&s);
    open_stage(&s, &hsi_backend_emulated, HS_GPU);
    s.attempt.seconds = 0.0015;
    ck_assert_int_ge(run_timed(&s, "dgemm:960", HS_OUTCOME_DONE), 1500000);
    stage_close(&s);
}
END_TEST

/* Each lasts for longer than anybody waits, so it ends because it was told to. */
START_TEST(bodies_stop_when_told_to)
{
    static const char *const kernel[] = {"spin:31000000000000", "sleep:31000000000000",
                                         "dgemm:960"};
    pthread_t                thread;
    stage                    s;

    for (int i = 0; i < 3; i++) {
        open_stage(&s, i == 2 ? &hsi_backend_emulated : &hsi_backend_cpu, i == 2 ? HS_GPU : HS_CPU);
        s.attempt.seconds = 1e300;
        ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, &s), 0);
        run_timed(&s, kernel[i], HS_OUTCOME_ABORTED);
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
        run_timed(&s, kernel[i], HS_OUTCOME_ABORTED); /* told before the start */
        stage_close(&s);
    }
}
END_TEST

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* How late is for the reader; early is wrong. */
START_TEST(waits_end_on_time)
{
    static const int us[] = {20, 100, 1000, 10000};
    int64_t          late[101], end;
    int              count = rounds(101) < 101 ? rounds(101) : 101;
    stage            s;

    open_stage(&s, &hsi_backend_emulated, HS_GPU);
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
    stage_close(&s);
}
END_TEST

static hsi_topology *open_topology(void)
{
    hsi_topology *t = NULL;
    char          why[HS_WHY] = "";

    ck_assert_msg(hsi_topology_open(&t, 0, why) == HS_OK, "%s", why);
    ck_assert_uint_ge(hsi_topology_cores(t), 1);
    ck_assert_uint_ge(hsi_topology_threads(t), hsi_topology_cores(t));
    return t;
}

static void check_cpus(const hsi_topology *t, const cpu_set_t *allowed)
{
    cpu_set_t left = *allowed, own;

    for (unsigned i = 0; i < hsi_topology_threads(t); i++) {
        int cpu = hsi_topology_cpu(t, i);

        ck_assert_msg(cpu >= 0 && CPU_ISSET(cpu, &left), "%d", cpu);
        CPU_CLR(cpu, &left);
        ck_assert_int_eq(hsi_bind(0, &cpu, 1), HS_OK);
        ck_assert_int_eq(sched_getaffinity(0, sizeof own, &own), 0);
        ck_assert(CPU_COUNT(&own) == 1 && CPU_ISSET(cpu, &own));
    }
    ck_assert_int_eq(hsi_topology_cpu(t, 1u << 20), -1);
}

START_TEST(the_mask_is_respected)
{
    cpu_set_t     all, some;
    hsi_topology *t;
    int           cpu;

    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    cpus = 0;
    t = open_topology();
    ck_assert_uint_eq(hsi_topology_threads(t), (unsigned)CPU_COUNT(&all));
    check_cpus(t, &all);
    hsi_topology_close(t);
    for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all))
            continue;
        CPU_ZERO(&some);
        CPU_SET(cpu, &some);
        ck_assert_int_eq(sched_setaffinity(0, sizeof some, &some), 0);
        t = open_topology();
        ck_assert_uint_eq(hsi_topology_cores(t), 1);
        ck_assert_uint_eq(hsi_topology_threads(t), 1);
        check_cpus(t, &some);
        hsi_topology_close(t);
    }
    ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
    cpus = -1;
}
END_TEST

START_TEST(the_quota_is_respected)
{
    hsi_topology *t;

    cpus = 1.9;
    t = open_topology();
    ck_assert_uint_eq(hsi_topology_cores(t), 1);
    ck_assert_uint_eq(hsi_topology_threads(t), 1);
    hsi_topology_close(t);
    cpus = 0.2;
    t = open_topology();
    ck_assert_uint_eq(hsi_topology_cores(t), 1);
    hsi_topology_close(t);
    cpus = -1;
    ck_assert_double_ge(hsi_limit_cpus(), 0);
    ck_assert_double_gt(hsi_limit_memory(), 0);
}
END_TEST

/* Files of a group's folder, as the kernel shows them. */
static void say(const char *folder, const char *name, const char *text)
{
    char  path[128];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void run_shell(const char *format, const char *folder)
{
    char command[256];

    snprintf(command, sizeof command, format, folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(groups_and_those_above_say_what_there_is)
{
    char       root[] = "/tmp/hs-test-XXXXXX", own[64];
    hsi_groups at = {own, root};

    ck_assert_ptr_nonnull(mkdtemp(root));
    snprintf(own, sizeof own, "%s/own", root);
    ck_assert_double_eq(hsi_groups_memory(&at), 0);
    run_shell("mkdir -p %s/a/b", root);
    say(root, "own", "0::/a/b\n");
    ck_assert_double_eq(hsi_groups_memory(&at), 0);
    say(root, "a/b/memory.max", "max\n");
    say(root, "a/b/cpu.max", "max 100000\n");
    say(root, "a/memory.max", "7000000\n");
    say(root, "memory.max", "8000000\n");
    say(root, "a/cpu.max", "150000 100000\n");
    ck_assert_double_eq(hsi_groups_memory(&at), 7000000);
    ck_assert_double_eq(hsi_groups_cpus(&at), 1.5);
    run_shell("mkdir -p %1$s/cpu/x %1$s/memory/y/z", root);
    say(root, "own", "4:memory:/y/z\n3:cpu,cpuacct:/x\n2:cpuset:/w\n0::/\n");
    say(root, "memory/y/z/memory.limit_in_bytes", "9223372036854771712\n");
    say(root, "memory/y/memory.limit_in_bytes", "5000000\n");
    say(root, "cpu/x/cpu.cfs_quota_us", "50000\n");
    say(root, "cpu/x/cpu.cfs_period_us", "100000\n");
    say(root, "cpu/cpu.cfs_quota_us", "-1\n");
    say(root, "cpu/cpu.cfs_period_us", "100000\n");
    ck_assert_double_eq(hsi_groups_memory(&at), 5000000);
    ck_assert_double_eq(hsi_groups_cpus(&at), 0.5);
    run_shell("rm -r %s", root);
}
END_TEST

/* Two of three tasks fit; whether a third has to is the policy's. */
START_TEST(memory_is_for_all_workers)
{
    hs_task          row = {.struct_size = sizeof row,
                            .id = "a",
                            .cpu = 1,
                            .gpu = INFINITY,
                            .kernel = "dgemm:4096",
                            .count = 3};
    hs_exec_settings settings;
    hs_builder      *b = NULL;
    hs_instance     *in = NULL;
    hs_exec         *exec = NULL;
    char             why[HS_WHY];
    const double     one = 4096.0 * 4096 * 8;
    hs_status        st;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_workers(b, 3, 0), HS_OK);
    ck_assert_int_eq(hs_builder_add(b, &row), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    hs_exec_settings_init(&settings);
    settings.policy = hs_policy_find("heteroprio");
    settings.oversubscribe = 1;
    memory = 1e15;
    st = hs_exec_create(in, NULL, &settings, &exec, why);
    if (st == HS_OK) { /* else there is no such kernel in this build */
        hs_exec_free(exec);
        memory = 2 * 3 * one;
        ck_assert_int_eq(hs_exec_create(in, NULL, &settings, &exec, why), HS_ERESOURCE);
        ck_assert_ptr_nonnull(strstr(why, " GiB of memory on 3 workers, and there are 0.8"));
    }
    memory = -1;
    hs_instance_free(in);
}
END_TEST

START_TEST(there_is_no_such_core)
{
    hsi_topology    *t = open_topology();
    static const int none = 1 << 20;

    ck_assert_int_eq(hsi_bind(0, &none, 1), HS_ERESOURCE);
    hsi_topology_close(t);
}
END_TEST

/*
 * A machine of `fake_cores` cores with the OS numbers 10, 11, ...: device "a" is near 11 and
 * 12, "b" is near 12, and "c" near none.
 */
static unsigned fake_cores; /* 0: what there is */

unsigned __real_hsi_topology_cores(const hsi_topology *t);
unsigned __wrap_hsi_topology_cores(const hsi_topology *t);
unsigned __real_hsi_topology_threads(const hsi_topology *t);
unsigned __wrap_hsi_topology_threads(const hsi_topology *t);
int      __real_hsi_topology_cpu(const hsi_topology *t, unsigned index);
int      __wrap_hsi_topology_cpu(const hsi_topology *t, unsigned index);
int      __real_hsi_topology_is_near(const hsi_topology *t, const char *pci, int os_cpu);
int      __wrap_hsi_topology_is_near(const hsi_topology *t, const char *pci, int os_cpu);

unsigned __wrap_hsi_topology_cores(const hsi_topology *t)
{
    return fake_cores ? fake_cores : __real_hsi_topology_cores(t);
}

unsigned __wrap_hsi_topology_threads(const hsi_topology *t)
{
    return fake_cores ? fake_cores : __real_hsi_topology_threads(t);
}

int __wrap_hsi_topology_cpu(const hsi_topology *t, unsigned index)
{
    return fake_cores ? 10 + (int)index : __real_hsi_topology_cpu(t, index);
}

int __wrap_hsi_topology_is_near(const hsi_topology *t, const char *pci, int os_cpu)
{
    if (!fake_cores)
        return __real_hsi_topology_is_near(t, pci, os_cpu);
    return (pci[0] == 'a' && (os_cpu == 11 || os_cpu == 12)) || (pci[0] == 'b' && os_cpu == 12);
}

/* Of eight cores: CPU workers, and GPUs by the names of their devices. */
static const struct {
    unsigned    cpus;
    const char *gpus;
    int         no_reserve, oversubscribe, emulate; /* of CPUs */
    int         os_cpu[12];
} bound[] = {
    {3, "", 0, 0, 0, {10, 11, 12}},
    {3, "a", 0, 0, 0, {10, 11, 13, 12}},
    {3, "b", 0, 0, 0, {10, 11, 13, 12}},
    {3, "c", 0, 0, 0, {10, 11, 12, 17}},
    {3, "ab", 0, 0, 0, {10, 11, 13, 12, 17}},
    {3, "ba", 0, 0, 0, {10, 13, 14, 12, 11}},
    {3, "cab", 0, 0, 0, {10, 11, 13, 17, 12, 16}},
    {6, "aa", 0, 0, 0, {10, 13, 14, 15, 16, 17, 12, 11}},
    {3, "a", 1, 0, 0, {10, 11, 12, 13}},
    {3, "a", 0, 0, 1, {-1, -1, -1, 12}},
    {9, "a", 0, 0, 1, {-1, -1, -1, -1, -1, -1, -1, -1, -1, 10}},
    {8, "a", 0, 1, 0, {10, 11, 12, 13, 14, 15, 16, 17, -1}},
    {8, "a", 1, 0, 0, {10, 11, 12, 13, 14, 15, 16, 17, -1}},
    {9, "", 0, 1, 0, {-1, -1, -1, -1, -1, -1, -1, -1, -1}},
};

START_TEST(cores_are_assigned)
{
    hs_backend_device devices[3] = {{0}};
    unsigned          gpus = (unsigned)strlen(bound[_i].gpus), i;
    hsi_machine       machine = {.devices = devices, .device_count = gpus};
    hsi_work work = {.cpus = bound[_i].cpus, .gpus = gpus, .workers = bound[_i].cpus + gpus};
    char     why[HS_WHY] = "";

    fake_cores = 8;
    for (i = 0; i < gpus; i++)
        devices[i].pci[0] = bound[_i].gpus[i];
    work.settings.cores[HS_CPU] = work.settings.cores[HS_GPU] = 1;
    work.settings.no_reserve = bound[_i].no_reserve;
    work.settings.oversubscribe = bound[_i].oversubscribe;
    work.settings.emulate[HS_CPU] = bound[_i].emulate;
    ck_assert_msg(hsi_machine_assign_cores(&machine, &work, why) == HS_OK, "%s", why);
    for (i = 0; i < work.workers; i++)
        ck_assert_msg(machine.os_cpu[i] == bound[_i].os_cpu[i], "worker %u: %d", i,
                      machine.os_cpu[i]);
    machine.devices = NULL;
    hsi_machine_close(&machine);
    fake_cores = 0;
}
END_TEST

/* Of eight cores, two for each CPU and three for the GPU, near 11 and 12; -1: unbound. */
static const struct {
    unsigned cpus;
    int      oversubscribe;
    int      cores[4][3];
} several[] = {
    {2, 0, {{10, 13}, {14, 15}, {12, 11, 17}}},
    {3, 1, {{10, 11}, {12, 13}, {14, 15}, {-1}}}, /* two are left for the GPU */
    {1, 0, {{10, 13}, {12, 11, 17}}},
};

START_TEST(several_cores_are_assigned)
{
    hs_backend_device device = {.pci = "a"};
    hsi_machine       machine = {.devices = &device, .device_count = 1};
    unsigned          count = several[_i].cpus, w, i;
    hsi_work          work = {.cpus = count, .gpus = 1, .workers = count + 1};
    char              why[HS_WHY] = "";

    fake_cores = 8;
    work.settings.cores[HS_CPU] = 2;
    work.settings.cores[HS_GPU] = 3;
    work.settings.oversubscribe = several[_i].oversubscribe;
    ck_assert_msg(hsi_machine_assign_cores(&machine, &work, why) == HS_OK, "%s", why);
    for (w = 0; w < work.workers; w++) {
        const int *cores = hsi_machine_cores(&machine, &work, w);

        ck_assert_int_eq(machine.os_cpu[w], several[_i].cores[w][0]);
        ck_assert_int_eq(cores == NULL, several[_i].cores[w][0] < 0);
        for (i = 0; cores && i < (w < count ? 2u : 3u); i++)
            ck_assert_int_eq(cores[i], several[_i].cores[w][i]);
    }
    machine.devices = NULL;
    hsi_machine_close(&machine);
    fake_cores = 0;
}
END_TEST

START_TEST(too_few_cores)
{
    hs_backend_device device = {0};
    hsi_machine       machine = {.devices = &device, .device_count = 1};
    hsi_work          work = {.cpus = 8, .gpus = 1, .workers = 9, .settings = {.cores = {1, 1}}};
    char              why[HS_WHY] = "";

    fake_cores = 8;
    ck_assert_int_eq(hsi_machine_assign_cores(&machine, &work, why), HS_ERESOURCE);
    ck_assert_str_eq(why, "too few cores: this plan needs 8, and 1 more to drive its GPUs, and "
                          "there are 8; use settings.no_reserve or settings.oversubscribe");
    machine.devices = NULL;
    hsi_machine_close(&machine);
    fake_cores = 0;
}
END_TEST

#ifdef HAVE_HWLOC
/* Two packages of two cores each, and a GPU on the second one's bus. */
#define SETS(cpus, nodes)                                                                          \
    " cpuset=\"" cpus "\" complete_cpuset=\"" cpus "\" nodeset=\"" nodes                           \
    "\" complete_nodeset=\"" nodes "\""
#define CORE(number, mask, node, gp)                                                               \
    "<object type=\"Core\" os_index=\"" number                                                     \
    "\"" SETS(mask, node) " gp_index=\"1" gp "\">"                                                 \
                          "<object type=\"PU\" os_index=\"" number                                 \
                          "\"" SETS(mask, node) " gp_index=\"2" gp "\"/></object>"
#define SOCKET(number, mask, node, inside)                                                         \
    "<object type=\"Package\" os_index=\"" number                                                  \
    "\"" SETS(mask, node) " gp_index=\"3" number "\"><object type=\"NUMANode\" os_index=\"" number \
                          "\"" SETS(mask, node) " gp_index=\"4" number                             \
                                                "\" local_memory=\"1048576\"/>" inside "</object>"

static const char two_packages[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
    "<object type=\"Machine\" os_index=\"0\" allowed_cpuset=\"0xf\" allowed_nodeset=\"0x3\"" SETS(
        "0xf", "0x3") " gp_index=\"1\">" SOCKET("0", "0x3", "0x1",
                                                CORE("0", "0x1", "0x1", "0")
                                                    CORE("1", "0x2", "0x1", "1"))
        SOCKET("1", "0xc", "0x2",
               CORE("2", "0x4", "0x2", "2") CORE(
                   "3", "0x8", "0x2",
                   "3") "<object type=\"Bridge\" gp_index=\"50\" bridge_type=\"0-1\" depth=\"0\" "
                        "bridge_pci=\"0000:[3a-3b]\"><object type=\"PCIDev\" gp_index=\"51\" "
                        "pci_busid=\"0000:3b:00.0\" pci_type=\"0302 [10de:2330] [10de:16c1] a1\" "
                        "pci_link_speed=\"0.000000\"/></object>") "</object></topology>";

START_TEST(nearness_is_what_hwloc_says)
{
    char          path[] = "/tmp/hs-test-XXXXXX", text[64], why[HS_WHY] = "";
    int           fd = mkstemp(path), cpu;
    hsi_topology *t = NULL;

    ck_assert_int_eq((int)write(fd, two_packages, strlen(two_packages)), (int)strlen(two_packages));
    close(fd);
    setenv("HWLOC_XMLFILE", path, 1);
    ck_assert_msg(hsi_topology_open(&t, 1, why) == HS_OK, "%s", why);
    for (cpu = 0; cpu < 6; cpu++) {
        ck_assert_int_eq(hsi_topology_is_near(t, "0000:3b:00.0", cpu), cpu == 2 || cpu == 3);
        ck_assert_int_eq(hsi_topology_is_near(t, "0000:3a:00.0", cpu), 0);
    }
    hsi_topology_near(t, "0000:3b:00.0", text, sizeof text);
    ck_assert_str_eq(text, "2-3");
    hsi_topology_near(t, "0000:3a:00.0", text, sizeof text);
    ck_assert_str_eq(text, "");
    hsi_topology_close(t);
    unsetenv("HWLOC_XMLFILE");
    unlink(path);
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("bodies");
    TCase *tc = tcase_create("bodies");

    cpus = -1;
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, good_kernels);
    tcase_add_test(tc, bad_kernels);
    tcase_add_test(tc, the_unknown_is_told_what_there_is);
    tcase_add_test(tc, what_is_for_others_is_left_to_them);
    tcase_add_test(tc, a_command_for_gpus_alone_is_nothing_for_a_cpu);
    tcase_add_test(tc, bodies_last_as_long_as_they_say);
    tcase_add_test(tc, bodies_stop_when_told_to);
    tcase_add_test(tc, waits_end_on_time);
    tcase_add_test(tc, the_mask_is_respected);
    tcase_add_test(tc, the_quota_is_respected);
    tcase_add_test(tc, groups_and_those_above_say_what_there_is);
    tcase_add_test(tc, memory_is_for_all_workers);
    tcase_add_test(tc, there_is_no_such_core);
    tcase_add_loop_test(tc, cores_are_assigned, 0, (int)(sizeof bound / sizeof *bound));
    tcase_add_loop_test(tc, several_cores_are_assigned, 0, sizeof several / sizeof *several);
    tcase_add_test(tc, too_few_cores);
#ifdef HAVE_HWLOC
    tcase_add_test(tc, nearness_is_what_hwloc_says);
#endif
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
