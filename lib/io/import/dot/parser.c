/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parser of the DOT language as Graphviz has it, for directed graphs: nodes, chains of edges,
 * attributes and their defaults, subgraphs (as a group of nodes, and as an end of edges), ports
 * (which are ignored).
 */
#include "io/import/dot/parser.h"

#include <stdlib.h>

#include "io/text/field_value.h"

enum { MOST_DEPTH = 64 };

/* The default attributes that apply in a subgraph, as indices in `defaults`. */
typedef struct scope {
    uint32_t node, edge;
    int      depth;
} scope;

/* The attributes of a statement. */
typedef struct attributes {
    hsi_vector list; /* hsi_dot_fact */
} attributes;

static hs_status expect_sign(hsi_dot *d, char sign)
{
    char expected[] = {'\'', sign, '\'', '\0'};

    return hsi_dot_is_sign(&d->lexer, sign) ? hsi_dot_next(&d->lexer)
                                            : hsi_dot_unexpected(&d->lexer, expected);
}

static hs_status take_id(hsi_dot *d, const char *expected, hsi_dot_value *id)
{
    *id = (hsi_dot_value){d->lexer.token.text, d->lexer.token.at};
    return d->lexer.token.kind == HSI_DOT_ID ? hsi_dot_next(&d->lexer)
                                             : hsi_dot_unexpected(&d->lexer, expected);
}

/* Read `= ID` after the name of an attribute. */
static hs_status take_value(hsi_dot *d, hsi_dot_value *value)
{
    hs_status st = expect_sign(d, '=');

    return st == HS_OK ? take_id(d, "a value", value) : st;
}

static hs_status append(hsi_vector *to, const void *item, size_t size)
{
    return hsi_vector_append(to, item, size) ? HS_ENOMEM : HS_OK;
}

static hs_status take_attribute(hsi_dot *d, attributes *a)
{
    hsi_dot_value name;
    hsi_dot_fact  fact;
    hs_status     st = take_id(d, "an attribute or ']'", &name);

    /* an attribute without a value is "true" */
    fact = (hsi_dot_fact){name.text, {{"true", 4}, name.at}};
    if (st == HS_OK && hsi_dot_is_sign(&d->lexer, '='))
        st = take_value(d, &fact.value);
    if (st == HS_OK)
        st = append(&a->list, &fact, sizeof fact);
    if (st == HS_OK && (hsi_dot_is_sign(&d->lexer, ',') || hsi_dot_is_sign(&d->lexer, ';')))
        st = hsi_dot_next(&d->lexer);
    return st;
}

/* Read any number of [...] lists. */
static hs_status take_attributes(hsi_dot *d, attributes *a)
{
    hs_status st = HS_OK;

    a->list.size = 0;
    while (st == HS_OK && hsi_dot_is_sign(&d->lexer, '[')) {
        st = hsi_dot_next(&d->lexer);
        while (st == HS_OK && !hsi_dot_is_sign(&d->lexer, ']'))
            st = take_attribute(d, a);
        if (st == HS_OK)
            st = hsi_dot_next(&d->lexer);
    }
    return st;
}

/* Return the node attribute with this name; -1: ignored. */
static int node_attribute(const hsi_dot *d, hsi_text name)
{
    if (hsi_text_is(name, d->time))
        return HSI_CPU;
    if (hsi_text_is(name, "shape"))
        return HSI_DOT_SHAPE;
    for (int c = 0; c < HSI_COLUMNS; c++)
        if (c != HSI_CPU && c != HSI_AFTER && c != HSI_COUNT &&
            hsi_text_is(name, hsi_columns[c].is.name))
            return c;
    return -1;
}

static int edge_attribute(const hsi_dot *d, hsi_text name)
{
    if (hsi_text_is(name, d->bytes))
        return HSI_DOT_BYTES;
    return hsi_text_is(name, "class") ? HSI_DOT_CLASS : -1;
}

typedef int which_attribute(const hsi_dot *d, hsi_text name);

/* Return the values of default set `defaults`, overridden by a list of attributes. */
static hsi_dot_values values_with(const hsi_dot *d, uint32_t defaults, const attributes *a,
                                  which_attribute *which)
{
    const hsi_dot_fact *fact = a->list.data;
    hsi_dot_values      values = ((const hsi_dot_values *)d->defaults.data)[defaults];

    for (size_t i = 0; i < a->list.size / sizeof *fact; i++) {
        int attribute = which(d, fact[i].name);

        if (attribute >= 0)
            values.of[attribute] = fact[i].value;
    }
    return values;
}

