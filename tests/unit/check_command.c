/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Commands through the backend's own door: what they find when they start, how their
 * ends are told, and that nothing of them is left.
 */

#include "config.h"

#include "backend_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "exec/backend/environment.h"

/* ---- allocations that fail: the linker lets these stand for the C library's ------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);

/* Exported, for sanitizers look for them. */
HS_API void *__wrap_malloc(size_t size);
HS_API void *__wrap_calloc(size_t count, size_t size);

static _Thread_local long left = -1; /* before the one that fails; negative: none will */

static int refused(void)
{
    return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : __real_calloc(count, size);
}

/* ---- helpers -------------------------------------------------------------------- */

static stage s; /* each test's own, but for those that have several */

static void open_cpu(void)
{
    stage_set(&s, &hsi_backend_command, HS_CPU);
    stage_open(&s);
}

static void close_it(void)
{
    stage_close(&s);
}

static hs_outcome run_on(stage *at, const char *command)
{
    hs_task    row = {.id = at->id, .cpu_command = command, .gpu_command = command};
    hs_body   *body = stage_body(at, &row);
    hs_outcome outcome = at->backend->run(at->worker, body, &at->attempt);

    at->backend->body_free(body);
    return outcome;
}

static void expect_done(const char *command)
{
    hs_outcome outcome = run_on(&s, command);

    ck_assert_msg(outcome == HS_OUTCOME_DONE, "%s: outcome %d: %s", command, (int)outcome, s.why);
}

static void expect_failed(const char *command, const char *why)
{
    ck_assert_int_eq(run_on(&s, command), HS_OUTCOME_FAILED);
    ck_assert_str_eq(s.why, why);
}

/* What the command printed; valid until the next call. */
static const char *printed(void)
{
    static char text[65536];
    FILE       *file = fopen(s.log, "r");
    size_t      length;

    ck_assert_ptr_nonnull(file);
    length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    return text;
}

static void expect_printed(const char *command, const char *expected)
{
    expect_done(command);
    ck_assert_str_eq(printed(), expected);
}

/* Does /proc/PID/environ hold the task's name? Zombies have none. */
static int is_of_task(const char *pid, const char *id)
{
    char   path[300], text[65536], wanted[96];
    int    fd;
    size_t length = 0;
    long   got;

    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    while ((got = read(fd, text + length, sizeof text - length)) > 0)
        length += (size_t)got;
    close(fd);
    snprintf(wanted, sizeof wanted, "HSCHED_TASK=%s", id);
    return memmem(text, length, wanted, strlen(wanted) + 1) != NULL;
}

/* Processes that commands of this task have left, wherever they went. */
static int alive(const char *id)
{
    DIR           *proc = opendir("/proc");
    struct dirent *entry;
    int            count = 0;

    ck_assert_ptr_nonnull(proc);
    while ((entry = readdir(proc)) != NULL) {
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            count += is_of_task(entry->d_name, id);
    }
    closedir(proc);
    return count;
}

static int open_files(void)
{
    DIR *fds = opendir("/proc/self/fd");
    int  count = 0;

    ck_assert_ptr_nonnull(fds);
    while (readdir(fds))
        count++;
    closedir(fds);
    return count;
}

static void pause_ms(int ms)
{
    poll(NULL, 0, ms);
}

/* Cancels when the command has made the file `ready` in its folder. */
static void *cancel_when_ready(void *data)
{
    stage      *at = data;
    char        path[64];
    struct stat info;

    snprintf(path, sizeof path, "%s/ready", at->folder);
    while (stat(path, &info) != 0)
        pause_ms(1);
    unlink(path);
    stage_cancel(at);
    return NULL;
}

