/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs with settings.run.nodes: nodes in processes on this machine, nodes that only pretend to be
 * one, and lost nodes. With the argument --node this program is a node.
 */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "exec/backend/remote/options.h"
#include "exec/backend/remote/remote.h"
#include "rounds.h"
#include "suite.h"
#include "support/random.h"

enum { NODES = 3 };

static char         folder[64], self[4096];
static hs_exec_node nodes[NODES];
static char         launch[NODES][5000];

/* Set the nodes: processes of this program. Enter an empty folder. */
static void set_up(void)
{
    static const char *const name[NODES] = {"n1", "n2", "n3"};

    strcpy(folder, "/tmp/hs-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < NODES; i++) {
        snprintf(launch[i], sizeof launch[i], "exec '%s' --node", self);
        nodes[i] = (hs_exec_node){name[i], launch[i]};
    }
}

static void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "cd / && rm -r '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(chdir("/"), 0);
}

static hs_instance *read_text(const char *text)
{
    int          fd = memfd_create("text", MFD_CLOEXEC);
    hs_instance *in = NULL;
    hs_error     error = {0};

    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    lseek(fd, 0, SEEK_SET);
    ck_assert_msg(hs_instance_read(fd, NULL, &in, &error) == HS_OK, "%s", error.why);
    close(fd);
    return in;
}

static hs_exec_settings settings_of(const char *policy)
{
    hs_exec_settings s;

    hs_exec_settings_init(&s);
    s.decide.policy = hs_policy_find(policy);
    s.run.allow_commands = true;
    s.run.nodes = nodes;
    s.run.node_count = NODES;
    s.place.unbound = true;
    s.fail.grace = 0.01;
    return s;
}

/* Run the tasks; return the status, with the report. */
static hs_status run(const hs_instance *in, const hs_exec_settings *s, hs_exec_report *report,
                     hs_error *error)
{
    hs_exec     *exec = NULL;
    hs_schedule *plan = NULL;
    hs_status    st;

    if (hs_policy_needs_plan(s->decide.policy))
        ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &plan), HS_OK);
    st = hs_exec_create(in, plan, s, &exec, error);

    memset(report, 0, sizeof *report);
    hs_exec_report_init(report);
    if (st == HS_OK)
        st = hs_exec_run(exec, report, error);
    hs_exec_free(exec);
    hs_schedule_free(plan);
    return st;
}

/* The policy plan sends several tasks of a worker ahead, heteroprio none. */
static const char *const both[] = {"heteroprio", "plan"};

static size_t read_file(const char *path, char *text, size_t size)
{
    FILE  *in = fopen(path, "r");
    size_t length = in ? fread(text, 1, size - 1, in) : 0;

    if (in)
        fclose(in);
    text[length] = '\0';
    return length;
}

/* Each worker's commands run on its node, in this folder, once. */
START_TEST(commands_on_nodes)
{
    char text[2000] = "# cpus 5\n# gpus 1\nid,cpu,gpu,cpu_command,gpu_command,after\n", got[100];
    hs_exec_settings s = settings_of("heteroprio");
    hs_instance     *in;
    hs_exec_report   report;
    hs_error         error = {0};

    for (int i = 0; i < 12; i++)
        sprintf(text + strlen(text),
                "t%d,%s,%s,echo $HSCHED_NODE $HSCHED_WORKER >>t%d,"
                "echo $HSCHED_NODE $HSCHED_WORKER >>t%d,%s\n",
                i, i % 3 ? "0.01" : "inf", i % 3 ? "inf" : "0.001", i, i, i > 8 ? "t0;t1" : "");
    in = read_text(text);
    s.run.emulate[HS_GPU] = 1;
    ck_assert_msg(run(in, &s, &report, &error) == HS_OK, "%s", error.why);
    ck_assert_uint_eq(report.done, 12);
    for (int i = 0; i < 12; i++) {
        char     path[16], node[32], worker[32];
        unsigned number;

        sprintf(path, "t%d", i);
        read_file(path, got, sizeof got);
        ck_assert_int_eq(sscanf(got, "%31s %31s %*s", node, worker), 2);
        ck_assert_msg(strchr(got, '\n') == got + strlen(got) - 1, "%s", got);
        number = (unsigned)(worker[3] - '0');
        if (worker[0] == 'g')
            ck_assert_str_eq(got, "n1 gpu0\n");
        else
            ck_assert_str_eq(node, number < 2 ? "n1" : number < 4 ? "n2" : "n3");
    }
    hs_instance_free(in);
}
END_TEST

