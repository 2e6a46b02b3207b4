/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * torture_kill [-g] [-n TASKS] [KILLS [SEED]]: kills hsched-exec at random times and resumes the
 * run until the plan is done, again and again. Each task appends the numbers of the campaign and of
 * its run to a file, which allows these checks:
 *  - a run executes no task recorded in the journal at its start;
 *  - each recorded task was executed;
 *  - each task known to have ended before the kill is recorded: the table of attempts lists it, or
 *    its worker or a successor has started a later task;
 *  - no recorded task is forgotten;
 *  - in every second plan (-g: every plan) tasks form a graph, and none is executed before its
 *    predecessors;
 *  - every task is done in the end.
 * After some kills the journal loses its last bytes or has zeros there, as after a power failure;
 * then the remaining entries count.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/rounds.h"

enum {
    MOST_TASKS = 1000,
    MOST_RUNS = 4000,
    WORKERS = 3,
    FREE = 5
}; /* FREE: tasks without
      predecessors */

static char          tools[4096]; /* folder of hsched-solve and hsched-exec */
static char          folder[] = "torture_kill.XXXXXX";
static unsigned char recorded[MOST_TASKS], executed[MOST_RUNS][MOST_TASKS];
static unsigned char ended[MOST_TASKS]; /* tasks seen to end in this run */
static int           tasks = 120;
static int           run;      /* number of the run within the campaign */
static int           is_graph; /* tasks depend on each other */
static long          kills, in_graphs, in_work, cuts, campaigns, seen;

static void fail(const char *what)
{
    fprintf(stderr, "torture_kill: run %d, after %ld kills: %s; see %s\n", run, kills, what,
            folder);
    exit(1);
}

static uint64_t state;

static uint64_t dice(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static FILE *open_file(const char *name, const char *mode)
{
    FILE *f = fopen(name, mode);

    if (!f && errno != ENOENT)
        fail(name);
    return f;
}

static void write_instance(void)
{
    static const char say[] =
        "echo $HSCHED_TASK $TORTURE_CAMPAIGN $TORTURE_RUN $HSCHED_WORKER >>executed";
    FILE *f = open_file("instance", "w");
    int   i;

    fputs("# hybridsched instance 1\n# cpus 2\n# gpus 1\n# unit ms\n"
          "id,cpu,gpu,after,cpu_command,gpu_command\n",
          f);
    for (i = 0; i < tasks; i++) {
        fprintf(f, "%d,%d,%d,", i, 1 + i % 3, 1 + i % 2);
        if (is_graph && i >= FREE)
            fprintf(f, "%d;%d", i - FREE, i - FREE + 1 + i % 3);
        fprintf(f, ",%s,%s\n", say, say);
    }
    if (fclose(f) != 0)
        fail("cannot write the instance");
}

/* Mark the task of a complete line that matches the format. */
static void mark(const char *line, const char *format, unsigned char *marks)
{
    int task;

    if (!strchr(line, '\n') || sscanf(line, format, &task) != 1)
        return;
    if (task < 0 || task >= tasks)
        fail("the journal or the file 'executed' names an unknown task");
    marks[task] = 1;
}

/* Mark the tasks that the journal records as done in its complete lines. Read it without the
 * library. */
static void read_journal(unsigned char *marks)
{
    FILE *f = open_file("journal", "r");
    char  line[512];

    memset(marks, 0, MOST_TASKS);
    while (f && fgets(line, sizeof line, f))
        mark(line, "done %d ", marks);
    if (f)
        fclose(f);
}

/* Record the start of a task: the worker's previous task and the predecessors have ended. */
static void note_begin(int task, int worker, int last[WORKERS])
{
    if (last[worker] >= 0)
        ended[last[worker]] = 1;
    last[worker] = task;
    if (is_graph && task >= FREE)
        ended[task - FREE] = ended[task - FREE + 1 + task % 3] = 1;
}

static int worker_of(const char *name)
{
    return name[0] == 'g' ? WORKERS - 1 : name[3] - '0';
}

static void read_executed(void)
{
    FILE         *f = open_file("executed", "r");
    char          line[512], worker[16];
    long          campaign_of;
    int           task, number, last[WORKERS] = {-1, -1, -1};
    unsigned char ever[MOST_TASKS] = {0};

    memset(executed, 0, (size_t)(run + 1) * sizeof *executed);
    memset(ended, 0, sizeof ended);
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%d %ld %d %15s", &task, &campaign_of, &number, worker) != 4 || task < 0 ||
            task >= tasks || number < 0)
            fail("the file 'executed' cannot be read");
        if (campaign_of != campaigns) /* a killed run of an earlier campaign wrote the line late */
            continue;
        if (number > run)
            fail("the file 'executed' has a run that has not begun");
        if (number == run)
            note_begin(task, worker_of(worker), last);
        if (executed[number][task]++)
            fail("a task was executed twice in one run");
        if (is_graph && task >= FREE && !(ever[task - FREE] && ever[task - FREE + 1 + task % 3]))
            fail("a task was executed before a predecessor");
        ever[task] = 1;
    }
    if (f)
        fclose(f);
}

