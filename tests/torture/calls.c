/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * torture_calls [-v] [COMMAND...]: in commands of every tool, fails allocations, dlopen, opens, reads,
 * writes, fsync, renames, forks, thread starts and exec, one call in each run. A run of the test fails up
 * to 13 calls of each kind in each command, spread evenly; HS_TEST_ROUNDS sets the percentage, and with
 * 1000 each call fails once. -v prints each point. After each failure:
 *  - the tool has ended by itself, with exit status 0 to 3, and no descendant is left running;
 *  - a status other than 0 has a message of the tool on standard error; after a failed open, read, write,
 *    fsync or rename the message has the text of the error;
 *  - with status 0 the output is that of a run without the failure;
 *  - each output file is absent or complete, and there are no other files;
 *  - a journal can be resumed.
 * The numbers of points are printed.
 */

#define _GNU_SOURCE
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing_library.h"
#include "growth.h"
#include "unit/rounds.h"

enum { MOST_WORDS = 40, MOST_TEXT = 4096, MOST_POINTS = 200000, USUAL_POINTS = 12 };

/* A command, whose output is always the same but for the files in `varying`. */
typedef struct command {
    const char *name, *line;
    const char *files;   /* output files with the same content in each run, separated by blanks */
    const char *varying; /* output files that contain times */
    bool        prints;  /* whether standard output is always the same */
    const char *resumes; /* command that must succeed after each failure; NULL: none */
} command;

/* A bound that uses GLPK, if this build has it. */
#ifdef HAVE_GLPK
#define GRAPH_BOUND "paths"
#else
#define GRAPH_BOUND "critical-path"
#endif

/* Files that the commands read. */
static const char preparation[] =
    "echo old >old.plan && hsched-gen gamma -n 12 -m 2 -k 1 -s 1 >a.csv && "
    "hsched-gen layered -n 10 -m 2 -k 1 -s 2 --degree 2 >g.csv && "
    "hsched-solve a.csv -a heft -b deadline -o a.plan --certificate a.cert >/dev/null && "
    "printf 'id,cpu,gpu,cpu_command,gpu_command\\na,1,inf,:,\\nb,1,1,true,true\\nc,1,1,:,:\\n' >c.csv && "
    "hsched-solve c.csv -m 2 -k 1 -a heft -o c.plan >/dev/null && "
    "hsched-exec c.plan --oversubscribe --emulate-gpus --allow=commands --journal=all.journal >/dev/null "
    "2>&1 && "
    "printf 'kernel,cpu,gpu\\nspin:10,1,1\\nspin:20,2,1\\n' >k.csv && "
    "hsched-solve k.csv -m 2 -k 1 -a heft -o k.plan >/dev/null && "
    "printf 'instances one = gamma -n 8 -m 2 -k 1\\nalgorithms heft\\nbounds theorem2\\n' >own.txt";

