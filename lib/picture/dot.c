/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Write a graph in the language of Graphviz: a box per task, a point per barrier, and an edge
 * labelled with its data and bytes; an edge is dashed if it only orders accesses to the same data.
 *
 * Attributes unknown to Graphviz let hs_import_dot() read the instance back: attributes of nodes
 * are named like columns, attributes of the graph like the header lines of an instance. An edge of
 * class `data` follows from the nodes' data.
 */
#include <stdio.h>

#include <hybridsched/io.h>

#include "core/graph/graph.h"
#include "core/memory_name.h"
#include "io/text/csv_write.h"
#include "io/text/output.h"
#include "picture/picture.h"
#include "support/decimal/decimal.h"

/* Write text inside double quotes, where a backslash could begin an escape. */
static void put_text(hsi_output *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            hsi_output_char(out, '\\');
        hsi_output_char(out, *text == '\n' || *text == '\r' || *text == '\t' ? ' ' : *text);
    }
}

/* Write an attribute with its exact text in quotes. */
static void put_value(hsi_output *out, const char *name, const char *text, size_t length)
{
    hsi_output_format(out, ", %s=\"", name);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\')
            hsi_output_char(out, '\\');
        hsi_output_char(out, text[i]);
    }
    hsi_output_char(out, '"');
}

static void put_number(hsi_output *out, const char *name, double value)
{
    char number[32];

    put_value(out, name, number, hs_format_double(value, number));
}

static hs_status put_list(hsi_output *out, const hs_instance *in, int column, size_t row)
{
    hsi_vector text = {0};
    hs_status  st = hsi_append_list_cell(&text, in, column, row) ? HS_ENOMEM : HS_OK;

    if (st == HS_OK && text.size > 0)
        put_value(out, hsi_columns[column].is.name, text.data, text.size);
    hsi_vector_free(&text);
    return st;
}

/* Write the value of a column as an attribute, unless it is the default. */
static hs_status put_column(hsi_output *out, const hs_instance *in, size_t row, int column)
{
    const hs_column *is = &hsi_columns[column].is;
    hsi_value        value;
    char             number[HSI_DECIMAL_MAX];

    if (column == HSI_DATA)
        return put_list(out, in, column, row);
    if (column == HSI_ID || column == HSI_COUNT || column == HSI_AFTER)
        return HS_OK;
    value = hsi_store_value(in->store, column, row);
    if (column > HSI_GPU && hsi_column_is_default(column, &value))
        return HS_OK;
    if (is->type == HS_COLUMN_TIME || is->type == HS_COLUMN_NUMBER)
        put_number(out, is->name, value.time);
    else if (is->type == HS_COLUMN_INTEGER)
        put_value(out, is->name, number, hsi_decimal_write_i64(value.integer, number));
    else if (is->type == HS_COLUMN_WORD)
        hsi_output_format(out, ", %s=%s", is->name, is->words[value.integer]);
    else
        put_value(out, is->name, value.text.at, value.text.length);
    return HS_OK;
}

static void put_link(hsi_output *out, const hs_instance *in, hs_link link, const char *name)
{
    double latency, bandwidth;
    char   number[2][32];

    if (!hs_instance_link(in, link, &latency, &bandwidth))
        return;
    hs_format_double(latency, number[0]);
    hs_format_double(bandwidth, number[1]);
    hsi_output_format(out, ", %s=\"%s %s\"", name, number[0], number[1]);
}

/* Append the memory that has the handle at the start, after a blank, unless it is the first host's.
 */
static int append_memory(hsi_vector *text, const hs_instance *in, size_t handle)
{
    uint32_t    memory = hs_instance_handle_memory_node(in, handle);
    char        buffer[16];
    const char *name;

    if (memory == 0)
        return 0;
    name = hsi_memory_node_name(in, memory, buffer);
    return hsi_vector_append(text, " ", 1) || hsi_vector_append(text, name, strlen(name));
}

/* Write the name, bytes and memory of each handle as an attribute of the graph. */
static hs_status put_sizes(hsi_output *out, const hs_instance *in)
{
    hsi_vector  text = {0};
    const char *name;
    bool        failed = false;

    for (size_t i = 0; !failed && (name = hs_instance_handle_name(in, i)); i++) {
        char   number[32];
        size_t length = hs_format_double(hs_instance_handle_bytes(in, i), number);

        failed = (i > 0 && hsi_vector_append(&text, ";", 1)) ||
                 hsi_append_name(&text, name, strlen(name)) || hsi_vector_append(&text, ":", 1) ||
                 hsi_vector_append(&text, number, length) || append_memory(&text, in, i);
    }
    if (!failed && text.size > 0)
        put_value(out, "data", text.data, text.size);
    hsi_vector_free(&text);
    return failed ? HS_ENOMEM : HS_OK;
}

/* Write the names and workers of the nodes as an attribute of the graph. */
static hs_status put_nodes(hsi_output *out, const hs_instance *in)
{
    hsi_vector  text = {0};
    const char *name;
    unsigned    cpus, gpus;
    bool        failed = false;

    for (size_t i = 0; !failed && (name = hs_instance_node(in, i, &cpus, &gpus)); i++) {
        char numbers[32];
        int  length = snprintf(numbers, sizeof numbers, " %u %u", cpus, gpus);

        failed = (i > 0 && hsi_vector_append(&text, " ", 1)) ||
                 hsi_vector_append(&text, name, strlen(name)) ||
                 hsi_vector_append(&text, numbers, (size_t)length);
    }
    if (!failed && text.size > 0)
        put_value(out, "nodes", text.data, text.size);
    hsi_vector_free(&text);
    return failed ? HS_ENOMEM : HS_OK;
}

