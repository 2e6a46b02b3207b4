/* SPDX-License-Identifier: BSD-3-Clause */
#include "picture/gantt/gantt.h"

/* Style of graphs: idle time with a ready task, and the critical path. */
static const char graph_everywhere[] =
    ".y{fill:#8aa0bf}.yo{fill:#b4bcc9}.f{fill:none;stroke:#111827;stroke-width:2;stroke-linejoin:"
    "round}.fh{stroke:#fff;stroke-width:4;stroke-opacity:.85}\n";
static const char graph_dark[] =
    ".y{fill:#5f7696}.yo{fill:#566074}.f{stroke:#f9fafb}.fh{stroke:#111827}\n";

/* Style of hover shapes: an outline and arrows. The legend shows the arrows (.rl). */
static const char hovers_everywhere[] =
    ".jr{fill-opacity:0}.r{display:none;fill:none;stroke:#111827;stroke-width:1.5;"
    "pointer-events:none}.ro{stroke:#b0006d}.rl{display:inline}"
    ".j:hover .r{display:inline}.j:hover .jr{stroke:#111827;stroke-width:2}\n";
static const char hovers_dark[] = ".r,.j:hover .jr{stroke:#f9fafb}.ro{stroke:#ff7ac6}\n";

static const char spoliations_everywhere[] =
    ".ta{fill:none;stroke:#c2410c;stroke-width:1.5}.tb{fill:#c2410c}"
    ".th{fill:none;stroke:#fff;stroke-width:3.5;stroke-opacity:.75}\n";
static const char spoliations_dark[] = ".ta{stroke:#fdba74}.tb{fill:#fdba74}.th{stroke:#1d2128}\n";
static const char spoliation_head[] =
    "<marker id=\"%s\" viewBox=\"0 0 6 6\" refX=\"1\" refY=\"3\" markerWidth=\"6\" "
    "markerHeight=\"6\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
    "<path class=\"tb\" d=\"M0 0l6 3l-6 3z\"/></marker>\n";

static const char waits_everywhere[] = ".yv{fill:#f2c6a8}\n";
static const char waits_dark[] = ".yv{fill:#7c4a2d}\n";

static const char copies_everywhere[] = ".tc{fill:#7c3aed;fill-opacity:.75}\n";
static const char copies_dark[] = ".tc{fill:#a78bfa}\n";

static bool has_graph(const hsi_gantt *g)
{
    return hsi_gantt_main_panel(g)->runs.graph != NULL;
}

static bool has_hovers(const hsi_gantt *g)
{
    return hsi_gantt_shows_dependencies(g) || hsi_gantt_has_hidden_spoliations(g);
}

/* Headings and labels have a halo that separates them from lines behind. */
static const char halo_everywhere[] =
    ".b{paint-order:stroke;stroke:#fff;stroke-width:4;stroke-linejoin:round}\n";
static const char halo_dark[] = ".b{stroke:#1d2128}\n";

/*
 * Set the size of a chart in a file of its own: the chart fills the width of the window, but grows
 * beyond its natural width only while its full height fits. The page gets the chart's background.
 */
static void put_root(hsi_gantt *g)
{
    hsi_output_format(&g->out,
                      "svg:root{display:block;margin:0 auto;height:auto;background:#fff;"
                      "width:min(100%%,max(%fpx,100vh*%f))}\n",
                      g->page_width, g->page_width / g->page_height);
}

static const char root_dark[] = "svg:root{background:#1d2128}\n";

void hsi_gantt_style(hsi_gantt *g)
{
    hsi_output_text(&g->out, "<style>\n");
    put_root(g);
    hsi_output_text(&g->out, hsi_svg_style);
    hsi_output_text(&g->out, halo_everywhere);
    if (has_graph(g))
        hsi_output_text(&g->out, graph_everywhere);
    if (has_hovers(g))
        hsi_output_text(&g->out, hovers_everywhere);
    if (hsi_gantt_shows_spoliations(g))
        hsi_output_text(&g->out, spoliations_everywhere);
    if (hsi_gantt_shows_waits(g))
        hsi_output_text(&g->out, waits_everywhere);
    if (hsi_gantt_shows_copies(g))
        hsi_output_text(&g->out, copies_everywhere);
    hsi_palette_style(&g->out, &g->palette);
    hsi_output_text(&g->out, hsi_svg_dark_style);
    hsi_output_text(&g->out, root_dark);
    hsi_output_text(&g->out, halo_dark);
    if (has_graph(g))
        hsi_output_text(&g->out, graph_dark);
    if (has_hovers(g))
        hsi_output_text(&g->out, hovers_dark);
    if (hsi_gantt_shows_spoliations(g))
        hsi_output_text(&g->out, spoliations_dark);
    if (hsi_gantt_shows_waits(g))
        hsi_output_text(&g->out, waits_dark);
    if (hsi_gantt_shows_copies(g))
        hsi_output_text(&g->out, copies_dark);
    hsi_output_text(&g->out, "}\n</style>\n<defs>\n");
    hsi_palette_hatches(&g->out, &g->palette, g->least_height);
    if (hsi_gantt_shows_spoliations(g))
        hsi_output_format(&g->out, spoliation_head, g->narrow ? "tn" : "ta");
    hsi_output_text(&g->out, "</defs>\n");
}
