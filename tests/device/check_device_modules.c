/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of modules for devices: names, files, selections, and devices that two modules list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/exec.h>

#include "exec/device/modules.h"
#include "failing_memory.h"
#include "suite.h"

static void expect_devices(const char *list, const char *const *names)
{
    hsi_device_modules      *modules = NULL;
    const hsi_device_choice *devices;
    unsigned                 count, i;
    hs_error                 error = {0};

    ck_assert_msg(hsi_device_modules_open(list, &modules, &error) == HS_OK, "%s: %s", list,
                  error.why);
    devices = hsi_device_modules_devices(modules, &count);
    for (i = 0; i < count && names[i]; i++)
        ck_assert_str_eq(devices[i].info.name, names[i]);
    ck_assert_msg(i == count && !names[i], "%s: %u devices", list, count);
    hsi_device_modules_close(modules);
}

static void expect_error(const char *list, hs_status status, const char *why)
{
    hsi_device_modules *modules = NULL;
    hs_error            error = {0};

    ck_assert_int_eq(hsi_device_modules_open(list, &modules, &error), status);
    ck_assert_msg(strstr(error.why, why), "%s: %s", list, error.why);
    ck_assert_ptr_null(modules);
}

START_TEST(devices_follow_each_other)
{
    expect_devices("emulated", (const char *const[]){"emulated device 0", NULL});
    expect_devices(
        "emulated:devices=2,memory=1e6,bandwidth=1e9,emulated,emulated:launch=1e-6,devices=1",
        (const char *const[]){"emulated device 0", "emulated device 1", "emulated device 0",
                              "emulated device 0", NULL});
}
END_TEST

/* A device is opened by the selection and index that the list gives. */
START_TEST(selections_reach_the_module)
{
    hsi_device_modules      *modules = NULL;
    const hsi_device_choice *devices;
    hs_device               *device = NULL;
    unsigned                 count;
    hs_error                 error = {0};

    ck_assert_int_eq(hsi_device_modules_open("emulated:devices=3,memory=5e6,emulated:memory=7e6",
                                             &modules, &error),
                     HS_OK);
    devices = hsi_device_modules_devices(modules, &count);
    ck_assert_uint_eq(count, 4);
    for (unsigned i = 0; i < count; i++) {
        ck_assert_uint_eq(devices[i].index, i % 3);
        ck_assert_uint_eq(devices[i].info.memory, i < 3 ? 5000000 : 7000000);
        ck_assert_int_eq(devices[i].ops->open(devices[i].which, devices[i].index, &device, &error),
                         HS_OK);
        ck_assert_uint_eq(device->memory, devices[i].info.memory);
        devices[i].ops->close(device);
    }
    hsi_device_modules_close(modules);
}
END_TEST

START_TEST(wrong_lists_are_refused)
{
    expect_error("", HS_EINVAL, "has no name");
    expect_error("emulated,", HS_EINVAL, "has no name");
    expect_error("emulated,,emulated", HS_EINVAL, "has no name");
    expect_error(":all", HS_EINVAL, "has no name");
    expect_error("emulated:colour=1", HS_EINVAL, "'colour=1' is no setting");
    expect_error("emulated,devices=2", HS_EINVAL, "write emulated:devices=2");
    expect_error("emulated:devices=0", HS_ERESOURCE, "no device is emulated");
    expect_error("emulated,nonesuch:1", HS_ERESOURCE, "the module 'nonesuch' cannot be opened");
    expect_error("./tests/plugin/.libs/sample.so", HS_ERESOURCE, "drives no devices");
}
END_TEST

