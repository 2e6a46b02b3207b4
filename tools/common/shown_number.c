/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/shown_number.h"

#include <string.h>

#include <hybridsched/io.h>

void show_number(double value, char text[32])
{
    hs_format_rounded(value, SHOWN_DIGITS, text);
}

void show_different(double a, double b, char text_a[32], char text_b[32])
{
    show_number(a, text_a);
    show_number(b, text_b);
    if (a != b && strcmp(text_a, text_b) == 0) {
        hs_format_double(a, text_a);
        hs_format_double(b, text_b);
    }
}
