/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Commands run by the command backend: their environment at the start, the report of their ends,
 * and refusals. check_command_left.c tests what remains of them.
 */

#include "config.h"

#include "backend_memory.h"
#include "command_fixture.h"
#include "suite.h"

#include <sched.h>

#include "exec/backend/command/environment.h"

START_TEST(environment_describes_the_task)
{
    setenv("OMP_NUM_THREADS", "16", 1);
    setenv("OPENBLAS_NUM_THREADS", "16", 1);
    setenv("CUDA_VISIBLE_DEVICES", "4,5", 1);
    unsetenv("CUDA_DEVICE_ORDER");
    setenv("HSCHED_TASK", "of somebody else", 1);
    setenv("OF_THE_CALLER", "kept as it is", 1);
    open_cpu();
    s.attempt.number = 7;
    expect_done("echo; env");
    ck_assert_ptr_nonnull(strstr(printed(), "\nOMP_NUM_THREADS=1\n"));
    ck_assert_ptr_nonnull(strstr(printed(), "\nOPENBLAS_NUM_THREADS=1\n"));
    ck_assert_ptr_nonnull(strstr(printed(), "\nCUDA_DEVICE_ORDER=PCI_BUS_ID\n"));
    ck_assert_ptr_nonnull(strstr(printed(), "\nCUDA_VISIBLE_DEVICES=-1\n"));
    ck_assert_ptr_nonnull(strstr(printed(), "\nOF_THE_CALLER=kept as it is\n"));
    ck_assert_ptr_nonnull(strstr(printed(), "\nHSCHED_ATTEMPT=7\n"));
    ck_assert_ptr_null(strstr(printed(), "=16\n"));
    ck_assert_ptr_null(strstr(printed(), "of somebody else"));
    expect_done("printf '%s %s' $HSCHED_TASK $HSCHED_WORKER");
    ck_assert_int_eq(strncmp(printed(), s.id, strlen(s.id)), 0);
    ck_assert_str_eq(printed() + strlen(s.id), " cpu1");
    close_it();
}
END_TEST

/* Worker gpu1, real or emulated: its device, and the value of CUDA_VISIBLE_DEVICES in the
 * command. */
static const struct {
    const char *device, *visible;
    int         keep;
    const char *sees;
} gpus[] = {
    {"2", "6,7", 0, "gpu1 1 PCI_BUS_ID 2"},
    {"GPU-8f,3", "6,7", 0, "gpu1 1 PCI_BUS_ID GPU-8f,3"},
    {NULL, "6,7", 0, "gpu1 1 PCI_BUS_ID 7"},
    {NULL, "6,7,8", 0, "gpu1 1 PCI_BUS_ID 7"},
    {NULL, "6", 0, "gpu1 1 PCI_BUS_ID -1"},
    {NULL, "", 0, "gpu1 1 PCI_BUS_ID -1"},
    {NULL, "6,", 0, "gpu1 1 PCI_BUS_ID -1"},
    {NULL, NULL, 0, "gpu1 1 PCI_BUS_ID 1"},
    {"2", "6,7", 1, "gpu1 1 FASTEST_FIRST 6,7"},
    {NULL, "6,7", 1, "gpu1 1 FASTEST_FIRST 6,7"},
};

START_TEST(gpu_commands_see_their_device)
{
    if (gpus[_i].visible)
        setenv("CUDA_VISIBLE_DEVICES", gpus[_i].visible, 1);
    else
        unsetenv("CUDA_VISIBLE_DEVICES");
    setenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST", 1);
    fixture_set(&s, &hsi_backend_command, HS_GPU);
    s.info.device = gpus[_i].device;
    s.options.keep_visible_devices = gpus[_i].keep;
    fixture_open(&s);
    expect_printed("printf '%s %s %s %s' $HSCHED_WORKER $HSCHED_GPU $CUDA_DEVICE_ORDER "
                   "\"$CUDA_VISIBLE_DEVICES\"",
                   gpus[_i].sees);
    close_it();
}
END_TEST

