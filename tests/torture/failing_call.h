/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_TORTURE_FAILING_CALL_H
#define TESTS_TORTURE_FAILING_CALL_H

#include <stdbool.h>

/* Kinds of calls that can fail. Allocations and dlopen fail in a preloaded library, in the tool's own
 * process; the others are system calls of the tool and of all processes that it starts. */
typedef enum call_kind {
    CALL_NONE,
    CALL_ALLOCATION,
    CALL_DLOPEN,
    CALL_OPEN,  /* of a file below the folder of the run */
    CALL_READ,  /* of such a file */
    CALL_WRITE, /* to a file, standard output included */
    CALL_SYNC,  /* fsync, fdatasync */
    CALL_RENAME,
    CALL_FORK,
    CALL_THREAD, /* start of a thread */
    CALL_EXEC,   /* except the execve of the tool */
    CALL_KINDS
} call_kind;

typedef struct failing_call {
    call_kind     kind;
    int           error;
    unsigned long at; /* number of the call that fails, from 1 on */
} failing_call;

typedef struct call_outcome {
    int           status;  /* of waitpid() */
    unsigned long made;    /* number of calls of the kind */
    bool          reached; /* whether the call that fails was made */
} call_outcome;

/* Run the tool argv[0], with its path, in a folder, and wait until it and all its descendants have
 * ended. The files `output` and `errors` get the standard streams. Exit with 77 if this system cannot
 * make calls fail. */
call_outcome run_with_failing_call(char *const argv[], const char *folder, const char *output,
                                   const char *errors, const failing_call *call);

#endif
