/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: what sorts the tables of the page. */
#include "exec/html/html.h"

/*
 * Numbers by their value, the largest first; what its heading says is a name, and all else, as
 * people order names, t2 before t10. A second click turns the order round.
 */
static const char script[] =
    "<script>\n"
    "document.querySelectorAll('table').forEach(function (table) {\n"
    "  table.querySelectorAll('th').forEach(function (head, column) {\n"
    "    function text(row) { return row.cells[column].textContent; }\n"
    "    function number(row) { return head.className ? NaN : parseFloat(text(row)); }\n"
    "    function compare(a, b) {\n"
    "      var difference = number(a) - number(b);\n"
    "      return isNaN(difference) ? text(a).localeCompare(text(b), 'en', {numeric: true})\n"
    "                               : difference;\n"
    "    }\n"
    "    function sort() {\n"
    "      var body = table.tBodies[0], rows = Array.from(body.rows);\n"
    "      var was = head.getAttribute('aria-sort');\n"
    "      var up = was ? was == 'descending' : rows.length && isNaN(number(rows[0]));\n"
    "      rows.sort(function (a, b) { return up ? compare(a, b) : compare(b, a); });\n"
    "      rows.forEach(function (row) { body.appendChild(row); });\n"
    "      table.querySelectorAll('th').forEach(function (h) {\n"
    "        h.removeAttribute('aria-sort');\n"
    "      });\n"
    "      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');\n"
    "    }\n"
    "    if (!head.textContent) return;\n"
    "    head.setAttribute('role', 'button');\n"
    "    head.tabIndex = 0;\n"
    "    head.onclick = sort;\n"
    "    head.onkeydown = function (event) { if (event.key == 'Enter') sort(); };\n"
    "  });\n"
    "});\n"
    "</script>\n";

void html_script(FILE *out)
{
    fputs(script, out);
}
