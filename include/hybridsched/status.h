/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_STATUS_H
#define HYBRIDSCHED_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include <hybridsched/export.h>

HS_BEGIN_DECLS

/* The status of a call says whether it worked; details of the outcome are in its report. */
#define HS_STATUS_MAP(X)                                                                           \
    X(OK, 0, "success")                                                                            \
    X(EINVAL, -1, "invalid argument")                                                              \
    X(ENOMEM, -2, "out of memory")                                                                 \
    X(ETIME, -3, "a time is not a positive number")                                                \
    X(EWORKER, -4, "a task can run on none of the workers")                                        \
    X(EOVERFLOW, -5, "the sum of the times is too large")                                          \
    X(EDUPLICATE, -6, "two tasks have the same id")                                                \
    X(ESCHEDULE, -7, "the schedule is not valid")                                                  \
    X(ESYNTAX, -8, "malformed input")                                                              \
    X(EIO, -9, "reading or writing failed")                                                        \
    X(ESOLVER, -10, "the linear program solver failed")                                            \
    X(ECANCELED, -11, "cancelled by the caller")                                                   \
    X(EUNSUPPORTED, -12, "not supported by this build")                                            \
    X(ETOOBIG, -13, "larger than the documented limit")                                            \
    X(EFAILED, -14, "a task failed")                                                               \
    X(EREFUSED, -15, "not allowed by the settings")                                                \
    X(ERESOURCE, -16, "a required resource is missing")                                            \
    X(EGRAPH, -17, "the dependencies of the tasks are invalid")                                    \
    X(EDEPENDENT, -18, "supports independent tasks only, and these tasks depend on each other")    \
    X(EKIND, -19, "the file is of another kind")                                                   \
    X(EAVAILABLE, -20, "supports only workers that are all free at the start")                     \
    X(EUNKNOWN, -21, "a task has an unknown time")                                                 \
    X(EFULL, -22, "there is no room until a task ends or a handle is removed")

typedef enum hs_status {
#define HS_STATUS_CODE(name, value, text) HS_##name = value,
    HS_STATUS_MAP(HS_STATUS_CODE)
#undef HS_STATUS_CODE
} hs_status;

/** Return a one-line description of `status`; never NULL. */
HS_API const char *hs_status_text(hs_status status);

#define HS_WHY 512 /* size of a message in bytes */

/**
 * Description of a failed call. Calls that take a pointer to it accept NULL. They write it on
 * failure only. The layout is final: the structure will not grow.
 */
typedef struct hs_error {
    hs_status status;
    uint64_t  line;        /* line of a file, or number of a row of a builder, from 1; 0: the
                              fault has no position */
    uint64_t  column;      /* byte in the line, from 1; 0: the whole line */
    char      why[HS_WHY]; /* a line: the fault, and the expected value or the remedy */
} hs_error;

HS_END_DECLS

#endif
