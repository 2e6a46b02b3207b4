/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve: results as text tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "common/checked_memory.h"
#include "common/shown_number.h"
#include "solve/solve.h"

enum { DIGITS = SHOWN_DIGITS, MAX_DECIMALS = 9, CELL = 32 };

static void format_value(char cell[CELL], double value, int decimals)
{
    if (decimals < 0)
        snprintf(cell, CELL, "%.*e", DIGITS - 1, value);
    else
        snprintf(cell, CELL, "%.*f", decimals, value);
}

/* Return the number of zeros at the end of all cells of a column, which can be omitted. */
static int common_zeros(const solve_row *rows, size_t count, int decimals)
{
    int zeros = decimals;

    for (size_t i = 0; i < count; i++) {
        char   cell[CELL];
        size_t length;
        int    here = 0;

        format_value(cell, rows[i].value, decimals);
        length = strlen(cell);
        while (here < zeros && cell[length - 1 - (size_t)here] == '0')
            here++;
        zeros = here;
    }
    return zeros;
}

/*
 * Return the decimals that give the largest value of a column about seven digits; -1: use
 * exponents.
 */
static int column_decimals(const solve_row *rows, size_t count)
{
    double largest = 0;
    int    decimals = DIGITS - 1;

    for (size_t i = 0; i < count; i++)
        if (rows[i].value > largest)
            largest = rows[i].value;
    if (largest >= 1e15 || (largest > 0 && largest < 1e-6))
        return -1;
    for (double power = 10; power <= largest && decimals > 0; power *= 10)
        decimals--;
    for (double power = 1; power > largest && decimals < MAX_DECIMALS; power /= 10)
        decimals++;
    return decimals - common_zeros(rows, count, decimals);
}

/* Format a gap in percent; a positive gap never prints as 0. */
static void format_gap(char cell[CELL], double gap)
{
    if (gap == 0)
        snprintf(cell, CELL, "optimal");
    else if (gap < 0.00005)
        snprintf(cell, CELL, "<0.01%%");
    else if (gap < 1e6)
        snprintf(cell, CELL, "%.2f%%", gap * 100);
    else
        snprintf(cell, CELL, "%.3g%%", gap * 100);
}

static int by_makespan(const void *a, const void *b)
{
    const solve_row *const *x = a, *const *y = b;

    if ((*x)->value != (*y)->value)
        return (*x)->value < (*y)->value ? -1 : 1;
    return *x < *y ? -1 : 1; /* equal rows keep the order of the request */
}

static int by_bound(const void *a, const void *b)
{
    const solve_row *const *x = a, *const *y = b;

    if ((*x)->value != (*y)->value)
        return (*x)->value > (*y)->value ? -1 : 1;
    return *x < *y ? -1 : 1;
}

/* Return pointers to the rows in the given order; the caller frees the array. */
static const solve_row **sorted(const solve_row *rows, size_t count,
                                int (*order)(const void *, const void *))
{
    const solve_row **pointers = checked_calloc(count, sizeof *pointers);

    for (size_t i = 0; i < count; i++)
        pointers[i] = &rows[i];
    qsort(pointers, count, sizeof *pointers, order);
    return pointers;
}

static int name_width(const char *heading, const solve_row *rows, size_t count)
{
    size_t width = strlen(heading);

    for (size_t i = 0; i < count; i++)
        if (strlen(rows[i].name) > width)
            width = strlen(rows[i].name);
    return (int)width;
}

/* Print the finished members of best's portfolio, as many per line as fit. */
static void print_members(const solve_row *row, int width)
{
    enum { COLUMNS = 78 };
    const char *rest = row->members;
    int         column = printf("\n  %-*s  finished:", width, row->name) - 1;

    while (*rest) {
        int length = (int)strcspn(rest, ",");

        if (column + length + 2 > COLUMNS)
            column = printf("\n  %-*s  %9s", width, "", "") - 1;
        column += printf(" %.*s%s", length, rest, rest[length] ? "," : "");
        rest += length + (rest[length] != 0);
    }
    putchar('\n');
}

static void print_algorithms(const solve_row *rows, size_t count)
{
    const solve_row **order = sorted(rows, count, by_makespan);
    int               decimals = column_decimals(rows, count);
    int               width = name_width("algorithm", rows, count);

    printf("  %-*s  %14s  %9s  %9s  %9s\n", width, "algorithm", "makespan", "gap", "spoliated",
           "seconds");
    for (size_t i = 0; i < count; i++) {
        char makespan[CELL], gap[CELL];

        format_value(makespan, order[i]->value, decimals);
        format_gap(gap, order[i]->gap);
        printf("  %-*s  %14s  %9s  %9zu  %9.6f\n", width, order[i]->name, makespan, gap,
               order[i]->spoliated, order[i]->seconds);
    }
    for (size_t i = 0; i < count; i++)
        if (rows[i].members[0])
            print_members(&rows[i], width);
    free(order);
}

