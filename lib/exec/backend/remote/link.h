/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_REMOTE_LINK_H
#define HSI_EXEC_BACKEND_REMOTE_LINK_H

#include <pthread.h>

#include <hybridsched/backend.h>

#include "exec/backend/remote/launch.h"
#include "exec/backend/remote/protocol.h"

/*
 * The coordinator's connection to a node. A thread of its own reads what the node sends, says
 * `alive`, and notices that the node is lost. A node whose connection has ended or that sends
 * nonsense is doomed: it is lost when its guard says `dead`, or when the timeout has passed, in
 * which a node without coordinator ends its commands.
 */
typedef enum hsi_link_state {
    HSI_LINK_STARTS,
    HSI_LINK_READY,
    HSI_LINK_DOOMED,
    HSI_LINK_LOST /* no command of the node runs any more */
} hsi_link_state;

typedef struct hsi_link hsi_link;
struct hsi_link {
    const char *name;
    double      timeout, grace; /* seconds */
    const char *shared;         /* the end of the greeting, the same for all nodes */
    size_t      shared_left;

    /* Called in the link's thread: take a message `ended` or `line`, and return false if it is
     * wrong; and, with the lock held, note that the node is lost. */
    bool (*take)(hsi_link *link, const hsi_message *message);
    void (*lost)(hsi_link *link);

    pthread_mutex_t lock; /* for the members below, and for what `take` changes */
    pthread_cond_t  changed;
    hsi_link_state  state;
    bool            greeted;      /* the node has said hello */
    bool            shared_begun; /* `out` was empty, and `shared` is being sent */
    bool            ends;         /* hsi_link_end() was called */
    bool            over;         /* the node has said bye, or its output has ended */
    hs_status       refused;      /* status of a refusal; HS_OK: none */
    char            why[HS_WHY];  /* why the node is doomed or lost */
    bool            broken;       /* `why` is a failed write; the guard knows better */
    hsi_vector      out;          /* bytes to send */
    size_t          sent;         /* bytes of `out` that are sent */
    int64_t         heard, said;  /* times in ns of the last byte and of the last `alive` */
    int64_t         doomed;       /* time in ns from which a doomed node has `timeout` to end */
    int64_t         ended;        /* time in ns of hsi_link_end() */
    hsi_launcher launcher;
    int          kick; /* wakes the thread; -1: the link could not be made */
    pthread_t    thread;
    bool         threaded;
    hsi_parser   parser; /* of the thread */
};

/* Start the node with the shell command. The caller has set the first members, and `out` to the
 * begin of the greeting. HS_ERESOURCE or HS_ENOMEM, with link->why: the link is lost. */
hs_status hsi_link_start(hsi_link *link, const char *command);

/* Wait until the node is ready or lost. Return HS_OK, or the status of the refusal, with
 * link->why. */
hs_status hsi_link_wait(hsi_link *link);

/* Make the link one of a node that never started. */
void hsi_link_miss(hsi_link *link, const char *why);

/* Append a line; write what was appended. Hold the lock. */
void hsi_link_put(hsi_link *link, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hsi_link_flush(hsi_link *link);

/* Let the thread of the link write what was appended. */
void hsi_link_wake(const hsi_link *link);

/* End a node in three steps. A caller takes each step for all links before the next one, so that
 * the nodes end at the same time. */
void hsi_link_end(hsi_link *link);   /* Tell the node to end. */
void hsi_link_close(hsi_link *link); /* Wait for the node, and close its connection. */
void hsi_link_free(hsi_link *link, int64_t until); /* Kill a launcher that still runs at `until`. */

#endif
