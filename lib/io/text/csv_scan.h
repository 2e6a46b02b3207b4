/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_CSV_SCAN_H
#define HSI_IO_TEXT_CSV_SCAN_H

#include "io/text/csv_window.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * The first comma, quote, CR or LF from `at` on; `end` if there is none. For text in a
 * window: HSI_SLACK bytes behind `end` may be loaded.
 */
static inline const char *hsi_find_special(const char *at, const char *end)
{
#ifdef __SSE2__
    const __m128i comma = _mm_set1_epi8(','), quote = _mm_set1_epi8('"');
    const __m128i cr = _mm_set1_epi8('\r'), lf = _mm_set1_epi8('\n');

    for (; at < end; at += 16) {
        __m128i  text = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i  ends = _mm_or_si128(_mm_cmpeq_epi8(text, comma), _mm_cmpeq_epi8(text, lf));
        __m128i  odd = _mm_or_si128(_mm_cmpeq_epi8(text, quote), _mm_cmpeq_epi8(text, cr));
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_or_si128(ends, odd));

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

#endif
