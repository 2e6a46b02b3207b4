#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Opens the page of each campaign in a headless Chromium, light and dark, wide and narrow, and looks
# for what is wider than the window, text that is cut off or missing, and text without contrast.

for browser in chromium chromium-browser google-chrome; do
    command -v "$browser" >/dev/null && break
done
command -v "$browser" >/dev/null || { echo "pages: no Chromium"; exit 77; }

PATH=$(pwd):$PATH
scratch=$(mktemp -d "${TMPDIR:-/tmp}/pages.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99

# What looks at a page, and leaves its findings as the text of the body.
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

failed=0
for campaign in table1 independent perturbed ratios cost noise kernels granularity peers; do
    hsched-bench $campaign -n 1 --iterations 20 -t 100ms >/dev/null 2>&1 || { echo "$campaign: failed"; failed=1; }
    cat $campaign.html look.html >looked.html
    for scheme in 0 1; do
        for width in 1200 420; do
            expected="LOOKED $([ $scheme = 0 ] && echo dark || echo light)  END"
            said=$(open_page looked.html $width $scheme)
            [ "$said" = "$expected" ] && continue
            echo "$campaign, $width wide, scheme $scheme: $said"
            failed=1
        done
    done
done
exit $failed