START_TEST(thread_count_equals_cores)
{
    fixture_set(&s, &hsi_backend_command, HS_CPU);
    s.info.core_count = 3;
    fixture_open(&s);
    expect_printed("echo $OMP_NUM_THREADS $OPENBLAS_NUM_THREADS $HSCHED_CORES ${HSCHED_GPU-none} "
                   "$ROCR_VISIBLE_DEVICES $HIP_VISIBLE_DEVICES",
                   "3 3 3 none -1 -1\n");
    close_it();
    fixture_set(&s, &hsi_backend_command, HS_GPU);
    fixture_open(&s);
    expect_printed("echo $HSCHED_GPU $ROCR_VISIBLE_DEVICES $HIP_VISIBLE_DEVICES", "1 1 0\n");
    close_it();
}
END_TEST

START_TEST(command_memory_is_limited)
{
    fixture_set(&s, &hsi_backend_command, HS_CPU);
    s.options.process_memory = 1 << 28;
    fixture_open(&s);
    expect_printed("ulimit -v; sh -c 'ulimit -v'", "262144\n262144\n");
    close_it();
}
END_TEST

START_TEST(command_is_pinned_to_its_core)
{
    cpu_set_t mine;
    int       cpu;
    char      expected[64];

    sched_getaffinity(0, sizeof mine, &mine);
    for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &mine))
            continue;
        fixture_set(&s, &hsi_backend_command, HS_CPU);
        s.info.cores = &cpu;
        fixture_open(&s);
        snprintf(expected, sizeof expected, "Cpus_allowed_list:\t%d\n", cpu);
        expect_printed("grep Cpus_allowed_list /proc/self/status", expected);
        close_it();
    }
}
END_TEST

START_TEST(missing_core_is_refused)
{
    static const int none = 100000;

    fixture_set(&s, &hsi_backend_command, HS_CPU);
    s.info.cores = &none;
    fixture_open(&s);
    expect_failed("true", "cannot bind commands to core 100000: Invalid argument");
    close_it();
}
END_TEST