/* Mark the tasks that the table of attempts of this run lists as done. */
static void read_table(void)
{
    FILE *f = open_file("table", "r");
    char  line[512];
    int   task, status;

    while (f && fgets(line, sizeof line, f))
        if (strchr(line, '\n') && sscanf(line, "%d %*s %*s %*s %d", &task, &status) == 2 &&
            task >= 0 && task < tasks && status == 0)
            ended[task] = 1;
    if (f)
        fclose(f);
}

/* Damage the end of the journal as a power failure may: cut it off, or replace it by zeros. */
static void spoil_journal(void)
{
    struct stat about;
    off_t       size;
    int         fd = open("journal", O_RDWR);

    if (fd < 0)
        return;
    if (fstat(fd, &about) != 0)
        fail("cannot read the size of the journal");
    size = about.st_size - (off_t)dice(150);
    if (size < 0)
        size = 0;
    if (ftruncate(fd, size) != 0 || (dice(2) && ftruncate(fd, size + (off_t)dice(5000)) != 0))
        fail("cannot damage the journal");
    close(fd);
    cuts++;
}

static pid_t start(char *const *words)
{
    pid_t child = fork();

    if (child < 0)
        fail("fork() failed");
    if (child == 0) {
        int out = open("output", O_WRONLY | O_CREAT | O_APPEND, 0666);

        dup2(out, 1);
        dup2(out, 2);
        execv(words[0], words);
        _exit(127);
    }
    return child;
}

static int wait_for(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) != child)
        if (errno != EINTR)
            fail("waitpid() failed");
    return status;
}

static void tool_path(char *path, size_t size, const char *name)
{
    if ((size_t)snprintf(path, size, "%s/%s", tools, name) >= size)
        fail("the path of the tools is too long");
}

static void make_plan(void)
{
    char  path[4200];
    char *words[] = {path,
                     (char[]){"instance"},
                     (char[]){"-a"},
                     (char[]){"heft"},
                     (char[]){"-o"},
                     (char[]){"plan"},
                     NULL};

    tool_path(path, sizeof path, "hsched-solve");
    if (wait_for(start(words)) != 0)
        fail("hsched-solve failed");
}

static pid_t start_run(void)
{
    static const char *const policy[] = {"--policy=plan", "--policy=heteroprio", "--policy=dynamic",
                                         "--policy=dualhp", "--policy=plan+steal"};
    char                     path[4200], number[24], chosen[32];
    char                    *words[] = {path,
                                        (char[]){"plan"},
                                        (char[]){"--allow=commands"},
                                        (char[]){"--emulate-gpus"},
                                        (char[]){"--oversubscribe"},
                                        (char[]){"--journal=journal"},
                                        (char[]){"--joblog=table"},
                                        (char[]){"--resume"},
                                        (char[]){"--quiet"},
                                        chosen,
                                        NULL};

    snprintf(number, sizeof number, "%d", run);
    setenv("TORTURE_RUN", number, 1);
    snprintf(number, sizeof number, "%ld", campaigns);
    setenv("TORTURE_CAMPAIGN", number, 1);
    snprintf(chosen, sizeof chosen, "%s", policy[dice(5)]);
    tool_path(path, sizeof path, "hsched-exec");
    return start(words);
}

