/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_COMMAND_FIXTURE_H
#define TESTS_COMMAND_FIXTURE_H

/* Run commands on a fixture with one worker; read their output; count the processes left by a
 * command. */

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>

#include "backend_fixture.h"

static fixture s; /* fixture of tests that need only one */

static inline void open_cpu(void)
{
    fixture_set(&s, &hsi_backend_command, HS_CPU);
    fixture_open(&s);
}

static inline void close_it(void)
{
    fixture_close(&s);
}

static inline hs_outcome run_on(fixture *at, const char *command)
{
    hs_task    row = {.id = at->id, .cpu_command = command, .gpu_command = command};
    hs_body   *body = fixture_create_body(at, &row);
    hs_outcome outcome;

    unlink(at->log); /* remove the old log, as the dispatcher does */
    outcome = at->backend->run(at->worker, body, &at->attempt);
    at->backend->body_free(body);
    return outcome;
}

static inline void expect_done(const char *command)
{
    hs_outcome outcome = run_on(&s, command);

    ck_assert_msg(outcome == HS_OUTCOME_DONE, "%s: outcome %d: %s", command, (int)outcome, s.why);
}

static inline void expect_failed(const char *command, const char *why)
{
    ck_assert_int_eq(run_on(&s, command), HS_OUTCOME_FAILED);
    ck_assert_str_eq(s.why, why);
}

/* Return the output of the last command; valid until the next call. */
static inline const char *printed(void)
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

static inline void expect_printed(const char *command, const char *expected)
{
    expect_done(command);
    ck_assert_str_eq(printed(), expected);
}

/* Return true if /proc/PID/environ names the task. The environment of a zombie is empty. */
static inline bool is_of_task(const char *pid, const char *id)
{
    char   path[300], text[65536], wanted[96];
    int    fd;
    size_t length = 0;
    long   got;

    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while ((got = read(fd, text + length, sizeof text - length)) > 0)
        length += (size_t)got;
    close(fd);
    snprintf(wanted, sizeof wanted, "HSCHED_TASK=%s", id);
    return memmem(text, length, wanted, strlen(wanted) + 1) != NULL;
}

/* Return the number of living processes started by commands of this task, in any process group or
 * session. */
static inline int alive(const char *id)
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

static inline int open_files(void)
{
    DIR *fds = opendir("/proc/self/fd");
    int  count = 0;

    ck_assert_ptr_nonnull(fds);
    while (readdir(fds))
        count++;
    closedir(fds);
    return count;
}

static inline void pause_ms(bool ms)
{
    poll(NULL, 0, ms);
}

/* Thread: wait until the command has created the file `ready` in the fixture's folder, remove this
 * file, and cancel the attempt. */
static inline void *cancel_when_ready(void *data)
{
    fixture    *at = data;
    char        path[64];
    struct stat info;

    snprintf(path, sizeof path, "%s/ready", at->folder);
    while (stat(path, &info) != 0)
        pause_ms(true);
    unlink(path);
    fixture_cancel(at);
    return NULL;
}

/* Run a command. Cancel the attempt after the command's `: >$READY`. */
static inline hs_outcome run_until_ready(fixture *at, const char *command)
{
    char       text[1024];
    pthread_t  thread;
    hs_outcome outcome;

    snprintf(text, sizeof text, "READY=%s/ready; %s", at->folder, command);
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_when_ready, at), 0);
    outcome = run_on(at, text);
    pthread_join(thread, NULL);
    fixture_reset_cancel(at);
    return outcome;
}

#endif
