/* SPDX-License-Identifier: BSD-3-Clause */
/* hs_exec_serve(): the conversation of a node with the coordinator. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/error.h"
#include "exec/backend/remote/agent_private.h"
#include "exec/backend/remote/node_guard.h"
#include "exec/error_text.h"
#include "support/clock.h"

/* The coordinator says that it hears the node at least six times within the timeout, at most for a
 * third of the timeout after it last heard the node. A node gives up after half of the timeout,
 * which ends before the coordinator takes its commands for dead. A node may take SET_UP timeouts to
 * get ready. */
enum {
    BEATS = 6,
    SET_UP = 10,
    FIRST_TIMEOUT = 30,
    MOST_TIMEOUT = 1000000000,
    MOST_INSTANCE = 1 << 30
};

typedef enum talk_state { GREETING, SETTINGS, RUNNING, ENDED } talk_state;

typedef struct talk {
    hsi_agent  agent;
    hsi_parser parser;
    talk_state state;
    int        in, beat;
    int        ready;         /* eventfd: the set-up has ended, and needs no beats */
    int64_t    heard, beaten; /* times of the last `alive` and of the last own beat, in ns */
    bool       refused;       /* the node has refused the run, and waits for the end */
} talk;

static double timeout_of(const talk *t)
{
    return t->agent.options.timeout > 0 ? fmin(t->agent.options.timeout, MOST_TIMEOUT)
                                        : FIRST_TIMEOUT;
}

static hs_status defect(const hsi_message *message, hs_error *error)
{
    char quoted[HSI_QUOTE];

    return hsi_error_set(error, HS_EINVAL,
                         "the coordinator has sent %s, which this node does not "
                         "understand",
                         hsi_quote(message->word[0], strlen(message->word[0]), quoted));
}

/* Tell the coordinator why the node takes no part. */
static void refuse(talk *t, hs_status status, hs_error *error)
{
    if (!error->why[0])
        hsi_error_set(error, status, "%s", hs_status_text(status));
    hsi_text_make_printable(error->why);
    hsi_sender_put(&t->agent.sender, HSI_SEND_NOW, error->why, strlen(error->why),
                   "refuse %d +%zu\n", (int)status, strlen(error->why));
    t->refused = true;
}

static hs_status greet(talk *t, const hsi_message *m, hs_error *error)
{
    uint64_t protocol;

    if (!hsi_message_is(m, "hybridsched-node", 3, false) ||
        !hsi_message_number(m, 1, UINT32_MAX, &protocol))
        return defect(m, error);
    t->state = SETTINGS;
    if (protocol == HSI_PROTOCOL && strcmp(m->word[2], HS_VERSION_STRING) == 0)
        return HS_OK;
    hsi_error_set(error, HS_EINVAL,
                  "it has version %s of hsched-exec, and the coordinator %.64s: install the same "
                  "version",
                  HS_VERSION_STRING, m->word[2]);
    refuse(t, HS_EINVAL, error);
    return HS_OK;
}

static bool read_digest(const char *text, uint64_t *digest)
{
    char *end;

    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return false;
    *digest = strtoull(text, &end, 16);
    return true;
}

/* Say that the node lives, to the coordinator and to the guard. */
static void beat(talk *t)
{
    const double  seconds = timeout_of(t);
    const int64_t now = hsi_clock_ns();

    if (now - t->beaten < (int64_t)(1e9 * seconds / BEATS))
        return;
    t->beaten = now;
    hsi_sender_put(&t->agent.sender, HSI_SEND_ANYWAY, NULL, 0, "alive\n");
    if (t->beat >= 0)
        hsi_node_guard_beat(t->beat, seconds * 2 / 3);
}

/* Send beats until the end of the set-up. Refuse the run if the set-up takes too long. */
static void *send_beats(void *data)
{
    talk           *t = data;
    const double    seconds = timeout_of(t), most = fmin(SET_UP * seconds, MOST_TIMEOUT);
    const int64_t   end = hsi_clock_ns() + (int64_t)(1e9 * most);
    struct timespec span = hsi_timespec((int64_t)(1e9 * seconds / BEATS / 2));
    struct pollfd   wait = {.fd = t->ready, .events = POLLIN};
    hs_error        error = {0};

    while (ppoll(&wait, 1, &span, NULL) <= 0) {
        if (hsi_clock_ns() > end) {
            hsi_error_set(&error, HS_ERESOURCE, "it was not ready after %.3g s", most);
            refuse(t, HS_ERESOURCE, &error);
            break;
        }
        beat(t);
    }
    return NULL;
}