static void sleep_us(uint64_t us)
{
    struct timespec rest = {(time_t)(us / 1000000), (long)(us % 1000000 * 1000)};

    while (nanosleep(&rest, &rest) != 0)
        ;
}

static uint64_t now_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static int count(const unsigned char *marks)
{
    int n = 0, i;

    for (i = 0; i < tasks; i++)
        n += marks[i] != 0;
    return n;
}

/* Check the journal after a run; `before` marks the tasks recorded at its start. */
static void check_run(const unsigned char *before)
{
    int i;

    read_journal(recorded);
    read_executed();
    read_table();
    for (i = 0; i < tasks; i++) {
        seen += ended[i];
        if (ended[i] && !recorded[i])
            fail("the journal lacks a task that had ended");
        if (before[i] && !recorded[i])
            fail("the journal lost a task");
        if (!before[i] && recorded[i] && !executed[run][i])
            fail("the journal has a task that was not executed");
        if (before[i] && executed[run][i])
            fail("a recorded task was executed again");
    }
}

/* Run hsched-exec on the plan once, to be killed within `most` microseconds or not; return whether
 * the plan is done. */
static bool one_run(uint64_t most, bool to_be_killed)
{
    unsigned char before[MOST_TASKS];
    pid_t         child;
    int           status;

    read_journal(before);
    unlink("table");
    child = start_run();
    if (to_be_killed) {
        sleep_us(dice(most));
        kill(child, SIGKILL);
    }
    status = wait_for(child);
    check_run(before);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        kills++;
        in_graphs += is_graph;
        in_work += count(recorded) > count(before);
        if (dice(4) == 0)
            spoil_journal();
        return false;
    }
    if (status != 0)
        fail("hsched-exec failed; see the end of 'output'");
    return true;
}

static void clear(void)
{
    unlink("journal");
    unlink("table");
    unlink("executed");
    unlink("output");
}

/* Run the plan to its end with kills; return the duration in microseconds. */
static uint64_t campaign(uint64_t most, long wanted)
{
    uint64_t start = now_us();

    clear();
    write_instance();
    make_plan();
    for (run = 0; !one_run(most, kills < wanted); run++)
        if (run == MOST_RUNS - 1)
            fail("the plan is not done after the maximum number of runs");
    if (count(recorded) != tasks)
        fail("the last run succeeded, but the journal lacks tasks");
    campaigns++;
    return now_us() - start;
}

/* Parse the options; return 1 if every plan must be a graph. */
static int read_options(int argc, char **argv)
{
    int graphs = 0, option;

    while ((option = getopt(argc, argv, "gn:")) != -1) {
        if (option == 'g')
            graphs = 1;
        else if (option == 'n')
            tasks = atoi(optarg);
        if (option == '?' || tasks <= FREE || tasks > MOST_TASKS) {
            fprintf(stderr, "usage: torture_kill [-g] [-n TASKS] [KILLS [SEED]]; up to %d tasks\n",
                    MOST_TASKS);
            exit(2);
        }
    }
    return graphs;
}

int main(int argc, char **argv)
{
    char     command[64];
    int      graphs = read_options(argc, argv);
    long     wanted = argc > optind ? strtol(argv[optind], NULL, 10) : rounds(40);
    uint64_t most;

    state = argc > optind + 1 ? strtoull(argv[optind + 1], NULL, 10) : 20170529;
    if (!getcwd(tools, sizeof tools) || !mkdtemp(folder) || chdir(folder) != 0)
        fail("cannot make a folder");
    if (mkdir("tmp", 0700) != 0 || setenv("TMPDIR", "tmp", 1) != 0)
        fail("cannot make a folder for temporary files of killed runs");
    is_graph = graphs;
    most = campaign(0, 0);
    for (; kills < wanted; campaign(most, wanted))
        is_graph = graphs || !is_graph;
    clear();
    if (chdir("..") != 0)
        fail("cannot leave the folder");
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        fail("cannot remove the folder");
    printf("%ld kills: %ld in graphs, %ld while tasks were being recorded; %ld damaged journals; "
           "%ld campaigns of %d tasks; %ld ends of tasks found in journals\n",
           kills, in_graphs, in_work, cuts, campaigns, tasks, seen);
    return 0;
}
