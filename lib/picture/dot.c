/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A graph in the language of Graphviz: a box a task, a point a barrier, an edge for each that there
 * is, with the data and bytes that move along it; dashed where it only keeps tasks that access the
 * same data in order.
 */
#include <hybridsched/io.h>

#include "core/graph/graph.h"
#include "io/text/output.h"

/* Inside double quotes, where a backslash could begin an escape. */
static void put_text(hsi_output *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            hsi_output_char(out, '\\');
        hsi_output_char(out, *text == '\n' || *text == '\r' || *text == '\t' ? ' ' : *text);
    }
}

static void put_vertex(hsi_output *out, const hs_instance *in, size_t vertex)
{
    char name[HS_MAX_ID + 16];

    hsi_output_format(out, "  n%zu [", vertex);
    if (vertex >= hs_instance_tasks(in)) {
        hsi_output_text(out, "shape=point];\n");
        return;
    }
    hs_instance_name(in, vertex, name, sizeof name);
    hsi_output_text(out, "label=\"");
    put_text(out, name);
    hsi_output_format(out, "\\n%g / %g\"];\n", hs_instance_time(in, vertex, HS_CPU),
                      hs_instance_time(in, vertex, HS_GPU));
}

/* Was it told, or does it only follow from the data? */
static int is_told(const hs_instance *in, const hs_graph *g, size_t from, size_t to)
{
    size_t   row, earlier;
    uint32_t copy;
    double   bytes;

    if (hsi_is_barrier(g, from) || hsi_is_barrier(g, to))
        return 1;
    row = hs_instance_row_of(in, from);
    for (size_t i = 0;
         hs_instance_after(in, hs_instance_row_of(in, to), i, &earlier, &copy, &bytes); i++)
        if (earlier == row && (copy == 0 || from == hsi_store_first(in->store, row) + copy - 1))
            return 1;
    return 0;
}

/* What `to` reads that `from` has written; how many pieces that is. */
static size_t put_data(hsi_output *out, const hs_instance *in, const hs_graph *g, size_t from,
                       size_t to)
{
    size_t           count = 0, found = 0;
    const hs_access *access = hsi_is_barrier(g, to) ? NULL : hsi_accesses(g, to, &count);

    for (size_t i = 0; i < count; i++) {
        if (access[i].writer != from || !(access[i].mode & HS_READ))
            continue;
        hsi_output_text(out, found++ ? ", " : " [label=\"");
        put_text(out, hs_instance_data_name(in, access[i].data));
    }
    return found;
}

static void put_edge(hsi_output *out, const hs_instance *in, const hs_graph *g, size_t from,
                     size_t to, double bytes)
{
    size_t pieces;

    hsi_output_format(out, "  n%zu -> n%zu", from, to);
    pieces = put_data(out, in, g, from, to);
    if (bytes > 0)
        hsi_output_format(out, "%s%g bytes", pieces++ ? ", " : " [label=\"", bytes);
    if (pieces)
        hsi_output_text(out, "\"]");
    else if (!is_told(in, g, from, to))
        hsi_output_text(out, " [style=dashed]");
    hsi_output_text(out, ";\n");
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
    hs_status       st;

    if (!in)
        return HS_EINVAL;
    st = hsi_graph_of(in, &g);
    if (st == HS_OK)
        st = hsi_output_open(&out, fd);
    if (st != HS_OK)
        return st;
    vertices = g ? g->vertices : hs_instance_tasks(in);
    hsi_output_text(&out, "digraph tasks {\n  node [shape=box];\n");
    for (size_t v = 0; v < vertices && !hsi_output_failed(&out); v++)
        put_vertex(&out, in, v);
    if (g)
        put_edges(&out, in, g);
    hsi_output_text(&out, "}\n");
    return hsi_output_close(&out);
}