static const command commands[] = {
    {"solve", "hsched-solve a.csv -a heft,heteroprio -b deadline,theorem2 -o out.plan --gantt out.svg "
              "--trace out.json --certificate out.cert",
     "out.plan out.svg out.json out.cert", "", false, NULL},
    {"solve-graph", "hsched-solve g.csv -a best --iterations 40 -j 2 -b " GRAPH_BOUND " -o out.plan --dot out.dot",
     "out.plan out.dot", "", false, NULL},
    {"solve-plan", "hsched-solve a.csv -a heft -o -", "", "", true, NULL},
    {"solve-replaced", "hsched-solve a.csv -a heft -o old.plan", "old.plan", "", false, NULL},
    {"check", "hsched-check a.plan a.csv", "", "", true, NULL},
#ifdef HAVE_GMP
    {"check-certificate", "hsched-check --certificate a.cert a.plan", "", "", true, NULL},
#endif
    {"gen", "hsched-gen gamma -n 20 -m 2 -k 1 -s 3", "", "", true, NULL},
    {"gen-graph", "hsched-gen cholesky 3 --graph --kernels mirage-960 -m 2 -k 1", "", "", true, NULL},
    {"gen-jobs", "hsched-gen jobs run-{1} {2} -o out.csv ::: 1 2 3 ::: a b", "out.csv", "", false, NULL},
    {"bench", "hsched-bench run own.txt -o out.csv --page out.html -j 2", "", "out.csv out.html", false,
     "hsched-bench run own.txt -o out.csv --page out.html -j 2"},
    {"exec-commands",
     "hsched-exec c.plan --oversubscribe --emulate-gpus --allow=commands --journal=out.journal "
     "--joblog=out.tsv",
     "", "out.journal out.tsv", false,
     "hsched-exec c.plan --oversubscribe --emulate-gpus --allow=commands --journal=out.journal --resume"},
    {"exec-resumed",
     "hsched-exec c.plan --oversubscribe --emulate-gpus --allow=commands --journal=all.journal --resume",
     "", "all.journal", false,
     "hsched-exec c.plan --oversubscribe --emulate-gpus --allow=commands --journal=all.journal --resume"},
    {"exec-gathered",
     "hsched-exec --gather --journal=all.journal --measured=out.csv --report=out.html --gantt=out.svg c.plan",
     "out.csv", "out.html out.svg", false, NULL},
    {"exec-kernels",
     "hsched-exec k.plan --oversubscribe --emulate-gpus --report=out.html --gantt=out.svg "
     "--trace=out.json --measured=out.csv",
     "", "out.html out.svg out.json out.csv", false, NULL},
    {"calibrate", "hsched-calibrate --kernels spin:5 --repeats 1 --warm-up 0 -j 1 --table", "", "", false,
     NULL},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

/* The ways in which calls fail. */
static const struct mode {
    const char *name;
    call_kind   kind;
    int         error;
} modes[] = {
    {"allocations", CALL_ALLOCATION, ENOMEM}, {"dlopen", CALL_DLOPEN, 0},
    {"open", CALL_OPEN, EMFILE},           {"read", CALL_READ, EIO},
    {"writes, disk full", CALL_WRITE, ENOSPC}, {"writes, I/O error", CALL_WRITE, EIO},
    {"fsync", CALL_SYNC, EIO},                {"rename", CALL_RENAME, EACCES},
    {"fork", CALL_FORK, EAGAIN},              {"threads", CALL_THREAD, EAGAIN},
    {"exec", CALL_EXEC, ENOMEM},
};

enum { MODES = sizeof modes / sizeof *modes };

static char  root[64];  /* folder of all files */
static char  build[MOST_TEXT];
static bool  verbose;
static long  failures;

_Noreturn static void give_up(const char *what)
{
    fprintf(stderr, "torture_calls: %s: %s\n", what, strerror(errno));
    exit(99);
}

static char *path_of(const char *name)
{
    static char path[8][MOST_TEXT];
    static int  next;

    next = (next + 1) % 8;
    snprintf(path[next], MOST_TEXT, "%s/%s", root, name);
    return path[next];
}

/* Run a shell command, with the tools in PATH; `what` names it in the message of a failure. */
static void shell(const char *what, const char *folder, const char *line)
{
    char *all;
    int   status;

    if (asprintf(&all, "cd '%s' && %s", folder, line) < 0)
        give_up("memory");
    status = system(all);
    free(all);
    if (status != 0) {
        fprintf(stderr, "torture_calls: %s failed: %s\n", what, line);
        exit(99);
    }
}

/* Return the content of a file, with its size; NULL: it does not exist. */
static char *content(const char *path, size_t *size)
{
    FILE       *f = fopen(path, "r");
    struct stat about;
    char       *text;

    *size = 0;
    if (!f)
        return NULL;
    if (fstat(fileno(f), &about) != 0 || !(text = malloc((size_t)about.st_size + 1)))
        give_up(path);
    *size = fread(text, 1, (size_t)about.st_size, f);
    text[*size] = '\0';
    fclose(f);
    return text;
}

static bool is_same(const char *a, const char *b)
{
    size_t size_a, size_b;
    char  *text_a = content(a, &size_a), *text_b = content(b, &size_b);
    bool   same = text_a && text_b && size_a == size_b && memcmp(text_a, text_b, size_a) == 0;

    free(text_a);
    free(text_b);
    return same;
}

/* Split a command into words, the first with its path. The words are in `text`. */
static void split(const char *line, char text[MOST_TEXT], char *word[MOST_WORDS])
{
    static char tool[2 * MOST_TEXT];
    int         count = 0;

    snprintf(text, MOST_TEXT, "%s", line);
    for (char *at = strtok(text, " "); at && count + 1 < MOST_WORDS; at = strtok(NULL, " "))
        word[count++] = at;
    word[count] = NULL;
    snprintf(tool, sizeof tool, "%s/.libs/%s", build, word[0]);
    if (access(tool, X_OK) != 0)
        snprintf(tool, sizeof tool, "%s/%s", build, word[0]);
    word[0] = tool;
}

/* A run that is checked. */
typedef struct trial {
    const command *c;
    const char    *what; /* the way of the failure */
    failing_call   call;
    bool           failed;
} trial;

__attribute__((format(printf, 2, 3))) static void complain(trial *t, const char *format, ...)
{
    va_list args;
    char    text[MOST_TEXT];
    size_t  size;
    char   *errors;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "torture_calls: %s, %s, call %lu: %s\n", t->c->name, t->what, t->call.at, text);
    errors = content(path_of("errors"), &size);
    if (!t->failed && errors && size > 0)
        fprintf(stderr, "    its messages: %.500s", errors);
    free(errors);
    failures += !t->failed;
    t->failed = true;
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Check the folder: no file but inputs and outputs; each reproducible output is complete or has its
 * old content. With `all`, every output must exist and be complete. */
static void check_files(trial *t, bool all)
{
    DIR           *folder = opendir(path_of("work"));
    struct dirent *entry;
    char           name[MOST_TEXT], known[MOST_TEXT], before[MOST_TEXT];

    if (!folder)
        give_up("work");
    while ((entry = readdir(folder)) != NULL) {
        bool same = has_word(t->c->files, entry->d_name);

        snprintf(name, sizeof name, "%s/work/%.200s", root, entry->d_name);
        snprintf(known, sizeof known, "%s/known/%.200s", root, entry->d_name);
        snprintf(before, sizeof before, "%s/inputs/%.200s", root, entry->d_name);
        if (entry->d_name[0] == '.' && (!entry->d_name[1] || strcmp(entry->d_name, "..") == 0))
            continue;
        if (access(known, F_OK) != 0)
            complain(t, "the file %s is left", entry->d_name);
        else if (same && !is_same(name, known) && (all || !is_same(name, before)))
            complain(t, "the file %s is not complete", entry->d_name);
    }
    closedir(folder);
    folder = opendir(path_of("known"));
    while (all && folder && (entry = readdir(folder)) != NULL) {
        snprintf(name, sizeof name, "%s/work/%.200s", root, entry->d_name);
        if (access(name, F_OK) != 0)
            complain(t, "the status is 0, but %s is missing", entry->d_name);
    }
    if (folder)
        closedir(folder);
}

/* Check that messages begin with the tool's name, and name the error of a file. */
static void check_messages(trial *t)
{
    bool   names_error = t->call.kind == CALL_OPEN || t->call.kind == CALL_READ ||
                         t->call.kind == CALL_WRITE || t->call.kind == CALL_SYNC ||
                         t->call.kind == CALL_RENAME;
    char   tool[64];
    size_t size;
    char  *errors = content(path_of("errors"), &size);

    snprintf(tool, sizeof tool, "%.*s: ", (int)strcspn(t->c->line, " "), t->c->line);
    if (!errors || !strstr(errors, tool))
        complain(t, "no message begins with '%s'", tool);
    else if (names_error && !strstr(errors, strerror(t->call.error)))
        complain(t, "no message says '%s'", strerror(t->call.error));
    free(errors);
}

static call_outcome run_line(const char *line, const failing_call *call)
{
    char  text[MOST_TEXT];
    char *word[MOST_WORDS];

    split(line, text, word);
    return run_with_failing_call(word, path_of("work"), path_of("output"), path_of("errors"), call);
}

/* Return whether the command resumes a journal that does not exist. */
static bool lacks_journal(const char *line)
{
    static const char option[] = "--journal=";
    const char       *name = strstr(line, option);
    char              path[512];

    if (!name)
        return false;
    name += sizeof option - 1;
    snprintf(path, sizeof path, "work/%.*s", (int)strcspn(name, " "), name);
    return access(path_of(path), F_OK) != 0;
}

static void check_resumption(trial *t)
{
    const failing_call none = {CALL_NONE, 0, 0};
    call_outcome       outcome;

    if (!t->c->resumes || t->failed || lacks_journal(t->c->resumes))
        return;
    outcome = run_line(t->c->resumes, &none);
    if (outcome.status != 0)
        complain(t, "the next run ends with %#x", (unsigned)outcome.status);
}

static void begin_in_fresh_folder(void)
{
    shell("copy", root, "rm -rf work && cp -R inputs work");
}

/* Run the command with a failing call and check the result. Return false if the call was not
 * reached. */
static bool try_point(const command *c, const struct mode *m, unsigned long at)
{
    trial        t = {.c = c, .what = m->name, .call = {m->kind, m->error, at}};
    call_outcome outcome;

    begin_in_fresh_folder();
    outcome = run_line(c->line, &t.call);
    if (!outcome.reached)
        return false;
    if (verbose)
        fprintf(stderr, "%s, %s, call %lu: status %#x\n", c->name, m->name, at,
                (unsigned)outcome.status);
    if (!WIFEXITED(outcome.status))
        complain(&t, "ended by signal %d", WTERMSIG(outcome.status));
    else if (WEXITSTATUS(outcome.status) > 3)
        complain(&t, "exit status %d", WEXITSTATUS(outcome.status));
    else if (outcome.status != 0)
        check_messages(&t);
    else if (c->prints && !is_same(path_of("output"), path_of("known-output")))
        complain(&t, "the status is 0, but the output differs");
    check_files(&t, outcome.status == 0);
    check_resumption(&t);
    return true;
}

/* Return the number of calls of a kind that the command makes. */
static unsigned long count_calls(const command *c, const struct mode *m)
{
    const failing_call beyond = {m->kind, m->error, MOST_POINTS};

    begin_in_fresh_folder();
    return run_line(c->line, &beyond).made;
}

/* Fail calls of one kind; `points`: most calls to fail, 0: all. Return their number. */
static unsigned long walk(const command *c, const struct mode *m, unsigned long points)
{
    unsigned long all = count_calls(c, m), tried = 0;
    unsigned long step = points && all > points ? (all + points - 1) / points : 1;

    for (unsigned long at = 1; at <= all; at += step)
        tried += try_point(c, m, at);
    return tried;
}

/* Run the command without a failure, and keep its output and files. */
static void learn(const command *c)
{
    const failing_call none = {CALL_NONE, 0, 0};

    begin_in_fresh_folder();
    if (run_line(c->line, &none).status != 0) {
        shell("messages", root, "cat errors >&2");
        fprintf(stderr, "torture_calls: %s fails without a failing call\n", c->name);
        exit(99);
    }
    shell("copy", root, "rm -rf known && mv work known && cp output known-output");
}

static bool is_possible(const struct mode *m)
{
    bool preloads = m->kind == CALL_ALLOCATION || m->kind == CALL_DLOPEN;

    /* a sanitizer has its own memory, and starts processes */
    return growth_counts_memory() || (!preloads && m->kind != CALL_FORK);
}

static void torture(const command *c, unsigned long points, unsigned long tried[MODES])
{
    learn(c);
    for (int i = 0; i < MODES; i++) {
        unsigned long count = is_possible(&modes[i]) ? walk(c, &modes[i], points) : 0;

        tried[i] += count;
        if (count > 0)
            printf("%s, %s: %lu calls failed\n", c->name, modes[i].name, count);
        fflush(stdout);
    }
}

static void remove_files(void)
{
    char line[sizeof root + 16];

    snprintf(line, sizeof line, "rm -rf '%s'", root);
    if (system(line) != 0)
        fprintf(stderr, "torture_calls: %s is left\n", root);
}

static void find_tools(void)
{
    char  path[2 * MOST_TEXT + 100], libraries[2 * MOST_TEXT];
    char *state;

    if (!getcwd(build, sizeof build))
        give_up("getcwd");
    snprintf(path, sizeof path, "%s/.libs:%s:%s", build, build, getenv("PATH"));
    snprintf(libraries, sizeof libraries, "%s/.libs", build);
    setenv("PATH", path, 1);
    setenv("LD_LIBRARY_PATH", libraries, 1);
    setenv("LC_ALL", "C", 1);
    snprintf(root, sizeof root, "/tmp/hsched-calls.XXXXXX");
    if (!mkdtemp(root))
        give_up("mkdtemp");
    atexit(remove_files);
    state = strdup(path_of("state"));
    snprintf(path, sizeof path, "%s/tests/torture/.libs/failing_library.so", build);
    if (!state || !failing_library_open(strdup(path), state))
        give_up("state");
}

static bool is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    unsigned long tried[MODES] = {0}, sum = 0, percent = (unsigned long)rounds(100);
    unsigned long points = percent >= 1000 ? 0 : 1 + USUAL_POINTS * percent / 100;

    if (argc > 1 && strcmp(argv[1], "-v") == 0) {
        verbose = true;
        argv[1] = argv[0];
        argc--;
        argv++;
    }
    find_tools();
    shell("mkdir", root, "mkdir inputs");
    shell("preparation", path_of("inputs"), preparation);
    for (int i = 0; i < COMMANDS; i++)
        if (is_wanted(commands[i].name, argc, argv))
            torture(&commands[i], points, tried);
    for (int i = 0; i < MODES; i++) {
        printf("%s: %lu\n", modes[i].name, tried[i]);
        sum += tried[i];
    }
    printf("%lu points, %ld with a fault\n", sum, failures);
    return failures > 0;
}