/* The library describes the devices of a list, and the files of modules for GPUs as before. */
START_TEST(the_library_describes_devices)
{
    hs_exec_device device;
    hs_error       error = {0};
    unsigned       count = 0;

    hs_exec_device_init(&device);
    ck_assert_int_eq(hs_exec_device_at("emulated:devices=2,memory=1e6", 1, &device, &count, &error),
                     HS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(device.name, "emulated device 1");
    ck_assert_uint_eq(device.memory, 1000000);
    ck_assert_int_eq(hs_exec_device_at("emulated", 1, &device, &count, &error), HS_EINVAL);
    ck_assert_int_eq(hs_exec_device_at("emulated:devices=0", 0, NULL, &count, &error),
                     HS_ERESOURCE);
    ck_assert_str_eq(error.why, "no GPU: no device is emulated: set devices=1 or more");
    ck_assert_int_eq(hs_exec_device_at("./nonesuch.so", 0, NULL, &count, &error), HS_ERESOURCE);
    ck_assert(strstr(error.why, "the module for GPUs cannot be opened"));
}
END_TEST

/* Copy the module of the tests to `path`. */
static void copy_module(const char *path)
{
    FILE  *in = fopen("tests/device/.libs/devices-only.so", "rb"), *out = fopen(path, "wb");
    char   block[4096];
    size_t length;

    ck_assert_ptr_nonnull(in);
    ck_assert_ptr_nonnull(out);
    while ((length = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, length, out);
    fclose(in);
    fclose(out);
}

/* A word with a slash is a file: a module for devices too, and with commas and colons in its path. */
START_TEST(a_path_is_one_module)
{
    char           folder[] = "/tmp/hs-modules-XXXXXX", path[64];
    hs_exec_device device;
    hs_error       error = {0};
    unsigned       count = 0;

    hs_exec_device_init(&device);
    ck_assert_int_eq(hs_exec_device_at("./tests/device/.libs/devices-only.so", 0, &device, &count,
                                       &error),
                     HS_OK);
    ck_assert_str_eq(device.name, "listed device");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a:b,c=1.so", folder);
    copy_module(path);
    ck_assert_msg(hs_exec_device_at(path, 0, &device, &count, &error) == HS_OK, "%s", error.why);
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(device.name, "listed device");
    expect_devices(path, (const char *const[]){"listed device", NULL});
    expect_devices("./tests/device/.libs/devices-only.so:all,emulated",
                   (const char *const[]){"listed all", "emulated device 0", NULL});
    unlink(path);
    rmdir(folder);
}
END_TEST

/* Names of libraries without a slash are searched. The first module of cuda and opencl that has a
 * device is the usual one; the file for cuda here has none. */
START_TEST(modules_are_searched)
{
    static const char *const names[] = {"hybridsched-opencl.so", "opencl", NULL};
    hs_exec_device           device;
    hs_error                 error = {0};
    unsigned                 count = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hs_exec_device_init(&device);
        ck_assert_msg(hs_exec_device_at(names[i], 0, &device, &count, &error) == HS_OK, "%s",
                      error.why);
        ck_assert_str_eq(device.name, "listed device");
    }
    ck_assert_int_eq(hs_exec_device_at("cuda", 0, NULL, &count, &error), HS_ERESOURCE);
}
END_TEST

/* Start the program again with a folder of modules on the search path, unless it was started so. */
static void start_with_modules(char *const *argv)
{
    char        folder[] = "/tmp/hs-modules-XXXXXX", path[4096];
    const char *old = getenv("LD_LIBRARY_PATH");

    if (getenv("HS_TEST_MODULES"))
        return;
    if (!mkdtemp(folder))
        exit(EXIT_FAILURE);
    snprintf(path, sizeof path, "%s/hybridsched-cuda.so", folder);
    copy_module(path);
    snprintf(path, sizeof path, "%s/hybridsched-opencl.so", folder);
    copy_module(path);
    snprintf(path, sizeof path, "%s%s%s", folder, old ? ":" : "", old ? old : "");
    setenv("LD_LIBRARY_PATH", path, 1);
    setenv("HS_TEST_MODULES", folder, 1);
    execv("/proc/self/exe", argv);
    exit(EXIT_FAILURE);
}

static void remove_modules(void)
{
    static const char *const names[] = {"cuda", "opencl"};
    const char              *folder = getenv("HS_TEST_MODULES");
    char                     path[4096];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/hybridsched-%s.so", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

START_TEST(allocations_fail)
{
    long first = 0, failed, blocks = memory_live_blocks();

    do {
        hsi_device_modules *modules = NULL;
        hs_error            error = {0};
        hs_status           st;

        memory_fail_after(first++, 0);
        st = hsi_device_modules_open("emulated:devices=2,memory=1e6,emulated", &modules, &error);
        failed = memory_stop_failing();
        ck_assert_int_eq(st, failed ? HS_ENOMEM : HS_OK);
        hsi_device_modules_close(modules);
        ck_assert_int_eq(memory_live_blocks(), blocks);
    } while (failed);
    ck_assert_int_gt(first, 4);
}
END_TEST

int main(int argc, char **argv)
{
    Suite *suite = suite_create("modules for devices");
    TCase *tc = tcase_create("lists");
    int    status;

    if (argc > 0)
        start_with_modules(argv);
    setenv("HWLOC_COMPONENTS", "-opencl,-gl,-pci", 0); /* leaky components */
    tcase_add_test(tc, devices_follow_each_other);
    tcase_add_test(tc, selections_reach_the_module);
    tcase_add_test(tc, wrong_lists_are_refused);
    tcase_add_test(tc, the_library_describes_devices);
    tcase_add_test(tc, a_path_is_one_module);
    tcase_add_test(tc, allocations_fail);
    tcase_add_test(tc, modules_are_searched);
    suite_add_tcase(suite, tc);
    status = run_suite(suite);
    remove_modules();
    return status;
}