static hs_status change_defaults(hsi_dot *d, const attributes *a, which_attribute *which,
                                 uint32_t *defaults)
{
    hsi_dot_values values = values_with(d, *defaults, a, which);

    *defaults = (uint32_t)(d->defaults.size / sizeof values);
    return append(&d->defaults, &values, sizeof values);
}

static hs_status find_node(hsi_dot *d, const scope *in, hsi_dot_value name, uint32_t *node)
{
    size_t    known = d->names.count, number;
    hs_status st = hsi_words_find_or_add(&d->names, name.text, &number);

    *node = (uint32_t)number;
    if (st == HS_OK && number == known) {
        hsi_dot_node fresh = {name.at, in->node};

        st = append(&d->nodes, &fresh, sizeof fresh);
    }
    return st == HS_OK ? append(&d->members, node, sizeof *node) : st;
}

/* Skip `:port` or `:port:compass`. */
static hs_status skip_port(hsi_dot *d)
{
    hsi_dot_value ignored;
    hs_status     st = HS_OK;

    for (int i = 0; i < 2 && st == HS_OK && hsi_dot_is_sign(&d->lexer, ':'); i++) {
        st = hsi_dot_next(&d->lexer);
        if (st == HS_OK)
            st = take_id(d, "a port", &ignored);
    }
    return st;
}

static hs_status take_statements(hsi_dot *d, scope in);

/* Read `[subgraph [ID]] { ... }`. */
static hs_status take_subgraph(hsi_dot *d, scope in)
{
    hsi_dot_value name;
    hs_status     st = HS_OK;

    if (++in.depth > MOST_DEPTH)
        return hsi_import_fail(d->lexer.text, d->lexer.token.at,
                               "subgraphs in subgraphs; expected at most %d deep", MOST_DEPTH);
    if (hsi_dot_is_keyword(&d->lexer, "subgraph")) {
        st = hsi_dot_next(&d->lexer);
        if (st == HS_OK && d->lexer.token.kind == HSI_DOT_ID)
            st = take_id(d, "a name", &name);
    }
    if (st == HS_OK)
        st = expect_sign(d, '{');
    if (st == HS_OK)
        st = take_statements(d, in);
    return st == HS_OK ? expect_sign(d, '}') : st;
}

/*
 * Read one end of edges, a node or a subgraph: append its nodes to `members`; *first is the index
 * of the first.
 */
static hs_status take_end(hsi_dot *d, const scope *in, size_t *first)
{
    hsi_dot_value name;
    uint32_t      node;
    hs_status     st;

    *first = d->members.size / sizeof node;
    if (hsi_dot_is_sign(&d->lexer, '{') || hsi_dot_is_keyword(&d->lexer, "subgraph"))
        return take_subgraph(d, *in);
    st = take_id(d, "a node, '{' or '}'", &name);
    if (st == HS_OK)
        st = find_node(d, in, name, &node);
    return st == HS_OK ? skip_port(d) : st;
}

static int compare_nodes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Sort the members first .. end - 1 and remove duplicates; return the number of distinct nodes. */
static size_t sort_members(hsi_dot *d, size_t first, size_t end, uint32_t **nodes)
{
    size_t kept = 0;

    *nodes = (uint32_t *)d->members.data + first;
    if (end - first > 1)
        qsort(*nodes, end - first, sizeof **nodes, compare_nodes);
    for (size_t i = 0; i < end - first; i++)
        if (kept == 0 || (*nodes)[i] != (*nodes)[kept - 1])
            (*nodes)[kept++] = (*nodes)[i];
    return kept;
}

/* Set the attributes of an edge from the values of its statement. */
static hs_status make_edge(hsi_dot *d, const hsi_dot_values *values, hsi_node_edge *edge)
{
    const hsi_dot_value *bytes = &values->of[HSI_DOT_BYTES], *class = &values->of[HSI_DOT_CLASS];
    char                 shown[HSI_SHOWN];

    edge->is_data = class->at && hsi_text_is(class->text, "data");
    edge->bytes = 0;
    if (!bytes->at || bytes->text.length == 0 ||
        (hsi_text_to_number(bytes->text.at, bytes->text.length, &edge->bytes) && edge->bytes >= 0))
        return HS_OK;
    return hsi_import_fail(d->lexer.text, bytes->at, "%s %s; expected a number of at least 0",
                           d->bytes, hsi_import_quote(bytes->text, shown));
}

