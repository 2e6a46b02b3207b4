/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/compare/inference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/checked_memory.h"

enum { EXACT_MOST = 200 };

/*
 * Return the probability that |t| is at most `t`, for Student's t (Abramowitz and Stegun 26.7.3,
 * 26.7.4).
 */
static double student_within(double t, size_t freedom)
{
    double angle = atan(t / sqrt((double)freedom)), square = cos(angle) * cos(angle);
    size_t odd = freedom % 2;
    double term = odd ? cos(angle) : 1, sum = 0;

    for (size_t k = 2 + odd; k <= freedom; k += 2) {
        sum += term;
        if (term < 1e-18 * sum)
            break;
        term *= square * ((double)k - 1) / (double)k;
    }
    return odd ? 2 / M_PI * (angle + sin(angle) * sum) : sin(angle) * sum;
}

double student_bound(size_t freedom)
{
    double low = 1, high = 16; /* 12.706 for one degree of freedom, 1.96 for many */

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (student_within(middle, freedom) < 0.95)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static bool is_finite_positive(double value)
{
    return isfinite(value) && value > 0;
}

interval geometric_interval(const double *value, size_t count)
{
    interval of = {.count = 0};
    double   sum = 0, squares = 0, mean, width;

    for (size_t i = 0; i < count; i++)
        if (is_finite_positive(value[i])) {
            sum += log(value[i]);
            of.count++;
        }
    mean = sum / (double)of.count;
    for (size_t i = 0; i < count; i++)
        if (is_finite_positive(value[i]))
            squares += (log(value[i]) - mean) * (log(value[i]) - mean);
    width = of.count > 1 ? student_bound(of.count - 1) * sqrt(squares / (double)(of.count - 1) /
                                                              (double)of.count)
                         : NAN;
    of.mean = of.count > 0 ? exp(mean) : NAN;
    of.low = exp(mean - width);
    of.high = exp(mean + width);
    return of;
}

static bool is_one(double quotient)
{
    return fabs(quotient - 1) <= INFERENCE_EQUAL;
}

win_count count_wins(const double *quotient, size_t count)
{
    win_count wins = {0, 0, 0};

    for (size_t i = 0; i < count; i++)
        if (is_one(quotient[i]))
            wins.equal++;
        else if (quotient[i] < 1)
            wins.less++;
        else
            wins.more++;
    return wins;
}

/* A difference of the test: the larger of the quotient and its inverse, and its direction. */
typedef struct difference {
    double size;
    bool   more;
    size_t twice_rank; /* 2 x rank: an integer even if ranks are shared by ties */
} difference;

static int by_size(const void *a, const void *b)
{
    const difference *x = a, *y = b;

    return (x->size > y->size) - (x->size < y->size);
}

/* Sort the differences and set their ranks. Return the sum of t^3 - t over groups of t equal sizes. */
static double rank_differences(difference *of, size_t count)
{
    double ties = 0;
    size_t end;

    qsort(of, count, sizeof *of, by_size);
    for (size_t first = 0; first < count; first = end) {
        double tied;

        for (end = first + 1; end < count; end++)
            if (of[end].size > of[first].size * (1 + INFERENCE_EQUAL))
                break;
        for (size_t i = first; i < end; i++)
            of[i].twice_rank = first + 1 + end; /* ranks first + 1 to end */
        tied = (double)(end - first);
        ties += tied * tied * tied - tied;
    }
    return ties;
}

/*
 * Return the probability that the ranks with random signs have a sum of at most `sum`, or at least
 * its mirror image. Both sums count the ranks twice.
 */
static double exact_p(const difference *of, size_t count, size_t sum)
{
    double *share = checked_calloc(sum + 1, sizeof *share); /* probability of each sum */
    double  p = 0;

    share[0] = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t at = sum + 1; at-- > 0;)
            share[at] = (share[at] + (at >= of[i].twice_rank ? share[at - of[i].twice_rank] : 0)) / 2;
    for (size_t at = 0; at <= sum; at++)
        p += share[at];
    free(share);
    return fmin(1, 2 * p);
}

static double normal_p(size_t count, double rank_sum, double ties)
{
    double n = (double)count, mean = n * (n + 1) / 4;
    double variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
    double distance = fmax(0, fabs(rank_sum - mean) - 0.5);

    return erfc(distance / sqrt(2 * variance));
}

double wilcoxon_p(const double *quotient, size_t count)
{
    difference *of = checked_calloc(count + 1, sizeof *of);
    size_t      n = 0, more = 0, least;
    double      ties, p;

    for (size_t i = 0; i < count; i++)
        if (!is_one(quotient[i]))
            of[n++] = (difference){.size = fmax(quotient[i], 1 / quotient[i]),
                                   .more = quotient[i] > 1};
    ties = rank_differences(of, n);
    for (size_t i = 0; i < n; i++)
        more += of[i].more ? of[i].twice_rank : 0;
    least = more < n * (n + 1) - more ? more : n * (n + 1) - more;
    if (n == 0)
        p = 1;
    else
        p = n <= EXACT_MOST ? exact_p(of, n, least) : normal_p(n, (double)more / 2, ties);
    free(of);
    return p;
}

void holm_adjust(double *p, size_t count)
{
    double *adjusted = checked_calloc(count + 1, sizeof *adjusted), least = 0;
    char   *is_done = checked_calloc(count + 1, 1);
    size_t  tests = 0;

    for (size_t i = 0; i < count; i++)
        tests += !isnan(p[i]);
    for (size_t left = tests; left > 0; left--) {
        size_t next = count;

        for (size_t i = 0; i < count; i++)
            if (!is_done[i] && !isnan(p[i]) && (next == count || p[i] < p[next]))
                next = i;
        least = fmax(least, fmin(1, (double)left * p[next]));
        adjusted[next] = least;
        is_done[next] = 1;
    }
    for (size_t i = 0; i < count; i++)
        if (!isnan(p[i]))
            p[i] = adjusted[i];
    free(adjusted);
    free(is_done);
}
