/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_DOT_PARSER_H
#define HSI_IO_IMPORT_DOT_PARSER_H

#include "io/import/dot/lexer.h"
#include "io/import/barrier_nodes.h"
#include "support/vector.h"

/*
 * The attributes that become part of an instance: the columns of tasks, then the names below. Any
 * different attribute is skipped.
 */
enum {
    HSI_DOT_SHAPE = HSI_COLUMNS, /* shape of a node: a `point` without times is a barrier */
    HSI_DOT_BYTES,               /* bytes of an edge */
    HSI_DOT_CLASS,               /* class of an edge: `data` if it follows from accesses to data */
    HSI_DOT_ATTRIBUTES
};

typedef struct hsi_dot_value {
    hsi_text    text;
    const char *at; /* value; NULL: the attribute is missing */
} hsi_dot_value;

/* The values of all attributes at the first appearance of a node or an edge. */
typedef struct hsi_dot_values {
    hsi_dot_value of[HSI_DOT_ATTRIBUTES];
} hsi_dot_values;

typedef struct hsi_dot_node {
    const char *at;       /* position of the first appearance */
    uint32_t    defaults; /* index in hsi_dot.defaults */
} hsi_dot_node;

/* An attribute given to a node after its first appearance, in order. */
typedef struct hsi_dot_given {
    uint32_t      node, attribute;
    hsi_dot_value value;
} hsi_dot_given;

/* An attribute of the graph. */
typedef struct hsi_dot_fact {
    hsi_text      name;
    hsi_dot_value value;
} hsi_dot_fact;

typedef struct hsi_dot {
    hsi_dot_lexer lexer;
    size_t        most_edges;
    const char   *time, *bytes; /* names of the attributes for time and bytes */
    bool          is_strict;
    hsi_words     names;    /* names of nodes, numbered by first appearance */
    hsi_vector    nodes;    /* hsi_dot_node */
    hsi_vector    defaults; /* hsi_dot_values */
    hsi_vector    given;    /* hsi_dot_given */
    hsi_vector    edges;    /* hsi_node_edge, of nodes */
    hsi_vector    facts;    /* hsi_dot_fact */
    hsi_vector    members;  /* uint32_t: nodes of the subgraphs being read */
} hsi_dot;

/* Parse the whole text. HS_ESYNTAX, HS_ENOMEM. Call hsi_dot_close() in any case. */
hs_status hsi_dot_parse(hsi_dot *d, const hsi_import *importer);
void      hsi_dot_close(hsi_dot *d);

#endif
