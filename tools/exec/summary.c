/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the summary that a person reads. */
#include <math.h>
#include <string.h>

#include "common/core_share.h"
#include "common/escape.h"
#include "exec/exec.h"

enum { NAME_LEAST = 7, NAME_MOST = 14, KERNELS_MOST = 16 }; /* lines fit 80 columns */

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

/* Print a makespan, without the end of the line. */
static void print_time(FILE *out, const exec_job *job, const char *what, double time)
{
    char number[32], longer[32];

    hs_format_rounded(time, 6, number);
    fprintf(out, "  %-22s  %14s %s", what, number, exec_unit_name(job));
    if (hs_format_duration(time * hs_unit_seconds(hs_instance_unit(job->plan.in)), longer) > 0)
        fprintf(out, " (%s)", longer);
}

int exec_is_comparable(const exec_job *job)
{
    return job->report.done + job->report.left_out == job->report.tasks;
}

const char *exec_predicted_of(const exec_job *job)
{
    if (job->report.resumed + job->report.left_out > 0)
        return " of what was left";
    return exec_is_comparable(job) ? "" : " of the whole plan";
}

/*
 * Return whether the instance has links. Commands move their data themselves and do not wait for
 * the predicted transfers.
 */
static int has_links(const exec_job *job)
{
    double latency, bandwidth;

    return hs_instance_link(job->plan.in, HS_H2D, &latency, &bandwidth);
}

/* Print the overhead in microseconds, if tasks are so short that it may matter. */
static void print_overhead(FILE *out, const hs_exec_report *r)
{
    const double short_task = 0.1; /* seconds */
    double       overhead = 1e6 * r->overhead, dispatch = 1e6 * r->dispatch;
    double       tasks = (double)(r->done - r->resumed + r->failed);

    if (r->busy < short_task * tasks)
        fprintf(out, "  %-22s  %14.*f us a task   %.*f us without waits for work\n", "overhead",
                overhead < 100 ? 3 : 0, overhead, dispatch < 100 ? 3 : 0, dispatch);
}

/* Print how many tasks were verified. */
static void print_checked(FILE *out, const hs_exec_report *r)
{
    if (r->checkable > 0)
        fprintf(out, "  %-22s  %14llu of %llu tasks\n", "results verified",
                (unsigned long long)r->checked, (unsigned long long)r->checkable);
}

static void print_power(FILE *out, const hs_exec_report *r)
{
    if (r->gpu_joules > 0)
        fprintf(out, "  %-22s  %14.5g J\n", "energy of the GPUs", r->gpu_joules);
    if (r->gpu_clock > 0)
        fprintf(out, "  %-22s  %14u MHz at the end, of %u at most\n", "clock of the GPUs",
                r->gpu_clock, r->gpu_clock_most);
}

static void print_times(FILE *out, const exec_job *job, const exec_measured *m)
{
    const char *of = exec_predicted_of(job);

    print_time(out, job, "predicted makespan", m->predicted);
    fprintf(out, "%s%s%s\n", *of ? "  " : "", of,
            has_links(job) ? "   with transfers over links" : "");
    print_time(out, job, "achieved makespan", m->achieved);
    if (job->unit != 1)
        fprintf(out, "   %.4g s here", m->achieved * job->unit);
    if (exec_is_comparable(job) && m->predicted > 0)
        fprintf(out, "   %.4g x predicted", m->achieved / m->predicted);
    putc('\n', out);
    if (isfinite(m->bound)) {
        print_time(out, job, "area bound, measured", m->bound);
        if (m->bound > 0)
            fprintf(out, "   achieved is %.4g x that", m->achieved / m->bound);
        putc('\n', out);
    }
    print_overhead(out, &job->report);
    print_power(out, &job->report);
}

enum { FAR = 3 }; /* factor between the makespans */

/* Return 1 if the makespans differ by a factor above FAR; 0 with emulated CPUs, which measure no
 * task. */
static int is_far_off(const exec_job *job, const exec_measured *m)
{
    return exec_is_comparable(job) && m->predicted > 0 && !job->request->settings.emulate[HS_CPU] &&
           (m->achieved > FAR * m->predicted || m->predicted > FAR * m->achieved);
}

/* Print why measured and predicted times may differ, and a remedy. */
static void print_advice(FILE *out, const exec_job *job, const exec_measured *m)
{
    char share[8];

    if (core_share_is_low(&job->report, share))
        fprintf(out, "  this machine was busy: tasks got %s of their cores\n", share);
    if (is_far_off(job, m))
        fprintf(out,
                "  achieved and predicted makespan differ by more than a factor of %d:\n"
                "  %s\n",
                FAR,
                job->request->measured
                    ? "run the FILE of --measured next: it has the measured times"
                    : "--measured=FILE writes the table with measured times; run that FILE next");
}

