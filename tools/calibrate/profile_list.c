/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-calibrate --list: the measured times and the fitted laws of a profile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calibrate/calibrate.h"
#include "common/escape.h"
#include "common/message.h"

enum { DIGITS = 5, CELL = 64 };

static void format_date(char cell[CELL], int64_t date)
{
    time_t    seconds = (time_t)date;
    struct tm day;

    if (date <= 0 || !gmtime_r(&seconds, &day) || strftime(cell, CELL, "%Y-%m-%d", &day) == 0)
        strcpy(cell, "-");
}

/* Format the standard deviation over the mean, in percent. */
static void format_spread(char cell[CELL], const hs_cost_entry *entry)
{
    if (entry->runs > 1)
        snprintf(cell, CELL, "%.1f%%", 100 * sqrt(entry->m2 / (entry->runs - 1)) / entry->mean);
    else
        strcpy(cell, "-");
}

static void format_law(char cell[CELL], const calibrate_entries *e, const char *key)
{
    hs_power_law law;

    cell[0] = '\0';
    hs_power_law_init(&law);
    if (!hs_cost_power_law(e->cost, e->processor.type, key, &law))
        return;
    if (law.c > 0)
        snprintf(cell, CELL, "  %.4g D^%.3f + %.4g", law.a, law.b, law.c);
    else
        snprintf(cell, CELL, "  %.4g D^%.3f", law.a, law.b);
}

static int key_width(const calibrate_entries *e)
{
    enum { MOST = 40 };
    size_t width = strlen("key");

    for (size_t i = 0; i < e->count; i++)
        if (strlen(SHOWN(e->entries[i].features.key)) > width)
            width = strlen(SHOWN(e->entries[i].features.key));
    return width < MOST ? (int)width : MOST;
}

static void print_entry(const calibrate_entries *e, size_t i, int width)
{
    const hs_cost_entry *entry = &e->entries[i];
    const char          *key = entry->features.key;
    bool                 is_first = i == 0 || strcmp(e->entries[i - 1].features.key, key) != 0;
    char                 size[32] = "-", mean[32], spread[CELL], date[CELL], law[CELL] = "";

    if (entry->features.size > 0)
        hs_format_rounded(entry->features.size, DIGITS + 1, size);
    hs_format_rounded(entry->mean, DIGITS, mean);
    format_spread(spread, entry);
    format_date(date, entry->last);
    if (is_first)
        format_law(law, e, key);
    printf("  %-*s  %10s  %5.0f  %12s  %7s  %-*s%s\n", width, SHOWN(key), size, entry->runs, mean,
           spread, law[0] ? 10 : 0, date, law);
}

static void print_processor(const calibrate_entries *e, bool is_first)
{
    char model[PROFILE_PROCESSOR];
    int  width = key_width(e);

    profile_describe(&e->processor, model);
    printf("%s%s %s\n", is_first ? "" : "\n", e->processor.type == HS_CPU ? "CPU" : "GPU",
           SHOWN(model));
    printf("  %-*s  %10s  %5s  %12s  %7s  %-10s  %s\n", width, "key", "size D", "runs", "mean, s",
           "spread", "last", "law, s");
    for (size_t i = 0; i < e->count; i++)
        print_entry(e, i, width);
}

int calibrate_list_profile(times_profile *p)
{
    calibrate_entries e;
    hs_error          error = {0};
    hs_status         st;
    size_t            index = 0;

    while ((st = calibrate_entries_at(p, index, &e, &error)) == HS_OK) {
        print_processor(&e, index++ == 0);
        calibrate_entries_free(&e);
    }
    calibrate_entries_free(&e);
    if (st != HS_EINVAL)
        return profile_refused(st, &error);
    if (index == 0)
        printf("%s has no times\n", SHOWN(p->path));
    return EXIT_OK;
}
