/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_CSV_SCAN_H
#define HSI_IO_TEXT_CSV_SCAN_H

#include "io/text/csv_window.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#ifdef __SSE2__
/* Return a bit for each of the 16 bytes at `at` that equals one of four characters. */
static inline unsigned hsi_bytes_among(const char *at, char a, char b, char c, char d)
{
    __m128i text = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i ab = _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8(a)),
                              _mm_cmpeq_epi8(text, _mm_set1_epi8(b)));
    __m128i cd = _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8(c)),
                              _mm_cmpeq_epi8(text, _mm_set1_epi8(d)));

    return (unsigned)_mm_movemask_epi8(_mm_or_si128(ab, cd));
}
#endif

/*
 * Return the first character that ends a field or is forbidden without quotes; `end` if none. Up to
 * HSI_SLACK bytes after `end` may be loaded.
 */
static inline const char *hsi_find_special(const char *at, const char *end)
{
#ifdef __SSE2__
    for (; at < end; at += 16) {
        unsigned hits = hsi_bytes_among(at, ',', '"', '\r', '\n');

        if (hits) {
            at += __builtin_ctz(hits);
            break;
        }
    }
    return at < end ? at : end;
#else
    while (at < end && *at != ',' && *at != '"' && *at != '\r' && *at != '\n')
        at++;
    return at;
#endif
}

/* Iterator over the semicolons, colons and backslashes of a text. */
struct hsi_marks {
    const char *next; /* first byte not examined */
    unsigned    left; /* bits of marks in the 16 bytes before `next` */
};

/* Return the next mark, which must exist, with HSI_SLACK readable bytes after it. */
static inline const char *hsi_next_mark(struct hsi_marks *m)
{
#ifdef __SSE2__
    const char *at;

    for (; m->left == 0; m->next += 16)
        m->left = hsi_bytes_among(m->next, ';', ':', '\\', ';');
    at = m->next - 16 + __builtin_ctz(m->left);
    m->left &= m->left - 1;
    return at;
#else
    while (*m->next != ';' && *m->next != ':' && *m->next != '\\')
        m->next++;
    return m->next++;
#endif
}

#endif
