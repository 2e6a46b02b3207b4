/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --batch: a batch script that runs the shares as a job array. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"
#include "common/escape.h"
#include "common/message.h"
#include "exec/exec.h"

/* The resources of each element of the array. */
typedef struct element {
    unsigned cpus, gpus; /* workers of the largest share */
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

/* Refuse what every element of the array would refuse. Return 0, or an exit code after a message. */
static int check_rows(const plan *p, const exec_request *request, bool on_gpus, bool commands)
{
    const bool counted = request->counted[HS_CPU] || (request->counted[HS_GPU] && on_gpus);

    if (commands && !request->settings.run.allow_commands)
        message("%s contains shell commands; add --allow=commands if you trust it", p->path);
    else if (!p->s && counted)
        message("%s: --batch: give the workers of each share with -m%s: this machine may not be "
                "like those of the job",
                p->path, on_gpus ? " and -k" : "");
    else
        return EXIT_OK;
    return EXIT_USAGE;
}

/* Set the workers of the largest share. */
static void count_workers(const plan *p, unsigned shares, bool on_gpus, element *e)
{
    unsigned  cpus = hs_instance_cpus(p->in), workers = cpus + hs_instance_gpus(p->in);
    unsigned *count = checked_calloc(2 * (size_t)shares, sizeof *count);

    e->cpus = cpus;
    e->gpus = on_gpus ? workers - cpus : 0;
    for (unsigned w = 0; p->s && w < workers; w++)
        count[2 * exec_share_of_worker(p->in, w, shares) + (w >= cpus)]++;
    if (p->s)
        e->cpus = e->gpus = 0;
    for (unsigned s = 0; p->s && s < shares; s++) {
        e->cpus = count[2 * s] > e->cpus ? count[2 * s] : e->cpus;
        e->gpus = count[2 * s + 1] > e->gpus ? count[2 * s + 1] : e->gpus;
    }
    free(count);
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

/*
 * Return the makespan of the plan, or for an instance that of heteroprio on the workers of all
 * shares; 0: unknown, since a time is unknown or there are too many workers.
 */
static double makespan_of(const plan *p, unsigned shares)
{
    hs_instance  *in = NULL;
    hs_schedule  *s = NULL;
    double        makespan = 0, cpus = (double)shares * hs_instance_cpus(p->in);
    double        gpus = (double)shares * hs_instance_gpus(p->in);

    if (p->s)
        return hs_schedule_makespan(p->s);
    if (hs_instance_unknown(p->in) > 0 || cpus > HS_MAX_WORKERS || gpus > HS_MAX_WORKERS)
        return 0;
    if (hs_instance_with_workers(p->in, (unsigned)cpus, (unsigned)gpus, &in) == HS_OK &&
        hs_policy_simulate(hs_policy_find("heteroprio"), in, NULL, in, NULL, &s) == HS_OK)
        makespan = hs_schedule_makespan(s);
    hs_schedule_free(s);
    hs_instance_free(in);
    return makespan;
}

static void set_limit(const plan *p, const exec_request *request, unsigned shares, element *e)
{
    double scale = request->settings.run.time_scale > 0 ? request->settings.run.time_scale : 1;
    double seconds =
        makespan_of(p, shares) * hs_unit_seconds(hs_instance_unit(p->in)) * scale;

    if (seconds > 0 && seconds < 1e8)
        e->minutes = ceil(1.5 * seconds / 60) + 5;
}

/* Print a word of the command quoted for the shell; %a is the number of the element. */
static void put_word(const char *word)
{
    const char *element_number = "\"$SLURM_ARRAY_TASK_ID\"", *mark;
    char       *piece, *quoted;

    for (; (mark = strstr(word, "%a")); word = mark + 2) {
        piece = checked_strdup(word);
        piece[mark - word] = '\0';
        quoted = shell_word(piece);
        printf("%s%s", mark > word ? quoted : "", element_number);
        free(quoted);
        free(piece);
    }
    quoted = shell_word(word);
    fputs(*word ? quoted : "", stdout);
    free(quoted);
}

/* Return whether a word of the command line is the option `name`, which may be shortened to the
 * first three letters. */
static bool is_option(const char *word, const char *name)
{
    enum { SHORTEST = 5 };
    size_t length = strcspn(word, "=");

    return length >= SHORTEST && strncmp(word, name, length) == 0;
}

/* Print the words of the command line, without the options of the batch script. */
static void put_words(char **argv)
{
    for (char **word = argv + 1; *word; word++) {
        if (is_option(*word, "--batch") || is_option(*word, "--share")) {
            word += !strchr(*word, '=') && word[1];
            continue;
        }
        fputs(" \\\n    ", stdout);
        put_word(*word);
    }
}

static void put_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    for (path = slash ? slash + 1 : path; *path; path++)
        putchar(isalnum((unsigned char)*path) || strchr("._-", *path) ? *path : '_');
}

static void put_requests(const plan *p, unsigned shares, const element *e)
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
    printf("\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n# a core for each CPU worker%s\n"
           "#SBATCH --cpus-per-task=%u\n",
           e->gpus > 0 ? " and for the thread of each GPU" : "", e->cores);
    if (e->gpus > 0)
        printf("#SBATCH --gpus-per-node=%u\n", e->gpus);
    if (minutes > 0)
        printf("# 1.5 times the predicted makespan, and 5 minutes\n#SBATCH --time=%lu:%02lu:00\n",
               minutes / 60, minutes % 60);
    else
        printf("# set --time=H:MM:00: no makespan is predicted, since times are unknown\n");
    printf("# two minutes before the time limit, let running tasks end and start no more\n"
           "#SBATCH --signal=B:TERM@120\n"
           "# after the failure of a node, start the job again, and keep its output\n"
           "#SBATCH --requeue\n#SBATCH --open-mode=append\n");
}

static void put_command(const plan *p, const exec_request *request, unsigned shares)
{
    char *program = shell_word(strchr(request->command[0], '/') ? request->command[0]
                                                                : "hsched-exec");
    char *path = shell_word(p->path);

    printf("exec %s", program);
    if (shares > 1)
        printf(" --share=\"$SLURM_ARRAY_TASK_ID\"/%u", shares);
    if (!request->settings.keep.journal)
        printf(" \\\n    --journal=%s.journal", path);
    if (request->settings.keep.resume == HS_RESUME_NOT)
        printf(" --resume");
    put_words(request->command);
    putchar('\n');
    free(program);
    free(path);
}

unsigned exec_batch_shares(const plan *p, const exec_request *request)
{
    return request->share.count > 0 ? request->share.count : (unsigned)hs_instance_nodes(p->in);
}

int exec_write_batch(const plan *p, const exec_request *request)
{
    unsigned  shares = exec_batch_shares(p, request);
    uint32_t *owner = NULL;
    element   e = {0};
    bool      on_gpus, commands;
    int       code;

    look_at_rows(p->in, &on_gpus, &commands);
    code = check_rows(p, request, on_gpus, commands);
    if (!code && shares > 1)
        code = exec_share_owners(p, shares, &owner);
    free(owner);
    if (code)
        return code;
    count_workers(p, shares, on_gpus, &e);
    count_cores(request, &e);
    set_limit(p, request, shares, &e);
    put_requests(p, shares, &e);
    put_command(p, request, shares);
    return EXIT_OK;
}
