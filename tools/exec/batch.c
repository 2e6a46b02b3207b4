/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --batch: a batch script, of a job with --nodes or of a job array of shares. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"
#include "common/escape.h"
#include "common/message.h"
#include "exec/exec.h"

/* The resources of each element of the array, or of each node. */
typedef struct element {
    unsigned cpus, gpus; /* workers of the largest share or node */
    unsigned cores;
    double   minutes; /* time limit; 0: unknown */
} element;

static bool is_command(const char *command)
{
    return command && *command;
}

/* Set whether rows have GPU times, and commands. */
static void look_at_rows(const hs_instance *in, bool *on_gpus, bool *commands)
{
    hs_task row;

    *on_gpus = *commands = false;
    for (size_t i = 0; i < hs_instance_rows(in); i++) {
        hs_instance_row(in, i, &row);
        *on_gpus |= !isinf(row.gpu);
        *commands |= is_command(row.cpu_command) || is_command(row.gpu_command);
    }
}

/* Refuse what every element of the array would refuse. Return 0, or an exit code after a message.
 */
static int check_rows(const plan *p, const exec_request *request, bool on_gpus, bool commands)
{
    const bool counted = request->counted[HS_CPU] || (request->counted[HS_GPU] && on_gpus);

    if (commands && !request->settings.run.allow_commands)
        message("%s contains shell commands; add --allow=commands if you trust it", p->path);
    else if (!p->s && counted)
        message("%s: --batch: give the workers of %s with -m%s: this machine may not be "
                "like those of the job",
                p->path, request->on_nodes ? "all nodes" : "each share", on_gpus ? " and -k" : "");
    else
        return EXIT_OK;
    return EXIT_USAGE;
}

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Set the workers of the largest share of a plan. */
static void count_planned(const plan *p, unsigned shares, element *e)
{
    unsigned  cpus = hs_instance_cpus(p->in), workers = cpus + hs_instance_gpus(p->in);
    unsigned *count = checked_calloc(2 * (size_t)shares, sizeof *count);

    for (unsigned w = 0; w < workers; w++)
        count[2 * exec_share_of_worker(p->in, w, shares) + (w >= cpus)]++;
    for (unsigned s = 0; s < shares; s++) {
        e->cpus = larger(e->cpus, count[2 * s]);
        e->gpus = larger(e->gpus, count[2 * s + 1]);
    }
    free(count);
}

/* Set the workers of the largest share, or of all nodes. */
static void count_workers(const plan *p, const exec_request *request,
                          const hs_read_settings *reading, unsigned shares, bool on_gpus,
                          element *e)
{
    if (p->s && !request->on_nodes) {
        count_planned(p, shares, e);
    } else {
        e->cpus = hs_instance_cpus(p->in);
        e->gpus = p->s || on_gpus ? hs_instance_gpus(p->in) : 0;
    }
    if (p->s) {
        e->cpus = reading->has_cpus ? reading->cpus : e->cpus;
        e->gpus = reading->has_gpus ? reading->gpus : e->gpus;
    }
}

/* Find the number of nodes of a job with --nodes. Return 0, or an exit code after a message. */
static int count_nodes(const plan *p, const exec_request *request, unsigned *nodes)
{
    const size_t lines = hs_instance_nodes(p->in);

    *nodes = request->batch_nodes > 0 ? request->batch_nodes : (unsigned)lines;
    if (lines > 1 && *nodes != lines)
        message("%s: --batch: the tasks are for %zu nodes, and --nodes gives %u", p->path, lines,
                *nodes);
    else if (lines == 1 && request->batch_nodes == 0)
        message("%s: --batch: give the number of nodes, --nodes=N, or lines # node NAME CPUS GPUS",
                p->path);
    else
        return EXIT_OK;
    return EXIT_USAGE;
}

