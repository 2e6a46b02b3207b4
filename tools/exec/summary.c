/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the summary that a person reads. */
#include <math.h>
#include <string.h>

#include "common/granted_core_share.h"
#include "common/escape.h"
#include "common/profile.h"
#include "exec/ranks.h"

/* lines fit 80 columns */
enum { NAME_LEAST = 7, NAME_MOST = 14, NAME_BESIDE_SOURCE = 12, KERNELS_MOST = 16 };

const char *exec_unit_name(const exec_job *job)
{
    return hs_unit_name(hs_instance_unit(job->plan.in));
}

static void print_head(FILE *out, const exec_job *job, const exec_measured *m)
{
    const hs_exec_report *r = &job->report;

    fprintf(out, "%s: %llu of %llu task%s done by %s on %u CPU%s and %u GPU%s",
            SHOWN(job->plan.path), (unsigned long long)r->done, (unsigned long long)r->tasks,
            plural(r->tasks), job->request->policy, m->cpus, plural(m->cpus), m->gpus,
            plural(m->gpus));
    if (job->request->share.index > 0)
        fprintf(out, ", share %u/%u of %zu task%s", job->request->share.index,
                job->request->share.count, job->request->whole_tasks,
                plural(job->request->whole_tasks));
    if (job->request->settings.run.mpi)
        fprintf(out, ", rank 0 of %u with %zu task%s", hs_mpi_ranks(job->request->settings.run.mpi),
                hs_instance_tasks(job->plan.in), plural(hs_instance_tasks(job->plan.in)));
    if (r->resumed > 0)
        fprintf(out, ", %llu of them earlier", (unsigned long long)r->resumed);
    if (r->failed > 0)
        fprintf(out, "; %llu failed", (unsigned long long)r->failed);
    if (r->unrecorded > 0)
        fprintf(out, "; %llu more done but not recorded", (unsigned long long)r->unrecorded);
    if (r->left_out > 0)
        fprintf(out, "; %llu left out", (unsigned long long)r->left_out);
    if (r->not_run > 0)
        fprintf(out, "; %llu not run", (unsigned long long)r->not_run);
    putc('\n', out);
}

enum { FAR = 3 }; /* factor between predicted and achieved makespan that deserves advice */

/*
 * Return whether predicted and achieved makespan differ by a factor above FAR. Return false with
 * emulated CPUs, which measure no task.
 */
static bool is_far_off(const exec_job *job, const exec_measured *m)
{
    return exec_is_comparable(job) && m->predicted > 0 &&
           !job->request->settings.run.emulate[HS_CPU] &&
           (m->achieved > FAR * m->predicted || m->predicted > FAR * m->achieved);
}

/* Print how the next run can use the measured times. */
static void print_next(FILE *out, const exec_job *job)
{
    fprintf(out, "  %s\n",
            job->request->measured
                ? "run the FILE of --measured next: it has the measured times"
                : "--measured=FILE writes the table with measured times; run that "
                  "FILE next");
    if (job->guesses > 0 && !job->request->profile && profile_is_supported())
        fputs("  --profile=FILE keeps the measured times for all later runs\n", out);
}

/* Print why measured and predicted times may differ, and a remedy. */
static void print_advice(FILE *out, const exec_job *job, const exec_measured *m)
{
    char share[8];

    if (core_share_is_low(&job->report, share))
        fprintf(out, "  this machine was busy: tasks got %s of their cores\n", share);
    if (is_far_off(job, m))
        fprintf(out, "  achieved and predicted makespan differ by more than a factor of %d:\n",
                FAR);
    if (is_far_off(job, m) || (job->guesses > 0 && !job->request->profile))
        print_next(out, job);
}

static void print_type(FILE *out, const exec_measured *m, hs_type type)
{
    exec_total t = exec_total_of(m, type);

    if (t.workers == 0)
        return;
    fprintf(out, "  %-4s %7u %9zu %5.1f%% %5.1f%% %5.1f%%   %6.1f%% %6.1f%% %5.1f%% %5.1f%%\n",
            exec_type_name(type), t.workers, t.tasks, 100 * t.busy, 100 * t.lost, 100 * t.idle,
            100 * t.no_task, 100 * t.victims, 100 * t.data, 100 * t.other);
}

static int name_width(const exec_kernels *kernels, size_t most)
{
    size_t width = NAME_LEAST;

    for (size_t i = 0; i < kernels->count && i < KERNELS_MOST; i++) {
        size_t length = hs_printable(kernels->of[i].name, NULL, 0);

        if (length > width)
            width = length;
    }
    return width < most ? (int)width : (int)most;
}

static void print_name(FILE *out, const exec_kernel *k, int width)
{
    char name[NAME_MOST + 1];

    if (hs_printable(k->name, name, (size_t)width + 1) > (size_t)width) {
        hs_printable(k->name, name, (size_t)width);
        strcat(name, "~");
    }
    fprintf(out, "  %-*s", width, name);
}

