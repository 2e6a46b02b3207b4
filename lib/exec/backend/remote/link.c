/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/backend/remote/link.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/error.h"
#include "exec/error_text.h"
#include "support/clock.h"
#include "support/cond.h"

enum { BEATS = 6, MOST_BYTES = 1 << 20 };

static int64_t seconds_ns(double seconds)
{
    return seconds < 1e9 ? (int64_t)(1e9 * seconds) : INT64_MAX / 4;
}

static void explain(hsi_link *link, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void explain(hsi_link *link, const char *format, ...)
{
    va_list arguments;

    if (link->why[0])
        return;
    va_start(arguments, format);
    vsnprintf(link->why, sizeof link->why, format, arguments);
    va_end(arguments);
    hsi_text_make_printable(link->why);
}

static void lose(hsi_link *link)
{
    if (link->state == HSI_LINK_LOST)
        return;
    link->state = HSI_LINK_LOST;
    hsi_launcher_close_to(&link->launcher);
    link->lost(link);
    pthread_cond_broadcast(&link->changed);
}

/* Give the node up. No command runs on a node that was not ready yet. The coordinator says nothing
 * more, so the agent ends its commands within the timeout from now on; but a silent node has had
 * part of it since the last byte from it. */
static void doom(hsi_link *link)
{
    hsi_launcher_close_to(&link->launcher);
    if (link->state == HSI_LINK_STARTS) {
        lose(link);
    } else if (link->state == HSI_LINK_READY) {
        link->state = HSI_LINK_DOOMED;
        link->doomed = link->heard;
    }
}

/* Handle a failed write. A node that has not started may have said why: wait for the end of its
 * output. */
static void break_off(hsi_link *link, int error)
{
    if (link->state == HSI_LINK_STARTS) {
        hsi_launcher_close_to(&link->launcher);
        link->doomed = hsi_clock_ns();
        return;
    }
    link->broken = !link->why[0];
    explain(link, "the connection broke: %s", strerror(error));
    doom(link);
}

/* Lose a node after the guard's message `dead`: no command of the node runs. */
static void take_death(hsi_link *link)
{
    if (link->broken)
        link->why[0] = '\0';
    explain(link, "its process ended");
    lose(link);
}

/* Write as much as the connection takes of `bytes`; return the number of written bytes. */
static size_t write_some(hsi_link *link, const char *bytes, size_t count)
{
    size_t  all = 0;
    ssize_t put;

    while (all < count && link->launcher.to >= 0) {
        put = write(link->launcher.to, bytes + all, count - all);
        if (put >= 0) {
            all += (size_t)put;
        } else if (errno == EAGAIN) {
            break;
        } else if (errno != EINTR) {
            break_off(link, errno);
        }
    }
    return all;
}

static void flush_out(hsi_link *link)
{
    if (link->out.size == 0)
        return;
    link->sent +=
        write_some(link, (const char *)link->out.data + link->sent, link->out.size - link->sent);
    if (link->sent == link->out.size)
        link->sent = link->out.size = 0;
}

static bool has_output(const hsi_link *link)
{
    return link->launcher.to >= 0 && (link->out.size > 0 || link->shared_left > 0);
}

static void flush(hsi_link *link)
{
    size_t put;

    if (!link->shared_begun) {
        flush_out(link);
        link->shared_begun = link->out.size == 0;
    }
    if (!link->shared_begun)
        return;
    put = write_some(link, link->shared, link->shared_left);
    link->shared += put;
    link->shared_left -= put;
    if (link->shared_left == 0)
        flush_out(link);
}

void hsi_link_wake(const hsi_link *link)
{
    const uint64_t one = 1;

    while (write(link->kick, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

void hsi_link_flush(hsi_link *link)
{
    flush(link);
    if (has_output(link))
        hsi_link_wake(link);
}

void hsi_link_put(hsi_link *link, const char *format, ...)
{
    char    line[128];
    va_list arguments;
    int     used;

    if (link->launcher.to < 0)
        return;
    va_start(arguments, format);
    used = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (used > 0 && hsi_vector_append(&link->out, line, (size_t)used) == 0)
        return;
    explain(link, "memory is short");
    doom(link);
}

/* Doom a node that sent something wrong. */
static void take_defect(hsi_link *link, const hsi_message *m)
{
    char quoted[HSI_QUOTE];

    pthread_mutex_lock(&link->lock);
    explain(link, "it has sent %s, which is no message of hsched-exec --node %s",
            hsi_quote(m->word[0], strlen(m->word[0]), quoted), HS_VERSION_STRING);
    doom(link);
    pthread_mutex_unlock(&link->lock);
}

static bool greet(hsi_link *link, const hsi_message *m)
{
    uint64_t protocol;

    if (!hsi_message_is(m, "hello", 4, false) || !hsi_message_number(m, 1, UINT32_MAX, &protocol))
        return false;
    link->greeted = true;
    if (protocol == HSI_PROTOCOL && strcmp(m->word[2], HS_VERSION_STRING) == 0)
        return true;
    link->refused = HS_EINVAL;
    explain(link,
            "it has version %.64s of hsched-exec, and the coordinator %s: install the same "
            "version",
            m->word[2], HS_VERSION_STRING);
    doom(link);
    return true;
}

static bool take_refusal(hsi_link *link, const hsi_message *m)
{
    uint64_t status = 0;

    if (m->word[1][0] != '-' ||
        !hsi_message_number(&(hsi_message){.word = {m->word[1] + 1}}, 0, 1000, &status))
        return false;
    link->refused = (hs_status) - (int)status;
    explain(link, "%.*s", (int)(m->length < HS_WHY ? m->length : HS_WHY), m->bytes);
    doom(link);
    return true;
}

/* Take a message about the node. Return false if it is wrong, or none of these. Hold the lock. */
static bool take_own(hsi_link *link, const hsi_message *m)
{
    if (!link->greeted)
        return greet(link, m);
    if (hsi_message_is(m, "alive", 1, false))
        return true;
    if (hsi_message_is(m, "ready", 1, false) && link->state == HSI_LINK_STARTS &&
        link->shared_left == 0) {
        link->state = HSI_LINK_READY;
        pthread_cond_broadcast(&link->changed);
        return true;
    }
    if (hsi_message_is(m, "refuse", 2, true) && link->state == HSI_LINK_STARTS)
        return take_refusal(link, m);
    if (hsi_message_is(m, "dead", 1, false)) {
        take_death(link);
        return true;
    }
    if (!link->ends || !hsi_message_is(m, "bye", 1, false))
        return false;
    link->over = true;
    return true;
}

/* Return true if the messages of the node still count. */
static bool is_heard(hsi_link *link)
{
    bool heard;

    pthread_mutex_lock(&link->lock);
    heard = link->state <= HSI_LINK_READY;
    pthread_mutex_unlock(&link->lock);
    return heard;
}

static void take_message(hsi_link *link, const hsi_message *m)
{
    bool is_taken;

    pthread_mutex_lock(&link->lock);
    is_taken = take_own(link, m);
    pthread_mutex_unlock(&link->lock);
    if (!is_taken && !link->take(link, m))
        take_defect(link, m);
}

static void take_input(hsi_link *link)
{
    hsi_message message;
    hsi_parse   parsed;

    while (is_heard(link)) {
        parsed = hsi_parser_next(&link->parser, &message);
        if (parsed == HSI_PARSE_MORE)
            return;
        if (parsed == HSI_PARSE_MESSAGE)
            take_message(link, &message);
        else
            take_defect(link, &message);
    }
}

/* After the end of the node's output, or if it is doomed: look for the guard's last word. */
static void look_for_dead(hsi_link *link)
{
    pthread_mutex_lock(&link->lock);
    if (hsi_parser_ends_dead(&link->parser))
        take_death(link);
    pthread_mutex_unlock(&link->lock);
    hsi_parser_skip(&link->parser);
}

static void end_output(hsi_link *link, const char *why)
{
    pthread_mutex_lock(&link->lock);
    close(link->launcher.from);
    link->launcher.from = -1;
    link->over = true;
    explain(link, "%s",
            link->greeted ? why : "its launcher ended before hsched-exec --node had started");
    doom(link);
    pthread_mutex_unlock(&link->lock);
}

/* Read what the node has sent. */
static void read_input(hsi_link *link)
{
    char    bytes[65536];
    ssize_t got = read(link->launcher.from, bytes, sizeof bytes);

    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got > 0) {
        pthread_mutex_lock(&link->lock);
        link->heard = hsi_clock_ns();
        pthread_mutex_unlock(&link->lock);
        if (hsi_parser_add(&link->parser, bytes, (size_t)got)) {
            take_input(link);
            if (!is_heard(link))
                look_for_dead(link);
            return;
        }
    }
    look_for_dead(link);
    end_output(link, got > 0 ? "memory is short" : "its connection ended");
}

/* Say `alive` to a node that was heard of late. Return the time in ns of the next look. Hold the
 * lock. */
static int64_t beat(hsi_link *link, int64_t now)
{
    const int64_t timeout = seconds_ns(link->timeout);

    if (now - link->said >= timeout / BEATS && now - link->heard <= timeout / 3) {
        hsi_link_put(link, "alive\n");
        link->said = now;
    }
    return now + timeout / BEATS / 2;
}

/* Lose a node that is silent, or doomed for long enough. Hold the lock. */
static void watch(hsi_link *link, int64_t now)
{
    const int64_t timeout = seconds_ns(link->timeout), grace = seconds_ns(link->grace);

    if (link->state == HSI_LINK_STARTS &&
        (now - link->heard > timeout || (link->doomed && now - link->doomed > timeout))) {
        explain(link, "it did not answer for %.3g s", link->timeout);
        lose(link);
    } else if (link->state == HSI_LINK_READY && now - link->heard > timeout + grace) {
        explain(link, "nothing was heard of it for %.3g s", link->timeout + link->grace);
        lose(link);
    } else if (link->state == HSI_LINK_DOOMED && now - link->doomed > timeout + grace) {
        lose(link);
    }
}

/* Return true if the thread of the link has nothing left to do. Hold the lock. */
static bool is_over(const hsi_link *link, int64_t now)
{
    if (link->ends && now - link->ended > seconds_ns(5 + link->grace))
        return true;
    return link->ends ? link->over || link->state >= HSI_LINK_DOOMED : link->state == HSI_LINK_LOST;
}

/* Send, wait and receive once. Return false at the end. */
static bool step(hsi_link *link)
{
    struct pollfd   wait[3] = {{.fd = link->kick, .events = POLLIN}, {.fd = -1}, {.fd = -1}};
    struct timespec span;
    uint64_t        events;
    int64_t         now = hsi_clock_ns(), next;
    bool            over;

    pthread_mutex_lock(&link->lock);
    next = beat(link, now);
    flush(link);
    watch(link, now);
    over = is_over(link, now);
    wait[1] = (struct pollfd){.fd = link->launcher.from, .events = POLLIN};
    if (has_output(link))
        wait[2] = (struct pollfd){.fd = link->launcher.to, .events = POLLOUT};
    pthread_mutex_unlock(&link->lock);
    if (over)
        return false;
    span = hsi_timespec(next - now);
    if (ppoll(wait, 3, &span, NULL) <= 0)
        return true;
    if (wait[0].revents)
        (void)!read(link->kick, &events, sizeof events);
    if (wait[1].revents)
        read_input(link);
    return true;
}

static void *serve(void *data)
{
    hsi_link *link = data;

    while (step(link))
        continue;
    return NULL;
}

static hs_status start_thread(hsi_link *link)
{
    sigset_t all, before;
    int      error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&link->thread, NULL, serve, link);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    link->threaded = error == 0;
    if (error)
        explain(link, "no thread for its messages: %s", strerror(error));
    return error ? HS_ERESOURCE : HS_OK;
}

/* Initialise what every link has. */
static hs_status prepare(hsi_link *link)
{
    link->launcher = (hsi_launcher){.pid = -1, .to = -1, .from = -1};
    link->parser.most = MOST_BYTES;
    link->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (link->kick < 0) {
        explain(link, "no descriptor: %s", strerror(errno));
        return HS_ERESOURCE;
    }
    if (pthread_mutex_init(&link->lock, NULL) == 0 && hsi_cond_init(&link->changed) == 0)
        return HS_OK;
    close(link->kick);
    link->kick = -1;
    return HS_ENOMEM;
}

hs_status hsi_link_start(hsi_link *link, const char *command)
{
    hs_status st = prepare(link);
    int       error;

    if (st != HS_OK)
        return st;
    link->heard = link->said = hsi_clock_ns();
    error = hsi_launcher_start(&link->launcher, command);
    if (error) {
        explain(link, "its launcher cannot be started: %s", strerror(error));
        st = HS_ERESOURCE;
    } else {
        st = start_thread(link);
    }
    if (st != HS_OK) {
        hsi_launcher_close_to(&link->launcher);
        link->state = HSI_LINK_LOST;
    }
    return st;
}

void hsi_link_miss(hsi_link *link, const char *why)
{
    if (prepare(link) == HS_OK)
        explain(link, "%s", why);
    link->state = HSI_LINK_LOST;
}

hs_status hsi_link_wait(hsi_link *link)
{
    hs_status st;

    if (link->kick < 0)
        return HS_ENOMEM;
    pthread_mutex_lock(&link->lock);
    while (link->state == HSI_LINK_STARTS)
        pthread_cond_wait(&link->changed, &link->lock);
    st = link->state == HSI_LINK_READY ? HS_OK
         : link->refused != HS_OK      ? link->refused
                                       : HS_ERESOURCE;
    pthread_mutex_unlock(&link->lock);
    return st;
}

void hsi_link_end(hsi_link *link)
{
    if (!link->threaded)
        return;
    pthread_mutex_lock(&link->lock);
    hsi_link_put(link, "end\n");
    link->ends = true;
    link->ended = hsi_clock_ns();
    pthread_mutex_unlock(&link->lock);
    hsi_link_wake(link);
}

void hsi_link_close(hsi_link *link)
{
    if (link->kick < 0)
        return;
    if (link->threaded)
        pthread_join(link->thread, NULL);
    link->threaded = false;
    hsi_launcher_close(&link->launcher);
}

void hsi_link_free(hsi_link *link, int64_t until)
{
    hsi_vector_free(&link->out);
    hsi_parser_free(&link->parser);
    if (link->kick < 0)
        return;
    hsi_launcher_reap(&link->launcher, until);
    close(link->kick);
    pthread_cond_destroy(&link->changed);
    pthread_mutex_destroy(&link->lock);
}
