/* SPDX-License-Identifier: BSD-3-Clause */

/* The backend of cpu_command and gpu_command: the shell runs the task. */

#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "exec/backend/backends.h"
#include "exec/backend/command/environment.h"
#include "exec/backend/command/output.h"
#include "exec/backend/command/process.h"
#include "exec/error_text.h"

typedef struct command_body {
    hs_body base;
    char    text[];
} command_body;

typedef struct command_worker {
    hs_backend_worker base;
    hsi_process      *process;
} command_worker;

static hs_status refuse(const hs_backend_options *options, const hs_task *row, hs_type type,
                        const char *command, hs_error *error)
{
    const char *column = type == HS_GPU ? "gpu_command" : "cpu_command";
    char        name[64] = "a task";

    if (row->id && row->id[0] != '\0')
        snprintf(name, sizeof name, "task %.48s%s", row->id, strlen(row->id) > 48 ? "..." : "");
    if (!options->allow_commands)
        return hsi_error_set(error, HS_EREFUSED,
                             "%s has a %s: use settings.run.allow_commands if you trust the plan",
                             name, column);
    if (strlen(command) >= HSI_PROCESS_COMMAND)
        return hsi_error_set(error, HS_EINVAL,
                             "the %s of %s is longer than %d bytes: put it into a file", column,
                             name, HSI_PROCESS_COMMAND - 1);
    return HS_OK;
}

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    const char   *command = type == HS_GPU ? row->gpu_command : row->cpu_command;
    command_body *body;
    size_t        bytes;
    hs_status     st;

    *out = NULL;
    if (!command || command[0] == '\0' || (type == HS_CPU && options->emulate[HS_CPU]))
        return HS_OK;
    st = refuse(options, row, type, command, error);
    if (st != HS_OK)
        return st;
    bytes = strlen(command) + 1;
    body = malloc(sizeof *body + bytes);
    if (!body)
        return HS_ENOMEM;
    body->base.backend = &hsi_backend_command;
    memcpy(body->text, command, bytes);
    *out = &body->base;
    return HS_OK;
}

static void worker_close(hs_backend_worker *worker)
{
    command_worker *w = (command_worker *)worker;

    if (w->process)
        hsi_process_close(w->process);
    free(w);
}

static hs_status worker_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, hs_error *error)
{
    char            settings[HSI_ENVIRONMENT_ROOM];
    const char     *visible = hsi_starter_visible_devices(options->starter);
    size_t          length = hsi_environment_write_worker(options, info, visible, settings);
    command_worker *w = calloc(1, sizeof *w);
    hs_status       st = HS_OK;

    if (!w)
        return HS_ENOMEM;
    w->base.backend = &hsi_backend_command;
    if (!length)
        st = hsi_error_set(error, HS_EINVAL, "the name of a device is too long");
    if (st == HS_OK)
        st = hsi_process_open(options->starter, settings, length, info, &w->process);
    if (st != HS_OK) {
        worker_close(&w->base);
        return st;
    }
    *out = &w->base;
    return HS_OK;
}

/* Wait until the command has ended; read its output and pass on a cancellation meanwhile. */
static void wait_for_end(hsi_process *process, const hs_attempt *attempt,
                         hsi_command_output *output)
{
    enum { END, WAKE, OUTPUT, FDS = OUTPUT + HSI_COMMAND_STREAMS };
    struct pollfd wait[FDS] = {[END] = {.fd = hsi_process_fd(process), .events = POLLIN},
                               [WAKE] = {.fd = attempt->wake_fd, .events = POLLIN}};
    int           i;

    for (;;) {
        for (i = 0; i < HSI_COMMAND_STREAMS; i++)
            wait[OUTPUT + i] = (struct pollfd){
                .fd = i < output->count ? output->stream[i].read : -1, .events = POLLIN};
        if (ppoll(wait, FDS, NULL, NULL) < 0)
            continue; /* interrupted by a signal */
        for (i = 0; i < output->count; i++)
            if (wait[OUTPUT + i].revents)
                hsi_command_stream_read_available(output, &output->stream[i]);
        if (wait[END].revents)
            return;
        if (wait[WAKE].revents && hs_attempt_cancelled(attempt)) {
            hsi_process_cancel(process);
            wait[WAKE].fd = -1;
        }
    }
}

static void describe_status(int status, char text[128])
{
    if (status == 127 || status == 126)
        snprintf(text, 128, "command %s (status %d)",
                 status == 127 ? "not found" : "cannot be executed", status);
    else if (status > 128 && status - 128 < 65)
        snprintf(text, 128, "exited with status %d (as the shell says for signal %d, %s)", status,
                 status - 128, strsignal(status - 128));
    else
        snprintf(text, 128, "exited with status %d", status);
}

/* Return that the task is done, with a note if a background process was cut short: it may have been
 * part of the work. */
static hs_outcome done(const hsi_process_end *end, hs_attempt *attempt)
{
    if (end->left)
        snprintf(attempt->why, HS_WHY, "what it left running did not end by itself, and was ended");
    return HS_OUTCOME_DONE;
}

static hs_outcome judge(const hsi_process_end *end, hsi_command_output *output, hs_attempt *attempt)
{
    const char *line;
    char        what[128];

    attempt->status = end->signal ? -1 : end->status;
    attempt->signal = end->signal;
    attempt->core_seconds = end->core.used;
    attempt->core_wait = end->core.waited;

    if (end->undead)
        return hsi_attempt_fail(attempt,
                                "a process of another user is left of it and cannot be killed");
    if (end->cancelled && !(end->signal == 0 && end->status == 0 &&
                            hs_attempt_cancelled(attempt) == HS_CANCEL_SPOLIATED))
        return HS_OUTCOME_ABORTED;
    if (end->signal == 0 && end->status == 0)
        return done(end, attempt);
    if (end->signal)
        snprintf(what, sizeof what, "killed by signal %d (%s)", end->signal,
                 strsignal(end->signal));
    else
        describe_status(end->status, what);
    line = hsi_command_output_last_line(output);
    return hsi_attempt_fail(attempt, "%s%s%.300s", what, line[0] != '\0' ? ": " : "", line);
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    hsi_process        *process = ((command_worker *)worker)->process;
    hs_outcome          outcome = HS_OUTCOME_FAILED;
    hsi_command_output  output;
    hsi_process_end     end;
    char                name[HS_MAX_ID + 16];
    hsi_process_request request = {
        .command = ((const command_body *)body)->text, .task = name, .attempt = attempt->number};

    if (hs_attempt_cancelled(attempt))
        return HS_OUTCOME_ABORTED;
    if (hsi_command_output_open(&output, attempt) != 0)
        return HS_OUTCOME_FAILED;
    hs_instance_name(attempt->instance, attempt->task, name, sizeof name);
    hsi_command_output_child_fds(&output, request.output);
    if (hsi_process_start_command(process, &request, attempt->why) == 0) {
        hsi_command_output_close_child_fds(&output);
        wait_for_end(process, attempt, &output);
        if (hsi_process_wait_for_end(process, &end, attempt->why) == 0 &&
            hsi_command_output_finish(&output) == 0)
            outcome = judge(&end, &output, attempt);
    }
    hsi_command_output_close(&output);
    return outcome;
}

const hs_backend hsi_backend_command = {
    .struct_size = sizeof(hs_backend),
    .name = "command",
    .body_create = body_create,
    .body_free = hsi_body_free,
    .worker_open = worker_open,
    .worker_close = worker_close,
    .run = run,
};