/* Replace all workers by those of the largest node. */
static void divide(const plan *p, unsigned nodes, element *e)
{
    unsigned cpus = (e->cpus + nodes - 1) / nodes, gpus = (e->gpus + nodes - 1) / nodes;

    if (hs_instance_nodes(p->in) > 1 && e->cpus == hs_instance_cpus(p->in) &&
        e->gpus == hs_instance_gpus(p->in)) {
        cpus = gpus = 0;
        for (unsigned i = 0; i < nodes; i++) {
            unsigned count[2];

            hs_instance_node(p->in, i, &count[HS_CPU], &count[HS_GPU]);
            cpus = larger(cpus, count[HS_CPU]);
            gpus = larger(gpus, count[HS_GPU]);
        }
    }
    e->cpus = cpus;
    e->gpus = gpus;
}

static void count_cores(const exec_request *request, element *e)
{
    const hs_exec_settings *s = &request->settings;
    unsigned                per_cpu = s->place.cores[HS_CPU] ? s->place.cores[HS_CPU] : 1;
    unsigned                per_gpu = s->place.cores[HS_GPU] ? s->place.cores[HS_GPU] : 1;

    e->cores = s->run.emulate[HS_CPU] ? 0 : e->cpus * per_cpu;
    if (s->run.emulate[HS_GPU])
        e->gpus = 0;
    if (!s->place.share_gpu_cores)
        e->cores += e->gpus * per_gpu;
    if (e->cores == 0)
        e->cores = 1;
}

/* Set the time limit from the makespan of the plan on its own workers, which no share exceeds, or
 * from the longest makespan of a share in a simulation on the workers of the largest share. */
static void set_limit(const plan *p, const exec_request *request, const hs_read_settings *reading,
                      const uint32_t *owner, unsigned shares, element *e)
{
    bool   is_planned = p->s && !reading->has_cpus && !reading->has_gpus;
    double scale = request->settings.run.time_scale > 0 ? request->settings.run.time_scale : 1;
    double makespan = is_planned ? hs_schedule_makespan(p->s)
                                 : exec_share_makespan(p->in, owner, shares, e->cpus, e->gpus);
    double seconds = makespan * hs_unit_seconds(hs_instance_unit(p->in)) * scale;

    if (seconds > 0 && seconds < 1e8)
        e->minutes = ceil(1.5 * seconds / 60) + 5;
}

/* Print a word quoted for the shell. */
static void put_quoted(const char *word)
{
    char *quoted = shell_word(word);

    fputs(quoted, stdout);
    free(quoted);
}

/* Print a word of the command in which %a is the number of the element. */
static void put_numbered(const char *word)
{
    const char *mark;

    for (; (mark = strstr(word, "%a")); word = mark + 2) {
        char *piece = checked_strdup(word);

        piece[mark - word] = '\0';
        if (*piece)
            put_quoted(piece);
        fputs("\"$SLURM_ARRAY_TASK_ID\"", stdout);
        free(piece);
    }
    if (*word)
        put_quoted(word);
}

/* Return whether a word of the command line is the option `name`, which may be shortened to the
 * first three letters. */
static bool is_option(const char *word, const char *name)
{
    enum { SHORTEST = 5 };
    size_t length = strcspn(word, "=");

    return length >= SHORTEST && strncmp(word, name, length) == 0;
}

/* Return whether the path of the plan, or of the list of commands, is in the word. */
static bool has_path(const char *word, const plan *p)
{
    return (uintptr_t)p->path >= (uintptr_t)word &&
           (uintptr_t)p->path <= (uintptr_t)word + strlen(word);
}

/* Print the words of the command line, without the options of the batch script. In an array, %a is
 * the number of the element, except in the path of the plan, which is one file. */
static void put_words(char **argv, const plan *p, unsigned shares)
{
    for (char **word = argv + 1; *word; word++) {
        if (is_option(*word, "--batch") || is_option(*word, "--share") ||
            is_option(*word, "--nodes")) {
            word += !strchr(*word, '=') && word[1];
            continue;
        }
        fputs(" \\\n    ", stdout);
        if (shares > 1 && strstr(*word, "%a") && !has_path(*word, p))
            put_numbered(*word);
        else
            put_quoted(*word);
    }
}

static void put_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    for (path = slash ? slash + 1 : path; *path; path++)
        putchar(isalnum((unsigned char)*path) || strchr("._-", *path) ? *path : '_');
}

