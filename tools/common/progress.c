/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <hybridsched/io.h>

#include "common/clock.h"
#include "common/message.h"

enum { QUIET_SECONDS = 2, DEFAULT_COLUMNS = 80, DEFAULT_ROWS = 24 };
#define LEAST_BETWEEN 0.05 /* seconds between two drawings: lines may come by the thousand */
static const char erase[] = "\r\033[K";          /* erases the line */
static const char erase_above[] = "\033[A\033[K"; /* erases the line above */

/*
 * The state of the progress line. A separate thread draws, because the main thread is busy in the
 * library. `terminal` guards `shown`, `held` and `drawn_at`; `lock` guards every remaining member.
 * A thread takes `terminal` first and keeps it while it writes, which a stalled terminal may delay
 * for long. `shown` is atomic, because the signal handler reads it too.
 */
static struct {
    pthread_mutex_t lock, terminal;
    pthread_cond_t  over; /* signalled at the end and for is_wanted; exists while running */
    pthread_t       thread;
    int             running;
    double          start;
    size_t          total, done;
    double          last_step; /* end of the last step, in seconds since the start */
    /* estimated end in seconds since the start; 0: estimate from the pace */
    double          over_at;
    int             watched;   /* descriptor of the file being read; -1: none */
    off_t           size;      /* size of the watched file in bytes */
    char            label[160];
    progress_view  *view; /* view above the progress line; NULL: none */
    int             shown; /* number of drawn lines on the terminal */
    int             held; /* number of holds; > 0: not drawn */
    double          drawn_at; /* last drawing, in monotonic seconds */
    bool            is_wanted; /* whether to draw at once, because a hold ended */
} state = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .terminal = PTHREAD_MUTEX_INITIALIZER,
    .watched = -1,
};

static int lines_shown(void)
{
    return __atomic_load_n(&state.shown, __ATOMIC_RELAXED);
}

static void set_lines_shown(int lines)
{
    __atomic_store_n(&state.shown, lines, __ATOMIC_RELAXED);
}

static double seconds_since_start(void)
{
    return clock_now() - state.start;
}

static void terminal_size(int *rows, int *columns)
{
    struct winsize size;

    *rows = DEFAULT_ROWS;
    *columns = DEFAULT_COLUMNS;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        *columns = size.ws_col;
        *rows = size.ws_row > 0 ? size.ws_row : DEFAULT_ROWS;
    }
}

/*
 * Return the part of the present step that is done, by the position in the watched file; 0:
 * unknown.
 */
static double fraction_read(void)
{
    off_t at = state.watched < 0 ? 0 : lseek(state.watched, 0, SEEK_CUR);

    if (at <= 0)
        return 0;
    return at < state.size ? (double)at / (double)state.size : 1;
}

/* Return the seconds left at the pace so far, or by the caller's estimate; negative: unknown. */
static double seconds_left(double elapsed)
{
    double fraction = fraction_read(), done = (double)state.done + fraction;
    double then = fraction > 0 ? elapsed : state.last_step, left;

    if (state.over_at > 0)
        return state.over_at > elapsed ? state.over_at - elapsed : 0;
    if (!(done > 0) || done >= (double)state.total)
        return -1;
    left = then / done * ((double)state.total - done) - (elapsed - then);
    return left > 0 ? left : 0;
}

/* Format "ETA 1:02:03, "; empty if the end is unknown. */
static void format_eta(char text[48], double elapsed)
{
    double left = seconds_left(elapsed);
    char   time[24];

    text[0] = '\0';
    if (left < 0 || left > 1e8)
        return;
    clock_format(time, (unsigned long)left + 1);
    snprintf(text, 48, "ETA %s, ", time);
}

/* Format the progress line. Time and ETA come first, because a narrow terminal cuts the end off. */
static void format_line(char line[320])
{
    double elapsed = seconds_since_start();
    char   eta[48], steps[64] = "";

    format_eta(eta, elapsed);
    if (state.total > 1)
        snprintf(steps, sizeof steps, "%zu/%zu ", state.done, state.total);
    snprintf(line, 320, "%s: %.0f s, %s%s%s", message_tool(), elapsed, eta, steps, state.label);
}

static void erase_lines(void)
{
    int lines = lines_shown();

    if (lines > 0)
        fputs(erase, stderr);
    while (lines-- > 1)
        fputs(erase_above, stderr);
    set_lines_shown(0);
}

/* Print the view, then the line without a newline. */
static void print_all(progress_view *view, const char *line)
{
    char text[PROGRESS_VIEW], shown[320];
    int  rows, columns, lines = 0;

    terminal_size(&rows, &columns);
    if (view)
        lines = view(text, rows - 2, columns - 1);
    erase_lines();
    if (lines > 0)
        fputs(text, stderr);
    hs_printable(line, shown, columns < (int)sizeof shown ? (size_t)columns : sizeof shown);
    fprintf(stderr, "%s%s", erase, shown);
    fflush(stderr);
    set_lines_shown(lines + 1);
    state.drawn_at = clock_now();
}

