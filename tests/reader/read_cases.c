/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Test of the readers: each folder of tests/reader/cases is a case.
 *
 *     input.csv    the file to read
 *     expected     the result: an error in one line, `STATUS LINE:COLUMN: TEXT`, or the file that a
 *                  writer makes of the instance or plan
 *     arguments    (optional) words: instance (the default), plan, commands, affinities, or an
 *                  import format;
 *                  ignore-unknown, cpus N, gpus N, speedup RULES, least-time X, time NAME,
 *                  bytes NAME
 *     instance.csv the instance of an affinities file
 *
 *     read_cases [--update] [CASE...]     --update replaces `expected` by the present results
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/io.h>

struct reading {
    const char     *folder;
    char            kind[16];
    hs_read_settings options;

    hs_import_settings import;
    char              text[3][64]; /* storage for the strings of `import` */
};

static void give_up(const char *what)
{
    perror(what);
    exit(99);
}

static void path_of(char path[512], const char *folder, const char *name)
{
    if (snprintf(path, 512, "%s/%s", folder, name) >= 512)
        give_up(folder);
}

static int open_in(const char *folder, const char *name)
{
    char path[512];

    path_of(path, folder, name);
    return open(path, O_RDONLY);
}

/* Return the contents of a file with a terminating NUL; NULL if the descriptor is invalid. */
static char *text_of(int fd)
{
    off_t   size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    char   *text = fd < 0 ? NULL : malloc((size_t)size + 1);
    ssize_t got = text ? pread(fd, text, (size_t)size, 0) : 0;

    if (fd >= 0 && (!text || got != size))
        give_up("reading a case");
    if (text)
        text[size] = '\0';
    return text;
}

static bool take_import_option(struct reading *r, const char *word, char **rest)
{
    const struct {
        const char  *name;
        const char **to;
    } texts[] = {
        {"speedup", &r->import.speedup}, {"time", &r->import.time}, {"bytes", &r->import.bytes}};

    if (strcmp(word, "least-time") == 0) {
        r->import.least_time = atof(strtok_r(*rest, " \n", rest));
        return true;
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(word, texts[i].name) == 0) {
            snprintf(r->text[i], sizeof r->text[i], "%s", strtok_r(*rest, " \n", rest));
            *texts[i].to = r->text[i];
            return true;
        }
    return false;
}

static void read_arguments(struct reading *r)
{
    int   fd = open_in(r->folder, "arguments");
    char *text = text_of(fd), *rest = text, *word;

    strcpy(r->kind, "instance");
    hs_read_settings_init(&r->options);
    hs_import_settings_init(&r->import);
    while (text && (word = strtok_r(rest, " \n", &rest))) {
        if (strcmp(word, "ignore-unknown") == 0) {
            r->options.ignore_unknown = 1;
        } else if (strcmp(word, "cpus") == 0) {
            r->options.has_cpus = 1;
            r->options.cpus = (unsigned)atoi(strtok_r(rest, " \n", &rest));
        } else if (strcmp(word, "gpus") == 0) {
            r->options.has_gpus = 1;
            r->options.gpus = (unsigned)atoi(strtok_r(rest, " \n", &rest));
        } else if (!take_import_option(r, word, &rest)) {
            snprintf(r->kind, sizeof r->kind, "%s", word);
        }
    }
    free(text);
    if (fd >= 0)
        close(fd);
}

static hs_status instance_case(const struct reading *r, int in, int out, hs_error *error)
{
    bool         is_list = strcmp(r->kind, "commands") == 0;
    hs_instance *instance = NULL;
    hs_status    st = (is_list ? hs_commands_read : hs_instance_read)(in, &r->options, &instance,
                                                                   error);

    if (st == HS_OK && hs_instance_write(out, instance, NULL) != HS_OK)
        give_up("hs_instance_write");
    hs_instance_free(instance);
    return st;
}

static hs_status plan_case(const struct reading *r, int in, int out, hs_error *error)
{
    hs_instance *instance = NULL;
    hs_schedule *schedule = NULL;
    hs_plan_info info;
    hs_status    st;

    hs_plan_info_init(&info);
    st = hs_plan_read(in, &r->options, &instance, &schedule, &info, error);
    if (st == HS_OK && hs_plan_write(out, instance, schedule, &info, NULL) != HS_OK)
        give_up("hs_plan_write");
    hs_schedule_free(schedule);
    hs_instance_free(instance);
    return st;
}

static hs_status affinities_case(const struct reading *r, int in, int out, hs_error *error)
{
    int          fd = open_in(r->folder, "instance.csv");
    hs_instance *instance = NULL;
    hs_affinity *affinities = NULL;
    size_t       count = 0;
    hs_status    st;

    if (fd < 0 || hs_instance_read(fd, NULL, &instance, error) != HS_OK)
        give_up("the instance of affinities");
    close(fd);
    st = hs_affinities_read(in, instance, &affinities, &count, error);
    for (size_t i = 0; st == HS_OK && i < count; i++)
        dprintf(out, "task %" PRIu32 " worker %" PRIu32 " score %g\n", affinities[i].task,
                affinities[i].worker, affinities[i].score);
    free(affinities);
    hs_instance_free(instance);
    return st;
}