/* Runs a command that says `: >$READY` when it is to be cancelled. */
static hs_outcome run_until_ready(stage *at, const char *command)
{
    char       text[1024];
    pthread_t  thread;
    hs_outcome outcome;

    snprintf(text, sizeof text, "READY=%s/ready; %s", at->folder, command);
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_when_ready, at), 0);
    outcome = run_on(at, text);
    pthread_join(thread, NULL);
    stage_rearm(at);
    return outcome;
}

/* ---- what a command finds ------------------------------------------------------- */

START_TEST(environment_says_what_it_is)
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

static const struct {
    const char *device;
    int         keep;
    const char *sees;
} gpus[] = {
    {"2", 0, "gpu1 PCI_BUS_ID 2"},
    {"GPU-8f,3", 0, "gpu1 PCI_BUS_ID GPU-8f,3"},
    {NULL, 0, "gpu1 PCI_BUS_ID -1"},
    {"2", 1, "gpu1 FASTEST_FIRST 6,7"},
};

START_TEST(gpu_commands_see_their_device)
{
    setenv("CUDA_VISIBLE_DEVICES", "6,7", 1);
    setenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST", 1);
    stage_set(&s, &hsi_backend_command, HS_GPU);
    s.info.device = gpus[_i].device;
    s.options.keep_visible_devices = gpus[_i].keep;
    stage_open(&s);
    expect_printed("printf '%s %s %s' $HSCHED_WORKER $CUDA_DEVICE_ORDER $CUDA_VISIBLE_DEVICES",
                   gpus[_i].sees);
    close_it();
}
END_TEST

static const struct {
    const char *inherited;
    unsigned    index;
    const char *device; /* NULL: there is none */
} visible[] = {
    {NULL, 3, "3"},      {"2,5", 0, "2"},     {"2,5", 1, "5"},
    {"2,5", 2, NULL},    {"", 0, NULL},       {"-1", 0, NULL},
    {"0,-1,2", 1, NULL}, {"0,-1,2", 2, NULL}, {" 1 , 2 ", 1, "2"},
    {"2,,3", 1, NULL},   {"2,", 1, NULL},     {"GPU-8f,MIG-1/2/0", 1, "MIG-1/2/0"},
};

START_TEST(devices_are_counted_among_those_inherited)
{
    char buffer[16];

    if (visible[_i].device) {
        ck_assert(hsi_visible_device(visible[_i].inherited, visible[_i].index, buffer, 16));
        ck_assert_str_eq(buffer, visible[_i].device);
        ck_assert(!hsi_visible_device(visible[_i].inherited, visible[_i].index, buffer,
                                      strlen(visible[_i].device)));
    } else {
        ck_assert(!hsi_visible_device(visible[_i].inherited, visible[_i].index, buffer, 16));
    }
}
END_TEST

START_TEST(pinned_to_its_core)
{
    cpu_set_t mine;
    int       cpu;
    char      expected[64];

    sched_getaffinity(0, sizeof mine, &mine);
    for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &mine))
            continue;
        stage_set(&s, &hsi_backend_command, HS_CPU);
        s.info.os_cpu = cpu;
        stage_open(&s);
        snprintf(expected, sizeof expected, "Cpus_allowed_list:\t%d\n", cpu);
        expect_printed("grep Cpus_allowed_list /proc/self/status", expected);
        close_it();
    }
}
END_TEST

START_TEST(a_core_that_is_not_there_is_refused)
{
    stage_set(&s, &hsi_backend_command, HS_CPU);
    s.info.os_cpu = 100000;
    ck_assert_int_eq(s.backend->worker_open(&s.options, &s.info, &s.worker, s.why), HS_ERESOURCE);
    ck_assert_str_eq(s.why, "cannot bind commands to core 100000: Invalid argument");
    close_it();
}
END_TEST

