/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs on nodes that are processes of this machine, and on nodes that are lost. */
#include "config.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "remote_fixture.h"
#include "suite.h"

/* The policy plan sends several tasks of a worker ahead, heteroprio none. */
static const char *const both[] = {"heteroprio", "plan"};

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

static size_t count_files(const char *path)
{
    DIR   *folder = opendir(path);
    size_t count = 0;

    ck_assert_ptr_nonnull(folder);
    for (struct dirent *file; (file = readdir(folder));)
        count += file->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* After a failure that halts the run, no task begins that the worker's node has already, and these
 * tasks leave no logs. */
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

    mkdir("logs", 0777);
    s.keep.log_folder = "logs";
    s.run.node_count = 1;
    s.report.data = &all;
    s.report.attempt = see_end;
    ck_assert_int_eq(run(in, &s, &report, &error), HS_EFAILED);
    ck_assert_uint_eq(count_files("logs"), report.done + 1);
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

/* Kill or stop a node: commands of the node end, and other nodes run its tasks. */
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

int main(int argc, char **argv)
{
    Suite *suite;
    TCase *tcase;
    int    code = serve_if_node(argc, argv);

    if (code >= 0)
        return code;
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
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