static hs_status import_case(const struct reading *r, int in, int out, hs_error *error)
{
    hs_import_settings options = r->import;
    hs_instance      *instance = NULL;
    hs_status         st;

    options.has_cpus = r->options.has_cpus;
    options.has_gpus = r->options.has_gpus;
    options.cpus = options.has_cpus ? r->options.cpus : 2;
    options.gpus = options.has_gpus ? r->options.gpus : 1;
    if (strcmp(r->kind, "stg") == 0)
        st = hs_import_stg(in, &options, &instance, error);
    else if (strcmp(r->kind, "dot") == 0)
        st = hs_import_dot(in, &options, &instance, error);
    else
        st = hs_import_wfcommons(in, &options, &instance, error);
    if (st == HS_OK && hs_instance_write(out, instance, NULL) != HS_OK)
        give_up("hs_instance_write");
    hs_instance_free(instance);
    return st;
}

static hs_starpu_models *models_of(int fd, hs_error *error)
{
    hs_starpu_models *models = NULL;

    if (hs_starpu_models_read(fd, &models, error) != HS_OK)
        return NULL;
    return models;
}

static hs_status write_starpu(const struct reading *r, int tasks, const hs_starpu_models *models,
                              int out, hs_error *error)
{
    hs_instance *instance = NULL;
    hs_status    st = hs_import_starpu(tasks, models, &r->import, &instance, error);

    if (st == HS_OK && hs_instance_write(out, instance, NULL) != HS_OK)
        give_up("hs_instance_write");
    hs_instance_free(instance);
    return st;
}

/* Import a case together with the matching second file of tests/cli/data. */
static hs_status starpu_case(const struct reading *r, int in, int out, hs_error *error)
{
    int               fd = open_in(r->folder, "../../../cli/data/small-perfmodel.rec");
    hs_starpu_models *models = models_of(fd, error);
    hs_status         st;

    if (!models)
        give_up("small-perfmodel.rec");
    st = write_starpu(r, in, models, out, error);
    hs_starpu_models_free(models);
    close(fd);
    return st;
}

static hs_status models_case(const struct reading *r, int in, int out, hs_error *error)
{
    int               fd = open_in(r->folder, "../../../cli/data/small-tasks.rec");
    hs_starpu_models *models = models_of(in, error);
    hs_status         st = models ? write_starpu(r, fd, models, out, error) : HS_ESYNTAX;

    hs_starpu_models_free(models);
    close(fd);
    return st;
}

static const char *status_name(hs_status st)
{
    switch (st) {
#define X(name, value, text)                                                                       \
    case HS_##name:                                                                                \
        return #name;
        HS_STATUS_MAP(X)
#undef X
    }
    return "unknown";
}

/* Return the result of a case as text. */
static char *result_of(struct reading *r)
{
    static const struct {
        const char *kind;
        hs_status (*run)(const struct reading *r, int in, int out, hs_error *error);
    } kinds[] = {{"instance", instance_case},
                 {"commands", instance_case},
                 {"plan", plan_case},
                 {"affinities", affinities_case},
                 {"stg", import_case},
                 {"dot", import_case},
                 {"wfcommons", import_case},
                 {"starpu", starpu_case},   {"models", models_case}};
    FILE         *out = tmpfile();
    int           in = open_in(r->folder, "input.csv");
    hs_error      error = {0};
    hs_status     st = HS_EINVAL;
    char         *text;

    read_arguments(r);
    if (!out || in < 0)
        give_up(r->folder);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].kind, r->kind) == 0)
            st = kinds[i].run(r, in, fileno(out), &error);
    if (st != HS_OK)
        dprintf(fileno(out), "%s %" PRIu64 ":%" PRIu64 ": %s\n", status_name(st), error.line,
                error.column, error.why);
    text = text_of(fileno(out));
    fclose(out);
    close(in);
    return text;
}

static void update(const char *folder, const char *result)
{
    char  path[512];
    FILE *f;

    path_of(path, folder, "expected");
    f = fopen(path, "w");
    if (!f || fputs(result, f) < 0 || fclose(f))
        give_up(path);
}

static int run_case(const char *cases, const char *name, bool updating)
{
    char           folder[512];
    struct reading r = {.folder = folder};
    char          *result, *expected;
    int            fd, same;

    path_of(folder, cases, name);
    result = result_of(&r);
    if (updating)
        update(folder, result);
    fd = open_in(folder, "expected");
    expected = text_of(fd);
    same = expected && strcmp(result, expected) == 0;
    if (!same)
        printf("%s: expected\n%sgot\n%s", name, expected ? expected : "(nothing)\n", result);
    if (fd >= 0)
        close(fd);
    free(expected);
    free(result);
    return same;
}

static int is_case(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    const char     *srcdir = getenv("srcdir");
    char            cases[512];
    struct dirent **found;
    bool            updating = argc > 1 && strcmp(argv[1], "--update") == 0;
    int             first = 1 + updating, failed = 0, run = 0, count;

    path_of(cases, srcdir ? srcdir : ".", "tests/reader/cases");
    count = scandir(cases, &found, is_case, alphasort);
    if (count <= 0)
        give_up(cases);
    for (int i = 0; i < count; i++) {
        bool wanted = first == argc;

        for (int a = first; a < argc; a++)
            wanted |= strcmp(argv[a], found[i]->d_name) == 0;
        if (wanted) {
            run++;
            failed += !run_case(cases, found[i]->d_name, updating);
        }
        free(found[i]);
    }
    free(found);
    printf("reader: %d passed, %d failed\n", run - failed, failed);
    return failed != 0 || run == 0;
}