typedef struct seen {
    char            lines[1000];
    hs_exec_attempt end[8];
    char            why[8][HS_WHY];
    size_t          ends, failures;
} seen;

static void see_line(void *data, const hs_exec_line *line)
{
    char *text = ((seen *)data)->lines;

    sprintf(text + strlen(text), "%d:%.*s", line->error, (int)line->length, line->text);
}

static void see_end(void *data, const hs_exec_attempt *attempt)
{
    seen *s = data;

    if (s->ends < 8)
        s->end[s->ends++] = *attempt;
}

static void see_failure(void *data, const hs_exec_failure *failure)
{
    seen *s = data;

    if (s->failures < 8)
        snprintf(s->why[s->failures++], HS_WHY, "%s", failure->why);
}

/* Output, exit statuses, signals and reasons arrive. */
START_TEST(results_arrive)
{
    const char      *policy = both[_i];
    hs_instance     *in = read_text("# cpus 1\n# gpus 0\nid,cpu,cpu_command\n"
                                        "a,1,\"echo one; echo two >&2\"\nb,1,echo why >&2; exit 7\n"
                                        "c,1,kill -9 $$\n");
    hs_exec_settings s = settings_of(policy);
    hs_exec_report   report;
    hs_error         error = {0};
    seen             all = {.ends = 0};
    const int        status[] = {0, 7, -1};
    char             got[100];

    mkdir("logs", 0777);
    s.run.node_count = 1;
    s.fail.halt = HS_HALT_NEVER;
    s.keep.log_folder = "logs";
    s.report.data = &all;
    s.report.line = see_line;
    s.report.attempt = see_end;
    s.report.failure = see_failure;
    ck_assert_int_eq(run(in, &s, &report, &error), HS_EFAILED);
    ck_assert_uint_eq(report.done, 1);
    ck_assert_uint_eq(all.ends, 3);
    ck_assert_ptr_nonnull(strstr(all.lines, "0:one\n"));
    ck_assert_ptr_nonnull(strstr(all.lines, "1:two\n"));
    ck_assert_ptr_nonnull(strstr(all.lines, "1:why\n"));
    read_file("logs/a.1.out", got, sizeof got);
    ck_assert_str_eq(got, "one\n");
    read_file("logs/a.1.err", got, sizeof got);
    ck_assert_str_eq(got, "two\n");
    read_file("logs/b.1.err", got, sizeof got);
    ck_assert_str_eq(got, "why\n");
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(all.end[i].status, status[all.end[i].task]);
        ck_assert_int_eq(all.end[i].signal, all.end[i].task == 2 ? 9 : 0);
        ck_assert(all.end[i].end > all.end[i].start);
    }
    ck_assert_uint_eq(all.failures, 2);
    for (size_t i = 0; i < 2; i++)
        ck_assert_msg(strstr(all.why[i], "exited with status 7: why") ||
                          strstr(all.why[i], "killed by signal 9"),
                      "%s", all.why[i]);
    hs_instance_free(in);
}
END_TEST

/* After a failure that halts the run, no task begins that the worker's node has already. */
START_TEST(halt_stops_sent_tasks)
{
    hs_instance *in =
        read_text("# cpus 1\n# gpus 0\nid,count,cpu,cpu_command\n"
                  "a,10,1,echo a >>ran\nb,1,1,echo b >>ran; exit 1\nc,21,1,echo c >>ran\n");
    hs_exec_settings s = settings_of(both[_i]);
    hs_exec_report   report;
    hs_error         error = {0};
    seen             all = {.ends = 0};
    char             got[100];

    s.run.node_count = 1;
    s.report.data = &all;
    s.report.attempt = see_end;
    ck_assert_int_eq(run(in, &s, &report, &error), HS_EFAILED);
    read_file("ran", got, sizeof got);
    ck_assert_ptr_eq(strstr(got, "b\n"), got + strlen(got) - 2);
    ck_assert_uint_eq(strlen(got), 2 * (report.done + 1));
    ck_assert_uint_eq(report.failed, 1);
    ck_assert_uint_eq(report.not_run, 32 - report.done - 1);
    ck_assert_uint_eq(all.ends, report.done < 7 ? report.done + 1 : 8);
    hs_instance_free(in);
}
END_TEST