/* Print the mean and deviation of measured / estimated, and the end of the line. */
static void print_quotient(FILE *out, const exec_kernel *k)
{
    char mean[32], deviation[32];

    hs_format_rounded(k->error, 3, mean);
    hs_format_rounded(k->error_spread, 2, deviation);
    if (k->estimates > 0)
        fprintf(out, "%s +- %s\n", mean, deviation);
    else
        fputs("-\n", out);
}

static void print_estimate(FILE *out, const exec_kernel *k, int width)
{
    if (k->estimates > 0)
        fprintf(out, "%*.5g", width, k->estimated);
    else
        fprintf(out, "%*s", width, "-");
}

static void print_kernels(FILE *out, const exec_job *job, const exec_kernels *kernels)
{
    const char *unit = exec_unit_name(job);
    int         width = name_width(kernels, NAME_MOST);

    fprintf(out, "\n  %-*s type %7s %8s %-2s %8s %-2s %9s  %s\n", width, "kernel", "tasks",
            "estimate", unit, "measured", unit, "deviation", "x estimate");
    for (size_t i = 0; i < kernels->count && i < KERNELS_MOST; i++) {
        const exec_kernel *k = &kernels->of[i];

        print_name(out, k, width);
        fprintf(out, " %-4s %7zu ", exec_type_name(k->type), k->count);
        print_estimate(out, k, 11);
        fprintf(out, " %11.5g %8.3g%%  ", k->mean, k->mean > 0 ? 100 * k->deviation / k->mean : 0);
        print_quotient(out, k);
    }
}

/* Print kernels with the sources of their estimates; a guess is no estimate. */
static void print_sources(FILE *out, const exec_job *job, const exec_kernels *kernels)
{
    const char *unit = exec_unit_name(job);
    int         width = name_width(kernels, NAME_BESIDE_SOURCE);

    fprintf(out, "\n  %-*s type %6s %-8s %9s %-2s %8s %-2s %6s  %s\n", width, "kernel", "tasks",
            "source", "predicted", unit, "measured", unit, "spread", "x predicted");
    for (size_t i = 0; i < kernels->count && i < KERNELS_MOST; i++) {
        const exec_kernel *k = &kernels->of[i];

        print_name(out, k, width);
        fprintf(out, " %-4s %6zu %-8s ", exec_type_name(k->type), k->count,
                exec_source_name(k->source));
        print_estimate(out, k, 12);
        fprintf(out, " %11.5g %5.3g%%  ", k->mean, k->mean > 0 ? 100 * k->deviation / k->mean : 0);
        print_quotient(out, k);
    }
}

static void print_figures(FILE *out, const exec_job *job, const exec_measured *m)
{
    exec_figure figure[EXEC_FIGURES];
    size_t      count = exec_figures(job, m, figure);

    for (size_t i = 0; i < count; i++) {
        const exec_figure *f = &figure[i];

        fprintf(out, "  %-22s  %14s%s%s", f->label, f->text, f->unit[0] ? " " : "", f->unit);
        if (f->duration[0])
            fprintf(out, " (%s)", f->duration);
        fprintf(out, "%s\n", SHOWN(f->remark));
    }
}

/* Print at most 16 tasks that were not run because a predecessor failed. */
static void print_blocked(FILE *out, const exec_job *job)
{
    enum { MOST = 16 };
    char     name[HS_MAX_ID + 16];
    uint64_t printed = 0;
    uint32_t next = 0, failed;

    while (printed < MOST && exec_blocked_next(job, &next, &failed)) {
        hs_instance_name(job->plan.in, next - 1, name, sizeof name);
        fprintf(out, "  not run: %s, since ", SHOWN(name));
        hs_instance_name(job->plan.in, failed, name, sizeof name);
        fprintf(out, "%s failed\n", SHOWN(name));
        printed++;
    }
    if (job->report.blocked > printed)
        fprintf(out, "  and %llu more for such reasons\n",
                (unsigned long long)(job->report.blocked - printed));
}

void exec_summary(FILE *out, const exec_job *job, const exec_measured *m)
{
    const exec_kernels *kernels = exec_kernels_shown(job, m);

    if (job->gathered)
        exec_gather_head(out, job, m);
    else
        print_head(out, job, m);
    print_figures(out, job, m);
    if (job->gathered)
        exec_gather_summary(out, job);
    else
        print_advice(out, job, m);
    print_blocked(out, job);
    exec_ranks_summary(out, job);
    fprintf(out, "\n  %-4s %7s %9s %6s %6s %6s = %7s %7s %6s %6s\n", "type", "workers", "tasks",
            "busy", "lost", "idle", "no task", "victims", "data", "other");
    print_type(out, m, HS_CPU);
    print_type(out, m, HS_GPU);
    if (kernels->count > 0)
        (job->has_unknown ? print_sources : print_kernels)(out, job, kernels);
    if (kernels->count > KERNELS_MOST)
        fprintf(out, "  and %zu more, for shorter\n", kernels->count - KERNELS_MOST);
}
