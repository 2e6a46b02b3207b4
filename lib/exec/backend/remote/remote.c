/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of the backend of workers on nodes. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/error.h"
#include "exec/backend/command/output.h"
#include "exec/backend/remote/remote_private.h"
#include "exec/error_text.h"
#include "support/clock.h"

static hsi_remote_attempt *attempt_at(hsi_remote_worker *w, unsigned i)
{
    return &w->attempts[(w->first + i) % HSI_REMOTE_DEPTH];
}

/* Wake the worker if it waits. Hold the lock. */
static void wake_worker(hsi_remote_worker *w)
{
    const uint64_t one = 1;

    if (!w->waits)
        return;
    w->waits = false;
    while (write(w->event, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

/* End an attempt, and wake the worker that waits for it. Hold the lock. */
static void end_attempt(hsi_remote_worker *w, hsi_remote_attempt *a, hs_outcome outcome)
{
    a->ended = true;
    a->outcome = outcome;
    wake_worker(w);
}

/* End an attempt that the node does not run any more. Hold the lock. */
static void lose_attempt(hsi_remote_worker *w, hsi_remote_attempt *a)
{
    snprintf(a->attempt->why, HS_WHY, "node %.100s is lost: %.300s", w->node->link.name,
             w->node->link.why);
    a->start = a->end = hsi_clock_ns();
    end_attempt(w, a, HS_OUTCOME_LOST);
}

/* Call `act` for each worker of the node. */
static void for_workers(hsi_remote_node *node, void (*act)(hsi_remote_worker *worker))
{
    hsi_remote    *remote = node->remote;
    const unsigned begin[2] = {0, remote->spec->cpus};

    for (int type = HS_CPU; type <= HS_GPU; type++)
        for (unsigned i = 0; i < node->count[type]; i++)
            act(&remote->worker[begin[type] + node->first[type] + i]);
}

static void lose_all(hsi_remote_worker *w)
{
    for (unsigned i = 0; i < w->count; i++)
        if (!attempt_at(w, i)->ended)
            lose_attempt(w, attempt_at(w, i));
}

void hsi_remote_lost(hsi_link *link)
{
    for_workers((hsi_remote_node *)(void *)link, lose_all);
}

/* Find the attempt that words 1 to 3 of the message name; NULL: the node has no such attempt. Hold
 * the lock. */
static hsi_remote_attempt *find_attempt(hsi_remote_node *node, const hsi_message *m,
                                        hsi_remote_worker **worker)
{
    const hsi_run_spec *spec = node->remote->spec;
    uint64_t            number, task, attempt;

    if (!hsi_message_number(m, 1, spec->workers - 1, &number) ||
        !hsi_message_number(m, 2, UINT32_MAX, &task) ||
        !hsi_message_number(m, 3, UINT32_MAX, &attempt))
        return NULL;
    *worker = &node->remote->worker[number];
    if ((*worker)->node != node)
        return NULL;
    for (unsigned i = 0; i < (*worker)->count; i++) {
        hsi_remote_attempt *a = attempt_at(*worker, i);

        if (!a->ended)
            return a->attempt->task == task && a->attempt->number == attempt ? a : NULL;
    }
    return NULL;
}

/* Copy what the node measured to the attempt. Return false if the message is wrong. */
static bool take_measures(const hsi_message *m, hs_attempt *attempt, double *seconds)
{
    uint64_t status, number;

    if (!hsi_message_real(m, 5, seconds) || !(*seconds >= 0) ||
        !hsi_message_number(m, 6, 256, &status) || !hsi_message_number(m, 7, 128, &number) ||
        !hsi_message_real(m, 8, &attempt->core_seconds) || attempt->core_seconds < 0 ||
        !hsi_message_real(m, 9, &attempt->core_wait) || attempt->core_wait < 0)
        return false;
    attempt->status = status == 256 ? -1 : (int)status;
    attempt->signal = (int)number;
    return true;
}

/* An interval of an attempt begins after the one before, and has the length that the node measured
 * or less. */
static void date(hsi_remote_worker *w, hsi_remote_attempt *a, double seconds)
{
    const int64_t length = seconds < 9e9 ? (int64_t)(1e9 * seconds) : INT64_MAX / 2;

    a->end = hsi_clock_ns();
    a->start = a->end - length > w->last_end ? a->end - length : w->last_end;
    w->last_end = a->end;
}

static bool take_end(hsi_remote_node *node, const hsi_message *m)
{
    hsi_remote_worker  *w;
    hsi_remote_attempt *a = find_attempt(node, m, &w);
    uint64_t            outcome;
    double              seconds;

    if (!a || !hsi_message_number(m, 4, HSI_REMOTE_UNBEGUN, &outcome) ||
        outcome == HS_OUTCOME_LOST || m->length >= HS_WHY ||
        !take_measures(m, a->attempt, &seconds))
        return false;
    memcpy(a->attempt->why, m->bytes, m->length);
    a->attempt->why[m->length] = '\0';
    hsi_text_make_printable(a->attempt->why);
    if (outcome == HS_OUTCOME_FAILED && !a->attempt->why[0])
        strcpy(a->attempt->why, "failed");
    if (outcome == HSI_REMOTE_UNBEGUN) {
        a->start = a->end = 0;
        outcome = HS_OUTCOME_ABORTED;
    } else {
        date(w, a, seconds);
    }
    end_attempt(w, a, (hs_outcome)outcome);
    return true;
}

static void write_log(hsi_remote_attempt *a, int fd, const char *bytes, size_t count)
{
    while (count > 0 && !a->log_error) {
        ssize_t put = write(fd, bytes, count);

        if (put < 0 && errno != EINTR)
            a->log_error = errno;
        if (put > 0) {
            bytes += put;
            count -= (size_t)put;
        }
    }
}

typedef struct line_head {
    size_t length;
    int    stream;
} line_head;

/* Keep a line of output for the worker: this thread must not wait for a file or a terminal. Hold
 * the lock. */
static bool take_line(hsi_remote_node *node, const hsi_message *m)
{
    hsi_remote_worker  *w;
    hsi_remote_attempt *a = find_attempt(node, m, &w);
    uint64_t            stream;
    line_head           head = {.length = m->length};

    if (!a || !hsi_message_number(m, 4, 1, &stream))
        return false;
    head.stream = (int)stream;
    if (hsi_vector_append(&a->lines, &head, sizeof head) != 0 ||
        hsi_vector_append(&a->lines, m->bytes, m->length) != 0)
        a->log_error = ENOMEM;
    wake_worker(w);
    return true;
}

/* Write a line of output to the log, and pass it to the caller of the run. */
static void pass_line(hsi_remote_attempt *a, int stream, const char *line, size_t length)
{
    const int fd = a->log[a->log[1] >= 0 ? stream : 0];

    if (fd >= 0)
        write_log(a, fd, line, length);
    if (a->attempt->line_printed && length > 0)
        a->attempt->line_printed(a->attempt, stream, line, length);
}

/* Let the node begin no further attempt of the worker: the present one will fail here, which the
 * node cannot foresee. Hold the lock. */
static void hold(hsi_remote_worker *w)
{
    if (w->stopped)
        return;
    w->stopped = true;
    hsi_link_put(&w->node->link, "hold %u\n", w->number);
    hsi_link_flush(&w->node->link);
}

/* Pass all lines of the attempt on, in the worker's thread. Hold the lock, which is released
 * meanwhile. */
static void pass_lines(hsi_remote_worker *w, hsi_remote_attempt *a)
{
    hsi_link *link = &w->node->link;

    while (a->lines.size > 0) {
        hsi_vector lines = a->lines;
        line_head  head;

        a->lines = (hsi_vector){.data = NULL};
        pthread_mutex_unlock(&link->lock);
        for (size_t at = 0; at + sizeof head <= lines.size; at += sizeof head + head.length) {
            const char *line = (const char *)lines.data + at;

            memcpy(&head, line, sizeof head);
            if (head.length > lines.size - at - sizeof head)
                break; /* memory was short for the line */
            pass_line(a, head.stream, line + sizeof head, head.length);
        }
        hsi_vector_free(&lines);
        pthread_mutex_lock(&link->lock);
    }
    if (a->log_error)
        hold(w);
}

bool hsi_remote_take(hsi_link *link, const hsi_message *m)
{
    hsi_remote_node *node = (hsi_remote_node *)(void *)link;
    const bool       is_line = hsi_message_is(m, "line", 5, true);
    bool             is_taken;

    if (!is_line && !hsi_message_is(m, "ended", 10, true))
        return false;
    pthread_mutex_lock(&link->lock);
    is_taken = is_line ? take_line(node, m) : take_end(node, m);
    pthread_mutex_unlock(&link->lock);
    return is_taken;
}

static void close_logs(hsi_remote_attempt *a)
{
    for (int i = 0; i < 2; i++) {
        if (a->log[i] >= 0)
            close(a->log[i]);
        a->log[i] = -1;
    }
}

/* Open the files of the attempt. Return false with the reason in attempt->why. */
static bool open_logs(hsi_remote_attempt *a, hs_attempt *attempt)
{
    const char *path[2] = {attempt->log, attempt->error_log};

    *a = (hsi_remote_attempt){.attempt = attempt, .log = {-1, -1}};
    for (int i = 0; i < 2; i++) {
        a->log[i] = path[i] ? hsi_command_log_open(path[i], attempt->why) : -1;
        if (path[i] && a->log[i] < 0) {
            close_logs(a);
            return false;
        }
    }
    return true;
}

static unsigned depth(hs_backend_worker *worker)
{
    (void)worker;
    return HSI_REMOTE_DEPTH;
}

/* Send the order to run the attempt. Hold the lock. */
static void order(hsi_remote_worker *w, const hs_attempt *attempt)
{
    if (w->stopped)
        hsi_link_put(&w->node->link, "begin %u\n", w->number);
    w->stopped = false;
    hsi_link_put(&w->node->link, "run %u %lu %lu\n", w->number, (unsigned long)attempt->task,
                 (unsigned long)attempt->number);
}

/* Give the attempt to the node, with a later hsi_link_flush(). */
static int submit(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    hsi_remote_worker  *w = (hsi_remote_worker *)worker;
    hsi_link           *link = &w->node->link;
    hsi_remote_attempt *a;
    bool                is_open;

    (void)body;
    if (w->count == HSI_REMOTE_DEPTH)
        return 0;
    a = attempt_at(w, w->count);
    is_open = open_logs(a, attempt);
    a->start = a->end = hsi_clock_ns();
    pthread_mutex_lock(&link->lock);
    w->count++;
    if (!is_open)
        end_attempt(w, a, HS_OUTCOME_FAILED);
    else if (link->state == HSI_LINK_LOST)
        lose_attempt(w, a);
    else
        order(w, attempt);
    pthread_mutex_unlock(&link->lock);
    return 1;
}

/* Tell the node that the attempts are cancelled. Hold the lock. */
static void cancel_all(hsi_remote_worker *w)
{
    for (unsigned i = 0; i < w->count; i++) {
        hsi_remote_attempt *a = attempt_at(w, i);
        const int           why = hs_attempt_cancelled(a->attempt);

        if (a->ended || a->cancelled || !why)
            continue;
        a->cancelled = true;
        hsi_link_put(&w->node->link, "cancel %u %lu %lu %d\n", w->number,
                     (unsigned long)a->attempt->task, (unsigned long)a->attempt->number, why);
    }
}

/* Wait until the first attempt has ended or printed a line, or the worker's attempts are cancelled;
 * then tell the node. Hold the lock, which is released while waiting. */
static void wait_once(hsi_remote_worker *w)
{
    hsi_link                 *link = &w->node->link;
    const hsi_remote_attempt *a = attempt_at(w, 0);
    struct pollfd             wait[2] = {{.fd = w->event, .events = POLLIN},
                                         {.fd = a->cancelled ? -1 : a->attempt->wake_fd, .events = POLLIN}};
    uint64_t                  events;

    w->waits = true;
    hsi_link_flush(link);
    pthread_mutex_unlock(&link->lock);
    ppoll(wait, 2, NULL, NULL);
    pthread_mutex_lock(&link->lock);
    w->waits = false;
    if (wait[0].revents)
        (void)!read(w->event, &events, sizeof events);
    if (wait[1].revents)
        cancel_all(w);
}

/* Remove the first attempt, which has ended. */
static void take_out(hsi_remote_worker *w, hs_completion *out)
{
    hsi_remote_attempt *a = attempt_at(w, 0);

    close_logs(a);
    w->stopped |= a->outcome == HS_OUTCOME_FAILED ||
                  (a->outcome == HS_OUTCOME_ABORTED && a->end == 0); /* it did not begin */
    if (a->log_error && a->outcome == HS_OUTCOME_DONE) {
        snprintf(a->attempt->why, HS_WHY, "cannot write its output: %s", strerror(a->log_error));
        a->outcome = HS_OUTCOME_FAILED;
    }
    out->attempt = a->attempt;
    out->outcome = a->outcome;
    out->start = a->start;
    out->end = a->end;
    w->first = (w->first + 1) % HSI_REMOTE_DEPTH;
    w->count--;
}

static int collect(hs_backend_worker *worker, int wait, hs_completion *out)
{
    hsi_remote_worker *w = (hsi_remote_worker *)worker;
    hsi_link          *link = &w->node->link;
    int                found;

    pthread_mutex_lock(&link->lock);
    while (wait && w->count > 0 && !attempt_at(w, 0)->ended) {
        wait_once(w);
        pass_lines(w, attempt_at(w, 0));
    }
    if (!wait)
        hsi_link_flush(link);
    if (w->count > 0)
        pass_lines(w, attempt_at(w, 0));
    found = w->count > 0 && attempt_at(w, 0)->ended;
    if (found)
        take_out(w, out);
    pthread_mutex_unlock(&link->lock);
    return found;
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    hs_completion end = {.struct_size = sizeof end, .outcome = HS_OUTCOME_FAILED};

    if (hs_attempt_cancelled(attempt))
        return HS_OUTCOME_ABORTED;
    submit(worker, body, attempt);
    collect(worker, 1, &end);
    return end.outcome;
}

static hs_status worker_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, hs_error *error)
{
    hsi_remote        *remote = options->data;
    hsi_remote_worker *w = &remote->worker[info->number];

    w->base.backend = &remote->backend;
    w->last_end = hsi_clock_ns();
    w->stopped = true;
    w->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->event < 0)
        return hsi_error_set(error, HS_ERESOURCE, "no descriptor for each worker: %s",
                             strerror(errno));
    *out = &w->base;
    return HS_OK;
}

static void worker_close(hs_backend_worker *worker)
{
    close(((hsi_remote_worker *)worker)->event);
}

const hs_backend hsi_backend_remote = {
    .struct_size = sizeof(hs_backend),
    .name = "remote",
    .body_create = hsi_remote_body_create,
    .worker_open = worker_open,
    .worker_close = worker_close,
    .run = run,
    .depth = depth,
    .submit = submit,
    .collect = collect,
};
