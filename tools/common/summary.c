/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/io.h>

#include "common/escape.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/plot/plot.h"

struct summary {
    size_t       algorithms, instances, room;
    const char **names;
    double      *value; /* values, instance by instance */
    size_t      *has;   /* number of instances with a value, per algorithm */
};

summary *summary_create(size_t algorithms, const char *const *names)
{
    summary *s = checked_calloc(1, sizeof *s);

    s->algorithms = algorithms;
    s->names = checked_calloc(algorithms + 1, sizeof *s->names);
    if (algorithms > 0)
        memcpy(s->names, names, algorithms * sizeof *s->names);
    s->has = checked_calloc(algorithms + 1, sizeof *s->has);
    return s;
}

void summary_free(summary *s)
{
    if (!s)
        return;
    free(s->value);
    free(s->has);
    free(s->names);
    free(s);
}

void summary_add(summary *s, const double *values)
{
    if (s->instances == s->room) {
        size_t  room = s->room ? 2 * s->room : 64;
        double *larger = checked_calloc(room * s->algorithms + 1, sizeof *larger);

        if (s->instances > 0)
            memcpy(larger, s->value, s->instances * s->algorithms * sizeof *larger);
        free(s->value);
        s->value = larger;
        s->room = room;
    }
    for (size_t a = 0; a < s->algorithms; a++) {
        s->value[s->instances * s->algorithms + a] = values[a];
        s->has[a] += !isnan(values[a]);
    }
    s->instances++;
}

/*
 * Return the values of an instance if every algorithm with any value has one here; otherwise NULL.
 */
static const double *compared(const summary *s, size_t instance)
{
    const double *values = &s->value[instance * s->algorithms];

    for (size_t a = 0; a < s->algorithms; a++)
        if (s->has[a] > 0 && isnan(values[a]))
            return NULL;
    return values;
}

/* Return the rank of a value, 1 for the best; equal values share the mean of their ranks. */
static double rank_of(const double *values, size_t count, size_t which)
{
    size_t better = 0, equal = 0;

    for (size_t i = 0; i < count; i++) {
        better += values[i] < values[which];
        equal += values[i] == values[which];
    }
    return (double)better + ((double)equal + 1) / 2;
}

static double least_of(const double *values, size_t count)
{
    double least = INFINITY;

    for (size_t i = 0; i < count; i++)
        if (values[i] < least)
            least = values[i];
    return least;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/*
 * Add an algorithm's values to the sums and maxima in `row`. Return the sorted values, to be freed.
 */
static double *add_up(const summary *s, size_t algorithm, summary_row *row)
{
    double *own = checked_calloc(s->instances + 1, sizeof *own);

    for (size_t i = 0; i < s->instances && s->has[algorithm] > 0; i++) {
        const double *values = compared(s, i);
        double        best;

        if (!values)
            continue;
        best = least_of(values, s->algorithms);
        own[row->count++] = values[algorithm];
        row->wins += values[algorithm] <= best;
        row->rank += rank_of(values, s->algorithms, algorithm);
        if (best > 0 && values[algorithm] / best - 1 > row->behind)
            row->behind = values[algorithm] / best - 1;
    }
    qsort(own, row->count, sizeof *own, by_value);
    return own;
}

void summary_statistics(const summary *s, size_t algorithm, summary_row *row)
{
    double *sorted;

    *row = (summary_row){.name = s->names[algorithm]};
    sorted = add_up(s, algorithm, row);
    row->least = quantile(sorted, row->count, 0);
    row->low = quantile(sorted, row->count, 0.025);
    row->first = quantile(sorted, row->count, 0.25);
    row->median = quantile(sorted, row->count, 0.5);
    row->third = quantile(sorted, row->count, 0.75);
    row->ninth = quantile(sorted, row->count, 0.9);
    row->high = quantile(sorted, row->count, 0.975);
    row->worst = quantile(sorted, row->count, 1);
    row->wins /= (double)row->count;
    row->rank /= (double)row->count;
    row->behind = row->count ? row->behind : NAN;
    free(sorted);
}

size_t summary_compared_instances(const summary *s)
{
    size_t count = 0;

    for (size_t i = 0; i < s->instances; i++)
        count += compared(s, i) != NULL;
    return count;
}

size_t summary_instances(const summary *s)
{
    return s->instances;
}

/* Print a message with the algorithms that lack instances, if any instances are left out. */
static void print_left_out(const summary *s)
{
    size_t left_out = s->instances - summary_compared_instances(s), length = 0, used = 0;
    char  *names;

    if (left_out == 0)
        return;
    for (size_t a = 0; a < s->algorithms; a++)
        length += strlen(s->names[a]) + 2;
    names = checked_calloc(length + 1, 1);
    for (size_t a = 0; a < s->algorithms; a++)
        if (s->has[a] > 0 && s->has[a] < s->instances)
            used += (size_t)sprintf(names + used, "%s%s", used ? ", " : "", s->names[a]);
    message("the summary leaves out %zu of %zu instances, since not all of these algorithms have a "
            "result: %s",
            left_out, s->instances, names);
    free(names);
}

static int by_median(const void *a, const void *b)
{
    const summary_row *x = a, *y = b;

    if (x->median != y->median)
        return x->median < y->median ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Return the rows of all algorithms with a value, least median first; the caller frees them. */
static summary_row *sorted_rows(const summary *s, size_t *count)
{
    summary_row *rows = checked_calloc(s->algorithms + 1, sizeof *rows);

    *count = 0;
    for (size_t i = 0; i < s->algorithms; i++) {
        summary_statistics(s, i, &rows[*count]);
        *count += rows[*count].count > 0;
    }
    qsort(rows, *count, sizeof *rows, by_median);
    return rows;
}

void summary_text(const summary *s, const char *measure, FILE *out)
{
    size_t       count, compared_count = summary_compared_instances(s);
    summary_row *rows = sorted_rows(s, &count);
    int          width = (int)strlen("algorithm");

    for (size_t i = 0; i < count; i++)
        if ((int)strlen(rows[i].name) > width)
            width = (int)strlen(rows[i].name);
    print_left_out(s);
    fprintf(out, "%s of %zu instance%s", measure, compared_count, plural(compared_count));
    if (compared_count < s->instances)
        fprintf(out, " of %zu", s->instances);
    putc('\n', out);
    fprintf(out, "  %-*s %8s %8s %8s %8s %8s %6s %5s\n", width, "algorithm", "q2.5",
            "median", "q75", "q97.5", "worst", "wins", "rank");
    for (size_t i = 0; i < count; i++) {
        const summary_row *r = &rows[i];

        fprintf(out, "  %-*s %8.4f %8.4f %8.4f %8.4f %8.4f %5.1f%% %5.2f\n", width, r->name,
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

    print_left_out(s);
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

    print_left_out(s);
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
