/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PLAN_H
#define TOOLS_PLAN_H

#include <hybridsched/io.h>

/** A plan read from a file. */
typedef struct plan {
    const char  *path; /* file name in messages */
    hs_instance *in;
    hs_schedule *s;
    hs_plan_info info;
} plan;

/** Read the plan p->path (`-`: standard input). Return 0, or an exit code after a message. */
int plan_read(plan *p, const hs_read_settings *reading);

/**
 * Read p->path like plan_read(), but accept an instance in a seekable file; p->s is then NULL. The
 * worker counts in `reading` apply to instances only.
 */
int  plan_or_instance_read(plan *p, const hs_read_settings *reading);

/** Read the list of commands p->path like plan_read(), as an instance; p->s is then NULL. */
int  plan_commands_read(plan *p, const hs_read_settings *reading);
void plan_free(plan *p);

/**
 * Check that the schedule is valid when worker w is available from available[w] (NULL: from 0).
 * Return 0, or an exit code after a message.
 */
int plan_check(const plan *p, const double *available);

/** Print "PLAN: not valid: ..." on one line; return the exit code. */
int plan_report_invalid(const plan *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
