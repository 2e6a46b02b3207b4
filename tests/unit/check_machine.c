/* SPDX-License-Identifier: BSD-3-Clause */

/* Available cores and memory, and the assignment of cores to workers. */

#include "config.h"

#include "backend_fixture.h"
#include "suite.h"

#include <sched.h>

#include "exec/machine/limits.h"
#include "exec/machine/machine.h"

static double cpus; /* fake CPU limit of the control group; negative: the real limit */

double __real_hsi_cpu_limit(void);
double __wrap_hsi_cpu_limit(void);

double __wrap_hsi_cpu_limit(void)
{
    return cpus < 0 ? __real_hsi_cpu_limit() : cpus;
}

static double memory = -1; /* fake memory limit in bytes; negative: the real limit */

double __real_hsi_memory_limit(void);
double __wrap_hsi_memory_limit(void);

double __wrap_hsi_memory_limit(void)
{
    return memory < 0 ? __real_hsi_memory_limit() : memory;
}

static int  installed = -1; /* whether the module is installed; -1: ask the system */
static char opened[256];    /* first file of dlopen(), which fails unless installed < 0 */

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);

int __wrap_access(const char *path, int mode)
{
    return installed < 0 ? __real_access(path, mode) : installed - 1;
}

void *__real_dlopen(const char *path, int flags);
void *__wrap_dlopen(const char *path, int flags);

void *__wrap_dlopen(const char *path, int flags)
{
    if (installed < 0)
        return __real_dlopen(path, flags);
    if (!*opened)
        snprintf(opened, sizeof opened, "%s", path);
    return __real_dlopen("/nowhere/module.so", flags);
}

static hsi_topology *open_topology(void)
{
    hsi_topology *t = NULL;
    hs_error      error = {0};

    ck_assert_msg(hsi_topology_open(&t, 0, &error) == HS_OK, "%s", error.why);
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
        ck_assert_int_eq(hsi_bind_thread(0, &cpu, 1), HS_OK);
        ck_assert_int_eq(sched_getaffinity(0, sizeof own, &own), 0);
        ck_assert(CPU_COUNT(&own) == 1 && CPU_ISSET(cpu, &own));
    }
    ck_assert_int_eq(hsi_topology_cpu(t, 1u << 20), -1);
}

START_TEST(cpu_mask_is_respected)
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

START_TEST(cpu_quota_is_respected)
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
    ck_assert_double_ge(hsi_cpu_limit(), 0);
    ck_assert_double_gt(hsi_memory_limit(), 0);
}
END_TEST

/* Write a file of a control group's folder in the kernel's format. */
static void write_group_file(const char *folder, const char *name, const char *text)
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

START_TEST(limits_of_parent_groups_apply)
{
    char       root[] = "/tmp/hs-test-XXXXXX", own[64];
    hsi_groups at = {own, root};

    ck_assert_ptr_nonnull(mkdtemp(root));
    snprintf(own, sizeof own, "%s/own", root);
    ck_assert_double_eq(hsi_groups_memory_limit(&at), 0);
    run_shell("mkdir -p %s/a/b", root);
    write_group_file(root, "own", "0::/a/b\n");
    ck_assert_double_eq(hsi_groups_memory_limit(&at), 0);
    write_group_file(root, "a/b/memory.max", "max\n");
    write_group_file(root, "a/b/cpu.max", "max 100000\n");
    write_group_file(root, "a/memory.max", "7000000\n");
    write_group_file(root, "memory.max", "8000000\n");
    write_group_file(root, "a/cpu.max", "150000 100000\n");
    ck_assert_double_eq(hsi_groups_memory_limit(&at), 7000000);
    ck_assert_double_eq(hsi_groups_cpu_limit(&at), 1.5);
    run_shell("mkdir -p %1$s/cpu/x %1$s/memory/y/z", root);
    write_group_file(root, "own", "4:memory:/y/z\n3:cpu,cpuacct:/x\n2:cpuset:/w\n0::/\n");
    write_group_file(root, "memory/y/z/memory.limit_in_bytes", "9223372036854771712\n");
    write_group_file(root, "memory/y/memory.limit_in_bytes", "5000000\n");
    write_group_file(root, "cpu/x/cpu.cfs_quota_us", "50000\n");
    write_group_file(root, "cpu/x/cpu.cfs_period_us", "100000\n");
    write_group_file(root, "cpu/cpu.cfs_quota_us", "-1\n");
    write_group_file(root, "cpu/cpu.cfs_period_us", "100000\n");
    ck_assert_double_eq(hsi_groups_memory_limit(&at), 5000000);
    ck_assert_double_eq(hsi_groups_cpu_limit(&at), 0.5);
    run_shell("rm -r %s", root);
}
END_TEST

