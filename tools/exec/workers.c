/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the number of workers, from -m and -k, the file, or this machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "common/message.h"
#include "exec/exec.h"

static unsigned cores_of(const exec_request *request, hs_type type)
{
    return request->settings.place.cores[type] ? request->settings.place.cores[type] : 1;
}

void exec_worker_label(const exec_job *job, unsigned worker, char label[EXEC_WORKER])
{
    hs_exec_worker_info info;

    hs_exec_worker_info_init(&info);
    hs_exec_describe_worker(job->exec, worker, &info);
    hs_worker_name(hs_instance_cpus(job->plan.in), worker, info.name);
    if (info.node)
        snprintf(label, EXEC_WORKER, "%.255s/%s", info.node, info.name);
    else
        snprintf(label, EXEC_WORKER, "%s", info.name);
}

/* Return the number of devices that the modules of a run have here. */
static unsigned gpus_here(const exec_request *request)
{
    unsigned count = 0;

    hs_exec_device_at(request->settings.gpu.module, 0, NULL, &count, NULL);
    return count;
}

/* Return the number of machines; each node is taken to be like this machine. */
static unsigned machines(const exec_request *request)
{
    return request->settings.run.node_count > 0 ? (unsigned)request->settings.run.node_count : 1;
}

/* Return how many CPU workers fit on the cores that the threads of `gpus` GPUs leave free. */
static unsigned cpus_beside(const exec_request *request, unsigned gpus)
{
    unsigned long cores = hs_exec_core_count(), driving = 0, count = machines(request);

    if (request->settings.run.mpi)
        cores /= hs_mpi_neighbours(request->settings.run.mpi);

    if (!request->settings.place.share_gpu_cores)
        driving = (gpus + count - 1) / count * cores_of(request, HS_GPU);
    return cores > driving ? (unsigned)(count * ((cores - driving) / cores_of(request, HS_CPU)))
                           : 0;
}

unsigned exec_workers_here(void *data, hs_type type)
{
    exec_request *request = data;
    unsigned      number;

    request->counted[type] = 1;
    if (type == HS_GPU && !request->settings.run.emulate[HS_GPU]) {
        number = gpus_here(request) * machines(request);
        request->lacks_gpus = number == 0;
    } else if (type == HS_GPU) {
        return machines(request);
    } else {
        number = cpus_beside(request, 0);
    }
    return number ? number : 1;
}

static bool has_tasks_on(const hs_instance *in, hs_type type)
{
    size_t  rows = hs_instance_rows(in), i = 0;
    hs_task row;

    for (; i < rows; i++) {
        hs_instance_row(in, i, &row);
        if (!isinf(type == HS_CPU ? row.cpu : row.gpu))
            return true;
    }
    return false;
}

/* Return the number of GPUs that need a thread on a core: emulated and unused GPUs need none. */
static unsigned real_gpus(const exec_request *request, const hs_instance *in, unsigned gpus)
{
    return request->settings.run.emulate[HS_GPU] || !has_tasks_on(in, HS_GPU) ? 0 : gpus;
}

static int put_on(plan *p, unsigned cpus, unsigned gpus)
{
    hs_instance *other;
    hs_status    status;

    if (cpus == hs_instance_cpus(p->in) && gpus == hs_instance_gpus(p->in))
        return EXIT_OK;
    status = hs_instance_with_workers(p->in, cpus, gpus, &other);
    if (status != HS_OK)
        return message_status(status, p->path);
    hs_instance_free(p->in);
    p->in = other;
    return EXIT_OK;
}

/* Return the number of a task that none of these workers can run; -1: every task can run. A time may
 * be unknown. */
static long stranded_task(const hs_instance *in, unsigned cpus, unsigned gpus)
{
    size_t tasks = hs_instance_tasks(in);

    for (size_t i = 0; i < tasks; i++)
        if (!(cpus > 0 && !isinf(hs_instance_time(in, i, HS_CPU))) &&
            !(gpus > 0 && !isinf(hs_instance_time(in, i, HS_GPU))))
            return (long)i;
    return -1;
}

/*
 * Fit the worker counts taken from this machine: no workers without tasks; no GPU on a machine
 * without GPUs, unless a task needs one (the run is then refused with the reason); a core for each
 * thread that drives a GPU. With too few cores for these threads, the one CPU worker shares its
 * core with them.
 */
static int fit_counted(plan *p, exec_request *request)
{
    unsigned cpus = hs_instance_cpus(p->in), gpus = hs_instance_gpus(p->in);

    if (request->counted[HS_GPU] && cpus > 0 &&
        (!has_tasks_on(p->in, HS_GPU) ||
         (request->lacks_gpus && stranded_task(p->in, cpus, 0) < 0)))
        gpus = 0;
    if (request->counted[HS_CPU] && gpus > 0 && !has_tasks_on(p->in, HS_CPU)) {
        cpus = 0;
    } else if (request->counted[HS_CPU] && real_gpus(request, p->in, gpus) > 0) {
        cpus = cpus_beside(request, gpus);
        if (cpus == 0) {
            cpus = 1;
            request->settings.place.share_gpu_cores = 1;
        }
    }
    return put_on(p, cpus, gpus);
}

