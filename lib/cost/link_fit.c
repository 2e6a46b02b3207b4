/* SPDX-License-Identifier: BSD-3-Clause */
/* Fit of a link: seconds = latency + bytes / bandwidth, by least squares of the relative errors. */
#include <math.h>

#include <hybridsched/cost.h>

/* Weighted sums of the normal equations; the weight 1 / seconds^2 makes the errors relative. */
typedef struct sums {
    double w, x, y, xx, xy;
} sums;

static sums add_up(const hs_copy_sample *samples, size_t count)
{
    sums s = {0};

    for (size_t i = 0; i < count; i++) {
        double x = samples[i].bytes, y = samples[i].seconds, w = 1 / (y * y);

        s.w += w;
        s.x += w * x;
        s.y += w * y;
        s.xx += w * x * x;
        s.xy += w * x * y;
    }
    return s;
}

bool hs_fit_link(const hs_copy_sample *samples, size_t count, double *latency, double *bandwidth)
{
    sums   s = add_up(samples, count);
    double determinant = s.w * s.xx - s.x * s.x, slope, start;

    for (size_t i = 0; i < count; i++)
        if (!(samples[i].seconds > 0 && samples[i].seconds < INFINITY && samples[i].bytes >= 0 &&
              samples[i].bytes < INFINITY))
            return false;
    if (!(determinant > 1e-12 * s.w * s.xx))
        return false;
    slope = (s.w * s.xy - s.x * s.y) / determinant;
    start = (s.xx * s.y - s.x * s.xy) / determinant;
    if (start < 0) {
        start = 0;
        slope = s.xy / s.xx;
    }
    if (!(slope > 0))
        return false;
    *latency = start;
    *bandwidth = 1 / slope;
    return true;
}