START_TEST(stdin_is_empty_and_no_file_is_inherited)
{
    int           pair[2], fd;
    unsigned long ignored;
    char          here[4096], folder[4200];
    sigset_t      set;

    ck_assert_int_eq(pipe(pair), 0); /* this descriptor lacks the close-on-exec flag */
    fd = dup2(pair[0], 200);
    ck_assert_int_eq(fd, 200);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    open_cpu();
    expect_printed("cat; readlink /proc/self/fd/0", "/dev/null\n");
    expect_printed("ls /proc/$$/fd; :", "0\n1\n2\n");
    expect_printed("grep SigBlk /proc/self/status", "SigBlk:\t0000000000000000\n");
    expect_done("grep SigIgn /proc/self/status");
    /* bits of two real-time signals that glibc ignores in processes that it spawns */
    ck_assert_int_eq(sscanf(printed(), "SigIgn: %lx", &ignored), 1);
    ck_assert_uint_eq(ignored & 0x7fffffff, 0);
    snprintf(folder, sizeof folder, "%s\n", getcwd(here, sizeof here));
    expect_printed("pwd -P", folder);
    expect_printed("cat /proc/self/timerslack_ns", "50000\n");
    close_it();
    signal(SIGPIPE, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    close(pair[0]);
    close(pair[1]);
    close(fd);
}
END_TEST

START_TEST(command_leads_its_process_group)
{
    /* process and process group of the command, and a session other than the test's */
    open_cpu();
    expect_done("read pid name state parent group session rest </proc/self/stat; "
                "echo $((pid == group)) $session");
    ck_assert_int_eq(strncmp(printed(), "1 ", 2), 0);
    ck_assert_int_ne(atoi(printed() + 2), getsid(0));
    close_it();
}
END_TEST

START_TEST(exit_status_is_reported)
{
    open_cpu();
    expect_done("true");
    expect_failed("exit 3", "exited with status 3");
    expect_failed("echo one; echo two >&2; printf '\\n \\n'; exit 4", "exited with status 4: two");
    expect_failed("kill -SEGV $$", "killed by signal 11 (Segmentation fault)");
    expect_failed("exit 136", "exited with status 136 (as the shell says for signal 8, "
                              "Floating point exception)");
    expect_failed("exit 200", "exited with status 200");
    ck_assert_int_eq(run_on(&s, "no-such-command-anywhere"), HS_OUTCOME_FAILED);
    ck_assert_int_eq(strncmp(s.why, "command not found (status 127): ", 32), 0);
    ck_assert_ptr_nonnull(strstr(s.why, "no-such-command-anywhere"));
    ck_assert_int_eq(run_on(&s, "/dev/null"), HS_OUTCOME_FAILED);
    ck_assert_int_eq(strncmp(s.why, "command cannot be executed (status 126)", 39), 0);
    expect_done("true");
    close_it();
}
END_TEST

START_TEST(output_goes_to_the_log)
{
    open_cpu();
    expect_printed("echo out; echo err >&2", "out\nerr\n");
    expect_printed("echo again", "again\n"); /* the log has no text of earlier attempts */
    expect_failed("echo 'bad\tthing'; exit 1", "exited with status 1: bad thing");
    s.attempt.log = "/nowhere/at/all";
    expect_failed("true", "cannot write /nowhere/at/all: No such file or directory");
    close_it();
}
END_TEST

/* Check that a log file is refused if another user who may write to the folder created it first. */
static void expect_log_refused(const char *other)
{
    hs_task  row = {.id = s.id, .cpu_command = "echo over it"};
    hs_body *body = fixture_create_body(&s, &row);
    char     why[HS_WHY], text[16] = "";
    FILE    *file;

    ck_assert_int_eq(s.backend->run(s.worker, body, &s.attempt), HS_OUTCOME_FAILED);
    s.backend->body_free(body);
    snprintf(why, sizeof why, "cannot write %s: File exists", s.log);
    ck_assert_str_eq(s.why, why);
    file = fopen(other, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    fclose(file);
    ck_assert_str_eq(text, "precious");
    unlink(s.log);
}

START_TEST(log_is_a_new_file)
{
    char  other[64];
    FILE *file;

    open_cpu();
    snprintf(other, sizeof other, "%s/other", s.folder);
    file = fopen(other, "w");
    ck_assert_ptr_nonnull(file);
    fputs("precious", file);
    fclose(file);
    ck_assert_int_eq(symlink(other, s.log), 0);
    expect_log_refused(other);
    ck_assert_int_eq(link(other, s.log), 0);
    expect_log_refused(other);
    unlink(other);
    close_it();
}
END_TEST

START_TEST(output_without_a_log_is_read_and_dropped)
{
    open_cpu();
    s.attempt.log = NULL;
    expect_done("head -c 3000000 /dev/zero");
    expect_failed("i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i + 1)); done; exit 9",
                  "exited with status 9: line 2999");
    expect_failed("head -c 3000000 /dev/zero | tr '\\0' x; exit 1",
                  "exited with status 1: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                  "xxxxxxxxx");
    expect_failed("exit 1", "exited with status 1");
    ck_assert_int_eq(run_until_ready(&s, ": >$READY; exec yes"), HS_OUTCOME_ABORTED);
    close_it();
}
END_TEST

START_TEST(longest_command_of_the_system_runs)
{
    char    *command = malloc(131073);
    hs_task  row = {.id = s.id, .cpu_command = command};
    hs_body *body = NULL;
    char     expected[160];

    ck_assert_ptr_nonnull(command);
    memset(command, ' ', 131072);
    memcpy(command + 131071 - 7, "exit 13", 7);
    command[131071] = '\0';
    open_cpu();
    expect_failed(command, "exited with status 13");
    command[131071] = ' ';
    command[131072] = '\0';
    row.id = s.id;
    ck_assert_int_eq(s.backend->body_create(&s.options, &row, HS_CPU, &body, &s.error), HS_EINVAL);
    snprintf(expected, sizeof expected,
             "the cpu_command of task %s is longer than 131071 bytes: put it into a file", s.id);
    ck_assert_str_eq(s.error.why, expected);
    close_it();
    free(command);
}
END_TEST

START_TEST(commands_need_permission)
{
    hs_backend_options options = {.struct_size = sizeof options};
    hs_task            row = {.id = "render-7", .cpu_command = "true", .gpu_command = "false"};
    hs_body           *body = NULL;
    hs_error           error;

    ck_assert_int_eq(hsi_backend_command.body_create(&options, &row, HS_CPU, &body, &error),
                     HS_EREFUSED);
    ck_assert_str_eq(error.why,
                     "task render-7 has a cpu_command: use settings.run.allow_commands if "
                     "you trust the plan");
    row.id = NULL;
    ck_assert_int_eq(hsi_backend_command.body_create(&options, &row, HS_GPU, &body, &error),
                     HS_EREFUSED);
    ck_assert_str_eq(error.why,
                     "a task has a gpu_command: use settings.run.allow_commands if you trust "
                     "the plan");
    ck_assert_ptr_null(body);
}
END_TEST

START_TEST(rows_without_a_command_are_passed_over)
{
    hs_backend_options options = {.struct_size = sizeof options, .allow_commands = 1};
    hs_task            row = {.id = "a", .cpu_command = "", .kernel = "spin:1"};
    hs_body           *body = NULL;
    hs_error           error;

    ck_assert_int_eq(hsi_backend_command.body_create(&options, &row, HS_CPU, &body, &error), HS_OK);
    ck_assert_ptr_null(body);
    row.cpu_command = "true";
    ck_assert_int_eq(hsi_backend_command.body_create(&options, &row, HS_GPU, &body, &error), HS_OK);
    ck_assert_ptr_null(body);
    options.emulate[HS_CPU] = 1; /* an emulated command only takes its time, and needs no
                                    permission */
    options.allow_commands = 0;
    ck_assert_int_eq(hsi_backend_command.body_create(&options, &row, HS_CPU, &body, &error), HS_OK);
    ck_assert_ptr_null(body);
    row.gpu_command = "true"; /* an emulated GPU worker runs its commands */
    options.emulate[HS_GPU] = 1;
    options.allow_commands = 1;
    ck_assert_int_eq(hsi_backend_command.body_create(&options, &row, HS_GPU, &body, &error), HS_OK);
    ck_assert_ptr_nonnull(body);
    hsi_backend_command.body_free(body);
}
END_TEST

START_TEST(each_allocation_may_fail)
{
    hs_task row = {.cpu_command = "true"};
    int     before = open_files(), failed = 1, core = sched_getcpu();
    long    first;

    for (first = 0; failed; first++) {
        hs_status st;

        fixture_set(&s, &hsi_backend_command, HS_CPU);
        s.info.cores = &core;
        st = fixture_open_with_failing_memory(&s, &row, first, &failed);
        ck_assert_int_eq(open_files(), before);
        ck_assert_msg(failed ? st == HS_ENOMEM || st == HS_ERESOURCE : st == HS_OK,
                      "allocation %ld: %d", first, st);
    }
    ck_assert_int_gt(first, 7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("command");
    TCase *tc = tcase_create("command");

    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, environment_describes_the_task);
    tcase_add_loop_test(tc, gpu_commands_see_their_device, 0, sizeof gpus / sizeof *gpus);
    tcase_add_test(tc, thread_count_equals_cores);
    tcase_add_test(tc, command_memory_is_limited);
    tcase_add_test(tc, command_is_pinned_to_its_core);
    tcase_add_test(tc, missing_core_is_refused);
    tcase_add_test(tc, stdin_is_empty_and_no_file_is_inherited);
    tcase_add_test(tc, command_leads_its_process_group);
    tcase_add_test(tc, exit_status_is_reported);
    tcase_add_test(tc, output_goes_to_the_log);
    tcase_add_test(tc, log_is_a_new_file);
    tcase_add_test(tc, output_without_a_log_is_read_and_dropped);
    tcase_add_test(tc, longest_command_of_the_system_runs);
    tcase_add_test(tc, commands_need_permission);
    tcase_add_test(tc, rows_without_a_command_are_passed_over);
    tcase_add_test(tc, each_allocation_may_fail);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