/* Tasks behind a failure run later, in their order, once; the failed task is tried again. */
START_TEST(go_on_after_failures)
{
    char             text[4000] = "# cpus 1\n# gpus 0\nid,cpu,cpu_command\n", got[1000];
    hs_exec_settings s = settings_of(both[_i]);
    hs_instance     *in;
    hs_exec_report   report;
    hs_error         error = {0};

    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "t%02d,1,%s echo t%02d >>ran\n", i,
                i % 7 == 3 ? "mkdir f$HSCHED_TASK && exit 1;" : "", i);
    in = read_text(text);
    s.run.node_count = 1;
    s.fail.retries = 2;
    s.fail.retry_delay = -1;
    ck_assert_msg(run(in, &s, &report, &error) == HS_OK, "%s", error.why);
    ck_assert_uint_eq(report.done, 40);
    ck_assert_uint_eq(report.retried, 6);
    read_file("ran", got, sizeof got);
    ck_assert_uint_eq(strlen(got), 40 * 4);
    for (int i = 0, last = -1; i < 40; i++) {
        char line[16], *at;

        sprintf(line, "t%02d\n", i);
        at = strstr(got, line);
        ck_assert_ptr_nonnull(at);
        ck_assert_msg(i % 7 == 3 || _i == 0 || at - got > last, "%s", got);
        if (i % 7 != 3)
            last = (int)(at - got);
    }
    hs_instance_free(in);
}
END_TEST

/* A command that runs for ever is aborted on its node after its timeout. */
START_TEST(timeout_on_node)
{
    hs_instance     *in = read_text("# cpus 3\n# gpus 0\nid,cpu,cpu_command,timeout\n"
                                        "a,1,echo $$ >pid; exec sleep 1000,0.2\n");
    hs_exec_settings s = settings_of("heteroprio");
    hs_exec_report   report;
    hs_error         error = {0};
    seen             all = {.ends = 0};
    char             pid[20];

    s.report.data = &all;
    s.report.failure = see_failure;
    ck_assert_int_eq(run(in, &s, &report, &error), HS_EFAILED);
    ck_assert_uint_eq(all.failures, 1);
    ck_assert_str_eq(all.why[0], "timed out after 0.2 s");
    if (read_file("pid", pid, sizeof pid) > 0) /* a slow machine may not get this far in time */
        ck_assert_int_ne(kill(atoi(pid), 0), 0);
    hs_instance_free(in);
}
END_TEST

/* Kill the agent of the node, and then wait: the parent of a guard of commands, or above it. */
#define KILL_AGENT                                                                                 \
    "a=$PPID; until [ \"$(cat /proc/$a/comm)\" = $AGENT ]; do read -r _ _ _ a _ </proc/$a/stat; "  \
    "[ $a -gt 1 ] || exit 9; "                                                                     \
    "done; kill -$SIGNAL $a; exec sleep 1000"