static void requested_workers(const plan *p, const hs_read_settings *reading, unsigned number[2])
{
    number[HS_CPU] = reading->has_cpus ? reading->cpus : hs_instance_cpus(p->in);
    number[HS_GPU] = reading->has_gpus ? reading->gpus : hs_instance_gpus(p->in);
}

int exec_check_workers(const plan *p, const exec_request *request, const hs_read_settings *reading)
{
    char     name[HS_MAX_ID + 16];
    unsigned number[2];
    long     stranded;

    if (!p->s || (!reading->has_cpus && !reading->has_gpus))
        return EXIT_OK;
    if (hs_policy_needs_plan(request->settings.decide.policy)) {
        message("%s: a plan has its own workers: -m and -k are for instances, or for policies that "
                "need no plan, such as --policy=heteroprio",
                p->path);
        return EXIT_USAGE;
    }
    requested_workers(p, reading, number);
    stranded = stranded_task(p->in, number[HS_CPU], number[HS_GPU]);
    if (stranded < 0)
        return EXIT_OK;
    hs_instance_name(p->in, (size_t)stranded, name, sizeof name);
    message("%s: no worker can run task %s on %u CPU%s and %u GPU%s; change -m or -k", p->path,
            name, number[HS_CPU], plural(number[HS_CPU]), number[HS_GPU], plural(number[HS_GPU]));
    return EXIT_USAGE;
}

int exec_set_workers(plan *p, exec_request *request, const hs_read_settings *reading)
{
    unsigned number[2];
    int      code = exec_check_workers(p, request, reading);

    if (code)
        return code;
    if (!p->s)
        return fit_counted(p, request);
    if (!reading->has_cpus && !reading->has_gpus)
        return EXIT_OK;
    requested_workers(p, reading, number); /* discard the schedule, for a policy without a plan */
    hs_schedule_free(p->s);
    p->s = NULL;
    hs_plan_info_init(&p->info);
    return put_on(p, number[HS_CPU], number[HS_GPU]);
}

/*
 * Set `options` to the options that make the workers fit this machine; empty if none are needed or
 * none help.
 */
static void fitting_options(const exec_job *job, char options[64])
{
    const exec_request *request = job->request;
    const hs_instance  *in = job->plan.in;
    unsigned            cpus = hs_instance_cpus(in), gpus = hs_instance_gpus(in), most;
    int                 used = 0;

    options[0] = '\0';
    if (real_gpus(request, in, gpus) > 0 && (most = gpus_here(request)) < gpus) {
        gpus = most;
        used = snprintf(options, 64, " -k %u", gpus);
    }
    most = cpus_beside(request, real_gpus(request, in, gpus));
    if (!request->settings.run.emulate[HS_CPU] && !request->settings.place.oversubscribe &&
        most > 0 && most < cpus && has_tasks_on(in, HS_CPU)) {
        cpus = most;
        snprintf(options + used, 64 - (size_t)used, " -m %u", cpus);
    }
    if (cpus + gpus == 0 || stranded_task(in, cpus, gpus) >= 0)
        options[0] = '\0';
}

/* Print how a task for GPUs alone can run on a machine with too few GPUs. */
static void suggest_command(const exec_job *job)
{
    const hs_instance *in = job->plan.in;
    unsigned           most = gpus_here(job->request);
    char               name[HS_MAX_ID + 16];
    long               stranded = stranded_task(in, 1, most);

    if (real_gpus(job->request, in, hs_instance_gpus(in)) <= most || stranded < 0)
        return;
    hs_instance_name(in, (size_t)stranded, name, sizeof name);
    message("task %s can run on GPUs only: with a cpu_command, or a CPU time beside a kernel, it can "
            "run on a CPU",
            name);
}

void exec_suggest_workers(const exec_job *job)
{
    char  options[64];
    char *path = NULL;

    if (job->request->settings.run.node_count > 0)
        return; /* the node's refusal has the reason */
    path = shell_word(strcmp(job->plan.path, "<stdin>") == 0 ? "PLAN" : job->plan.path);

    fitting_options(job, options);
    if (options[0] && job->planned && hs_policy_needs_plan(job->request->settings.decide.policy))
        message("to plan for this machine: hsched-solve INSTANCE%s -o %s; or without a plan: "
                "hsched-exec %s%s --policy=heteroprio",
                options, path, path, options);
    else if (options[0])
        message("for this machine: hsched-exec %s%s%s%s%s",
                job->request->commands ? "--commands=" : "", path, options,
                job->planned ? " --policy=" : "", job->planned ? job->request->policy : "");
    else
        suggest_command(job);
    free(path);
}
