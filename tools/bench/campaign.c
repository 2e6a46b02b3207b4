/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: read a campaign from its text, one statement per line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/nearest_word.h"
#include "common/options.h"
#include "common/plugin.h"

/* The position in the text, for messages. */
typedef struct reader {
    bench_campaign *c;
    char            where[512]; /* FILE:LINE */
} reader;

typedef struct statement {
    const char *keyword;
    void (*read)(reader *r, char *rest);
} statement;

static const struct {
    const char *name, *title;
} measures[BENCH_MEASURES] = {
    [BENCH_RATIO] = {"ratio", "makespan / bound"},
    [BENCH_PERFORMANCE] = {"performance", "bound / makespan"},
    [BENCH_GAP] = {"gap", "proved gap, percent"},
    [BENCH_MAKESPAN] = {"makespan", "makespan"},
    [BENCH_SECONDS] = {"seconds", "seconds to compute"},
    [BENCH_SPEEDUP] = {"speedup", "times as fast as the last algorithm"},
    [BENCH_GPU_SHARE] = {"gpu-share", "share of tasks on GPUs"},
    [BENCH_CPU_ACCELERATION] = {"cpu-acceleration", "acceleration of what CPUs ran"},
    [BENCH_GPU_ACCELERATION] = {"gpu-acceleration", "acceleration of what GPUs ran"},
    [BENCH_CPU_IDLE] = {"cpu-idle", "idle time of CPUs / bound"},
    [BENCH_GPU_IDLE] = {"gpu-idle", "idle time of GPUs / bound"},
    [BENCH_ERROR] = {"error", "mean |estimate - time| / time"},
};

const char *bench_measure_name(bench_measure measure)
{
    return measures[measure].name;
}

const char *bench_measure_title(bench_measure measure)
{
    return measures[measure].title;
}

/* Return the array with room for one more element after `count`; frees the old array. */
static void *grow(void *old, size_t count, size_t size)
{
    char *made = checked_calloc(count + 1, size);

    if (count > 0)
        memcpy(made, old, count * size);
    free(old);
    return made;
}

/* Cut "LABEL = REST" after the label and return REST. */
static char *cut_label(reader *r, char *text, const char *what)
{
    char *at = strstr(text, " = ");

    if (!at)
        usage_error("%s: %s is written LABEL = ...", r->where, what);
    *at = '\0';
    return at + 3 + strspn(at + 3, " \t");
}

static void replace(char **text, const char *with)
{
    free(*text);
    *text = checked_strdup(with);
}

static void read_title(reader *r, char *rest)
{
    replace(&r->c->title, rest);
}

static void read_source(reader *r, char *rest)
{
    replace(&r->c->source, rest);
}

static void read_axis(reader *r, char *rest)
{
    replace(&r->c->axis, rest);
}

static const char *bound_word(size_t index)
{
    const hs_bound *bound = hs_bound_at(index);

    return bound ? hs_bound_name(bound) : NULL;
}

static void read_bounds(reader *r, char *rest)
{
    char        name[64];
    const char *list = rest;

    while (list_next(r->where, &list, name, sizeof name))
        if (strcmp(name, "witness") != 0 && !hs_bound_find(name))
            report_unknown_word(r->where, "bound", name, bound_word,
                                "hsched-solve --list lists all");
    replace(&r->c->bounds, rest);
}

static void read_instances(reader *r, char *rest)
{
    char *recipe = cut_label(r, rest, "instances");

    bench_add_families(r->c, r->where, rest, recipe);
}

static void read_seeds(reader *r, char *rest)
{
    char *dash = strchr(rest, '-');

    if (dash)
        *dash = '\0';
    r->c->first_seed = parse_unsigned(r->where, rest, 0, UINT32_MAX);
    r->c->seeds = 1;
    if (dash)
        r->c->seeds =
            1 + parse_unsigned(r->where, dash + 1, r->c->first_seed, UINT32_MAX) - r->c->first_seed;
}

static void read_iterations(reader *r, char *rest)
{
    r->c->iterations = parse_unsigned(r->where, rest, 1, UINT64_MAX);
}

static void read_time(reader *r, char *rest)
{
    r->c->time_limit = parse_time(r->where, rest, 1e-3, 1e9);
}

static void read_note(reader *r, char *rest)
{
    bench_campaign *c = r->c;

    c->notes = grow(c->notes, c->note_count, sizeof *c->notes);
    c->notes[c->note_count++] = checked_strdup(rest);
}