/* Add an edge from each member first .. middle - 1 to each member middle .. end - 1. */
static hs_status join(hsi_dot *d, size_t first, size_t middle, size_t end, hsi_node_edge edge)
{
    uint32_t *from, *to;
    size_t    after = sort_members(d, middle, end, &to);
    size_t    before = sort_members(d, first, middle, &from);
    hs_status st = HS_OK;

    if (before && after > (d->most_edges - d->edges.size / sizeof edge) / before)
        return hsi_import_fail(d->lexer.text, edge.at,
                               "more edges than a file of this size may "
                               "mean, which is %zu",
                               d->most_edges);
    for (size_t i = 0; i < before; i++)
        for (size_t j = 0; j < after && st == HS_OK; j++) {
            edge.earlier = from[i];
            edge.later = to[j];
            st = append(&d->edges, &edge, sizeof edge);
        }
    return st;
}

/*
 * Add the edges of a chain a -> b -> c. start[i] is the index in `members` of the first node of end
 * i of the chain; the last element is the number of members.
 */
static hs_status add_chain(hsi_dot *d, const hsi_vector *start, const hsi_dot_values *values,
                           const char *at)
{
    const size_t  *from = start->data;
    hsi_node_edge edge = {.at = at};
    hs_status      st = make_edge(d, values, &edge);

    for (size_t i = 0; i + 2 < start->size / sizeof *from && st == HS_OK; i++)
        st = join(d, from[i], from[i + 1], from[i + 2], edge);
    return st;
}

static hs_status give(hsi_dot *d, uint32_t node, const attributes *a)
{
    const hsi_dot_fact *fact = a->list.data;
    hs_status           st = HS_OK;

    for (size_t i = 0; i < a->list.size / sizeof *fact && st == HS_OK; i++) {
        int attribute = node_attribute(d, fact[i].name);

        if (attribute >= 0) {
            hsi_dot_given given = {node, (uint32_t)attribute, fact[i].value};

            st = append(&d->given, &given, sizeof given);
        }
    }
    return st;
}

/* Read nodes or subgraphs with arrows between them, and attributes of the node or the edges. */
static hs_status take_chain(hsi_dot *d, scope in, attributes *a)
{
    hsi_dot_values values;
    hsi_vector     start = {0};
    const char    *at = d->lexer.token.at;
    bool           is_node = d->lexer.token.kind == HSI_DOT_ID;
    size_t         first, ends = 0;
    hs_status      st = HS_OK;

    for (;; ends++) {
        st = take_end(d, &in, &first);
        if (st == HS_OK)
            st = append(&start, &first, sizeof first);
        if (st == HS_OK && d->lexer.token.kind == HSI_DOT_LINE)
            st = hsi_dot_unexpected(&d->lexer, "'->', for the graph is directed");
        if (st != HS_OK || d->lexer.token.kind != HSI_DOT_ARROW)
            break;
        st = hsi_dot_next(&d->lexer);
        if (st != HS_OK)
            break;
    }
    first = d->members.size / sizeof(uint32_t);
    if (st == HS_OK)
        st = append(&start, &first, sizeof first);
    if (st == HS_OK && (is_node || ends > 0))
        st = take_attributes(d, a);
    if (st == HS_OK && ends > 0) {
        values = values_with(d, in.edge, a, edge_attribute);
        st = add_chain(d, &start, &values, at);
    } else if (st == HS_OK && is_node) {
        st = give(d, ((uint32_t *)d->members.data)[first - 1], a);
    }
    hsi_vector_free(&start);
    return st;
}

/* Store attributes of the whole graph; attributes of a subgraph are ignored. */
static hs_status keep_facts(hsi_dot *d, const scope *in, const attributes *a)
{
    return in->depth || a->list.size == 0 ? HS_OK : append(&d->facts, a->list.data, a->list.size);
}

