/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-bench: the CSV file of a campaign. The rows of an instance are appended in one write; a
 * killed run leaves at most one incomplete line, which the next run removes.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/output.h"

static const char header[] =
    "campaign,family,instance,size,platform,tasks,seed,algorithm,makespan,bound,bound_name,ratio,"
    "gap,seconds,aborted,gpu_tasks,cpu_acceleration,cpu_idle,gpu_acceleration,gpu_idle,error,"
    "optimal,found_by,factors,bounds,iterations,time_limit,version,machine";

enum {
    CAMPAIGN,
    FAMILY,
    INSTANCE,
    SIZE,
    PLATFORM,
    TASKS,
    SEED,
    ALGORITHM,
    MAKESPAN,
    BOUND,
    BOUND_NAME,
    RATIO,
    GAP,
    SECONDS,
    ABORTED,
    GPU_TASKS,
    CPU_ACCELERATION,
    CPU_IDLE,
    GPU_ACCELERATION,
    GPU_IDLE,
    ERROR,
    OPTIMAL,
    FOUND_BY,
    FACTORS,
    BOUNDS, /* names of all requested bounds */
    ITERATIONS,
    TIME_LIMIT,
    VERSION,
    MACHINE,
    FIELDS
};

/* A case and its number, sorted for look-up by recipe and seed. */
typedef struct place {
    const bench_case *one;
    size_t            number;
} place;

static int compare(const char *recipe, uint64_t seed, const bench_case *one)
{
    int order = strcmp(recipe, one->recipe);

    return order ? order : (seed > one->seed) - (seed < one->seed);
}

static int by_recipe(const void *a, const void *b)
{
    const place *x = a, *y = b;

    return compare(x->one->recipe, x->one->seed, y->one);
}

/* Cut a line into fields and remove quotes. Return the number of fields; FIELDS + 1: too many. */
static int split(char *line, char *field[FIELDS])
{
    int count = 0;

    for (char *from = line, *to; count <= FIELDS; count++) {
        bool quoted = *from == '"';

        if (count == FIELDS)
            return FIELDS + 1;
        field[count] = to = from;
        from += quoted;
        while (*from && (quoted || *from != ',')) {
            if (quoted && *from == '"' && *++from != '"')
                quoted = false;
            else
                *to++ = *from++;
        }
        if (!*from) {
            *to = '\0';
            return count + 1;
        }
        from++;
        *to = '\0';
    }
    return count;
}

/* Return whether all numeric fields hold a number or are empty. */
static bool are_numbers(char *const field[FIELDS])
{
    for (int i = SIZE; i <= TIME_LIMIT; i++) {
        char *end = field[i];

        if (i == PLATFORM || i == ALGORITHM || i == BOUND_NAME || (i >= FOUND_BY && i <= BOUNDS))
            continue;
        if (*field[i])
            strtod(field[i], &end);
        if (*end)
            return false;
    }
    return true;
}

static double number(const char *text)
{
    return *text ? strtod(text, NULL) : NAN;
}

static void take(bench_row *row, char *const field[FIELDS])
{
    *row = (bench_row){
        .label = checked_strdup(field[FAMILY]),
        .recipe = checked_strdup(field[INSTANCE]),
        .algorithm = checked_strdup(field[ALGORITHM]),
        .version = checked_strdup(field[VERSION]),
        .size = number(field[SIZE]),
        .makespan = number(field[MAKESPAN]),
        .bound = number(field[BOUND]),
        .seconds = number(field[SECONDS]),
        .gap = number(field[GAP]),
        .optimal = number(field[OPTIMAL]),
        .tasks = strtoull(field[TASKS], NULL, 10),
        .seed = strtoull(field[SEED], NULL, 10),
        .aborted = strtoull(field[ABORTED], NULL, 10),
        .gpu_tasks = strtoull(field[GPU_TASKS], NULL, 10),
        .acceleration = {number(field[CPU_ACCELERATION]), number(field[GPU_ACCELERATION])},
        .idle = {number(field[CPU_IDLE]), number(field[GPU_IDLE])},
        .error = number(field[ERROR]),
    };
    snprintf(row->platform, sizeof row->platform, "%s", field[PLATFORM]);
    snprintf(row->bound_name, sizeof row->bound_name, "%s", field[BOUND_NAME]);
    snprintf(row->found_by, sizeof row->found_by, "%s", field[FOUND_BY]);
}

