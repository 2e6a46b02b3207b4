/* SPDX-License-Identifier: BSD-3-Clause */
/* Refused, faulty and pretended nodes and coordinators. */
#include "config.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/backend/remote/link.h"
#include "exec/backend/remote/options.h"
#include "exec/backend/remote/remote.h"
#include "remote_fixture.h"
#include "rounds.h"
#include "suite.h"
#include "support/clock.h"
#include "support/random.h"

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

/* With fewer_nodes, the nodes that started run every task. */
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
static void write_stream(hsi_vector *out, double timeout)
{
    char              name[] = "n", here[] = ".";
    hsi_node_options  options = {.name = name,
                                 .folder = here,
                                 .count = {1, 0},
                                 .total = {1, 0},
                                 .timeout = timeout,
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

/* Let an agent serve the stream and send its beats to the descriptor `beat`; -1: nowhere. Return
 * the status; the file `answers` gets the agent's messages. */
static hs_status serve(const char *text, size_t length, int beat)
{
    int       in = memfd_create("stream", MFD_CLOEXEC);
    int       out = open("answers", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    hs_error  error = {0};
    hs_status st;

    ck_assert_int_eq(write(in, text, length), (ssize_t)length);
    lseek(in, 0, SEEK_SET);
    st = hsi_agent_serve(in, out, beat, &error);
    close(in);
    close(out);
    return st;
}

START_TEST(fuzzed_coordinator)
{
    hsi_vector whole = {.data = NULL};
    hsi_random random;
    char       got[2000];

    write_stream(&whole, 5);
    ck_assert_int_eq(serve(whole.data, whole.size, -1), HS_OK);
    read_file("answers", got, sizeof got);
    ck_assert_ptr_nonnull(strstr(got, "\nready\n"));
    ck_assert_ptr_nonnull(strstr(got, "\nended 0 0 1 "));
    ck_assert_ptr_nonnull(strstr(got, "\nbye\n"));
    for (size_t length = 0; length < whole.size; length += 7)
        ck_assert_int_ne(serve(whole.data, length, -1), HS_OK);
    hsi_random_seed(&random, 3, 4);
    for (int round = 0; round < rounds(1000); round++) {
        char *text = malloc(whole.size);

        memcpy(text, whole.data, whole.size);
        damage(&random, text, whole.size);
        serve(text, whole.size, -1);
        free(text);
    }
    hsi_vector_free(&whole);
}
END_TEST

/* The set-up of an agent in this process waits for these: beats from a pipe, or a refusal. */
static int  awaited_beats = -1;
static bool refusal_awaited;

int __real_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags)
{
    const int     minute = 60000; /* ms, only if the test fails */
    struct pollfd wait = {.fd = awaited_beats, .events = POLLIN};
    char          got[2000] = "";
    double        limit;

    if (strcmp(name, "instance") != 0)
        return __real_memfd_create(name, flags);
    for (int i = 0; i < 3 && awaited_beats >= 0; i++)
        ck_assert_msg(poll(&wait, 1, minute) == 1 &&
                          read(awaited_beats, &limit, sizeof limit) == (ssize_t)sizeof limit,
                      "no beat during the set-up");
    for (int i = 0; i < minute && refusal_awaited && !strstr(got, "refuse"); i++) {
        usleep(1000);
        read_file("answers", got, sizeof got);
    }
    return __real_memfd_create(name, flags);
}

/* An agent sends beats while it gets ready, to its guard and to the coordinator. */
START_TEST(beats_during_set_up)
{
    hsi_vector whole = {.data = NULL};
    char       got[2000];
    int        beat[2];

    ck_assert_int_eq(pipe(beat), 0);
    write_stream(&whole, 5);
    awaited_beats = beat[0];
    ck_assert_int_eq(serve(whole.data, whole.size, beat[1]), HS_OK);
    read_file("answers", got, sizeof got);
    ck_assert_ptr_nonnull(strstr(got, "\nready\n"));
    ck_assert_ptr_nonnull(strstr(got, "\nalive\nalive\n"));
    hsi_vector_free(&whole);
}
END_TEST

/* A node that does not get ready is refused after ten timeouts. */
START_TEST(endless_set_up)
{
    hsi_vector whole = {.data = NULL};
    char       got[2000];

    write_stream(&whole, 0.05);
    refusal_awaited = true;
    serve(whole.data, whole.size, -1);
    read_file("answers", got, sizeof got);
    ck_assert_msg(strstr(got, "it was not ready after 0.5 s") != NULL, "%s", got);
    ck_assert_ptr_null(strstr(got, "ready\n"));
    hsi_vector_free(&whole);
}
END_TEST

static void copy_reason(void *data, const hs_exec_failure *failure)
{
    snprintf(data, HS_WHY, "%s", failure->why);
}

/* A node whose attempts print 5000 bytes and end; what is sent ahead does not begin after `hold`.
 */
static const char obedient[] =
    "echo 'hello 1 " HS_VERSION_STRING " host'\n"
    "unbegun() { for task in $tasks; do echo ended 0 $task 1 4 0 256 0 0 0 +0; done; tasks=; }\n"
    "while read -r word worker task rest; do\n"
    "    case $word in\n"
    "    last,*) echo ready ;;\n"
    "    run) if [ $task = 0 ]; then\n"
    "             printf 'line 0 0 1 0 +5001\\n%5000s\\nended 0 0 1 0 0.1 0 0 0 nan +0\\n' x\n"
    "         else tasks=\"$tasks $task\"; fi ;;\n"
    "    hold) echo $worker >held; unbegun ;;\n"
    "    alive) unbegun ;;\n"
    "    end) echo bye; exit ;;\n"
    "    esac\n"
    "    [ ! -e held ] || unbegun\n"
    "done\n";

/* An attempt whose output cannot be written fails, and its node begins no further one. */
START_TEST(full_log_holds_the_node)
{
    hs_instance     *in = read_text("# cpus 1\n# gpus 0\nid,count,cpu,cpu_command\n"
                                        "a,1,1,true\nb,8,1,true\nlast,1,1,true\n");
    hs_exec_settings s = settings_of("plan");
    hs_exec_report   report;
    hs_error         error = {0};
    FILE            *script = fopen("script", "w");
    char             held[8], why[HS_WHY] = "";

    fputs(obedient, script);
    fclose(script);
    snprintf(launch[0], sizeof launch[0], "exec sh script");
    mkdir("logs", 0777);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096}), 0);
    s.run.node_count = 1;
    s.keep.log_folder = "logs";
    s.report.data = why;
    s.report.failure = copy_reason;
    ck_assert_int_eq(run(in, &s, &report, &error), HS_EFAILED);
    ck_assert_str_eq(why, "cannot write its output: File too large");
    ck_assert_uint_eq(report.failed, 1);
    ck_assert_uint_eq(report.done, 0);
    read_file("held", held, sizeof held);
    ck_assert_str_eq(held, "0\n");
    hs_instance_free(in);
}
END_TEST

