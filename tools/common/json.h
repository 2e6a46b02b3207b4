/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <hybridsched/io.h>

/* JSON (RFC 8259) as a tree, for reports that a tool wrote earlier. */

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
    const char        *name;   /* of a member of an object; NULL: an element, or the whole */
    const char        *text;   /* of a string, without its escapes */
    double             number; /* of a number; else NaN */
    struct json_value *first;  /* of an array's elements, or an object's members */
    struct json_value *next;   /* of the same array or object */
} json_value;

/** A tree and the memory behind it. */
typedef struct json_tree json_tree;

/**
 * The tree of `text`, which json_free() frees with it in any case. NULL if it is no JSON, or deeper
 * than 64 values: *why says where and why. O(length); ends the program without memory.
 */
json_tree        *json_parse(char *text, size_t length, hs_diagnostic *why);
const json_value *json_root(const json_tree *tree);
void              json_free(json_tree *tree);

/** The first member of that name; NULL if there is none, or `object` is NULL or no object. */
const json_value *json_member(const json_value *object, const char *name);

/** The number of that name; NaN if there is none. The text of that name; NULL if there is none. */
double      json_number_of(const json_value *object, const char *name);
const char *json_text_of(const json_value *object, const char *name);

/** The first element of the array of that name; NULL if it is empty, or there is none. */
const json_value *json_first_of(const json_value *object, const char *name);

#endif