START_TEST(stdin_is_empty_and_no_file_is_inherited)
{
    int           pair[2], fd;
    unsigned long ignored;
    char          here[4096], folder[4200];
    sigset_t      set;

    ck_assert_int_eq(pipe(pair), 0); /* without close-on-exec */
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
    /* glibc ignores two real-time signals of its own in what it spawns */
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

START_TEST(leads_a_group_of_its_own)
{
    /* pid, group; and a session that is not the test's */
    open_cpu();
    expect_done("read pid name state parent group session rest </proc/self/stat; "
                "echo $((pid == group)) $session");
    ck_assert_int_eq(strncmp(printed(), "1 ", 2), 0);
    ck_assert_int_ne(atoi(printed() + 2), getsid(0));
    close_it();
}
END_TEST

/* ---- how it ends ---------------------------------------------------------------- */

START_TEST(ends_are_told)
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
    expect_printed("echo again", "again\n"); /* and nothing of before */
    expect_failed("echo 'bad\tthing'; exit 1", "exited with status 1: bad thing");
    s.attempt.log = "/nowhere/at/all";
    expect_failed("true", "cannot write /nowhere/at/all: No such file or directory");
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

START_TEST(a_long_command_fits_as_far_as_the_system_goes)
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
    ck_assert_int_eq(s.backend->body_create(&s.options, &row, HS_CPU, &body, s.why), HS_EINVAL);
    snprintf(expected, sizeof expected,
             "the cpu_command of task %s is longer than 131071 bytes: put it into a file", s.id);
    ck_assert_str_eq(s.why, expected);
    close_it();
    free(command);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------ */

START_TEST(nothing_runs_unless_allowed)
{
    hs_backend_options options = {.struct_size = sizeof options};
    hs_task            row = {.id = "render-7", .cpu_command = "true", .gpu_command = "false"};
    hs_body           *body = NULL;
    char               why[HS_WHY];

    ck_assert_int_eq(hsi_backend_command.body_create(&options, &row, HS_CPU, &body, why),
                     HS_EREFUSED);
    ck_assert_str_eq(why, "task render-7 has a cpu_command, and a plan is data until told "
                          "otherwise: --allow=commands lets it run");
    row.id = NULL;
    ck_assert_int_eq(hsi_backend_command.body_create(&options, &row, HS_GPU, &body, why),
                     HS_EREFUSED);
    ck_assert_str_eq(why, "a task has a gpu_command, and a plan is data until told otherwise: "
                          "--allow=commands lets it run");
    ck_assert_ptr_null(body);
}
END_TEST

START_TEST(rows_without_a_command_are_for_others)
{
    hs_backend_options options = {.struct_size = sizeof options, .allow_commands = 1};
    hs_task            row = {.id = "a", .cpu_command = "", .kernel = "spin:1"};
    hs_body           *body = NULL;
    char               why[HS_WHY];

    ck_assert_int_eq(hsi_backend_command.body_create(&options, &row, HS_CPU, &body, why), HS_OK);
    ck_assert_ptr_null(body);
    row.cpu_command = "true";
    ck_assert_int_eq(hsi_backend_command.body_create(&options, &row, HS_GPU, &body, why), HS_OK);
    ck_assert_ptr_null(body);
    options.emulate[HS_CPU] = 1; /* takes its time only, and needs no permission */
    options.allow_commands = 0;
    ck_assert_int_eq(hsi_backend_command.body_create(&options, &row, HS_CPU, &body, why), HS_OK);
    ck_assert_ptr_null(body);
    row.gpu_command = "true"; /* a GPU's stand-in runs its commands */
    options.emulate[HS_GPU] = 1;
    options.allow_commands = 1;
    ck_assert_int_eq(hsi_backend_command.body_create(&options, &row, HS_GPU, &body, why), HS_OK);
    ck_assert_ptr_nonnull(body);
    hsi_backend_command.body_free(body);
}
END_TEST

/* ---- nothing is left ------------------------------------------------------------ */

START_TEST(what_it_started_goes_with_it)
{
    open_cpu();
    s.attempt.log = NULL; /* these keep the pipe open */
    expect_done("sleep 1000 & exit 0");
    ck_assert_int_eq(alive(s.id), 0);
    expect_done("setsid sleep 1000 & exit 0");
    ck_assert_int_eq(alive(s.id), 0);
    expect_done("(setsid sh -c 'trap : TERM HUP; sleep 1000 & sleep 1000; sleep 1000' &)"
                "; sleep 0.01");
    ck_assert_int_eq(alive(s.id), 0);
    expect_failed("(setsid sleep 1000 &); exit 5", "exited with status 5");
    ck_assert_int_eq(alive(s.id), 0);
    expect_failed("(setsid sleep 1000 &); kill -KILL $$", "killed by signal 9 (Killed)");
    ck_assert_int_eq(alive(s.id), 0);
    close_it();
}
END_TEST

static const struct {
    const char *command;
    int         needs_kill; /* TERM is not enough */
} stubborn[] = {
    {": >$READY; sleep 1000", 0},
    {": >$READY; exec sleep 1000", 0},
    {"sleep 1000 & sleep 1000 & : >$READY; wait", 0},
    {": >$READY; while :; do :; done", 0},
    {": >$READY; kill -STOP $$", 0},
    {"setsid sleep 1000 & : >$READY; wait", 0},
    {"trap '' TERM; : >$READY; while :; do sleep 1000; done", 1},
    {"(trap '' TERM; sleep 1000) & (trap '' TERM HUP; setsid sleep 1000) & : >$READY; wait", 1},
    {"(setsid sh -c '(trap \"\" TERM; sleep 1000 & : >$0; sleep 1000) &' $READY &); sleep 1000", 0},
};

START_TEST(cancelled_and_gone)
{
    stage_set(&s, &hsi_backend_command, HS_CPU);
    if (stubborn[_i].needs_kill)
        s.options.grace = 0.05;
    stage_open(&s);
    ck_assert_int_eq(run_until_ready(&s, stubborn[_i].command), HS_OUTCOME_ABORTED);
    ck_assert_int_eq(alive(s.id), 0);
    expect_done("true");
    close_it();
}
END_TEST

START_TEST(has_its_grace_to_clean_up)
{
    open_cpu();
    ck_assert_int_eq(run_until_ready(&s,
                                     "trap 'sleep 0.1; echo cleaned; exit 0' TERM; "
                                     "exec 2>/dev/null; : >$READY; while :; do sleep 0.01; done"),
                     HS_OUTCOME_ABORTED);
    ck_assert_str_eq(printed(), "cleaned\n");
    /* the shell is gone at once, what it started takes its time */
    ck_assert_int_eq(
        run_until_ready(&s, "sh -c 'trap \"sleep 0.1; echo tidied; exit\" TERM; "
                            "exec 2>/dev/null; : >$0; while :; do sleep 0.01; done' $READY & wait"),
        HS_OUTCOME_ABORTED);
    ck_assert_str_eq(printed(), "tidied\n");
    close_it();
}
END_TEST

START_TEST(cancelled_before_it_starts)
{
    open_cpu();
    stage_cancel(&s);
    ck_assert_int_eq(run_on(&s, "echo started"), HS_OUTCOME_ABORTED);
    ck_assert_int_ne(access(s.log, F_OK), 0);
    stage_rearm(&s);
    expect_printed("echo started", "started\n");
    close_it();
}
END_TEST

/* Cancels at any moment: before the shell is there, while it works, when it is over. */
static void *cancel_soon(void *data)
{
    stage *at = data;

    for (volatile long i = at->attempt.number * 7919L % 200000; i > 0; i--)
        ;
    stage_cancel(at);
    return NULL;
}

START_TEST(thousands_of_aborts_leave_nothing)
{
    static const char *const commands[] = {"sleep 1000", "sleep 1000 & wait", "exit 0",
                                           "setsid sleep 1000 & sleep 1000"};
    int                      before = open_files(), n = rounds(2000), i, aborted = 0;
    pthread_t                thread;

    stage_set(&s, &hsi_backend_command, HS_CPU);
    s.options.grace = 0.02;
    stage_open(&s);
    for (i = 0; i < n; i++) {
        hs_outcome outcome;

        s.attempt.number = (uint32_t)i + 1;
        s.attempt.log = i % 3 ? NULL : s.log;
        ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, &s), 0);
        outcome = run_on(&s, commands[i % 4]);
        pthread_join(thread, NULL);
        ck_assert(outcome == HS_OUTCOME_ABORTED || (i % 4 == 2 && outcome == HS_OUTCOME_DONE));
        aborted += outcome == HS_OUTCOME_ABORTED;
        stage_rearm(&s);
    }
    ck_assert_int_gt(aborted, n / 2);
    ck_assert_int_eq(alive(s.id), 0);
    close_it();
    ck_assert_int_eq(open_files(), before);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no child either */
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

