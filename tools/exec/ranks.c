/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --mpi: several processes of MPI factorise one matrix. */
#include "exec/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "common/json.h"
#include "common/message.h"

/* Refuse options that are for commands, for other ways to several nodes, or that need all attempts.
 */
static void check_options(const command_line *line)
{
    const exec_request *request = &line->request;

    if (line->nodes || request->share.count > 0 || line->batch || line->gather)
        usage_error(
            "--mpi excludes --nodes, --share, --batch and --gather: mpirun starts the ranks");
    if (line->journal || request->commands || request->dry_run)
        usage_error(
            "--mpi excludes --journal, --commands and --dry-run: the tiles of a matrix are in "
            "memory alone");
    if (request->joblog || request->profile || line->compare || line->path[EXEC_GANTT] ||
        line->path[EXEC_TRACE] || line->path[EXEC_MEASURED])
        usage_error(
            "--mpi excludes --joblog, --profile, --compare, --gantt, --trace and --measured, "
            "which need the tasks of all ranks");
    if (request->settings.fail.halt == HS_HALT_NEVER)
        usage_error("--mpi excludes --keep-going and --halt=never: other ranks wait for each task");
}

/* Return the number of processes that a launcher of MPI has started with this one; 1: none is
 * known. Set *rank. */
static unsigned long launched(const char **rank)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                           {"PMI_SIZE", "PMI_RANK"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *size = getenv(names[i][0]);

        *rank = getenv(names[i][1]);
        if (size && *rank)
            return strtoul(size, NULL, 10);
    }
    return 1;
}

/* Warn the user who forgot --mpi, in one of the processes. */
static void warn_of_copies(const command_line *line)
{
    const char   *rank;
    unsigned long count = launched(&rank);

    if (count > 1 && strcmp(rank, "0") == 0 && line->request.share.count == 0)
        message("this is one of %lu processes of MPI, and each runs all tasks: --mpi lets them "
                "factorise one matrix together",
                count);
}

/* Let a rank other than 0 print and write nothing but messages. */
static void silence(command_line *line)
{
    exec_request *request = &line->request;

    for (int i = 0; i < EXEC_FILES; i++)
        line->path[i] = NULL;
    request->quiet = 1;
    request->live = 0;
    request->settings.report.progress = NULL;
    request->settings.keep.transfers = 0;
}

int exec_ranks_open(command_line *line)
{
    static char name[48]; /* the name of this tool in messages, also those of other threads */
    hs_error    error = {0};
    hs_status   status;

    if (!line->mpi) {
        warn_of_copies(line);
        return EXIT_OK;
    }
    check_options(line);
    status = hs_mpi_open(&line->ranks, &error);
    if (status != HS_OK) {
        message("--mpi: %s", error.why);
        return exit_code(status);
    }
    if (hs_mpi_ranks(line->ranks) > 1) {
        snprintf(name, sizeof name, "hsched-exec: rank %u", hs_mpi_rank(line->ranks));
        message_begin(name);
    }
    if (hs_mpi_rank(line->ranks) > 0)
        silence(line);
    line->request.settings.run.mpi = line->ranks;
    line->request.settings.run.collect_factors = line->request.factors != NULL;
    return EXIT_OK;
}

int exec_ranks_refuse_instance(const plan *p)
{
    message("%s: --mpi needs a plan, which is the same on all ranks: hsched-solve %s -o FILE; or a "
            "policy without a plan, such as --policy=heteroprio",
            p->path, p->path);
    return EXIT_USAGE;
}

int exec_ranks_agree(hs_mpi *ranks, int code)
{
    hs_error error = {0};

    if (ranks && hs_mpi_most(ranks, code, &code, &error) != HS_OK) {
        message("--mpi: %s", error.why);
        hs_mpi_abort(ranks, EXIT_RESOURCE);
    }
    return code;
}

/* A result that is wrong is so on all ranks, and no rank waits. */
bool exec_ranks_wait(const exec_job *job)
{
    hs_exec_factorisation f;

    hs_exec_factorisation_init(&f);
    return job->status != HS_OK && job->exec && hs_exec_describe_factorisation(job->exec, &f) &&
           !(f.verified && f.wrong);
}

int exec_ranks_close(hs_mpi *ranks, int code, bool others_wait)
{
    if (!ranks)
        return code;
    if (others_wait)
        hs_mpi_abort(ranks, code);
    hs_mpi_close(ranks);
    return code;
}

void exec_ranks_summary(FILE *out, const exec_job *job)
{
    hs_exec_rank rank;

    hs_exec_rank_init(&rank);
    for (unsigned r = 0; hs_exec_rank_at(job->exec, r, &rank); r++) {
        if (r == 0)
            fprintf(out, "\n  %-6s %-20s %9s %9s %10s %12s\n", "rank", "host", "tasks", "busy s",
                    "tiles sent", "MB sent");
        fprintf(out, "  %-6u %-20.20s %9llu %9.4g %10llu %12.6g\n", r, SHOWN(rank.host),
                (unsigned long long)rank.tasks, rank.busy, (unsigned long long)rank.sent,
                1e-6 * (double)rank.sent_bytes);
    }
}

void exec_ranks_json(FILE *out, const exec_job *job)
{
    hs_exec_rank rank;
    unsigned     r;

    hs_exec_rank_init(&rank);
    for (r = 0; hs_exec_rank_at(job->exec, r, &rank); r++) {
        fputs(r == 0 ? ",\n  \"ranks\": [\n" : ",\n", out);
        json_format(out,
                    "    {\"host\": %s, \"tasks\": %zu, \"busy\": %g, \"seconds\": %g, "
                    "\"tiles_sent\": %zu, \"bytes_sent\": %zu}",
                    rank.host, (size_t)rank.tasks, rank.busy, rank.seconds, (size_t)rank.sent,
                    (size_t)rank.sent_bytes);
    }
    if (r > 0)
        fputs("\n  ]", out);
}
