/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "common/input.h"
#include "common/message.h"
#include "common/progress.h"

int plan_report_invalid(const plan *p, const char *format, ...)
{
    char    text[8 * HS_MAX_ID];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    message_without_tool("%s: not valid: %s", p->path, text);
    return EXIT_WORK;
}

/*
 * If *status is HS_EKIND, the file is no plan: read it again from `start` as an instance, with the
 * result in *status and p->in. Return false if it is no instance either.
 */
static bool reread_instance(plan *p, int fd, off_t start, const hs_read_settings *reading,
                            hs_status *status, hs_error *error)
{
    if (*status != HS_EKIND || start < 0 || lseek(fd, start, SEEK_SET) < 0)
        return false;
    *status = hs_instance_read(fd, reading, &p->in, error);
    return *status != HS_EKIND;
}

/*
 * Read a plan, or an instance if instance_will_do. Otherwise a message for an instance names the
 * command that makes a plan.
 */
static int read_file(plan *p, const hs_read_settings *reading, bool instance_will_do)
{
    const char *path = p->path;
    hs_error    error = {0}, ignored;

    /* The options without worker counts: a plan names its own workers. */
    hs_read_settings of_plan = {.struct_size = sizeof of_plan,
                                .ignore_unknown = reading->ignore_unknown};
    hs_status        status;
    input            file;
    off_t            start;
    int              code;

    progress_set_done(0, "reading %s", path);
    code = input_open(path, &file);
    if (code)
        return code;
    p->path = file.name;
    start = lseek(file.fd, 0, SEEK_CUR);
    hs_plan_info_init(&p->info);
    status = hs_plan_read(file.fd, &of_plan, &p->in, &p->s, &p->info, &error);
    if (instance_will_do) {
        reread_instance(p, file.fd, start, reading, &status, &error);
        code = input_status(&file, status, &error);
        if (status == HS_EKIND && start < 0)
            message("an instance is read twice: give it as a file, not through a pipe; a list of "
                    "commands may come through a pipe, with --commands=-");
    } else {
        code = input_status(&file, status, &error);
        if (reread_instance(p, file.fd, start, reading, &status, &ignored) && status == HS_OK)
            message("%s is an instance, not a plan: 'hsched-solve %s -o PLAN' makes one", p->path,
                    path);
    }
    input_close(&file);
    return code;
}

int plan_read(plan *p, const hs_read_settings *reading)
{
    return read_file(p, reading, false);
}

int plan_or_instance_read(plan *p, const hs_read_settings *reading)
{
    return read_file(p, reading, true);
}

int plan_commands_read(plan *p, const hs_read_settings *reading)
{
    hs_error error = {0};
    input    file;
    int      code;

    progress_set_done(0, "reading %s", p->path);
    code = input_open(p->path, &file);
    if (code)
        return code;
    p->path = file.name;
    hs_plan_info_init(&p->info);
    code = input_status(&file, hs_commands_read(file.fd, reading, &p->in, &error), &error);
    input_close(&file);
    return code;
}

int plan_check(const plan *p, const double *available)
{
    hs_error  error;
    hs_status status = hs_schedule_check_available(p->in, p->s, available, &error);

    if (status == HS_ESCHEDULE)
        return plan_report_invalid(p, "%s", error.why);
    return status == HS_OK ? EXIT_OK : message_status(status, p->path);
}

void plan_free(plan *p)
{
    hs_schedule_free(p->s);
    hs_instance_free(p->in);
    p->s = NULL;
    p->in = NULL;
}
