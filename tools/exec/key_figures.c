/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the key figures of a run, for the summary and for the HTML report. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "common/escape.h"
#include "exec/exec.h"

typedef struct figure_list {
    exec_figure *figure;
    size_t       count;
} figure_list;

/* Add a figure; the format gives its number, its unit and a remark, each ended by a tab. */
__attribute__((format(printf, 3, 4))) static exec_figure *add(figure_list *list, const char *label,
                                                              const char *format, ...)
{
    exec_figure *f = &list->figure[list->count++];
    char        *tab;
    va_list      args;

    *f = (exec_figure){.label = label};
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    f->unit = f->remark = "";
    if ((tab = strchr(f->text, '\t'))) {
        *tab = '\0';
        f->unit = tab + 1;
        if ((tab = strchr(f->unit, '\t'))) {
            *tab = '\0';
            f->remark = tab + 1;
        }
    }
    return f;
}

static void add_time(figure_list *list, const exec_job *job, const char *label, double time,
                     const char *remark)
{
    char         number[32];
    exec_figure *f;

    hs_format_rounded(time, 6, number);
    f = add(list, label, "%s\t%s\t%s", number, exec_unit_name(job), remark);
    hs_format_long_duration(time * hs_unit_seconds(hs_instance_unit(job->plan.in)), f->duration);
}

bool exec_is_comparable(const exec_job *job)
{
    return job->guesses == 0 && !job->request->settings.run.mpi &&
           job->report.done + job->report.left_out == job->report.tasks;
}

/* Add the makespan that known times would have given. */
static void add_known(figure_list *list, const exec_job *job, const exec_measured *m)
{
    char remark[96], guesses[48] = "";

    if (!(m->known_makespan > 0))
        return;
    if (m->known_guesses > 0)
        snprintf(guesses, sizeof guesses, "; %zu task%s still guessed", m->known_guesses,
                 plural(m->known_guesses));
    snprintf(remark, sizeof remark, "   this run took %.4g x that%s",
             m->achieved / m->known_makespan, guesses);
    add_time(list, job, "with known times", m->known_makespan, remark);
}

static void add_makespans(figure_list *list, const exec_job *job, const exec_measured *m)
{
    const hs_exec_report *r = &job->report;
    double                latency, bandwidth;
    char                  remark[128], here[48] = "";

    if (job->request->settings.run.mpi) {
        add_time(list, job, "achieved makespan", job->report.seconds / job->unit,
                 r->done == r->tasks ? "   of all ranks" : "   of rank 0");
        return;
    }
    /* Commands move their data themselves and do not wait for the predicted transfers. */
    snprintf(remark, sizeof remark, "%s%s",
             r->resumed + r->left_out > 0 ? "   of what was left"
             : exec_is_comparable(job)    ? ""
                                          : "   of the whole plan",
             hs_instance_link(job->plan.in, HS_H2D, &latency, &bandwidth)
                 ? "   with transfers over links"
                 : "");
    if (job->guesses == 0)
        add_time(list, job, "predicted makespan", m->predicted, remark);
    if (job->unit != 1)
        snprintf(here, sizeof here, "   %.4g s here", m->achieved * job->unit);
    snprintf(remark, sizeof remark,
             exec_is_comparable(job) && m->predicted > 0 ? "%s   %.4g x predicted" : "%s", here,
             m->achieved / m->predicted);
    add_time(list, job, "achieved makespan", m->achieved, remark);
    remark[0] = '\0';
    if (m->bound > 0)
        snprintf(remark, sizeof remark, "   achieved is %.4g x that", m->achieved / m->bound);
    if (isfinite(m->bound))
        add_time(list, job, "area bound, measured", m->bound, remark);
    add_known(list, job, m);
}

static void add_costs(figure_list *list, const hs_exec_report *r)
{
    /* seconds: for longer tasks the overhead of a start does not matter */
    const double short_task = 0.1;
    double       overhead = 1e6 * r->overhead, dispatch = 1e6 * r->dispatch;

    if (r->busy < short_task * (double)(r->done - r->resumed + r->failed))
        add(list, "overhead", "%.*f\tus a task\t   %.*f us without waits for work",
            overhead < 100 ? 3 : 0, overhead, dispatch < 100 ? 3 : 0, dispatch);
    if (r->gpu_joules > 0)
        add(list, "energy of the GPUs", "%.5g\tJ", r->gpu_joules);
    if (r->gpu_clock > 0)
        add(list, "clock of the GPUs", "%u\tMHz\t at the end, of %u at most", r->gpu_clock,
            r->gpu_clock_max);
    if (r->aborted > 0)
        add(list, "attempts spoliated", "%llu", (unsigned long long)r->aborted);
    if (r->retried > 0)
        add(list, "attempts tried again", "%llu", (unsigned long long)r->retried);
    if (r->lost_workers > 0)
        add(list, "workers lost", "%u", r->lost_workers)->is_bad = true;
}

static void add_factorisation(figure_list *list, const exec_job *job)
{
    hs_exec_factorisation f;
    double                seconds = job->report.seconds;
    char                  seed[32], off[32];

    hs_exec_factorisation_init(&f);
    if (!hs_exec_describe_factorisation(job->exec, &f) || job->report.done < job->report.tasks)
        return;
    snprintf(seed, sizeof seed, "seed %llu", (unsigned long long)f.seed);
    add(list, "speed", "%.4g\tGFLOP/s\t   %s of %zu x %zu, tiles of %zu, %s%s%s",
        seconds > 0 ? 1e-9 * f.operations / seconds : 0, f.name, f.order, f.order, f.tile,
        f.single_precision ? "single precision, " : "", f.input_given ? "from " : "",
        f.input_given ? job->request->input : seed);
    off[0] = '\0';
    if (f.orthogonality > 0)
        snprintf(off, sizeof off, ", Q'Q off by %.2g", f.orthogonality);
    if (f.verified)
        add(list, "result", "%s\t\t   residual %.2g, largest element %.2g%s",
            f.wrong ? "wrong" : "verified", f.relative_residual, f.largest_residual, off)
            ->is_bad = f.wrong;
    else
        add(list, "result", "not verified");
}

static void add_copies(figure_list *list, const char *label, const transfer_totals *c)
{
    if (transfer_totals_exist(c))
        add(list, label, "%zu\tto GPUs\t, %.4g MB; %zu to the host, %.4g MB", c->count[HS_GPU],
            1e-6 * c->bytes[HS_GPU], c->count[HS_CPU], 1e-6 * c->bytes[HS_CPU]);
}

size_t exec_figures(const exec_job *job, const exec_measured *m, exec_figure list[EXEC_FIGURES])
{
    figure_list figures = {.figure = list};

    add_makespans(&figures, job, m);
    if (!job->gathered)
        add_costs(&figures, &job->report);
    add_factorisation(&figures, job);
    if (job->report.verifiable > 0)
        add(&figures, "results verified", "%llu\tof %llu tasks",
            (unsigned long long)job->report.verified, (unsigned long long)job->report.verifiable);
    add_copies(&figures, "copies of data", &m->copied);
    add_copies(&figures, "copies predicted", &m->predicted_copies);
    return figures.count;
}
