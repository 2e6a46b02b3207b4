#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Open the pages of campaigns and of a run in a headless Chromium, light and dark, wide and narrow.
# Report elements wider than the window, text that is cut off or missing, and text without contrast.
# Then sort and filter the tables of the run.

for browser in chromium chromium-browser google-chrome; do
    command -v "$browser" >/dev/null && break
done
command -v "$browser" >/dev/null || { echo "pages: no Chromium"; exit 77; }

PATH=$(pwd):$PATH
scratch=$(mktemp -d "${TMPDIR:-/tmp}/pages.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99

# The script that examines a page and writes its findings as the text of the body.
cat >look.html <<'TEXT'
<script>
addEventListener('load', function () {
  var found = [];
  function luminance(text) {
    var part = text.match(/[\d.]+/g).slice(0, 3).map(function (c) {
      c /= 255;
      return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  }
  function contrast(a, b) {
    a = luminance(a); b = luminance(b);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }
  function seen(element, colour, behind) {
    if (contrast(colour, behind) < 4.5) found.push('faint: ' + element.textContent.slice(0, 40));
  }
  var page = getComputedStyle(document.body).backgroundColor;
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push('wider than the window');
  document.querySelectorAll('h1,h2,.sub,.sub span').forEach(function (e) {
    seen(e, getComputedStyle(e).color, page);
  });
  document.querySelectorAll('.card').forEach(function (card) {
    var behind = getComputedStyle(card).backgroundColor;
    card.querySelectorAll('th,td,li,dt,dd').forEach(function (e) {
      seen(e, getComputedStyle(e).color, behind);
    });
    card.querySelectorAll('svg').forEach(function (svg) {
      var b = svg.getBoundingClientRect(), names = 0;
      if (!svg.getAttribute('aria-label')) found.push('a plot without a label');
      svg.querySelectorAll('text').forEach(function (t) {
        var r = t.getBoundingClientRect();
        if (!t.textContent) found.push('an empty text');
        if (r.left < b.left - 1 || r.right > b.right + 1 || r.top < b.top - 1 ||
            r.bottom > b.bottom + 1) found.push('cut off: ' + t.textContent);
        if (!t.classList.contains('n')) /* the name of a task, on its bar */
          seen(t, getComputedStyle(t).fill, behind);
        names++;
      });
      if (names < 4) found.push('a plot without names');
    });
  });
  document.body.textContent = 'LOOKED ' + (luminance(page) < 0.2 ? 'dark' : 'light') + ' ' +
                              found.join('; ') + ' END';
});
</script>
TEXT

open_page() # page width scheme
{
    "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" \
        --window-size="$2,900" --blink-settings="preferredColorScheme=$3" \
        --dump-dom "file://$scratch/$1" 2>/dev/null | grep -o 'LOOKED.*END'
}

# Examine the page in every variant. $1: its name
look_at()
{
    cat "$1.html" look.html >looked.html
    for scheme in 0 1; do
        for width in 1200 420; do
            expected="LOOKED $([ $scheme = 0 ] && echo dark || echo light)  END"
            said=$(open_page looked.html $width $scheme)
            [ "$said" = "$expected" ] && continue
            echo "$1, $width wide, scheme $scheme: $said"
            failed=1
        done
    done
}

failed=0
for campaign in table1 independent perturbed ratios cost noise kernels granularity peers; do
    hsched-bench $campaign -n 1 --iterations 20 -t 100ms >/dev/null 2>&1 || { echo "$campaign: failed"; failed=1; }
    look_at $campaign
done

# A run compared with an earlier run, with failures, long commands and a critical path.
{
    printf '# hybridsched instance 1\n# cpus 2\n# gpus 0\n# unit ms\nid,cpu,gpu,cpu_command,after\n'
    echo 'a,30,inf,sleep 0.03,'
    echo 'lost,3,inf,"echo a line that is long enough to be <b>shortened</b> in the table; exit 3",'
    for i in 1 2 3 4 5 6 7 8 9 10; do
        echo "b$i,$i,inf,true,a"
    done
} >run.csv
hsched-solve run.csv -a heft -o run.plan >/dev/null
hsched-exec run.plan --oversubscribe --allow=commands --keep-going --report old.json >/dev/null 2>&1
hsched-exec run.plan --oversubscribe --allow=commands --keep-going --compare old.json \
    --report run.html >/dev/null 2>&1
look_at run

# The script that uses the tables like a reader and writes its findings as the text of the body.
cat >use.html <<'TEXT'
<script>
addEventListener('load', function () {
  var found = [], card = document.querySelector('.filtered'), bar = card.previousElementSibling;
  var title = bar.previousElementSibling, body = card.querySelector('tbody');
  function expect(what, is, wanted) {
    if (String(is) != String(wanted)) found.push(what + ': ' + is + ', not ' + wanted);
  }
  function column(i) { return Array.from(body.rows).map(function (r) { return r.cells[i].textContent; }); }
  function head(text) {
    return Array.from(card.querySelectorAll('th')).find(function (h) {
      return h.textContent.startsWith(text);
    });
  }
  function set(element, value) {
    element.value = value;
    element.dispatchEvent(new Event(element.tagName == 'INPUT' ? 'input' : 'change'));
  }
  expect('title', title.textContent, 'Tasks, failed first, then slowest first');
  expect('first row', column(0)[0], 'lost');
  head('task').click();
  expect('by task', column(0), 'a,b1,b2,b3,b4,b5,b6,b7,b8,b9,b10,lost');
  expect('title by task', title.textContent, 'Tasks, by task, A to Z');
  head('estimated').click();
  expect('title by estimate', title.textContent, 'Tasks, by estimated (ms), largest first');
  expect('by estimate', column(0).slice(0, 3), 'a,b10,b9');
  head('estimated').click();
  expect('title, turned round', title.textContent, 'Tasks, by estimated (ms), smallest first');
  set(bar.querySelectorAll('select')[1], 'failed');
  expect('failed ones', column(0), 'lost');
  expect('how many', bar.querySelector('output').textContent, '1 of 12 rows');
  set(bar.querySelectorAll('select')[1], '');
  set(bar.querySelector('input'), 'SLEEP');
  expect('by text', column(0), 'a');
  set(bar.querySelector('input'), 'b1');
  expect('by text, still sorted', column(0), 'b1,b10');
  set(bar.querySelector('input'), '');
  expect('all again', body.rows.length, 12);
  expect('nothing said', bar.querySelector('output').textContent, '');
  document.body.textContent = 'LOOKED ' + found.join('; ') + ' END';
});
</script>
TEXT
cat run.html use.html >looked.html
said=$(open_page looked.html 1200 1)
[ "$said" = "LOOKED  END" ] || { echo "tables: $said"; failed=1; }
exit $failed
