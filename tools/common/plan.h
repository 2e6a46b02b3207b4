/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PLAN_H
#define TOOLS_PLAN_H

#include <hybridsched/io.h>

/** A plan as it was read. */
typedef struct plan {
    const char  *path; /* as messages call it */
    hs_instance *in;
    hs_schedule *s;
    hs_plan_info info;
} plan;

/** Read p->path (`-`: standard input). 0, or an exit code after a message. */
int  plan_read(plan *p, const hs_read_options *reading);

/**
 * The same; a file that can be read twice may be an instance, and then p->s is NULL. The numbers of
 * workers in `reading` are for instances.
 */
int  plan_or_instance_read(plan *p, const hs_read_options *reading);
void plan_free(plan *p);

/** Is its schedule valid, workers being available from then on (NULL: 0)? 0, or an exit code after a message. */
int plan_check(const plan *p, const double *available);

/** "PLAN: not valid: ..." on one line; gives the exit code for that. */
int plan_not_valid(const plan *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
