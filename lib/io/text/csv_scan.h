/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_CSV_SCAN_H
#define HSI_IO_TEXT_CSV_SCAN_H

#include "io/text/csv_window.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * The first of four characters from `at` on; `end` if there is none. For text in a window or a
 * list: HSI_SLACK bytes behind `end` may be loaded.
 */
static inline const char *hsi_find_any(const char *at, const char *end, char a, char b, char c,
                                       char d)
{
#ifdef __SSE2__
    const __m128i all_a = _mm_set1_epi8(a), all_b = _mm_set1_epi8(b);
    const __m128i all_c = _mm_set1_epi8(c), all_d = _mm_set1_epi8(d);

    for (; at < end; at += 16) {
        __m128i  text = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i  ab = _mm_or_si128(_mm_cmpeq_epi8(text, all_a), _mm_cmpeq_epi8(text, all_b));
        __m128i  cd = _mm_or_si128(_mm_cmpeq_epi8(text, all_c), _mm_cmpeq_epi8(text, all_d));
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_or_si128(ab, cd));

        if (hits) {
            at += __builtin_ctz(hits);
            break;
        }
    }
    return at < end ? at : end;
#else
    while (at < end && *at != a && *at != b && *at != c && *at != d)
        at++;
    return at;
#endif
}

/* What ends a field, or must not be in one without quotes. */
static inline const char *hsi_find_special(const char *at, const char *end)
{
    return hsi_find_any(at, end, ',', '"', '\r', '\n');
}

#endif