/* ---- when processes are killed by others ---------------------------------------- */

static pid_t guard_pid(void)
{
    expect_done("read pid name state parent rest </proc/$$/stat; echo $parent");
    return (pid_t)atol(printed());
}

static void *kill_guard_when_ready(void *data)
{
    char        path[64];
    struct stat info;

    snprintf(path, sizeof path, "%s/ready", s.folder);
    while (stat(path, &info) != 0)
        pause_ms(1);
    unlink(path);
    kill(*(pid_t *)data, SIGKILL);
    return NULL;
}

START_TEST(a_guard_that_is_killed_is_replaced)
{
    char      command[128];
    pthread_t thread;
    siginfo_t info;
    pid_t     guard;

    open_cpu();
    guard = guard_pid();
    kill(guard, SIGKILL);
    ck_assert_int_eq(waitid(P_PID, (id_t)guard, &info, WEXITED | WNOWAIT), 0);
    expect_printed("echo still here", "still here\n");
    guard = guard_pid();
    /* more than a pipe holds: what comes next does when the program reads it */
    s.attempt.log = NULL;
    snprintf(command, sizeof command, "head -c 3000000 /dev/zero; : >%s/ready; sleep 1000",
             s.folder);
    ck_assert_int_eq(pthread_create(&thread, NULL, kill_guard_when_ready, &guard), 0);
    expect_failed(command, "the process that watches over commands was killed");
    pthread_join(thread, NULL);
    while (alive(s.id)) /* init's now */
        pause_ms(1);
    s.attempt.log = s.log;
    expect_printed("echo still here", "still here\n");
    close_it();
}
END_TEST

