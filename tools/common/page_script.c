/* SPDX-License-Identifier: BSD-3-Clause */
/* The script of a page: sorting and filtering of tables. The page is complete without scripts. */
#include "common/page.h"

/*
 * Sorting. Numbers are sorted by value, the largest first. A column whose heading has a class, and
 * text in any column, is sorted in natural order, t2 before t10. A second click reverses the order.
 * The title then names the new order.
 */
static const char sorting[] =
    "<script>\n"
    "var order = new Intl.Collator('en', {numeric: true}).compare;\n"
    "document.querySelectorAll('table').forEach(function (table) {\n"
    "  var body = table.tBodies[0], rows = Array.from(body.rows);\n"
    "  var heads = Array.from(table.tHead.rows[0].cells), card = table.closest('.card');\n"
    "  var title = card.previousElementSibling, wanted = function () { return true; };\n"
    "  function text(row, column) { return row.cells[column].textContent; }\n"
    "  function show() {\n"
    "    var part = document.createDocumentFragment(), count = 0;\n"
    "    body.textContent = '';\n"
    "    rows.forEach(function (row) { if (wanted(row)) { part.appendChild(row); count++; } });\n"
    "    body.appendChild(part);\n"
    "    return count;\n"
    "  }\n"
    "  function compare(a, b) {\n"
    "    if (isNaN(a.number) && isNaN(b.number))\n"
    "      return order(a.text, b.text);\n"
    "    return isNaN(a.number) ? -1 : isNaN(b.number) ? 1 : a.number - b.number;\n"
    "  }\n"
    "  function say(head, up, named) {\n"
    "    var said = title.querySelector('.order');\n"
    "    if (!said) {\n"
    "      said = document.createElement('span');\n"
    "      said.className = 'order';\n"
    "      title.appendChild(said);\n"
    "    }\n"
    "    said.textContent = ', by ' + head.textContent +\n"
    "      (named ? up ? ', A to Z' : ', Z to A' : up ? ', smallest first' : ', largest first');\n"
    "  }\n"
    "  function sort(head, column) {\n"
    "    var was = head.getAttribute('aria-sort'), named = true, up;\n"
    "    var keys = rows.map(function (row) {\n"
    "      var key = {row: row, text: text(row, column)};\n"
    "      key.number = head.className ? NaN : parseFloat(key.text);\n"
    "      if (!isNaN(key.number)) named = false;\n"
    "      return key;\n"
    "    });\n"
    "    up = was ? was == 'descending' : named;\n"
    "    keys.sort(function (a, b) { return up ? compare(a, b) : compare(b, a); });\n"
    "    rows = keys.map(function (key) { return key.row; });\n"
    "    show();\n"
    "    heads.forEach(function (h) { h.removeAttribute('aria-sort'); });\n"
    "    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');\n"
    "    say(head, up, named);\n"
    "  }\n"
    "  heads.forEach(function (head, column) {\n"
    "    if (!head.textContent) return;\n"
    "    head.setAttribute('role', 'button');\n"
    "    head.tabIndex = 0;\n"
    "    head.onclick = function () { sort(head, column); };\n"
    "    head.onkeydown = function (event) { if (event.key == 'Enter') sort(head, column); };\n"
    "  });\n";

/*
 * Filtering of a table in a card of the class `filtered`: by text anywhere in a row, and by the
 * first word in each column whose heading has a data-filter attribute, whose value is the label.
 */
static const char filtering[] =
    "  if (!card.classList.contains('filtered')) return;\n"
    "  var bar = document.createElement('form'), count = document.createElement('output');\n"
    "  var lists = [], input = document.createElement('input'), all = new Map();\n"
    "  function word(row, column) { return text(row, column).split(' ')[0]; }\n"
    "  function add(element, label) {\n"
    "    var around = document.createElement('label');\n"
    "    around.append(label + ' ', element);\n"
    "    bar.append(around);\n"
    "  }\n"
    "  function filter() {\n"
    "    var what = input.value.toLowerCase(), shown;\n"
    "    wanted = function (row) {\n"
    "      if (!lists.every(function (l) {\n"
    "        return !l.list.value || word(row, l.column) == l.list.value;\n"
    "      })) return false;\n"
    "      if (!what) return true;\n"
    "      if (!all.has(row)) all.set(row, row.textContent.toLowerCase());\n"
    "      return all.get(row).includes(what);\n"
    "    };\n"
    "    shown = show();\n"
    "    count.textContent = shown < rows.length ? shown + ' of ' + rows.length + ' rows' : '';\n"
    "  }\n"
    "  bar.className = 'filter';\n"
    "  bar.onsubmit = function (event) { event.preventDefault(); };\n"
    "  input.type = 'search';\n"
    "  input.oninput = filter;\n"
    "  add(input, 'filter');\n"
    "  heads.forEach(function (head, column) {\n"
    "    var label = head.dataset.filter, list = document.createElement('select'), words;\n"
    "    if (!label) return;\n"
    "    words = Array.from(new Set(rows.map(function (row) { return word(row, column); })));\n"
    "    words.sort(order);\n"
    "    list.append(new Option('all', ''));\n"
    "    words.forEach(function (w) { list.append(new Option(w, w)); });\n"
    "    list.onchange = filter;\n"
    "    lists.push({list: list, column: column});\n"
    "    add(list, label);\n"
    "  });\n"
    "  bar.append(count);\n"
    "  card.before(bar);\n"
    "});\n"
    "</script>\n";

void page_write_script(FILE *out)
{
    fputs(sorting, out);
    fputs(filtering, out);
}