/* Request the nodes, and say what Slurm does after the failure of one. */
static void put_nodes(unsigned nodes)
{
    if (nodes > 0)
        printf("\n# a process for each node\n#SBATCH --nodes=%u\n#SBATCH --ntasks-per-node=1\n"
               "# after the failure of a node that is not the first, the others do its tasks; "
               "after the\n"
               "# failure of the first node, cancel the job and submit it again\n"
               "#SBATCH --no-kill\n#SBATCH --no-requeue\n",
               nodes);
    else
        printf("\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n"
               "# after the failure of a node, start the job again\n#SBATCH --requeue\n");
}

static void put_requests(const plan *p, unsigned shares, unsigned nodes, const element *e)
{
    unsigned long minutes = (unsigned long)e->minutes;

    printf("#!/bin/sh\n# Written by hsched-exec --batch=slurm. Submit it with: sbatch FILE\n"
           "# Submit it again to continue: tasks that are done are not run again.\n");
    if (shares > 1)
        printf("# For one report of all shares: hsched-exec --gather --journal=JOURNAL PLAN\n");
    printf("#SBATCH --job-name=");
    put_name(p->path);
    if (shares > 1)
        printf("\n# an element for each share of the tasks\n#SBATCH --array=1-%u", shares);
    put_nodes(nodes);
    printf("# a core for each CPU worker%s%s\n#SBATCH --cpus-per-task=%u\n",
           nodes > 0 ? " of a node" : "", e->gpus > 0 ? " and for the thread of each GPU" : "",
           e->cores);
    if (e->gpus > 0)
        printf("#SBATCH --gpus-per-node=%u\n", e->gpus);
    if (minutes > 0)
        printf("# 1.5 times the predicted makespan, and 5 minutes\n#SBATCH --time=%lu:%02lu:00\n",
               minutes / 60, minutes % 60);
    else
        printf("# set --time=H:MM:00: no makespan is predicted, since times are unknown\n");
    printf("# two minutes before the time limit, let running tasks end and start no more\n"
           "#SBATCH --signal=B:TERM@120\n"
           "# keep the output of earlier runs\n#SBATCH --open-mode=append\n");
}

static void put_command(const plan *p, const exec_request *request, unsigned shares)
{
    char *program =
        shell_word(strchr(request->command[0], '/') ? request->command[0] : "hsched-exec");
    char *path = shell_word(p->path);

    printf("exec %s", program);
    if (shares > 1)
        printf(" --share=\"$SLURM_ARRAY_TASK_ID\"/%u", shares);
    if (request->on_nodes)
        printf(" --nodes=slurm%s", request->settings.run.fewer_nodes ? "" : " --fewer");
    if (!request->settings.keep.journal)
        printf(" \\\n    --journal=%s.journal", path);
    if (request->settings.keep.resume == HS_RESUME_NOT)
        printf(" --resume");
    put_words(request->command, p, shares);
    putchar('\n');
    free(program);
    free(path);
}

unsigned exec_batch_shares(const plan *p, const exec_request *request)
{
    if (request->on_nodes)
        return 1;
    return request->share.count > 0 ? request->share.count : (unsigned)hs_instance_nodes(p->in);
}

int exec_write_batch(const plan *p, const exec_request *request, const hs_read_settings *reading)
{
    unsigned  shares = exec_batch_shares(p, request), nodes = 0;
    uint32_t *owner = NULL;
    element   e = {0};
    bool      on_gpus, commands;
    int       code = p->s ? plan_check(p, NULL) : EXIT_OK;

    look_at_rows(p->in, &on_gpus, &commands);
    if (!code)
        code = check_rows(p, request, on_gpus, commands);
    if (!code)
        code = exec_check_workers(p, request, reading);
    if (!code && request->on_nodes)
        code = count_nodes(p, request, &nodes);
    if (!code && shares > 1)
        code = exec_share_owners(p, shares, false, &owner);
    if (code)
        return code;
    count_workers(p, request, reading, shares, on_gpus, &e);
    set_limit(p, request, reading, owner, shares, &e);
    if (nodes > 0)
        divide(p, nodes, &e);
    count_cores(request, &e);
    put_requests(p, shares, nodes, &e);
    put_command(p, request, shares);
    free(owner);
    return EXIT_OK;
}