/* Make the node ready, while another thread sends beats: the set-up may wait for a file system or
 * for drivers of GPUs. */
static hs_status set_up(talk *t, const hsi_message *m, uint64_t digest, hs_error *error)
{
    const uint64_t one = 1;
    pthread_t      thread;
    sigset_t       all, before;
    hs_status      st;
    int            code;

    t->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (t->ready < 0)
        return hsi_error_set(error, HS_ERESOURCE, "no descriptor: %s", strerror(errno));
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    code = pthread_create(&thread, NULL, send_beats, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code) {
        close(t->ready);
        return hsi_error_set(error, HS_ERESOURCE, "no thread for beats: %s", strerror(code));
    }
    st = hsi_agent_set_up(&t->agent, m->bytes, m->length, digest, error);
    while (write(t->ready, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    pthread_join(thread, NULL);
    close(t->ready);
    return st;
}

static hs_status begin(talk *t, const hsi_message *m, hs_error *error)
{
    uint64_t  digest;
    hs_status st;

    if (!read_digest(m->word[1], &digest))
        return defect(m, error);
    t->state = RUNNING;
    if (t->refused)
        return HS_OK;
    st = set_up(t, m, digest, error);
    t->heard = hsi_clock_ns();
    if (t->refused)
        return HS_OK;
    beat(t);
    if (st == HS_OK)
        st = hsi_agent_workers_start(&t->agent, error);
    if (st != HS_OK)
        refuse(t, st, error);
    else
        hsi_sender_put(&t->agent.sender, HSI_SEND_NOW, NULL, 0, "ready\n");
    return HS_OK;
}

/* Obey `begin` or `hold`. */
static hs_status admit(const talk *t, const hsi_message *m, hs_error *error)
{
    uint64_t          number;
    hsi_agent_worker *worker;

    if (t->refused || !hsi_message_number(m, 1, UINT32_MAX, &number) ||
        !(worker = hsi_agent_worker_at(&t->agent, number)))
        return defect(m, error);
    if (hsi_message_is(m, "begin", 2, false))
        hsi_agent_worker_begin(worker);
    else
        hsi_agent_worker_hold(worker);
    return HS_OK;
}

static hs_status order(talk *t, const hsi_message *m, hs_error *error)
{
    const bool        runs = hsi_message_is(m, "run", 4, false);
    uint64_t          number, task, attempt, why = 0;
    hsi_agent_worker *worker;

    if ((!runs && !hsi_message_is(m, "cancel", 5, false)) || t->refused ||
        !hsi_message_number(m, 1, UINT32_MAX, &number) ||
        !(worker = hsi_agent_worker_at(&t->agent, number)) ||
        !hsi_message_number(m, 2, hs_instance_tasks(t->agent.in) - 1, &task) ||
        !hsi_message_number(m, 3, UINT32_MAX, &attempt) ||
        (!runs && (!hsi_message_number(m, 4, HS_CANCEL_SPOLIATED, &why) || why == 0)))
        return defect(m, error);
    if (!runs)
        hsi_agent_worker_cancel(worker, (uint32_t)task, (uint32_t)attempt, (hs_cancel)why);
    else if (!hsi_agent_worker_run(worker, (uint32_t)task, (uint32_t)attempt))
        return defect(m, error);
    return HS_OK;
}

static hs_status obey(talk *t, const hsi_message *m, hs_error *error)
{
    if (t->state == GREETING)
        return greet(t, m, error);
    if (hsi_message_is(m, "alive", 1, false)) {
        t->heard = hsi_clock_ns();
        return HS_OK;
    }
    if (hsi_message_is(m, "end", 1, false)) {
        t->state = ENDED;
        return HS_OK;
    }
    if (t->state == RUNNING && hsi_message_is(m, "drain", 1, false)) {
        hsi_agent_workers_drain(&t->agent);
        return HS_OK;
    }
    if (t->state == RUNNING &&
        (hsi_message_is(m, "begin", 2, false) || hsi_message_is(m, "hold", 2, false)))
        return admit(t, m, error);
    if (t->state == RUNNING)
        return order(t, m, error);
    if (hsi_message_is(m, "instance", 2, true))
        return begin(t, m, error);
    if (hsi_message_is(m, "option", 2, true) && hsi_node_options_read(&t->agent.options, m))
        return HS_OK;
    return defect(m, error);
}

/* Obey all complete messages. */
static hs_status obey_all(talk *t, hs_error *error)
{
    hsi_message message;
    hs_status   st = HS_OK;
    hsi_parse   parsed = HSI_PARSE_MORE;

    while (st == HS_OK && t->state != ENDED &&
           (parsed = hsi_parser_next(&t->parser, &message)) == HSI_PARSE_MESSAGE)
        st = obey(t, &message, error);
    return st == HS_OK && parsed == HSI_PARSE_DEFECT ? defect(&message, error) : st;
}

static hs_status lost(hs_error *error, const char *how)
{
    return hsi_error_set(error, HS_ECANCELED,
                         "%s: the coordinator is lost, and this node ends its "
                         "commands",
                         how);
}

/* Wait for the coordinator, at most until the next beat is due. */
static hs_status listen(talk *t, hs_error *error)
{
    struct pollfd   wait = {.fd = t->in, .events = POLLIN};
    struct timespec span = hsi_timespec((int64_t)(1e9 * timeout_of(t) / BEATS / 2));
    char            bytes[65536];
    ssize_t         got;

    if (ppoll(&wait, 1, &span, NULL) <= 0)
        return HS_OK;
    got = read(t->in, bytes, sizeof bytes);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN ? HS_OK : lost(error, strerror(errno));
    if (got == 0 && t->refused) {
        t->state = ENDED;
        return HS_OK;
    }
    if (got == 0)
        return lost(error, "end of input");
    if (t->state != RUNNING) /* no `alive` comes before the end of the instance */
        t->heard = hsi_clock_ns();
    if (!hsi_parser_add(&t->parser, bytes, (size_t)got))
        return HS_ENOMEM;
    return obey_all(t, error);
}

static hs_status converse(talk *t, hs_error *error)
{
    hs_status st = HS_OK;

    while (st == HS_OK && t->state != ENDED) {
        st = listen(t, error);
        beat(t);
        if (st == HS_OK && hsi_clock_ns() - t->heard > (int64_t)(1e9 * timeout_of(t) / 2))
            st = lost(error, "no sign of life");
    }
    return st;
}

/* Say which version the node has, and the name of its host. */
static void say_hello(talk *t)
{
    char host[256] = "";

    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0' || strchr(host, ' '))
        strcpy(host, "unknown");
    hsi_sender_put(&t->agent.sender, HSI_SEND_NOW, NULL, 0, "hello %d %s %s\n", HSI_PROTOCOL,
                   HS_VERSION_STRING, host);
}

/* End the workers' attempts within the grace time. An agent whose threads do not end, since the
 * coordinator takes no output, exits: its guards end the commands. */
static void stop_workers(talk *t, hs_status st)
{
    double grace = fmin(t->agent.spec.settings.fail.grace, MOST_TIMEOUT);

    if (st != HS_OK)
        hsi_sender_break(&t->agent.sender);
    if (!hsi_agent_workers_stop(&t->agent, grace + 2))
        _exit(st == HS_ECANCELED ? HSI_NODE_LOST : 1);
}

hs_status hsi_agent_serve(int in, int out, int beat_fd, hs_error *error)
{
    talk      t = {.in = in, .beat = beat_fd, .parser = {.most = MOST_INSTANCE}};
    hs_status st;

    if (!hsi_sender_open(&t.agent.sender, out))
        return HS_ENOMEM;
    hs_exec_settings_init(&t.agent.options.settings);
    t.heard = hsi_clock_ns();
    say_hello(&t);
    st = converse(&t, error);
    stop_workers(&t, st);
    if (st == HS_OK)
        hsi_sender_put(&t.agent.sender, HSI_SEND_NOW, NULL, 0, "bye\n");
    hsi_agent_tear_down(&t.agent);
    hsi_sender_close(&t.agent.sender);
    hsi_parser_free(&t.parser);
    return st == HS_OK && t.refused ? HS_ERESOURCE : st;
}

hs_status hs_exec_serve(int in, int out, hs_error *error)
{
    hs_error         fault = {0};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    int              beat_fd = hsi_node_guard_begin(out);
    hs_status        st;

    if (beat_fd < 0) {
        hsi_error_set(&fault, HS_ERESOURCE, "no process to guard this node: %s", strerror(errno));
        return hsi_error_copy_to_caller(error, HS_ERESOURCE, &fault);
    }
    sigaction(SIGPIPE, &ignore, NULL);
    st = hsi_agent_serve(in, out, beat_fd, &fault);
    return hsi_error_copy_to_caller(error, st, &fault);
}