/* Prefixes of policies that decide during the run. */
static const struct {
    const char  *prefix;
    bench_manner manner;
    hs_guess_use guesses;
} live[] = {
    {"live/", BENCH_LIVE, HS_GUESSES_TRIED},
    {"first/", BENCH_FIRST_RUN, HS_GUESSES_TRIED},
    {"second/", BENCH_SECOND_RUN, HS_GUESSES_TRIED},
    {"trusting/", BENCH_FIRST_RUN, HS_GUESSES_TRUSTED},
    {"doubting/", BENCH_FIRST_RUN, HS_GUESSES_DOUBTED},
};

/* Find the policy behind a prefix of policies; return false if the text has no such prefix. */
static bool find_policy(bench_algorithm *a, const char *what, const char *text)
{
    enum { PREFIXES = sizeof live / sizeof *live };
    size_t      i = 0;
    const char *name;

    while (i < PREFIXES && strncmp(text, live[i].prefix, strlen(live[i].prefix)) != 0)
        i++;
    if (i == PREFIXES)
        return false;
    name = text + strlen(live[i].prefix);
    a->manner = live[i].manner;
    a->guesses = live[i].guesses;
    a->policy = plugin_policy_with_rank(name, &a->rank);
    if (!a->policy)
        plugin_unknown_policy(what, name);
    if (hs_policy_needs_plan(a->policy))
        usage_error("%s: the policy '%s' needs a plan; hsched-exec --help names those that "
                    "decide by themselves",
                    what, name);
    return true;
}

/* Cut a prefix of estimates and return the rest of the text. */
static const char *cut_estimates(bench_algorithm *a, const char *text)
{
    static const char *const prefixes[] = {[BENCH_ROOFLINE] = "roofline/",
                                           [BENCH_POWER] = "power/",
                                           [BENCH_LEARNED] = "learned/",
                                           [BENCH_LAWS] = "laws/",
                                           [BENCH_ONLINE] = "online/"};

    for (int i = BENCH_ROOFLINE; i <= BENCH_ONLINE; i++) {
        if (strncmp(text, prefixes[i], strlen(prefixes[i])) != 0)
            continue;
        a->estimates = (bench_estimates)i;
        return text + strlen(prefixes[i]);
    }
    return text;
}

static void find_algorithm(bench_algorithm *a, const char *what, const char *text)
{
    const char *name;

    *a = (bench_algorithm){.manner = BENCH_PLAN};
    snprintf(a->name, sizeof a->name, "%s", text);
    name = text = cut_estimates(a, text);
    if (find_policy(a, what, text)) {
        if (a->estimates != BENCH_GIVEN && a->manner != BENCH_LIVE)
            usage_error("%s: '%s' has two prefixes for estimates", what, a->name);
        return;
    }
    if (strncmp(text, "peer/", 5) == 0) {
        a->manner = BENCH_PEER;
        a->peer = bench_peer_find(text + 5);
        if (!a->peer)
            usage_error("%s: '%s' is not one of peer/glpk, peer/cbc, peer/highs", what, text);
        a->policy = hs_policy_find("plan");
        return;
    }
    if (strncmp(text, "steal/", 6) == 0) {
        a->manner = BENCH_STEAL;
        name += 6;
    }
    a->policy = hs_policy_find(a->manner == BENCH_STEAL ? "plan+steal" : "plan");
    a->algorithm = plugin_algorithm_with_rank(name, &a->rank);
    if (!a->algorithm)
        plugin_unknown_algorithm(what, name);
}

void bench_set_algorithms(bench_campaign *c, const char *what, const char *list)
{
    char name[BENCH_NAME];

    c->algorithm_count = 0;
    while (list_next(what, &list, name, sizeof name)) {
        c->algorithms = grow(c->algorithms, c->algorithm_count, sizeof *c->algorithms);
        find_algorithm(&c->algorithms[c->algorithm_count], what, name);
        for (size_t i = 0; i < c->algorithm_count; i++)
            if (strcmp(c->algorithms[i].name, name) == 0)
                usage_error("%s: '%s' is given twice", what, name);
        c->algorithm_count++;
    }
}

static void read_algorithms(reader *r, char *rest)
{
    bench_set_algorithms(r->c, r->where, rest);
}

static _Noreturn void refuse_baseline(const char *name)
{
    usage_error("the baseline '%s' is not one of the algorithms that run; --baseline names another",
                name);
}