/* Name the schedules that are called optimal beyond what the certificate proves. */
static void print_uncertified(const solve_result *result)
{
    const char *before = "\n  optimal, but not certified: ";

    for (size_t i = 0; result->certificate && i < result->algorithm_count; i++) {
        const solve_row *row = &result->algorithms[i];

        if (row->gap != 0 || solve_is_certified(result, row))
            continue;
        printf("%s%s", before, row->name);
        before = ", ";
    }
    if (*before == ',')
        putchar('\n');
}

/* Format a factor, or "-" if the type ran no task. */
static void format_factor(char cell[CELL], double factor)
{
    if (isnan(factor))
        snprintf(cell, CELL, "-");
    else
        snprintf(cell, CELL, "%.3f", factor);
}

/* Format an idle share in percent, possibly above 100. */
static void format_idle(char cell[CELL], double share)
{
    if (isnan(share))
        snprintf(cell, CELL, "-");
    else
        snprintf(cell, CELL, "%.2f%%", share * 100);
}

/* Return whether any schedule copies data; some schedules of an instance may copy none. */
static bool has_copies(const solve_result *result)
{
    for (size_t i = 0; i < result->algorithm_count; i++)
        if (transfer_totals_exist(&result->algorithms[i].copied))
            return true;
    return false;
}

static void print_metrics(const solve_result *result)
{
    size_t            count = result->algorithm_count;
    const solve_row **order = sorted(result->algorithms, count, by_makespan);
    int               width = name_width("algorithm", result->algorithms, count);

    printf("\n  %-*s  %14s  %9s  %10s  %9s\n", width, "algorithm", "CPU accel.", "CPU idle",
           "GPU accel.", "GPU idle");
    for (size_t i = 0; i < count; i++) {
        char cell[4][CELL];

        for (int type = HS_CPU; type <= HS_GPU; type++) {
            format_factor(cell[2 * type], order[i]->metrics.type[type].acceleration);
            format_idle(cell[2 * type + 1], solve_idle(result, order[i], (hs_type)type));
        }
        printf("  %-*s  %14s  %9s  %10s  %9s\n", width, order[i]->name, cell[0], cell[1], cell[2],
               cell[3]);
    }
    free(order);
}

static void print_transfers(const solve_result *result)
{
    size_t            count = result->algorithm_count;
    const solve_row **order = sorted(result->algorithms, count, by_makespan);
    int               width = name_width("algorithm", result->algorithms, count);

    printf("\n  %-*s  %14s  %9s  %10s  %9s\n", width, "algorithm", "copies to GPUs", "MB",
           "to host", "MB");
    for (size_t i = 0; i < count; i++) {
        const transfer_totals *c = &order[i]->copied;

        printf("  %-*s  %14zu  %9.4g  %10zu  %9.4g\n", width, order[i]->name, c->count[HS_GPU],
               1e-6 * c->bytes[HS_GPU], c->count[HS_CPU], 1e-6 * c->bytes[HS_CPU]);
    }
    free(order);
}

static void print_bounds(const solve_row *rows, size_t count)
{
    const solve_row **order = sorted(rows, count, by_bound);
    int               decimals = column_decimals(rows, count);
    int               width = name_width("bound", rows, count);

    printf("\n  %-*s  %14s  %9s\n", width, "bound", "value", "seconds");
    for (size_t i = 0; i < count; i++) {
        char value[CELL];

        format_value(value, order[i]->value, decimals);
        printf("  %-*s  %14s  %9.6f\n", width, order[i]->name, value, order[i]->seconds);
    }
    free(order);
}

/* Write a bound for a reader, rounded down, so that the text is a bound, too. */
static void format_bound(double bound, char text[32])
{
    /* value of the last printed digit: at most 1, so that digits before the point are kept */
    double last;

    hs_format_rounded(bound, DIGITS, text);
    if (strtod(text, NULL) <= bound)
        return;
    last = floor(log10(bound)) + 1 - DIGITS;
    hs_format_rounded(bound - 0.5 * pow(10, bound < 1e12 ? fmin(last, 0) : last), DIGITS, text);
}

void solve_text(const solve_request *request, const solve_result *result, int first)
{
    const hs_instance *in = result->in;
    size_t             tasks = hs_instance_tasks(in);
    unsigned           cpus = hs_instance_cpus(in), gpus = hs_instance_gpus(in);
    char               bound[32], from[TIME_SOURCES_TEXT];

    format_bound(result->bound.value, bound);
    printf("%s%s: %zu task%s on %u CPU%s and %u GPU%s, in %s; no schedule beats %s (%s)\n",
           first ? "" : "\n", SHOWN(result->path), tasks, plural(tasks), cpus, plural(cpus), gpus,
           plural(gpus), hs_unit_name(hs_instance_unit(in)), bound, result->bound.name);
    if (result->filled) {
        time_sources_text(&result->sources, from);
        printf("  times: %s\n", from);
    }
    print_algorithms(result->algorithms, result->algorithm_count);
    print_uncertified(result);
    if (request->metrics)
        print_metrics(result);
    if (request->metrics && has_copies(result))
        print_transfers(result);
    if (request->reports_bounds)
        print_bounds(result->bounds, result->bound_count);
}