/* A node is killed, or stopped: its commands end, and other nodes run all of its tasks. */
static void lose_a_node(const char *policy, const char *how, double timeout)
{
    char             text[4000] = "# cpus 6\n# gpus 0\nid,cpu,cpu_command\n", got[2000];
    hs_exec_settings s = settings_of(policy);
    hs_instance     *in;
    hs_exec_report   report;
    hs_error         error = {0};

    setenv("AGENT", strrchr(self, '/') + 1, 1);
    setenv("SIGNAL", how, 1);
    for (int i = 0; i < 30; i++)
        sprintf(text + strlen(text), "t%d,0.01,sh ./task t%d\n", i, i);
    in = read_text(text);
    FILE *task = fopen("task", "w");
    fprintf(task, "if [ $HSCHED_NODE = n2 ]; then echo $$ >>pids; if mkdir first 2>/dev/null; "
                  "then\n" KILL_AGENT "\nelse exec sleep 1000; fi; fi\n"
                  "while ! [ -e first ]; do sleep 0.01; done; echo $1 >>did\n");
    fclose(task);
    s.run.node_timeout = timeout;
    ck_assert_msg(run(in, &s, &report, &error) == HS_OK, "%s", error.why);
    ck_assert_uint_eq(report.done, 30);
    ck_assert_uint_ge(report.lost_workers, 1);
    if (timeout == 0) /* a machine that stalls may lose other nodes, too, with a short timeout */
        ck_assert_uint_le(report.lost_workers, 2);
    read_file("did", got, sizeof got);
    for (int i = 0; i < 30; i++) {
        char line[16];

        sprintf(line, "t%d\n", i);
        ck_assert_msg(strstr(got, line) != NULL, "t%d was not run: %s", i, got);
    }
    read_file("pids", got, sizeof got);
    for (char *pid = strtok(got, "\n"); pid; pid = strtok(NULL, "\n"))
        ck_assert_msg(kill(atoi(pid), 0) != 0, "command %s still runs", pid);
    hs_instance_free(in);
}

START_TEST(killed_node)
{
    lose_a_node(both[_i], "KILL", 0);
}
END_TEST

START_TEST(stopped_node)
{
    lose_a_node("heteroprio", "STOP", 15); /* healthy nodes on a busy machine send beats in time */
}
END_TEST

/* Let the first node be a program that writes `text`. */
static void pretend(const char *text)
{
    FILE *out = fopen("pretended", "w");

    fputs(text, out);
    fclose(out);
    snprintf(launch[0], sizeof launch[0], "exec cat pretended");
}

static const char *refused(const char *policy, const char *table, unsigned count)
{
    static char      why[HS_WHY];
    hs_instance     *in = read_text(table);
    hs_exec_settings s = settings_of(policy);
    hs_exec_report   report;
    hs_error         error = {0};
    hs_status        st;

    s.run.node_count = count;
    st = run(in, &s, &report, &error);
    ck_assert_int_ne(st, HS_OK);
    ck_assert_uint_eq(report.tasks, 0);
    snprintf(why, sizeof why, "%s", error.why);
    hs_instance_free(in);
    return why;
}

#define ONE_TASK "# cpus 3\n# gpus 0\nid,cpu,cpu_command\na,1,touch ran\n"

static void check_refused(const char *policy, const char *table, unsigned count, const char *says)
{
    const char *why = refused(policy, table, count);

    ck_assert_msg(strstr(why, says) != NULL, "'%s' in '%s'", says, why);
    ck_assert_int_ne(access("ran", F_OK), 0);
}

/* What nodes do not run, and nodes that are none, are refused before a task starts. */
START_TEST(refused_before_start)
{
    check_refused("heteroprio", "# cpus 3\n# gpus 0\nid,cpu,kernel\na,1,sleep:1\n", 3,
                  "the kernel sleep:1");

    check_refused("heteroprio", "# cpus 2\n# gpus 0\nid,cpu,cpu_command\na,1,touch ran\n", 3,
                  "node 3 of 3 would have no worker");
    check_refused("heteroprio", "# node x 1 0\n# node y 2 0\nid,cpu,cpu_command\na,1,touch ran\n",
                  3, "for 2 nodes, and there are 3");
    check_refused("heteroprio", "# node x 1 0\n# node y 2 0\nid,cpu,cpu_command\na,1,touch ran\n",
                  1, "for 2 nodes, and there is 1");
    check_refused("heteroprio",
                  "# cpus 3\n# gpus 1\n# link h2d 0 1\n# link d2h 0 1\nid,cpu,gpu,cpu_command\n"
                  "a,1,inf,touch ran\n",
                  3, "links");
    pretend("hello 1 0.0.1 host\n");
    check_refused("heteroprio", ONE_TASK, 3, "node n1: it has version 0.0.1 of hsched-exec");
    pretend("Welcome to this host!\n");
    check_refused("heteroprio", ONE_TASK, 3, "node n1: it has sent 'Welcome'");
    pretend("hello 1 " HS_VERSION_STRING " host\nrefuse -16 +7\nno core");
    check_refused("heteroprio", ONE_TASK, 3, "node n1: no core");
    pretend("hello 1 " HS_VERSION_STRING " host\nbye\n");
    check_refused("heteroprio", ONE_TASK, 3, "node n1: it has sent 'bye'");
    pretend("");
    check_refused("heteroprio", ONE_TASK, 3, "node n1: its launcher ended");
}
END_TEST

