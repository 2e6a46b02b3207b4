/* SPDX-License-Identifier: BSD-3-Clause */
/* The style of HTML pages, for light and dark, wide and narrow screens, and for paper. */
#include "common/page.h"

static const char style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1f2937;--dim:#5b6472;"
    "--rule:#e2e5ea;--busy:#2a7fb8;--lost:#d97706;--idle:#dfe3ea;--bad:#b91c1c;--link:#1d5fa8}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--page:#14171c;--card:#1d2128;"
    "--text:#e5e7eb;--dim:#9aa3b2;--rule:#323842;--busy:#4c9fd6;--lost:#f0a030;--idle:#3a414d;"
    "--bad:#f87171;--link:#7cb8f0}}\n"
    "body{margin:0;background:var(--page);color:var(--text);"
    "font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,"
    "\"DejaVu Sans\",sans-serif}\n"
    "main{max-width:1160px;margin:0 auto;padding:24px 20px 48px}a{color:var(--link)}\n"
    "h1{font-size:24px;margin:0;overflow-wrap:anywhere}h2{font-size:17px;margin:32px 0 10px}\n"
    ".sub{color:var(--dim);margin:2px 0 20px}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));gap:12px}\n"
    ".tile,.card{background:var(--card);border:1px solid var(--rule);border-radius:8px}\n"
    ".tile{padding:10px 14px}.tile b{display:block;font-size:20px;font-weight:600}\n"
    ".tile span{color:var(--dim);font-size:13px}.bad,.bad a{color:var(--bad)}\n"
    ".card{padding:6px 14px;overflow-x:auto}.tall{max-height:520px;overflow-y:auto;"
    "padding-top:0}\n"
    ".picture{padding:0}.picture svg{display:block;width:100%;height:auto;border-radius:8px}\n"
    ".narrow{display:none;width:100%;border-radius:8px}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th{color:var(--dim);font-weight:500;font-size:13px}th,td{text-align:right;padding:5px 10px;"
    "border-bottom:1px solid var(--rule);white-space:nowrap}\n"
    ".tall th{position:sticky;top:0;background:var(--card)}\n"
    "th[role]{cursor:pointer}th[aria-sort=ascending]:after{content:\" \\2191\"}"
    "th[aria-sort=descending]:after{content:\" \\2193\"}\n"
    "h2 .order{color:var(--dim);font-weight:400;font-size:14px}\n"
    ".filter{display:flex;flex-wrap:wrap;gap:6px 16px;align-items:center;margin:0 0 8px;"
    "color:var(--dim);font-size:13px}.filter input,.filter select{font:inherit;color:var(--text);"
    "background:var(--card);border:1px solid var(--rule);border-radius:6px;padding:3px 6px;"
    "max-width:16em}\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(330px,100%),1fr));"
    "gap:12px}.plots .card{padding:6px}.plots svg{display:block;width:100%;height:auto;"
    "max-width:520px;margin:0 auto}\n"
    "summary{cursor:pointer}details[open] summary code{display:none}"
    "td code{white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".note{margin:8px 0}.long.command{min-width:18em}\n"
    "tr:last-child td{border-bottom:0}.name{text-align:left}.long{white-space:normal;"
    "overflow-wrap:anywhere;text-align:left;min-width:7em}\n"
    ".bar{display:flex;width:220px;height:12px;border-radius:3px;overflow:hidden;"
    "background:var(--idle)}.bar i{display:block;height:100%}\n"
    ".of-busy{background:var(--busy)}.of-lost{background:var(--lost)}.of-idle{background:"
    "var(--idle)}.bar i,.key i{print-color-adjust:exact;-webkit-print-color-adjust:exact}\n"
    ".key{color:var(--dim);font-size:13px;margin:8px 0 0}.key i{display:inline-block;width:11px;"
    "height:11px;border-radius:2px;margin:0 5px 0 12px}.printed{display:none}\n"
    "dl{display:grid;grid-template-columns:auto 1fr;gap:4px 16px;margin:6px 0}"
    "dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}code{font-size:13px}\n"
    "@media(max-width:640px){main{padding:16px 10px 32px}.card{padding:4px 6px}"
    ".tall{padding-top:0}.picture{padding:0}.picture svg{display:none}.narrow{display:block}"
    "th,td{padding:4px "
    "6px}.bar{width:110px}.long{min-width:8em}.long.command{min-width:14em}.tiles{gap:8px;"
    "grid-template-columns:1fr 1fr}.tile{padding:6px 10px}}\n"
    "@media print{body{background:none;font-size:12px}main{max-width:none;padding:0}"
    ".card{overflow:visible;max-height:none;padding:0;border:0}.tile{padding:6px 10px}"
    ".tile b{font-size:16px}.tiles{grid-template-columns:repeat(4,1fr)}"
    ".picture svg{max-height:155mm;print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "table{font-size:10.5px}th{font-size:10.5px}th,td{padding:2px "
    "5px}.long,.long.command{min-width:8em}"
    "th{white-space:normal}code{font-size:9.5px}"
    ".bar{width:90px}"
    "tr,.tile,.picture,dl{break-inside:avoid}h2{break-after:avoid;margin-top:20px}"
    ".plots{grid-template-columns:1fr 1fr}.plots .card{break-inside:avoid}"
    ".plots svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}.filter{display:none}"
    ".tasks tbody tr:nth-child(n+31){display:none}.printed{display:block}}\n"
    "</style>\n";

void page_write_style(FILE *out)
{
    fputs(style, out);
}

void page_write_svg(FILE *out, FILE *svg)
{
    char   block[16384];
    size_t got;

    for (int c = 0; c != '\n' && c != EOF;)
        c = getc(svg);
    while ((got = fread(block, 1, sizeof block, svg)) > 0)
        fwrite(block, 1, got, out);
}

hs_status page_plot(FILE *out, const plot_spec *plot)
{
    if (!plot_is_valid(plot))
        return HS_EINVAL;
    fputs("<div class=\"card\">\n", out);
    plot_write(out, plot);
    fputs("</div>\n", out);
    return HS_OK;
}
