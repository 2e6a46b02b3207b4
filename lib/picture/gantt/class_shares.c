/* SPDX-License-Identifier: BSD-3-Clause */
/* The shares of task classes in a merged bar. */
#include <math.h>

#include "picture/gantt/gantt.h"

double hsi_mix_total(const hsi_mix *mix, int state)
{
    double sum = 0;

    for (unsigned c = 0; c < HSI_COLOURS; c++)
        for (int s = HS_RUN; s <= HS_ABORTED; s++)
            sum += state < 0 || s == state ? mix->weight[c][s] : 0;
    return sum;
}

unsigned hsi_mix_heaviest(const hsi_mix *mix, int state)
{
    unsigned heaviest = 0;

    for (unsigned c = 1; c < HSI_COLOURS; c++)
        if (mix->weight[c][state] > mix->weight[heaviest][state])
            heaviest = c;
    return heaviest;
}

void hsi_put_class_shares(hsi_gantt *g, const hsi_mix *mix, double whole)
{
    double      aborted = hsi_mix_total(mix, HS_ABORTED);
    const char *between = "";

    for (unsigned c = 0; c < HSI_COLOURS; c++) {
        if (!(mix->weight[c][HS_RUN] > 0))
            continue;
        hsi_output_text(&g->out, between);
        hsi_put_percent(&g->out, fmin(1, mix->weight[c][HS_RUN] / whole));
        hsi_output_char(&g->out, ' ');
        hsi_put_class_name(&g->out, &g->palette, c);
        between = ", ";
    }
    if (!(aborted > 0))
        return;
    hsi_output_text(&g->out, *between ? "; " : "");
    hsi_put_percent(&g->out, fmin(1, aborted / whole));
    hsi_output_text(&g->out, " aborted");
}
