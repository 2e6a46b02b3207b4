/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <hybridsched/io.h>

/* JSON parser (RFC 8259) that returns a tree, for reports written by an earlier run of a tool. */

typedef enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

typedef struct json_value {
    json_kind          kind;
    const char        *name;   /* member name; NULL: array element or root */
    const char        *text;   /* string without its escapes */
    double             number; /* value of a number; NaN for any different kind */
    struct json_value *first;  /* first element of an array or member of an object */
    struct json_value *next;   /* next element or member in the parent value */
} json_value;

/** A tree of values; owns their memory. */
typedef struct json_tree json_tree;

/**
 * Parse `text` and take ownership of it, also on failure. Return the tree, which json_free()
 * releases; or NULL if the text is not JSON or nests deeper than 64 values, with the position and
 * reason in *error. O(length). Without memory the program ends.
 */
json_tree        *json_parse(char *text, size_t length, hs_error *error);
const json_value *json_root(const json_tree *tree);
void              json_free(json_tree *tree);

/**
 * Return the first member named `name`; NULL if there is none or `object` is not an object or NULL.
 */
const json_value *json_member(const json_value *object, const char *name);

/** Return the number of member `name`, NaN if none; the text of member `name`, NULL if none. */
double      json_number_of(const json_value *object, const char *name);
const char *json_text_of(const json_value *object, const char *name);

/** Return the first element of the array `name`; NULL if the array is empty or missing. */
const json_value *json_first_of(const json_value *object, const char *name);

#endif