static void wait_with_line(void *data, const hs_exec_line *line)
{
    (void)line;
    for (unsigned left = *(bool *)data ? 0 : 12; left > 0;)
        left = sleep(left);
    *(bool *)data = true;
}

/* A terminal or file that takes no output for longer than the timeout loses no node. */
START_TEST(slow_reader)
{
    hs_instance     *in = read_text("# cpus 1\n# gpus 0\nid,count,cpu,cpu_command\na,6,1,echo x\n");
    hs_exec_settings s = settings_of("heteroprio");
    hs_exec_report   report;
    hs_error         error = {0};
    bool             waited = false;

    s.run.node_count = 1;
    s.run.node_timeout = 10;
    s.report.line = wait_with_line;
    s.report.data = &waited;
    ck_assert_msg(run(in, &s, &report, &error) == HS_OK, "%s", error.why);
    ck_assert(waited);
    ck_assert_uint_eq(report.lost_workers, 0);
    ck_assert_uint_eq(report.done, 6);
    hs_instance_free(in);
}
END_TEST

/* With fewer_nodes the others do all tasks. */
START_TEST(fewer_nodes)
{
    hs_instance     *in = read_text("# cpus 3\n# gpus 0\nid,count,cpu,cpu_command\na,20,1,true\n");
    hs_exec_settings s = settings_of("heteroprio");
    hs_exec_report   report;
    hs_error         error = {0};

    s.run.fewer_nodes = true;
    pretend("");
    ck_assert_msg(run(in, &s, &report, &error) == HS_OK, "%s", error.why);
    ck_assert_uint_eq(report.done, report.tasks);
    for (int i = 1; i < NODES; i++)
        snprintf(launch[i], sizeof launch[i], "exit 0");
    ck_assert_int_eq(run(in, &s, &report, &error), HS_ERESOURCE);
    hs_instance_free(in);
}
END_TEST

static void damage(hsi_random *random, char *text, size_t length)
{
    for (uint64_t count = 1 + hsi_random_below(random, 6); count > 0; count--)
        text[hsi_random_below(random, length)] = "\n +0123456789-x"[hsi_random_below(random, 16)];
}

/* A node that sends a damaged stream is refused or lost; the run ends. */
START_TEST(fuzzed_node)
{
    static const char whole[] =
        "hello 1 " HS_VERSION_STRING " host\nready\nalive\n"
        "line 0 0 1 0 +4\nout\nended 0 0 1 0 0.1 0 0 0 nan +0\n"
        "ended 0 1 1 2 0.1 1 0 0.5 0 +3\nbadended 0 2 1 0 1 0 0 0 0 +0\nbye\n";
    hs_instance *in =
        read_text("# cpus 1\n# gpus 0\nid,cpu,cpu_command\na,1,true\nb,1,true\nc,1,true\n");
    hs_exec_settings s = settings_of("heteroprio");
    size_t           skip = strlen("hello 1 " HS_VERSION_STRING " host\nready\n");
    hsi_random       random;

    s.run.node_count = 1;
    s.fail.halt = HS_HALT_NEVER;
    hsi_random_seed(&random, 1, 2);
    for (int round = 0; round < rounds(1000); round++) {
        char           text[sizeof whole + 8];
        hs_exec_report report;
        hs_error       error = {0};

        memcpy(text, whole, sizeof whole);
        if (round % 4)
            damage(&random, text + skip, sizeof whole - 1 - skip);
        else
            damage(&random, text, sizeof whole - 1);
        strcat(text, "\ndead\n");
        pretend(text);
        ck_assert_int_ne(run(in, &s, &report, &error), HS_OK);
    }
    hs_instance_free(in);
}
END_TEST

