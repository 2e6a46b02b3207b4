/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_REMOTE_REMOTE_PRIVATE_H
#define HSI_EXEC_BACKEND_REMOTE_REMOTE_PRIVATE_H

#include "exec/backend/remote/link.h"
#include "exec/backend/remote/remote.h"

/* An attempt that the node has. */
typedef struct hsi_remote_attempt {
    hs_attempt *attempt;
    int         log[2];    /* files for standard output and standard error; -1: none */
    int         log_error; /* errno of the first failed write */
    hsi_vector  lines; /* its output, until the worker passes it on: for each line a line_head */
    bool        cancelled; /* the node was told */
    bool        ended;
    hs_outcome  outcome;
    int64_t     start, end; /* ns of the clock, when `ended` */
} hsi_remote_attempt;

typedef struct hsi_remote_node hsi_remote_node;

/* A worker on a node. The lock of the node's link guards the members from `attempts` on; an attempt
 * that has not ended stays where it is. */
typedef struct hsi_remote_worker {
    hs_backend_worker  base;
    hsi_remote_node   *node;
    unsigned           number;
    int                event; /* descriptor that becomes readable when an awaited attempt ends */
    hsi_remote_attempt attempts[HSI_REMOTE_DEPTH]; /* a ring, in the order of submission */
    unsigned           first, count;
    bool               waits;    /* the worker waits for `event` */
    bool stopped; /* the node begins no attempt of the worker until the message `begin` */
    int64_t            last_end; /* end of the attempt that ended last */
} hsi_remote_worker;

struct hsi_remote_node {
    hsi_link    link;
    hsi_remote *remote;
    unsigned    first[2], count[2]; /* workers, by hs_type */
};

struct hsi_remote {
    hs_backend          backend;
    const hsi_run_spec *spec;
    unsigned            count;
    hsi_remote_node    *node;
    hsi_remote_worker  *worker;   /* by number */
    hsi_vector          instance; /* the message `instance` */
};

/* remote.c: functions of the links. */
bool hsi_remote_take(hsi_link *link, const hsi_message *message);
void hsi_remote_lost(hsi_link *link);

/* remote.c: the functions of the backend. */
extern const hs_backend hsi_backend_remote;

#endif