static hs_status take_defaults(hsi_dot *d, scope *in, attributes *a)
{
    bool      is_node = hsi_dot_is_keyword(&d->lexer, "node");
    bool      is_edge = hsi_dot_is_keyword(&d->lexer, "edge");
    hs_status st = hsi_dot_next(&d->lexer);

    if (st == HS_OK && !hsi_dot_is_sign(&d->lexer, '['))
        return hsi_dot_unexpected(&d->lexer, "'['");
    if (st == HS_OK)
        st = take_attributes(d, a);
    if (st != HS_OK)
        return st;
    if (is_node)
        return change_defaults(d, a, node_attribute, &in->node);
    return is_edge ? change_defaults(d, a, edge_attribute, &in->edge) : keep_facts(d, in, a);
}

/* Return whether the statement is ID = ID, by looking at the token after the first ID. */
static bool is_assignment(hsi_dot *d, hs_status *st)
{
    hsi_dot_lexer ahead = d->lexer;
    bool          found;

    if (d->lexer.token.kind != HSI_DOT_ID)
        return false;
    *st = hsi_dot_next(&ahead);
    d->lexer.arena = ahead.arena;
    found = *st == HS_OK && hsi_dot_is_sign(&ahead, '=');
    return found;
}

static hs_status take_statement(hsi_dot *d, scope *in, attributes *a)
{
    hs_status st = HS_OK;

    if (hsi_dot_is_keyword(&d->lexer, "node") || hsi_dot_is_keyword(&d->lexer, "edge") ||
        hsi_dot_is_keyword(&d->lexer, "graph"))
        return take_defaults(d, in, a);
    if (is_assignment(d, &st)) {
        a->list.size = 0;
        st = take_attribute(d, a);
        return st == HS_OK ? keep_facts(d, in, a) : st;
    }
    return st == HS_OK ? take_chain(d, *in, a) : st;
}

/*
 * Read statements up to '}', which is not consumed. Nodes are added to `members` only within a
 * subgraph.
 */
static hs_status take_statements(hsi_dot *d, scope in)
{
    attributes a = {{0}};
    hs_status  st = HS_OK;

    while (st == HS_OK && !hsi_dot_is_sign(&d->lexer, '}')) {
        if (in.depth == 0)
            d->members.size = 0;
        st = take_statement(d, &in, &a);
        while (st == HS_OK && (hsi_dot_is_sign(&d->lexer, ';') || hsi_dot_is_sign(&d->lexer, ',')))
            st = hsi_dot_next(&d->lexer);
    }
    hsi_vector_free(&a.list);
    return st;
}

static hs_status take_head(hsi_dot *d)
{
    hsi_dot_value name;
    hs_status     st = hsi_dot_next(&d->lexer);

    if (st == HS_OK && hsi_dot_is_keyword(&d->lexer, "strict")) {
        d->is_strict = true;
        st = hsi_dot_next(&d->lexer);
    }
    if (st == HS_OK && !hsi_dot_is_keyword(&d->lexer, "digraph"))
        return hsi_dot_unexpected(&d->lexer, "'digraph', a directed graph");
    if (st == HS_OK)
        st = hsi_dot_next(&d->lexer);
    if (st == HS_OK && d->lexer.token.kind == HSI_DOT_ID)
        st = take_id(d, "a name", &name);
    return st == HS_OK ? expect_sign(d, '{') : st;
}

hs_status hsi_dot_parse(hsi_dot *d, const hsi_import *importer)
{
    static const hsi_dot_values none;
    hs_status                   st;

    *d = (hsi_dot){.lexer = {.text = &importer->text, .next = importer->text.at},
                   .most_edges = hsi_import_edge_limit(importer),
                   .time = importer->settings.time ? importer->settings.time : "cpu",
                   .bytes = importer->settings.bytes ? importer->settings.bytes : "bytes"};
    st = append(&d->defaults, &none, sizeof none);
    if (st == HS_OK)
        st = take_head(d);
    if (st == HS_OK)
        st = take_statements(d, (scope){0});
    if (st == HS_OK)
        st = expect_sign(d, '}');
    if (st == HS_OK && d->lexer.token.kind != HSI_DOT_END)
        return hsi_dot_unexpected(&d->lexer, "nothing behind the graph");
    return st;
}

void hsi_dot_close(hsi_dot *d)
{
    hsi_arena_close(&d->lexer.arena);
    hsi_words_free(&d->names);
    hsi_vector_free(&d->nodes);
    hsi_vector_free(&d->defaults);
    hsi_vector_free(&d->given);
    hsi_vector_free(&d->edges);
    hsi_vector_free(&d->facts);
    hsi_vector_free(&d->members);
}