void bench_set_baseline(bench_campaign *c, const char *name)
{
    if (strlen(name) >= sizeof c->baseline_name)
        refuse_baseline(name); /* no algorithm has such a long name */
    snprintf(c->baseline_name, sizeof c->baseline_name, "%s", name);
}

static void read_baseline(reader *r, char *rest)
{
    bench_set_baseline(r->c, rest);
}

void bench_find_baseline(bench_campaign *c)
{
    c->baseline = BENCH_NO_BASELINE;
    if (!c->baseline_name[0])
        return;
    for (size_t a = 0; a < c->algorithm_count; a++)
        if (strcmp(c->algorithms[a].name, c->baseline_name) == 0)
            c->baseline = a;
    if (c->baseline == BENCH_NO_BASELINE)
        refuse_baseline(c->baseline_name);
}

static const char *measure_word(size_t index)
{
    return index < BENCH_MEASURES ? measures[index].name : NULL;
}

static bench_measure find_measure(const reader *r, const char *name)
{
    for (int i = 0; i < BENCH_MEASURES; i++)
        if (strcmp(name, measures[i].name) == 0)
            return (bench_measure)i;
    report_unknown_word(r->where, "measure", name, measure_word, "see hsched-bench(1)");
}

/* Cut the next word, in which text in quotes may have blanks. Return NULL at the end. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t"), *to = word, *at;
    bool  quoted = false;

    for (at = word; *at && (quoted || !strchr(" \t", *at)); at++) {
        if (*at == '"')
            quoted = !quoted;
        else
            *to++ = *at;
    }
    *rest = *at ? at + 1 : at;
    *to = '\0';
    return *word ? word : NULL;
}

static void read_plot(reader *r, char *rest, plot_kind kind)
{
    bench_campaign *c = r->c;
    bench_plot      plot = {.kind = kind};
    char           *word = next_word(&rest);

    if (!word)
        usage_error("%s: the measure of the plot is missing", r->where);
    plot.measure = find_measure(r, word);
    while ((word = next_word(&rest))) {
        if (strcmp(word, "together") == 0)
            plot.together = true;
        else if (strcmp(word, "log-x") == 0)
            plot.log_x = true;
        else if (strcmp(word, "log-y") == 0)
            plot.log_y = true;
        else if (strncmp(word, "for=", 4) == 0)
            snprintf(plot.prefix, sizeof plot.prefix, "%s", word + 4);
        else
            usage_error("%s: '%s' is not one of together, log-x, log-y, for=LABEL", r->where, word);
    }
    snprintf(plot.where, sizeof plot.where, "%s", r->where);
    c->plots = grow(c->plots, c->plot_count, sizeof *c->plots);
    c->plots[c->plot_count++] = plot;
}

static void read_boxes(reader *r, char *rest)
{
    read_plot(r, rest, PLOT_BOXES);
}

static void read_lines(reader *r, char *rest)
{
    read_plot(r, rest, PLOT_LINES);
}

static void read_performance(reader *r, char *rest)
{
    bench_plot *plot;

    read_plot(r, rest, PLOT_LINES);
    plot = &r->c->plots[r->c->plot_count - 1];
    plot->performance = true;
    if (plot->log_y)
        usage_error("%s: the shares of a performance profile have no logarithmic axis", r->where);
    switch (plot->measure) {
    case BENCH_RATIO:
    case BENCH_MAKESPAN:
    case BENCH_SECONDS:
    case BENCH_ERROR:
        return;
    default:
        usage_error("%s: a performance profile is of ratio, makespan, seconds or error",
                    r->where);
    }
}

/* Parse LABEL|* = ALGORITHM LOW[..HIGH] [SIZE]. */
static void read_published_measure(reader *r, char *rest, bench_measure measure)
{
    bench_campaign *c = r->c;
    bench_published p = {.measure = measure, .size = NAN};
    char *name = strtok(cut_label(r, rest, "what is published"), " \t"), *range, *size, *dots;

    range = name ? strtok(NULL, " \t") : NULL;
    size = range ? strtok(NULL, " \t") : NULL;
    if (!range)
        usage_error("%s: what is published is written LABEL = ALGORITHM LOW..HIGH [SIZE]",
                    r->where);
    snprintf(p.algorithm, sizeof p.algorithm, "%s", name);
    dots = strstr(range, "..");
    if (dots)
        *dots = '\0';
    p.low = p.high = parse_double(r->where, range, 0, 1e300);
    if (dots)
        p.high = parse_double(r->where, dots + 2, p.low, 1e300);
    if (size)
        p.size = parse_double(r->where, size, 0, 1e300);
    if (strcmp(rest, "*") != 0)
        p.label = checked_strdup(rest);
    c->published = grow(c->published, c->published_count, sizeof *c->published);
    c->published[c->published_count++] = p;
}

