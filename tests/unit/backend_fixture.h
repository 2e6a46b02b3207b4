/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_BACKEND_FIXTURE_H
#define TESTS_BACKEND_FIXTURE_H

/* A fixture: a backend with a single worker, for attempts at a task without a dispatcher. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "exec/backend/backends.h"
#include "exec/backend/command/starter.h"

#include "rounds.h"
#include "suite.h"

typedef struct fixture {
    const hs_backend      *backend;
    hs_instance           *in;
    hs_backend_options     options;
    hs_backend_worker_info info;
    hs_backend_worker     *worker;
    hs_attempt             attempt;
    int                    cancel;
    bool                   taken; /* whether fixture_cancel() requests a spoliation instead of a
                                     stop */
    char     id[64];
    char     folder[32]; /* path of the temporary folder, empty after fixture_set() */
    char     log[64];
    char     why[HS_WHY]; /* of the attempt */
    hs_error error;
} fixture;

/* Return an instance of one task with this name, two CPUs and two GPUs. */
static inline hs_instance *one_task(const char *id)
{
    hs_task      row = {.struct_size = sizeof row, .id = id, .cpu = 1, .gpu = 1};
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 2, 2), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Initialise a fixture with a unique task name. A test may change the options before
 * fixture_open(). */
static inline void fixture_set(fixture *s, const hs_backend *backend, hs_type type)
{
    static int number;

    memset(s, 0, sizeof *s);
    s->backend = backend;
    snprintf(s->id, sizeof s->id, "test-%ld-%d", (long)getpid(),
             __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED));
    s->in = one_task(s->id);
    snprintf(s->folder, sizeof s->folder, "/tmp/hs-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(s->folder));
    snprintf(s->log, sizeof s->log, "%s/log", s->folder);
    s->options = (hs_backend_options){.struct_size = sizeof s->options,
                                      .seconds_per_unit = 1,
                                      .grace = 30,
                                      .allow_commands = 1,
                                      .allow_plugins = 1};
    s->info = (hs_backend_worker_info){.struct_size = sizeof s->info,
                                       .number = type == HS_GPU ? 3 : 1,
                                       .type = type,
                                       .index = 1,
                                       .cpus = 2,
                                       .gpus = 2,
                                       .os_cpu = -1,
                                       .core_count = 1};
    s->attempt = (hs_attempt){.struct_size = sizeof s->attempt,
                              .instance = s->in,
                              .number = 1,
                              .worker = s->info.number,
                              .seconds = 1,
                              .cancel = &s->cancel,
                              .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                              .log = s->log,
                              .why = s->why};
    ck_assert_int_ge(s->attempt.wake_fd, 0);
}

/* Open the worker. For commands, first open the starter, as the dispatcher does. */
static inline hs_status fixture_open_worker(fixture *s)
{
    hs_status st = HS_OK;

    if (s->backend == &hsi_backend_command)
        st = hsi_starter_open(&s->options, 1, &s->options.starter, &s->error);
    return st == HS_OK ? s->backend->worker_open(&s->options, &s->info, &s->worker, &s->error) : st;
}

static inline void fixture_open(fixture *s)
{
    if (s->backend->worker_open)
        ck_assert_msg(fixture_open_worker(s) == HS_OK, "%s", s->error.why);
}

static inline void fixture_close(fixture *s)
{
    if (s->worker)
        s->backend->worker_close(s->worker);
    hsi_starter_close(s->options.starter);
    hs_instance_free(s->in);
    close(s->attempt.wake_fd);
    unlink(s->log);
    ck_assert_msg(rmdir(s->folder) == 0, "%s: %s", s->folder, strerror(errno));
}

static inline void fixture_cancel(fixture *s)
{
    uint64_t one = 1;

    __atomic_store_n(&s->cancel, s->taken ? HS_CANCEL_SPOLIATED : HS_CANCEL_STOP, __ATOMIC_RELEASE);
    ck_assert_int_eq((int)write(s->attempt.wake_fd, &one, sizeof one), (int)sizeof one);
}

/* Reset the cancel request, as the dispatcher does before each attempt. */
static inline void fixture_reset_cancel(fixture *s)
{
    uint64_t count;

    while (read(s->attempt.wake_fd, &count, sizeof count) > 0)
        ;
    __atomic_store_n(&s->cancel, 0, __ATOMIC_RELEASE);
    s->why[0] = '\0';
}

static inline hs_body *fixture_create_body(fixture *s, const hs_task *row)
{
    hs_body *body = NULL;

    ck_assert_msg(s->backend->body_create(&s->options, row, s->info.type, &body, &s->error) ==
                      HS_OK,
                  "%s", s->error.why);
    ck_assert_ptr_nonnull(body);
    return body;
}

#endif