START_TEST(commands_end_with_the_program)
{
    char        command[256], ready[64];
    struct stat info;
    pid_t       program;

    stage_set(&s, &hsi_backend_command, HS_CPU);
    snprintf(ready, sizeof ready, "%s/ready", s.folder);
    snprintf(command, sizeof command,
             "trap '' TERM; setsid sleep 1000 & : >%s; sleep 1000; sleep 1000", ready);
    program = fork();
    if (program == 0) {
        setpgid(0, 0);
        stage_open(&s);
        run_on(&s, command);
        _exit(1);
    }
    while (stat(ready, &info) != 0)
        pause_ms(1);
    unlink(ready);
    ck_assert_int_ge(alive(s.id), 1);
    kill(-program, SIGKILL); /* its whole group */
    waitpid(program, NULL, 0);
    while (alive(s.id))
        pause_ms(1);
    stage_close(&s);
}
END_TEST

/* ---- many workers --------------------------------------------------------------- */

enum { WORKERS = 4 };

static void *work(void *data)
{
    stage *at = data;
    int    n = rounds(50), i;

    stage_open(at);
    for (i = 0; i < n; i++) {
        ck_assert_int_eq(run_on(at, "test $HSCHED_ATTEMPT -gt 0"), HS_OUTCOME_DONE);
        ck_assert_int_eq(run_until_ready(at, "setsid sleep 1000 & : >$READY; wait"),
                         HS_OUTCOME_ABORTED);
        ck_assert_int_eq(run_on(at, "exit 3"), HS_OUTCOME_FAILED);
        ck_assert_str_eq(at->why, "exited with status 3");
        ck_assert_int_eq(alive(at->id), 0);
    }
    return NULL;
}

