/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/io.h>
#include <hybridsched/plot.h>

#include "common/escape.h"
#include "common/memory.h"

/* Of one algorithm. */
typedef struct tally {
    double *value;
    size_t  count, room, wins;
    double  ranks, behind; /* a sum, and the most */
} tally;

struct summary {
    size_t       algorithms, instances;
    const char **names;
    tally       *of;
};

summary *summary_create(size_t algorithms, const char *const *names)
{
    summary *s = checked_calloc(1, sizeof *s);

    s->algorithms = algorithms;
    s->names = checked_calloc(algorithms + 1, sizeof *s->names);
    if (algorithms > 0)
        memcpy(s->names, names, algorithms * sizeof *s->names);
    s->of = checked_calloc(algorithms ? algorithms : 1, sizeof *s->of);
    return s;
}

void summary_free(summary *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->algorithms; i++)
        free(s->of[i].value);
    free(s->of);
    free(s->names);
    free(s);
}

static void keep(tally *t, double value)
{
    if (t->count == t->room) {
        size_t  room = t->room ? 2 * t->room : 64;
        double *larger = checked_calloc(room, sizeof *larger);

        if (t->count > 0)
            memcpy(larger, t->value, t->count * sizeof *larger);
        free(t->value);
        t->value = larger;
        t->room = room;
    }
    t->value[t->count++] = value;
}

/* 1 for the best; of those that are equal the mean of the places that they share. */
static double rank_of(const double *values, size_t count, size_t which)
{
    size_t better = 0, equal = 0;

    for (size_t i = 0; i < count; i++) {
        better += values[i] < values[which];
        equal += values[i] == values[which];
    }
    return (double)better + ((double)equal + 1) / 2;
}

void summary_add(summary *s, const double *values)
{
    double best = INFINITY;

    for (size_t i = 0; i < s->algorithms; i++)
        if (values[i] < best)
            best = values[i];
    for (size_t i = 0; i < s->algorithms; i++) {
        tally *t = &s->of[i];

        if (isnan(values[i]))
            continue;
        keep(t, values[i]);
        t->wins += values[i] <= best;
        t->ranks += rank_of(values, s->algorithms, i);
        if (best > 0 && values[i] / best - 1 > t->behind)
            t->behind = values[i] / best - 1;
    }
    s->instances++;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void summary_of(const summary *s, size_t algorithm, summary_row *row)
{
    const tally *t = &s->of[algorithm];
    double      *sorted = checked_calloc(t->count + 1, sizeof *sorted);

    if (t->count > 0)
        memcpy(sorted, t->value, t->count * sizeof *sorted);
    qsort(sorted, t->count, sizeof *sorted, by_value);
    *row = (summary_row){
        .name = s->names[algorithm],
        .count = t->count,
        .least = hs_quantile(sorted, t->count, 0),
        .low = hs_quantile(sorted, t->count, 0.025),
        .first = hs_quantile(sorted, t->count, 0.25),
        .median = hs_quantile(sorted, t->count, 0.5),
        .third = hs_quantile(sorted, t->count, 0.75),
        .high = hs_quantile(sorted, t->count, 0.975),
        .worst = hs_quantile(sorted, t->count, 1),
        .wins = (double)t->wins / (double)t->count,
        .behind = t->count ? t->behind : NAN,
        .rank = t->ranks / (double)t->count,
    };
    free(sorted);
}

size_t summary_instances(const summary *s)
{
    return s->instances;
}

static int by_median(const void *a, const void *b)
{
    const summary_row *x = a, *y = b;

    if (x->median != y->median)
        return x->median < y->median ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* All rows with a value, the least median first; to be freed. */
static summary_row *sorted_rows(const summary *s, size_t *count)
{
    summary_row *rows = checked_calloc(s->algorithms + 1, sizeof *rows);

    *count = 0;
    for (size_t i = 0; i < s->algorithms; i++) {
        summary_of(s, i, &rows[*count]);
        *count += rows[*count].count > 0;
    }
    qsort(rows, *count, sizeof *rows, by_median);
    return rows;
}

void summary_text(const summary *s, const char *measure, FILE *out)
{
    size_t       count;
    summary_row *rows = sorted_rows(s, &count);
    int          width = (int)strlen("algorithm");

    for (size_t i = 0; i < count; i++)
        if ((int)strlen(rows[i].name) > width)
            width = (int)strlen(rows[i].name);
    fprintf(out, "%s of %zu instance%s\n", measure, s->instances, plural(s->instances));
    fprintf(out, "  %-*s  %9s  %9s  %9s  %9s  %9s  %7s  %6s\n", width, "algorithm", "q2.5",
            "median", "q75", "q97.5", "worst", "wins", "rank");
    for (size_t i = 0; i < count; i++) {
        const summary_row *r = &rows[i];

        fprintf(out, "  %-*s  %9.4f  %9.4f  %9.4f  %9.4f  %9.4f  %6.1f%%  %6.2f\n", width, r->name,
                r->low, r->median, r->third, r->high, r->worst, 100 * r->wins, r->rank);
    }
    free(rows);
}

static void csv_number(FILE *out, double value)
{
    char text[32];

    hs_format_double(value, text);
    fprintf(out, ",%s", text);
}

void summary_csv(const summary *s, FILE *out)
{
    size_t       count;
    summary_row *rows = sorted_rows(s, &count);

    fputs("algorithm,instances,least,q2.5,q25,median,q75,q97.5,worst,wins,behind,rank\n", out);
    for (size_t i = 0; i < count; i++) {
        const summary_row *r = &rows[i];
        const double       value[] = {r->least, r->low,   r->first, r->median, r->third,
                                      r->high,  r->worst, r->wins,  r->behind, r->rank};

        fprintf(out, "%s,%zu", r->name, r->count);
        for (size_t k = 0; k < sizeof value / sizeof *value; k++)
            csv_number(out, value[k]);
        putc('\n', out);
    }
    free(rows);
}

void summary_json(const summary *s, FILE *out)
{
    size_t       count;
    summary_row *rows = sorted_rows(s, &count);

    fputs("[\n", out);
    for (size_t i = 0; i < count; i++) {
        const summary_row *r = &rows[i];

        json_format(out,
                    "  {\"algorithm\": %s, \"instances\": %zu, \"least\": %g, \"q2.5\": %g, "
                    "\"q25\": %g, \"median\": %g, \"q75\": %g, \"q97.5\": %g, \"worst\": %g, "
                    "\"wins\": %g, \"behind\": %g, \"rank\": %g}",
                    r->name, r->count, r->least, r->low, r->first, r->median, r->third, r->high,
                    r->worst, r->wins, r->behind, r->rank);
        fputs(i + 1 < count ? ",\n" : "\n", out);
    }
    fputs("]\n", out);
    free(rows);
}