/* Memory for two tasks is too little for three workers, which may run three tasks at once. */
START_TEST(memory_is_shared_by_all_workers)
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
    hs_error         error;
    const double     one = 4096.0 * 4096 * 8;
    hs_status        st;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 3, 0), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    hs_exec_settings_init(&settings);
    settings.decide.policy = hs_policy_find("heteroprio");
    settings.place.oversubscribe = 1;
    memory = 1e15;
    st = hs_exec_create(in, NULL, &settings, &exec, &error);
    if (st == HS_OK) { /* a build without the kernel refuses the run */
        hs_exec_free(exec);
        memory = 2 * 3 * one;
        ck_assert_int_eq(hs_exec_create(in, NULL, &settings, &exec, &error), HS_ERESOURCE);
        ck_assert_ptr_nonnull(strstr(error.why, " GiB of memory on 3 workers, but only 0.8"));
    }
    memory = -1;
    hs_instance_free(in);
}
END_TEST

START_TEST(absent_core_is_refused)
{
    hsi_topology    *t = open_topology();
    static const int none = 1 << 20;

    ck_assert_int_eq(hsi_bind_thread(0, &none, 1), HS_ERESOURCE);
    hsi_topology_close(t);
}
END_TEST

/*
 * A machine of `fake_cores` cores with the OS numbers 10, 11, ...: device "a" is near 11 and
 * 12, "b" is near 12, and "c" near none.
 */
static unsigned fake_cores; /* 0: the real cores */

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

/* Expected CPUs of the workers on eight fake cores, CPU workers first; -1: unbound. Each letter of
 * `gpus` is the device of a GPU worker. */
static const struct {
    unsigned    cpus;
    const char *gpus;
    int         no_reserve, oversubscribe, emulate; /* emulate the CPU workers */
    int         unused[2]; /* types without tasks */
    int         os_cpu[12];
} bound[] = {
    {3, "", 0, 0, 0, {0, 0}, {10, 11, 12}},
    {3, "a", 0, 0, 0, {0, 0}, {10, 11, 13, 12}},
    {3, "b", 0, 0, 0, {0, 0}, {10, 11, 13, 12}},
    {3, "c", 0, 0, 0, {0, 0}, {10, 11, 12, 17}},
    {3, "ab", 0, 0, 0, {0, 0}, {10, 11, 13, 12, 17}},
    {3, "ba", 0, 0, 0, {0, 0}, {10, 13, 14, 12, 11}},
    {3, "cab", 0, 0, 0, {0, 0}, {10, 11, 13, 17, 12, 16}},
    {6, "aa", 0, 0, 0, {0, 0}, {10, 13, 14, 15, 16, 17, 12, 11}},
    {3, "a", 1, 0, 0, {0, 0}, {10, 11, 12, 13}},
    {3, "a", 0, 0, 1, {0, 0}, {-1, -1, -1, 12}},
    {9, "a", 0, 0, 1, {0, 0}, {-1, -1, -1, -1, -1, -1, -1, -1, -1, 12}},
    {8, "a", 0, 1, 0, {0, 0}, {10, 11, 12, 13, 14, 15, 16, 17, -1}},
    {8, "a", 1, 0, 0, {0, 0}, {10, 11, 12, 13, 14, 15, 16, 17, -1}},
    {9, "", 0, 1, 0, {0, 0}, {-1, -1, -1, -1, -1, -1, -1, -1, -1}},
    {9, "a", 0, 0, 0, {1, 0}, {-1, -1, -1, -1, -1, -1, -1, -1, -1, 12}},
    {9, "a", 1, 0, 0, {1, 0}, {-1, -1, -1, -1, -1, -1, -1, -1, -1, 10}},
    {2, "a", 1, 0, 0, {0, 1}, {10, 11, -1}},
};

START_TEST(cores_are_assigned)
{
    hs_backend_device devices[3] = {{0}};
    unsigned          gpus = (unsigned)strlen(bound[_i].gpus), i;
    hsi_machine       machine = {.devices = devices, .device_count = gpus};
    hsi_run_spec spec = {.cpus = bound[_i].cpus, .gpus = gpus, .workers = bound[_i].cpus + gpus};
    hs_error          error = {0};

    fake_cores = 8;
    for (i = 0; i < gpus; i++)
        devices[i].pci[0] = bound[_i].gpus[i];
    spec.settings.place.cores[HS_CPU] = spec.settings.place.cores[HS_GPU] = 1;
    spec.settings.place.share_gpu_cores = bound[_i].no_reserve;
    spec.settings.place.oversubscribe = bound[_i].oversubscribe;
    spec.settings.run.emulate[HS_CPU] = bound[_i].emulate;
    memcpy(spec.unused, bound[_i].unused, sizeof spec.unused);
    ck_assert_msg(hsi_machine_assign_cores(&machine, &spec, &error) == HS_OK, "%s", error.why);
    for (i = 0; i < spec.workers; i++)
        ck_assert_msg(machine.os_cpu[i] == bound[_i].os_cpu[i], "worker %u: %d", i,
                      machine.os_cpu[i]);
    machine.devices = NULL;
    hsi_machine_close(&machine);
    fake_cores = 0;
}
END_TEST

/* Expected CPUs on eight fake cores with two cores per CPU worker and three for the GPU worker,
 * which is near 11 and 12; -1: unbound. */