static void row_free(bench_row *row)
{
    free(row->label);
    free(row->recipe);
    free(row->algorithm);
    free(row->version);
    *row = (bench_row){.label = NULL};
}

void bench_rows_free(bench_rows *rows)
{
    for (size_t i = 0; i < rows->cases * rows->algorithms; i++)
        row_free(&rows->row[i]);
    free(rows->row);
}

/* Return whether the row has the bounds, iterations and time limit of the campaign. */
static bool has_same_settings(const bench_campaign *c, char *const field[FIELDS])
{
    return strcmp(field[BOUNDS], c->bounds) == 0 &&
           strtoull(field[ITERATIONS], NULL, 10) == c->iterations &&
           strtod(field[TIME_LIMIT], NULL) == c->time_limit;
}

/*
 * Store the row of a line. Rows of other instances, algorithms or settings stay in the file and are
 * ignored.
 */
static void keep(bench_rows *rows, const bench_campaign *c, const place *places,
                 char *const field[FIELDS])
{
    uint64_t seed = strtoull(field[SEED], NULL, 10);
    size_t   low = 0, high = rows->cases, a = 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int    order = compare(field[INSTANCE], seed, places[middle].one);

        if (order == 0)
            low = high = middle;
        else if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (a < c->algorithm_count && strcmp(c->algorithms[a].name, field[ALGORITHM]) != 0)
        a++;
    if (low == rows->cases || compare(field[INSTANCE], seed, places[low].one) != 0 ||
        a == c->algorithm_count || strcmp(field[CAMPAIGN], c->name) != 0)
        return;
    if (!has_same_settings(c, field)) {
        rows->unlike++;
        return;
    }
    row_free(&rows->row[places[low].number * rows->algorithms + a]);
    take(&rows->row[places[low].number * rows->algorithms + a], field);
    rows->known++;
    rows->foreign += strcmp(field[VERSION], bench_version()) != 0;
}

static int read_lines(bench_rows *rows, const bench_campaign *c, const place *places, FILE *in,
                      const char *path)
{
    char   *line = NULL, *field[FIELDS];
    size_t  room = 0, lines = 0;
    ssize_t length;
    off_t   whole = 0;
    int     code = EXIT_OK;

    while (!code && (length = getline(&line, &room, in)) > 0 && line[length - 1] == '\n') {
        line[--length] = '\0';
        whole = ftello(in);
        if (lines++ == 0 ? strcmp(line, header) != 0
                         : split(line, field) != FIELDS || !are_numbers(field)) {
            message("%s:%zu: no row of hsched-bench of this version; -o names another file", path,
                    lines);
            code = EXIT_USAGE;
        } else if (lines > 1) {
            keep(rows, c, places, field);
        }
    }
    if (!code && lines == 0 && length > 0 &&
        ((size_t)length >= sizeof header || memcmp(line, header, (size_t)length) != 0)) {
        message("'%s' is no file of hsched-bench, and stays as it is; -o names another one", path);
        code = EXIT_USAGE;
    }
    if (!code && (ferror(in) || (!feof(in) && truncate(path, whole) != 0) ||
                  (feof(in) && ftello(in) != whole && truncate(path, whole) != 0))) {
        message("cannot read '%s': %s", path, strerror(errno));
        code = EXIT_RESOURCE;
    }
    free(line);
    return code;
}

int bench_rows_read(bench_rows *rows, const bench_campaign *c, const bench_case *cases,
                    size_t case_count, const char *path)
{
    place      *places = checked_calloc(case_count + 1, sizeof *places);
    FILE       *in = fopen(path, "re");
    struct stat about;
    int         code = EXIT_OK;

    *rows = (bench_rows){.cases = case_count, .algorithms = c->algorithm_count};
    rows->row = checked_calloc(case_count * c->algorithm_count + 1, sizeof *rows->row);
    for (size_t i = 0; i < case_count; i++)
        places[i] = (place){&cases[i], i};
    qsort(places, case_count, sizeof *places, by_recipe);
    for (size_t i = 1; i < case_count && !code; i++)
        if (by_recipe(&places[i - 1], &places[i]) == 0) {
            message("two families have the instance '%s'", places[i].one->recipe);
            code = EXIT_USAGE;
        }
    if (!code && in && fstat(fileno(in), &about) == 0 && !S_ISREG(about.st_mode)) {
        message("'%s' must be a regular file", path);
        code = EXIT_USAGE;
    }
    if (!code && in)
        code = read_lines(rows, c, places, in, path);
    else if (!in && errno != ENOENT) {
        message("cannot read '%s': %s", path, strerror(errno));
        code = EXIT_USAGE;
    }
    if (in)
        fclose(in);
    free(places);
    return code;
}