static void print_troubles(FILE *out, const hs_exec_report *r)
{
    if (r->aborted > 0)
        fprintf(out, "  %-22s  %14llu\n", "attempts spoliated", (unsigned long long)r->aborted);
    if (r->retried > 0)
        fprintf(out, "  %-22s  %14llu\n", "attempts tried again", (unsigned long long)r->retried);
    if (r->lost_workers > 0)
        fprintf(out, "  %-22s  %14u\n", "workers lost", r->lost_workers);
}

static void print_type(FILE *out, const exec_measured *m, hs_type type)
{
    exec_total t = exec_total_of(m, type);

    if (t.workers == 0)
        return;
    fprintf(out,
            "  %-4s %7u %9zu %5.1f%% %5.1f%% %5.1f%%   %6.1f%% %6.1f%% %5.1f%% %5.1f%%\n",
            exec_type_name(type), t.workers, t.tasks, 100 * t.busy, 100 * t.lost, 100 * t.idle,
            100 * t.no_task, 100 * t.victims, 100 * t.data, 100 * t.other);
}

static int name_width(const exec_measured *m)
{
    size_t width = NAME_LEAST;

    for (size_t i = 0; i < m->kernel_count && i < KERNELS_MOST; i++) {
        size_t length = hs_printable(m->kernels[i].name, NULL, 0);

        if (length > width)
            width = length;
    }
    return width < NAME_MOST ? (int)width : NAME_MOST;
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

static void print_kernels(FILE *out, const exec_job *job, const exec_measured *m)
{
    const char *unit = exec_unit_name(job);
    int         width = name_width(m);

    if (m->kernel_count == 0)
        return;
    fprintf(out, "\n  %-*s type %7s %8s %-2s %8s %-2s %9s  %s\n", width, "kernel", "tasks",
            "estimate", unit, "measured", unit, "deviation", "x estimate");
    for (size_t i = 0; i < m->kernel_count && i < KERNELS_MOST; i++) {
        const exec_kernel *k = &m->kernels[i];

        print_name(out, k, width);
        fprintf(out, " %-4s %7zu %11.5g %11.5g %8.3g%%  %.3g +- %.2g\n",
                exec_type_name(k->type), k->count, k->estimated, k->mean,
                k->mean > 0 ? 100 * k->deviation / k->mean : 0, k->error, k->error_spread);
    }
    if (m->kernel_count > KERNELS_MOST)
        fprintf(out, "  and %zu more, for shorter\n", m->kernel_count - KERNELS_MOST);
}

/* Print the speed and the verification of a factorisation. */
static void print_factorisation(FILE *out, const exec_job *job)
{
    hs_exec_factorisation f;
    double                seconds = job->report.seconds;

    hs_exec_factorisation_init(&f);
    if (!hs_exec_factorised(job->exec, &f) || job->report.done < job->report.tasks)
        return;
    fprintf(out, "  %-22s  %14.4g GFLOP/s   %s of %zu x %zu, tiles of %zu, %s", "speed",
            seconds > 0 ? 1e-9 * f.operations / seconds : 0, f.name, f.order, f.order, f.tile,
            f.single ? "single precision, " : "");
    if (f.given)
        fprintf(out, "from %s\n", SHOWN(job->request->input));
    else
        fprintf(out, "seed %llu\n", (unsigned long long)f.seed);
    if (!f.checked) {
        fprintf(out, "  %-22s  %14s\n", "result", "not verified");
        return;
    }
    fprintf(out, "  %-22s  %14s   residual %.2g, largest element %.2g", "result",
            f.wrong ? "wrong" : "verified", f.relative, f.largest);
    if (f.orthogonality > 0)
        fprintf(out, ", Q'Q off by %.2g", f.orthogonality);
    putc('\n', out);
}

static void print_copies(FILE *out, const char *what, const transfer_totals *c)
{
    if (transfer_totals_any(c))
        fprintf(out, "  %-22s  %14zu to GPUs, %.4g MB; %zu to the host, %.4g MB\n", what,
                c->count[HS_GPU], 1e-6 * c->bytes[HS_GPU], c->count[HS_CPU],
                1e-6 * c->bytes[HS_CPU]);
}

void exec_summary(FILE *out, const exec_job *job, const exec_measured *m)
{
    print_head(out, job, m);
    print_times(out, job, m);
    print_advice(out, job, m);
    print_troubles(out, &job->report);
    print_factorisation(out, job);
    print_checked(out, &job->report);
    print_copies(out, "copies of data", &m->copied);
    print_copies(out, "copies predicted", &m->predicted_copies);
    exec_blocked_print(out, job);
    fprintf(out, "\n  %-4s %7s %9s %6s %6s %6s = %7s %7s %6s %6s\n", "type", "workers", "tasks",
            "busy", "lost", "idle", "no task", "victims", "data", "other");
    print_type(out, m, HS_CPU);
    print_type(out, m, HS_GPU);
    print_kernels(out, job, m);
}