/* Write a stream to a node, a run of an emulated task. */
static void write_stream(hsi_vector *out)
{
    char              name[] = "n", here[] = ".";
    hsi_node_options  options = {.name = name,
                                 .folder = here,
                                 .count = {1, 0},
                                 .total = {1, 0},
                                 .timeout = 5,
                                 .output = true};
    static const char table[] = "# cpus 1\n# gpus 0\nid,cpu\na,0.0001\nb,0.0001\n";
    hs_instance      *in = read_text(table);
    char              head[64], tail[] = "run 0 0 1\nalive\ncancel 0 1 1 1\nrun 0 1 1\nend\n";

    hs_exec_settings_init(&options.settings);
    options.settings.run.emulate[HS_CPU] = 1;
    sprintf(head, "hybridsched-node 1 " HS_VERSION_STRING "\n");
    ck_assert_int_eq(hsi_vector_append(out, head, strlen(head)), 0);
    ck_assert(hsi_node_options_write(&options, out));
    sprintf(head, "instance %016llx +%zu\n", (unsigned long long)hs_instance_digest(in),
            strlen(table));
    ck_assert_int_eq(hsi_vector_append(out, head, strlen(head)), 0);
    ck_assert_int_eq(hsi_vector_append(out, table, strlen(table)), 0);
    ck_assert_int_eq(hsi_vector_append(out, tail, strlen(tail)), 0);
    hs_instance_free(in);
}

/* Let an agent serve the stream; return the status, and its answers in the file `answers`. */
static hs_status serve(const char *text, size_t length)
{
    int       in = memfd_create("stream", MFD_CLOEXEC);
    int       out = open("answers", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    hs_error  error = {0};
    hs_status st;

    ck_assert_int_eq(write(in, text, length), (ssize_t)length);
    lseek(in, 0, SEEK_SET);
    st = hsi_agent_serve(in, out, -1, &error);
    close(in);
    close(out);
    return st;
}

START_TEST(fuzzed_coordinator)
{
    hsi_vector whole = {.data = NULL};
    hsi_random random;
    char       got[2000];

    write_stream(&whole);
    ck_assert_int_eq(serve(whole.data, whole.size), HS_OK);
    read_file("answers", got, sizeof got);
    ck_assert_ptr_nonnull(strstr(got, "\nready\n"));
    ck_assert_ptr_nonnull(strstr(got, "\nended 0 0 1 "));
    ck_assert_ptr_nonnull(strstr(got, "\nbye\n"));
    for (size_t length = 0; length < whole.size; length += 7)
        ck_assert_int_ne(serve(whole.data, length), HS_OK);
    hsi_random_seed(&random, 3, 4);
    for (int round = 0; round < rounds(1000); round++) {
        char *text = malloc(whole.size);

        memcpy(text, whole.data, whole.size);
        damage(&random, text, whole.size);
        serve(text, whole.size);
        free(text);
    }
    hsi_vector_free(&whole);
}
END_TEST

int main(int argc, char **argv)
{
    Suite  *suite;
    TCase  *tcase;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (argc > 1 && strcmp(argv[1], "--node") == 0)
        return hs_exec_serve(STDIN_FILENO, STDOUT_FILENO, NULL) == HS_OK ? 0 : 1;
    if (length < 0)
        return 99;
    suite = suite_create("remote");
    tcase = tcase_create("remote");
    tcase_add_checked_fixture(tcase, set_up, remove_folder);
    tcase_add_test(tcase, commands_on_nodes);
    tcase_add_loop_test(tcase, results_arrive, 0, 2);
    tcase_add_loop_test(tcase, halt_stops_sent_tasks, 0, 2);
    tcase_add_loop_test(tcase, go_on_after_failures, 0, 2);
    tcase_add_test(tcase, timeout_on_node);
    tcase_add_loop_test(tcase, killed_node, 0, 2);
    tcase_add_test(tcase, stopped_node);
    tcase_add_test(tcase, slow_reader);
    tcase_add_test(tcase, refused_before_start);
    tcase_add_test(tcase, fewer_nodes);
    tcase_add_test(tcase, fuzzed_node);
    tcase_add_test(tcase, fuzzed_coordinator);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