static int write_failed(const char *path)
{
    int error = errno;

    message("cannot write '%s': %s", path, strerror(error));
    return output_exit_code(error);
}

/* Write the whole text. A failure may leave an incomplete line, which the next run removes. */
static int write_all(int fd, const char *path, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t done = write(fd, text, length);

        if (done < 0 && errno != EINTR)
            return write_failed(path);
        if (done > 0) {
            text += done;
            length -= (size_t)done;
        }
    }
    return EXIT_OK;
}

/*
 * Lock the file and, if it is empty, write the header. Return 0, or an exit code after a message.
 */
static int begin(int fd, const char *path)
{
    struct stat about;
    int         code;

    if (fstat(fd, &about) != 0)
        return write_failed(path);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        message("another hsched-bench writes to '%s'; let it end, or name another file (-o)", path);
        return EXIT_RESOURCE;
    }
    if (about.st_size > 0)
        return EXIT_OK;
    code = write_all(fd, path, header, sizeof header - 1);
    return code ? code : write_all(fd, path, "\n", 1);
}

int bench_rows_open(const char *path, int *fd)
{
    int code;

    *fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (*fd < 0)
        return write_failed(path);
    code = begin(*fd, path);
    if (code) {
        close(*fd);
        *fd = -1;
    }
    return code;
}

static void put_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"")]) {
        fprintf(out, "%s,", text);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    fputs("\",", out);
}

static void put_number(FILE *out, double value)
{
    char text[32] = "";

    if (!isnan(value))
        hs_format_double(value, text);
    fprintf(out, "%s,", text);
}

/* Write bounds, iterations and time limit; fields without a value are empty. */
static void put_settings(FILE *out, const bench_campaign *c)
{
    put_text(out, c->bounds);
    if (c->iterations > 0)
        fprintf(out, "%llu", (unsigned long long)c->iterations);
    putc(',', out);
    put_number(out, c->time_limit > 0 ? c->time_limit : NAN);
}

static void put_row(FILE *out, const bench_campaign *c, const bench_family *family,
                    const bench_row *row)
{
    put_text(out, c->name);
    put_text(out, row->label);
    put_text(out, row->recipe);
    put_number(out, row->size);
    fprintf(out, "%s,%llu,%llu,", row->platform, (unsigned long long)row->tasks,
            (unsigned long long)row->seed);
    put_text(out, row->algorithm);
    put_number(out, row->makespan);
    put_number(out, row->bound);
    put_text(out, row->bound_name);
    put_number(out, bench_value(row, BENCH_RATIO));
    put_number(out, row->gap);
    fprintf(out, "%.6f,%llu,%llu,", row->seconds, (unsigned long long)row->aborted,
            (unsigned long long)row->gpu_tasks);
    for (int type = HS_CPU; type <= HS_GPU; type++) {
        put_number(out, row->acceleration[type]);
        put_number(out, row->idle[type]);
    }
    put_number(out, row->error);
    put_number(out, row->optimal);
    put_text(out, row->found_by);
    put_text(out, family->factors);
    put_settings(out, c);
    put_text(out, row->version);
    fprintf(out, "\"%s\"\n", bench_machine());
}

int bench_rows_append(int fd, const char *path, const bench_campaign *c, const bench_family *family,
                      const bench_row *rows, const char *wanted)
{
    char  *text = NULL;
    size_t length = 0;
    FILE  *out = open_memstream(&text, &length);
    int    code;

    if (!out)
        return message_status(HS_ENOMEM, path);
    for (size_t a = 0; a < c->algorithm_count; a++)
        if (wanted[a])
            put_row(out, c, family, &rows[a]);
    if (fclose(out) != 0)
        code = message_status(HS_ENOMEM, path);
    else
        code = write_all(fd, path, text, length);
    free(text);
    return code;
}
