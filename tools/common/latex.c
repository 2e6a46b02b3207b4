/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/latex.h"

#include <math.h>
#include <string.h>

void latex_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '\\':
            fputs("\\textbackslash{}", out);
            break;
        case '~':
            fputs("\\textasciitilde{}", out);
            break;
        case '^':
            fputs("\\textasciicircum{}", out);
            break;
        default:
            if (strchr("&%$#_{}", *text))
                putc('\\', out);
            putc(*text, out);
        }
}

void latex_number(FILE *out, double value, int decimals)
{
    if (isnan(value))
        fputs("--", out);
    else if (isinf(value))
        fputs("$\\infty$", out);
    else
        fprintf(out, "%.*f", decimals, value);
}

void latex_p(FILE *out, double p)
{
    char text[32], *power;

    if (isnan(p)) {
        fputs("--", out);
        return;
    }
    if (p >= 0.0095 || p == 0) {
        fprintf(out, "%.2f", p);
        return;
    }
    snprintf(text, sizeof text, "%.1e", p);
    power = strchr(text, 'e');
    *power = '\0';
    fprintf(out, "$%s \\cdot 10^{-%s}$", text, power + 2 + (power[2] == '0'));
}