static const struct {
    unsigned cpus;
    int      oversubscribe;
    int      cores[4][3];
} several[] = {
    {2, 0, {{10, 13}, {14, 15}, {12, 11, 17}}},
    {3, 1, {{10, 11}, {12, 13}, {14, 15}, {-1}}}, /* only two cores remain for the GPU worker */
    {1, 0, {{10, 13}, {12, 11, 17}}},
};

START_TEST(several_cores_are_assigned)
{
    hs_backend_device device = {.pci = "a"};
    hsi_machine       machine = {.devices = &device, .device_count = 1};
    unsigned          count = several[_i].cpus, w, i;
    hsi_run_spec          spec = {.cpus = count, .gpus = 1, .workers = count + 1};
    hs_error          error = {0};

    fake_cores = 8;
    spec.settings.place.cores[HS_CPU] = 2;
    spec.settings.place.cores[HS_GPU] = 3;
    spec.settings.place.oversubscribe = several[_i].oversubscribe;
    ck_assert_msg(hsi_machine_assign_cores(&machine, &spec, &error) == HS_OK, "%s", error.why);
    for (w = 0; w < spec.workers; w++) {
        const int *cores = hsi_machine_cores(&machine, &spec, w);

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

START_TEST(too_few_cores_are_reported)
{
    hs_backend_device device = {0};
    hsi_machine       machine = {.devices = &device, .device_count = 1};
    hsi_run_spec          spec = {.cpus = 8, .gpus = 1, .workers = 9, .settings.place.cores = {1, 1}};
    hs_error          error = {0};

    fake_cores = 8;
    ck_assert_int_eq(hsi_machine_assign_cores(&machine, &spec, &error), HS_ERESOURCE);
    ck_assert_str_eq(
        error.why,
        "too few cores: this plan needs 8, and 1 more to drive its GPUs, and "
        "there are 8; use settings.place.share_gpu_cores or settings.place.oversubscribe");
    machine.devices = NULL;
    hsi_machine_close(&machine);
    fake_cores = 0;
}
END_TEST

/* A library of the module's name on the search path must not replace an installed module. */
START_TEST(the_installed_module_comes_first)
{
    static const char file[] = "/hybridsched-cuda.so";
    hsi_module        module = {.file = NULL};
    hs_error          error = {0};

    installed = _i;
    *opened = '\0'; /* earlier tests may have used the library in this process */
    ck_assert_int_eq(hsi_module_open(NULL, &module, &error), HS_ERESOURCE);
    if (installed) {
        ck_assert_msg(opened[0] == '/' && strlen(opened) > sizeof file, "%s", opened);
        ck_assert_str_eq(opened + strlen(opened) - strlen(file), file);
    } else {
        ck_assert_str_eq(opened, file + 1);
    }
    *opened = '\0';
    ck_assert_int_eq(hsi_module_open("./another.so", &module, &error), HS_ERESOURCE);
    ck_assert_str_eq(opened, "./another.so");
    installed = -1;
}
END_TEST

#ifdef HAVE_HWLOC
/* hwloc topology of two packages with two cores each, and a GPU at the second package. */
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

START_TEST(near_cores_come_from_hwloc)
{
    char          path[] = "/tmp/hs-test-XXXXXX", text[64];
    hs_error      error = {0};
    int           fd = mkstemp(path), cpu;
    hsi_topology *t = NULL;

    ck_assert_int_eq((int)write(fd, two_packages, strlen(two_packages)), (int)strlen(two_packages));
    close(fd);
    setenv("HWLOC_XMLFILE", path, 1);
    ck_assert_msg(hsi_topology_open(&t, 1, &error) == HS_OK, "%s", error.why);
    for (cpu = 0; cpu < 6; cpu++) {
        ck_assert_int_eq(hsi_topology_is_near(t, "0000:3b:00.0", cpu), cpu == 2 || cpu == 3);
        ck_assert_int_eq(hsi_topology_is_near(t, "0000:3a:00.0", cpu), 0);
    }
    hsi_topology_list_near(t, "0000:3b:00.0", text, sizeof text);
    ck_assert_str_eq(text, "2-3");
    hsi_topology_list_near(t, "0000:3a:00.0", text, sizeof text);
    ck_assert_str_eq(text, "");
    hsi_topology_close(t);
    unsetenv("HWLOC_XMLFILE");
    unlink(path);
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("machine");
    TCase *tc = tcase_create("machine");

    cpus = -1;
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, cpu_mask_is_respected);
    tcase_add_test(tc, cpu_quota_is_respected);
    tcase_add_test(tc, limits_of_parent_groups_apply);
    tcase_add_test(tc, memory_is_shared_by_all_workers);
    tcase_add_test(tc, absent_core_is_refused);
    tcase_add_loop_test(tc, cores_are_assigned, 0, (int)(sizeof bound / sizeof *bound));
    tcase_add_loop_test(tc, several_cores_are_assigned, 0, sizeof several / sizeof *several);
    tcase_add_test(tc, too_few_cores_are_reported);
    tcase_add_loop_test(tc, the_installed_module_comes_first, 0, 2);
#ifdef HAVE_HWLOC
    tcase_add_test(tc, near_cores_come_from_hwloc);
#endif
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