static bool take_none(hsi_link *link, const hsi_message *message)
{
    (void)link;
    (void)message;
    return false;
}

static void ignore_loss(hsi_link *link)
{
    (void)link;
}

/* The time that a silent node has to end runs from its last byte, also if its connection ends
 * meanwhile. */
START_TEST(silence_before_the_end_counts)
{
    hsi_link link = {.name = "n",
                     .timeout = 1000,
                     .shared = "",
                     .take = take_none,
                     .lost = ignore_loss,
                     .kick = -1};
    int64_t  heard;
    bool     doomed = false;

    ck_assert_int_eq(hsi_link_start(&link, "echo 'hello 1 " HS_VERSION_STRING " host'; echo ready; "
                                           "while read -r word && [ $word != go ]; do :; done"),
                     HS_OK);
    ck_assert_int_eq(hsi_link_wait(&link), HS_OK);
    pthread_mutex_lock(&link.lock);
    heard = link.heard -= 500 * INT64_C(1000000000);
    hsi_link_put(&link, "go\n");
    pthread_mutex_unlock(&link.lock);
    hsi_link_wake(&link);
    while (!doomed) {
        usleep(1000);
        pthread_mutex_lock(&link.lock);
        doomed = link.state == HSI_LINK_DOOMED;
        pthread_mutex_unlock(&link.lock);
    }
    ck_assert_int_eq(link.doomed, heard);
    hsi_link_end(&link);
    hsi_link_close(&link);
    hsi_link_free(&link, hsi_clock_ns());
}
END_TEST

static unsigned sleeps; /* calls of nanosleep() */

int __real_nanosleep(const struct timespec *span, struct timespec *left);
int __wrap_nanosleep(const struct timespec *span, struct timespec *left);
int __wrap_nanosleep(const struct timespec *span, struct timespec *left)
{
    ck_assert_int_ge(span->tv_nsec, 1000000);
    sleeps++;
    return __real_nanosleep(span, left);
}

/* Launchers that do not end by themselves get half a second together, not half a second each. */
START_TEST(launchers_end_together)
{
    enum { COUNT = 20 };
    static hs_exec_node many[COUNT];
    hs_instance        *in = read_text("# cpus 20\n# gpus 0\nid,cpu,cpu_command\na,1,true\n");
    hs_exec_settings    s = settings_of("heteroprio");
    hs_exec_report      report;
    hs_error            error = {0};

    for (int i = 0; i < COUNT; i++)
        many[i] = (hs_exec_node){"n", "echo Welcome; exec sleep 1000"};
    s.run.nodes = many;
    s.run.node_count = COUNT;
    ck_assert_int_eq(run(in, &s, &report, &error), HS_ERESOURCE);
    ck_assert_uint_le(sleeps, 500 + COUNT);
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
    suite = suite_create("remote_peers");
    tcase = tcase_create("remote_peers");
    tcase_add_checked_fixture(tcase, set_up, remove_folder);
    tcase_add_test(tcase, refused_before_start);
    tcase_add_test(tcase, fewer_nodes);
    tcase_add_test(tcase, fuzzed_node);
    tcase_add_test(tcase, fuzzed_coordinator);
    tcase_add_test(tcase, beats_during_set_up);
    tcase_add_test(tcase, endless_set_up);
    tcase_add_test(tcase, full_log_holds_the_node);
    tcase_add_test(tcase, silence_before_the_end_counts);
    tcase_add_test(tcase, launchers_end_together);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