START_TEST(workers_do_not_disturb_each_other)
{
    int       before = open_files(), i;
    stage     stages[WORKERS];
    pthread_t thread[WORKERS];

    for (i = 0; i < WORKERS; i++)
        stage_set(&stages[i], &hsi_backend_command, HS_CPU);
    for (i = 0; i < WORKERS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &stages[i]), 0);
    for (i = 0; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
    for (i = 0; i < WORKERS; i++)
        stage_close(&stages[i]);
    ck_assert_int_eq(open_files(), before);
}
END_TEST

/* ---- memory --------------------------------------------------------------------- */

START_TEST(each_allocation_may_fail)
{
    int  before = open_files();
    long first;

    for (first = 0;; first++) {
        hs_task   row = {.cpu_command = "true"};
        hs_body  *body = NULL;
        hs_status st;
        int       refusals;

        stage_set(&s, &hsi_backend_command, HS_CPU);
        s.info.os_cpu = sched_getcpu();
        left = first;
        st = s.backend->body_create(&s.options, &row, HS_CPU, &body, s.why);
        if (st == HS_OK)
            st = s.backend->worker_open(&s.options, &s.info, &s.worker, s.why);
        refusals = left < 0;
        left = -1;
        if (body)
            s.backend->body_free(body);
        close_it();
        ck_assert_int_eq(open_files(), before);
        if (!refusals) {
            ck_assert_int_eq(st, HS_OK);
            break;
        }
        ck_assert_msg(st == HS_ENOMEM || st == HS_ERESOURCE, "allocation %ld: %d", first, st);
    }
    ck_assert_int_ge(first, 7);
}
END_TEST

/* ---- the suite ------------------------------------------------------------------ */

int main(void)
{
    Suite   *suite = suite_create("command");
    TCase   *tc = tcase_create("command");
    SRunner *runner;
    int      failed;

    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, environment_says_what_it_is);
    tcase_add_loop_test(tc, gpu_commands_see_their_device, 0, sizeof gpus / sizeof *gpus);
    tcase_add_loop_test(tc, devices_are_counted_among_those_inherited, 0,
                        sizeof visible / sizeof *visible);
    tcase_add_test(tc, pinned_to_its_core);
    tcase_add_test(tc, a_core_that_is_not_there_is_refused);
    tcase_add_test(tc, stdin_is_empty_and_no_file_is_inherited);
    tcase_add_test(tc, leads_a_group_of_its_own);
    tcase_add_test(tc, ends_are_told);
    tcase_add_test(tc, output_goes_to_the_log);
    tcase_add_test(tc, output_without_a_log_is_read_and_dropped);
    tcase_add_test(tc, a_long_command_fits_as_far_as_the_system_goes);
    tcase_add_test(tc, nothing_runs_unless_allowed);
    tcase_add_test(tc, rows_without_a_command_are_for_others);
    tcase_add_test(tc, what_it_started_goes_with_it);
    tcase_add_loop_test(tc, cancelled_and_gone, 0, sizeof stubborn / sizeof *stubborn);
    tcase_add_test(tc, has_its_grace_to_clean_up);
    tcase_add_test(tc, cancelled_before_it_starts);
    tcase_add_test(tc, thousands_of_aborts_leave_nothing);
    tcase_add_test(tc, a_guard_that_is_killed_is_replaced);
    tcase_add_test(tc, commands_end_with_the_program);
    tcase_add_test(tc, workers_do_not_disturb_each_other);
    tcase_add_test(tc, each_allocation_may_fail);
    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
