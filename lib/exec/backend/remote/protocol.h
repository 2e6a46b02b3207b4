/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_REMOTE_PROTOCOL_H
#define HSI_EXEC_BACKEND_REMOTE_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hybridsched/version.h>

#include "support/vector.h"

/*
 * The messages between the coordinator and its nodes. A message is a line of at most
 * HSI_MESSAGE_LINE bytes: words separated by one space. A last word +LENGTH announces that many
 * bytes, which follow the newline. An empty line is no message.
 *
 * To a node:
 *   hybridsched-node 1 VERSION          the first message
 *   option NAME +LENGTH                 a setting, see options.h
 *   instance DIGEST +LENGTH             the end of the settings; the node answers ready or refuse
 *   begin WORKER                        let the worker begin attempts; a failure stops the worker,
 *                                       since the coordinator may forbid what follows
 *   hold WORKER                         let the worker begin no attempt until the next begin
 *   run WORKER TASK ATTEMPT             an attempt; a worker runs its attempts one by one
 *   cancel WORKER TASK ATTEMPT WHY      WHY: an hs_cancel
 *   drain                               stop each worker after its attempt
 *   alive                               the coordinator receives the node's messages
 *   end                                 no attempt will follow
 *
 * From a node:
 *   hello 1 VERSION HOST                the first message
 *   ready, or refuse STATUS +LENGTH     LENGTH bytes: the reason
 *   line WORKER TASK ATTEMPT STREAM +LENGTH    a line of output
 *   ended WORKER TASK ATTEMPT OUTCOME SECONDS STATUS SIGNAL CORE WAIT +LENGTH
 *                                       OUTCOME 4: did not begin; STATUS 256: no status; CORE,
 *                                       WAIT: seconds; LENGTH bytes: the reason of a failure
 *   alive, bye
 *   dead                                from the guard: all commands of the node have ended
 */
enum { HSI_MESSAGE_LINE = 4096, HSI_MESSAGE_WORDS = 12, HSI_PROTOCOL = 1 };

/* A message; valid until the next call for its parser. */
typedef struct hsi_message {
    unsigned    words;
    const char *word[HSI_MESSAGE_WORDS];
    const char *bytes; /* the announced bytes; NULL: none were announced */
    size_t      length;
} hsi_message;

/* Splits a stream into messages. A zeroed structure with `most` is at the begin of a stream. */
typedef struct hsi_parser {
    size_t     most;   /* largest LENGTH that is accepted */
    hsi_vector input;  /* received bytes */
    size_t     parsed; /* bytes of `input` that belong to returned messages */
    size_t     looked; /* bytes after `parsed` without a newline */
    char       line[HSI_MESSAGE_LINE];
} hsi_parser;

typedef enum hsi_parse { HSI_PARSE_MORE, HSI_PARSE_MESSAGE, HSI_PARSE_DEFECT } hsi_parse;

/* Add received bytes. Return false if memory is short. */
bool hsi_parser_add(hsi_parser *parser, const void *bytes, size_t count);

/* Get the next message. HSI_PARSE_MORE: it is not complete. HSI_PARSE_DEFECT: the stream is no
 * stream of messages, and `message` has the offending line as its only word. */
hsi_parse hsi_parser_next(hsi_parser *parser, hsi_message *message);

/* Return true if the received bytes end with the guard's message `dead`, also within an incomplete
 * message: a node may die while it writes. */
bool hsi_parser_ends_dead(const hsi_parser *parser);

/* Forget the received bytes, except what hsi_parser_ends_dead() needs. */
void hsi_parser_skip(hsi_parser *parser);
void hsi_parser_free(hsi_parser *parser);

/* Return true if the message has this name and number of words, the name included, and announced
 * bytes or not. */
bool hsi_message_is(const hsi_message *message, const char *name, unsigned words, bool bytes);

/* Read a word as a number in decimal digits, at most `most`. Return false if it is none. */
bool hsi_message_number(const hsi_message *message, unsigned word, uint64_t most, uint64_t *out);

/* Read a word as a finite number or "nan". Return false if it is none. */
bool hsi_message_real(const hsi_message *message, unsigned word, double *out);

#endif
