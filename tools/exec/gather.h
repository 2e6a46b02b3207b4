/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_GATHER_H
#define TOOLS_EXEC_GATHER_H

#include "exec/exec.h"

/* An attempt with a worker of the gathered run. */
typedef struct gathered_entry {
    hs_journal_attempt attempt;
    char               why[32];
    unsigned           lane;
} gathered_entry;

struct exec_gathered {
    const char              *journal; /* argument of --journal */
    const exec_journal_list *list;
    size_t                   journals;   /* number of journals of the list that exist */
    bool                     mixed;      /* whether the journals are of several numbers of shares */
    unsigned                 shares;     /* number of shares; 0: unknown */
    unsigned                 workers[2]; /* by hs_type: numbers of workers in the file */
    uint32_t                *owner;      /* share of each task; NULL: unknown */
    hs_journal_state        *state;      /* by task */
    char                     missing[128]; /* numbers of tasks that are not done, by reason */
    size_t                  *strange; /* by journal: number of attempts at tasks not in the file */
    /* sorted by lane and time; without attempts of commands that have changed since */
    gathered_entry  *entries;
    size_t           count, room;
    hs_exec_record  *records; /* of the entries */
    hs_exec_failure *failures;
    size_t           failure_count;
};

#endif