static hs_status put_graph(hsi_output *out, const hs_instance *in)
{
    hsi_output_format(out, "  graph [cpus=%u, gpus=%u, unit=%s", hs_instance_cpus(in),
                      hs_instance_gpus(in), hs_unit_name(hs_instance_unit(in)));
    put_link(out, in, HS_H2D, "link_h2d");
    put_link(out, in, HS_D2H, "link_d2h");
    put_link(out, in, HS_D2D, "link_d2d");
    put_link(out, in, HS_N2N, "link_n2n");
    if (put_nodes(out, in) != HS_OK || put_sizes(out, in) != HS_OK)
        return HS_ENOMEM;
    hsi_output_text(out, "];\n");
    return HS_OK;
}

/* Write the time of a task on a type into its label; a guess is a question mark. */
static void put_time(hsi_output *out, const hs_instance *in, size_t task, hs_type type)
{
    hs_task row;

    hs_instance_row(in, hs_instance_row_of(in, task), &row);
    if (hsi_is_guessed(&row, type))
        hsi_output_char(out, '?');
    else
        hsi_output_format(out, "%g", type == HS_CPU ? row.cpu : row.gpu);
}

static hs_status put_vertex(hsi_output *out, const hs_instance *in, size_t vertex)
{
    char      name[HS_MAX_ID + 16];
    size_t    row;
    hs_status st = HS_OK;

    hsi_output_format(out, "  n%zu [", vertex);
    if (vertex >= hs_instance_tasks(in)) {
        hsi_output_text(out, "shape=point];\n");
        return HS_OK;
    }
    row = hs_instance_row_of(in, vertex);
    hs_instance_name(in, vertex, name, sizeof name);
    hsi_output_text(out, "label=\"");
    put_text(out, name);
    hsi_output_text(out, "\\n");
    put_time(out, in, vertex, HS_CPU);
    hsi_output_text(out, " / ");
    put_time(out, in, vertex, HS_GPU);
    hsi_output_char(out, '"');
    put_value(out, "id", name, strlen(name));
    for (int c = 0; c < HSI_COLUMNS && st == HS_OK; c++)
        st = put_column(out, in, row, c);
    hsi_output_text(out, "];\n");
    return st;
}

/* Return whether the instance lists the edge, which may also follow from accesses to data. */
static bool is_given(const hs_instance *in, const hs_graph *g, size_t from, size_t to)
{
    size_t   row, earlier;
    uint32_t copy;
    double   bytes;

    if (hsi_is_barrier(g, from) || hsi_is_barrier(g, to))
        return true;
    row = hs_instance_row_of(in, from);
    for (size_t i = 0;
         hs_instance_predecessor(in, hs_instance_row_of(in, to), i, &earlier, &copy, &bytes); i++)
        if (earlier == row &&
            (copy == 0 || from == hsi_store_first_task(in->store, row) + copy - 1))
            return true;
    return false;
}

/* Write the names of the data that `from` writes and `to` reads; return their number. */
static size_t put_data(hsi_output *out, const hs_instance *in, const hs_graph *g, size_t from,
                       size_t to)
{
    size_t           count = 0, found = 0;
    const hs_access *access = hsi_is_barrier(g, to) ? NULL : hsi_accesses(g, to, &count);

    for (size_t i = 0; i < count; i++) {
        if (access[i].writer != from || !(access[i].mode & HS_READ))
            continue;
        hsi_output_text(out, found++ ? ", " : " [label=\"");
        put_text(out, hs_instance_handle_name(in, access[i].data));
    }
    return found;
}

static void put_edge(hsi_output *out, const hs_instance *in, const hs_graph *g, size_t from,
                     size_t to, double bytes)
{
    bool   given = is_given(in, g, from, to);
    size_t pieces;

    hsi_output_format(out, "  n%zu -> n%zu", from, to);
    pieces = put_data(out, in, g, from, to);
    if (bytes > 0)
        hsi_output_format(out, "%s%g bytes", pieces++ ? ", " : " [label=\"", bytes);
    if (pieces)
        hsi_output_char(out, '"');
    else if (!given)
        hsi_output_text(out, " [style=dashed");
    if (!given)
        hsi_output_text(out, ", class=data");
    if (bytes > 0)
        put_number(out, "bytes", bytes);
    hsi_output_text(out, pieces || !given ? "];\n" : ";\n");
}

static void put_edges(hsi_output *out, const hs_instance *in, const hs_graph *g)
{
    for (size_t v = 0; v < g->vertices && !hsi_output_failed(out); v++) {
        size_t          count;
        const uint32_t *pred = hsi_predecessors(g, v, &count);
        const double   *bytes = hsi_predecessor_bytes(g, v);

        for (size_t i = 0; i < count; i++)
            put_edge(out, in, g, pred[i], v, bytes ? bytes[i] : 0);
    }
}

hs_status hs_dot_write(int fd, const hs_instance *in)
{
    const hs_graph *g = NULL;
    hsi_output      out;
    size_t          vertices;
    hs_status       st, closed;

    if (!in)
        return HS_EINVAL;
    st = hsi_require_known_times(in);
    if (st == HS_OK)
        st = hsi_graph_of(in, NULL, &g);
    if (st == HS_OK)
        st = hsi_output_open(&out, fd);
    if (st != HS_OK)
        return st;
    vertices = g ? g->vertices : hs_instance_tasks(in);
    hsi_output_text(&out, "digraph tasks {\n  node [shape=box];\n");
    st = put_graph(&out, in);
    for (size_t v = 0; v < vertices && st == HS_OK && !hsi_output_failed(&out); v++)
        st = put_vertex(&out, in, v);
    if (g && st == HS_OK)
        put_edges(&out, in, g);
    hsi_output_text(&out, "}\n");
    closed = hsi_output_close(&out);
    return st == HS_OK ? closed : st;
}