static void read_published(reader *r, char *rest)
{
    read_published_measure(r, rest, BENCH_RATIO);
}

static void read_published_error(reader *r, char *rest)
{
    read_published_measure(r, rest, BENCH_ERROR);
}

static const statement statements[] = {
    {"title", read_title},         {"source", read_source},         {"axis", read_axis},
    {"instances", read_instances}, {"seeds", read_seeds},           {"algorithms", read_algorithms},
    {"bounds", read_bounds},       {"iterations", read_iterations}, {"time", read_time},
    {"boxes", read_boxes},         {"lines", read_lines},           {"published", read_published},
    {"note", read_note},           {"published-error", read_published_error},
    {"baseline", read_baseline},   {"performance-profile", read_performance},
};

enum { STATEMENTS = sizeof statements / sizeof *statements };

static void read_line(reader *r, char *line)
{
    size_t length;
    char  *rest;

    line += strspn(line, " \t");
    line[strcspn(line, "\r")] = '\0';
    if (!*line || *line == '#')
        return;
    for (length = strlen(line); line[length - 1] == ' ' || line[length - 1] == '\t';)
        line[--length] = '\0';
    length = strcspn(line, " \t");
    rest = line + length + strspn(line + length, " \t");
    for (int i = 0; i < STATEMENTS; i++)
        if (strlen(statements[i].keyword) == length &&
            memcmp(statements[i].keyword, line, length) == 0) {
            if (!*rest)
                usage_error("%s: nothing behind '%s'", r->where, line);
            statements[i].read(r, rest);
            return;
        }
    usage_error("%s: '%.*s' is not a line of a campaign; see hsched-bench(1)", r->where,
                (int)length, line);
}

bool bench_plot_shows(const bench_plot *plot, const bench_family *family)
{
    return strncmp(family->label, plot->prefix, strlen(plot->prefix)) == 0;
}

/* Refuse a plot whose prefix is the begin of no label. */
static void check_plots(const bench_campaign *c)
{
    for (size_t i = 0; i < c->plot_count; i++) {
        size_t shown = 0;

        for (size_t f = 0; f < c->family_count; f++)
            shown += bench_plot_shows(&c->plots[i], &c->families[f]);
        if (shown == 0)
            usage_error("%s: no label of instances begins with '%s'", c->plots[i].where,
                        c->plots[i].prefix);
    }
}

void bench_campaign_read(bench_campaign *c, const char *name, const char *path, const char *text)
{
    char  *own = checked_strdup(text), *next = own, *line;
    reader r = {.c = c};
    size_t number = 0;

    *c = (bench_campaign){.first_seed = 1, .seeds = 1};
    snprintf(c->name, sizeof c->name, "%s", name);
    while ((line = strsep(&next, "\n"))) {
        snprintf(r.where, sizeof r.where, "%.400s:%zu", path, ++number);
        read_line(&r, line);
    }
    free(own);
    if (!c->title)
        c->title = checked_strdup(name);
    if (!c->axis)
        c->axis = checked_strdup("size");
    if (!c->bounds)
        c->bounds = checked_strdup("deadline");
    if (c->family_count == 0)
        usage_error("%s: no line says what the instances are: instances LABEL = ...", path);
    if (c->algorithm_count == 0)
        usage_error("%s: no line says what the algorithms are: algorithms NAME,...", path);
    check_plots(c);
}

void bench_campaign_free(bench_campaign *c)
{
    for (size_t i = 0; i < c->family_count; i++)
        bench_family_free(&c->families[i]);
    for (size_t i = 0; i < c->published_count; i++)
        free(c->published[i].label);
    for (size_t i = 0; i < c->note_count; i++)
        free(c->notes[i]);
    free(c->families);
    free(c->algorithms);
    free(c->plots);
    free(c->published);
    free(c->notes);
    free(c->title);
    free(c->source);
    free(c->axis);
    free(c->bounds);
}