static void draw(void)
{
    char           line[320];
    progress_view *view;
    bool           draws;

    pthread_mutex_lock(&state.terminal);
    pthread_mutex_lock(&state.lock);
    view = state.view;
    draws = state.running && !state.held && (view || seconds_since_start() >= QUIET_SECONDS);
    if (draws)
        format_line(line);
    pthread_mutex_unlock(&state.lock);
    if (draws)
        print_all(view, line);
    pthread_mutex_unlock(&state.terminal);
}

static void hide_locked(void)
{
    if (lines_shown() > 0) {
        erase_lines();
        fflush(stderr);
    }
}

static void *draw_each_half_second(void *unused)
{
    struct timespec next;

    (void)unused;
    pthread_mutex_lock(&state.lock);
    while (state.running) {
        clock_gettime(CLOCK_MONOTONIC, &next); /* unaffected by changes of the system time */
        next.tv_nsec += 500000000;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        if (!state.is_wanted)
            pthread_cond_timedwait(&state.over, &state.lock, &next);
        state.is_wanted = false;
        pthread_mutex_unlock(&state.lock);
        draw();
        pthread_mutex_lock(&state.lock);
    }
    pthread_mutex_unlock(&state.lock);
    return NULL;
}

bool progress_is_possible(void)
{
    const char *terminal = getenv("TERM");

    return isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
}

void progress_begin(size_t total)
{
    sigset_t           all, before;
    pthread_condattr_t monotonic;

    if (state.running || !progress_is_possible() || pthread_condattr_init(&monotonic) != 0)
        return;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    state.running = pthread_cond_init(&state.over, &monotonic) == 0;
    pthread_condattr_destroy(&monotonic);
    if (!state.running)
        return;
    state.start = clock_now();
    state.total = total;
    state.done = 0;
    state.last_step = 0;
    state.over_at = 0;
    state.label[0] = '\0';
    state.view = NULL;
    state.is_wanted = false;

    /* Signals go to the main thread: their handler must not interrupt draw(). */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&state.thread, NULL, draw_each_half_second, NULL) != 0) {
        state.running = 0; /* continue without a progress line */
        pthread_cond_destroy(&state.over);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_set_done(size_t done, const char *format, ...)
{
    va_list args;

    if (!state.running)
        return;
    pthread_mutex_lock(&state.lock);
    if (done > state.done) { /* several threads report: keep the maximum */
        state.done = done;
        state.last_step = seconds_since_start();
    }
    va_start(args, format);
    vsnprintf(state.label, sizeof state.label, format, args);
    va_end(args);
    pthread_mutex_unlock(&state.lock);
}

void progress_set_seconds_left(double seconds)
{
    if (!state.running)
        return;
    pthread_mutex_lock(&state.lock);
    state.over_at = seconds_since_start() + seconds;
    pthread_mutex_unlock(&state.lock);
}

void progress_show_view(progress_view *view)
{
    if (!state.running)
        return;
    pthread_mutex_lock(&state.lock);
    state.view = view;
    pthread_mutex_unlock(&state.lock);
}

void progress_measure_reading(int fd)
{
    struct stat st;

    pthread_mutex_lock(&state.lock);
    state.watched = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fd : -1;
    state.size = state.watched >= 0 ? st.st_size : 0;
    pthread_mutex_unlock(&state.lock);
}

void progress_hide(void)
{
    pthread_mutex_lock(&state.terminal);
    hide_locked();
    pthread_mutex_unlock(&state.terminal);
}

void progress_pause(void)
{
    pthread_mutex_lock(&state.terminal);
    hide_locked();
    state.held++;
    pthread_mutex_unlock(&state.terminal);
}

void progress_resume(void)
{
    bool draws;

    pthread_mutex_lock(&state.terminal);
    draws = --state.held == 0 && clock_now() - state.drawn_at >= LEAST_BETWEEN;
    pthread_mutex_unlock(&state.terminal);
    if (!draws)
        return;
    pthread_mutex_lock(&state.lock);
    if (state.running && !state.is_wanted) {
        state.is_wanted = true;
        pthread_cond_signal(&state.over);
    }
    pthread_mutex_unlock(&state.lock);
}

void progress_hide_in_handler(void)
{
    int lines = lines_shown();

    if (lines > 0 && write(STDERR_FILENO, erase, sizeof erase - 1) < 0)
        return; /* the write may fail: the program is ending anyway */
    while (lines-- > 1)
        if (write(STDERR_FILENO, erase_above, sizeof erase_above - 1) < 0)
            return;
}

void progress_end(void)
{
    if (!state.running)
        return;
    pthread_mutex_lock(&state.lock);
    state.running = 0;
    pthread_cond_signal(&state.over);
    pthread_mutex_unlock(&state.lock);
    pthread_join(state.thread, NULL);
    pthread_cond_destroy(&state.over);
    progress_hide();
}
