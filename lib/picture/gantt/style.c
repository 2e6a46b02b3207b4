/* SPDX-License-Identifier: BSD-3-Clause */
#include "picture/gantt/gantt.h"

/*
 * What is not a task's colour has a name of one letter, which shapes bear as their class, and a
 * colour for light pages and another for screens that are dark; paper never is. A reader that
 * knows no such query skips the rules in it.
 */
const char hsi_svg_style[] =
    "text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,"
    "\"DejaVu Sans\",sans-serif;font-size:12px;fill:#1f2937}\n"
    ".h{font-size:20px;font-weight:600}.b{font-weight:600}.s{font-size:13px;fill:#4b5563}"
    ".m{fill:#374151}.p{font-size:15px;font-weight:600}\n"
    ".e{text-anchor:end}.i{text-anchor:middle}.k{font-size:11px;fill:#4b5563}\n"
    ".n{font-size:10.5px;text-anchor:middle;pointer-events:none;fill:#1f2937}.w{fill:#fff}\n"
    ".z{fill:#fff}.l{fill:#dfe3ea}.g{stroke:#fff;stroke-width:1}"
    ".x{stroke:#9ca3af;stroke-width:1}.t{fill:#4b5563}\n"
    ".v{stroke:#111827;stroke-width:1.5}"
    ".u{stroke:#111827;stroke-width:1.5;stroke-dasharray:1.5 4}"
    ".d{stroke:#b0006d;stroke-width:1.5;stroke-dasharray:6 3}.o{fill:#b0006d}"
    ".q{stroke:#c81e1e;stroke-width:2.5;fill:none}\n";

const char hsi_svg_dark_style[] =
    "@media screen and (prefers-color-scheme:dark){\n"
    "text{fill:#e5e7eb}.s,.k{fill:#9aa3b2}.m{fill:#cbd2dc}"
    ".z{fill:#1d2128}.l{fill:#323842}.g{stroke:#1d2128}.x{stroke:#6b7280}.t{fill:#cbd2dc}\n"
    ".v,.u{stroke:#f3f4f6}.d{stroke:#ff7ac6}.o{fill:#ff7ac6}.q{stroke:#ff5c5c}\n";

/* Of graphs: the critical path, which headings keep apart from, and arrows. */
static const char graph_everywhere[] =
    ".b{paint-order:stroke;stroke:#fff;stroke-width:4;stroke-linejoin:round}"
    ".y{fill:#8aa0bf}.yo{fill:#b4bcc9}.f{fill:none;stroke:#111827;stroke-width:2;stroke-linejoin:round}"
    ".fh{stroke:#fff;stroke-width:4.5;stroke-opacity:.85}\n"
    ".jr{fill-opacity:0}.r{display:none;fill:none;stroke:#111827;stroke-width:1.5;"
    "pointer-events:none}.ro{stroke:#b0006d}"
    ".j:hover .r{display:inline}.j:hover .jr{stroke:#111827;stroke-width:2}\n";

static const char graph_dark[] =
    ".b{stroke:#1d2128}.y{fill:#5f7696}.yo{fill:#566074}.f{stroke:#f9fafb}.fh{stroke:#111827}.r,.j:hover .jr{stroke:#f9fafb}.ro{stroke:#ff7ac6}\n";

static int has_graph(const hsi_gantt *g)
{
    return hsi_gantt_own(g)->runs.graph != NULL;
}

void hsi_gantt_style(hsi_gantt *g)
{
    hsi_output_text(&g->out, "<style>\n");
    hsi_output_text(&g->out, hsi_svg_style);
    if (has_graph(g))
        hsi_output_text(&g->out, graph_everywhere);
    hsi_palette_style(&g->out, &g->palette);
    hsi_output_text(&g->out, hsi_svg_dark_style);
    if (has_graph(g))
        hsi_output_text(&g->out, graph_dark);
    hsi_palette_dark_style(&g->out, &g->palette);
    hsi_output_text(&g->out, "}\n</style>\n<defs>\n");
    hsi_palette_hatches(&g->out, &g->palette, g->least_height);
    hsi_output_text(&g->out, "</defs>\n");
}
