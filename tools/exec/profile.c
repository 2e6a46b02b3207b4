/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-exec --profile: the times of earlier runs, and the writer of this run's times. A thread
 * writes every few seconds what has been measured since, so that a killed run loses little and no
 * worker waits for the file.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/checked_memory.h"
#include "common/message.h"
#include "common/profile.h"
#include "exec/exec.h"

enum { SECONDS_BETWEEN_WRITES = 5 };

struct exec_profile {
    times_profile     earlier;   /* the file, and the executions of earlier runs */
    hs_cost          *fresh;     /* executions since the last write; access needs `lock` */
    hs_cost          *unwritten; /* executions being written, or that could not be; or NULL */
    hs_feature_index *features;
    bool              keeps;     /* whether measured times are written to a file */
    bool              told;      /* whether a failed write was reported */
    uint64_t          lost;      /* executions for which memory was short; access needs `lock` */
    bool              is_over;   /* whether the run has ended; access needs `lock` */
    bool              has_writer;
    pthread_t         writer;
    pthread_mutex_t   lock;
    pthread_cond_t    over;
};

/* Write the model of the GPUs that run tasks. */
static void find_gpu(const exec_request *request, char model[HS_MAX_PROCESSOR_MODEL])
{
    hs_exec_device device;
    unsigned       count;

    strcpy(model, PROFILE_EMULATED);
    hs_exec_device_init(&device);
    if (!request->settings.run.emulate[HS_GPU] &&
        hs_exec_device_at(request->settings.gpu.module, 0, &device, &count, NULL) == HS_OK)
        snprintf(model, HS_MAX_PROCESSOR_MODEL, "%s", device.name);
}

int exec_profile_open(const char *path, const exec_request *request, exec_profile **out)
{
    exec_profile *p = checked_calloc(1, sizeof *p);
    char          gpu[HS_MAX_PROCESSOR_MODEL];
    int           code;

    if (request->dry_run && profile_is_supported() && access(path, F_OK) != 0 && errno == ENOENT)
        path = ":memory:"; /* a dry run creates no file */
    p->keeps = !request->dry_run && strcmp(path, ":memory:") != 0;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->over, NULL);
    *out = p;
    find_gpu(request, gpu);
    if (hs_cost_create(&p->fresh) != HS_OK)
        return message_status(HS_ENOMEM, path);
    code = profile_open(&p->earlier, path, request->dry_run ? HS_PROFILE_READ : HS_PROFILE_UPDATE,
                        request->settings.place.cores[HS_CPU], gpu);
    return code ? code : profile_load(&p->earlier, request->quiet);
}

hs_cost *exec_profile_known(exec_profile *p)
{
    return p ? p->earlier.known : NULL;
}

void exec_profile_attempt(exec_profile *p, const exec_job *job, const hs_exec_attempt *attempt)
{
    hs_type     type = attempt->worker < hs_instance_cpus(job->plan.in) ? HS_CPU : HS_GPU;
    const char *backend;
    hs_features features;

    if (!p || !p->keeps || attempt->outcome != HS_OUTCOME_DONE)
        return;
    backend = hs_exec_backend_name(job->exec, attempt->task, type);
    if (backend && strcmp(backend, "emulated") == 0)
        return; /* the timer waited for the estimate */
    hs_features_init(&features);
    hs_feature_index_get(p->features, hs_instance_row_of(job->plan.in, attempt->task), type,
                         &features);
    pthread_mutex_lock(&p->lock);
    p->lost += hs_cost_observe(p->fresh, type, &features, attempt->end - attempt->start,
                               (int64_t)attempt->date) == HS_ENOMEM;
    pthread_mutex_unlock(&p->lock);
}

/* Move the executions not yet written out of the workers' reach; keep them if memory is short. */
static void take_fresh(exec_profile *p)
{
    hs_cost *empty = NULL;

    if (p->unwritten || hs_cost_create(&empty) != HS_OK)
        return;
    pthread_mutex_lock(&p->lock);
    p->unwritten = p->fresh;
    p->fresh = empty;
    pthread_mutex_unlock(&p->lock);
}

/* Write what was measured since the last call, and what an earlier call could not write. */
static hs_status write_fresh(exec_profile *p, hs_error *error)
{
    hs_status status = HS_OK;

    for (int i = 0; status == HS_OK && i < 2; i++) {
        bool had_unwritten = p->unwritten != NULL;

        take_fresh(p);
        if (!p->unwritten) {
            snprintf(error->why, sizeof error->why, "out of memory");
            return HS_ENOMEM;
        }
        status = profile_write(&p->earlier, p->unwritten, error);
        if (status != HS_OK)
            break;
        hs_cost_free(p->unwritten);
        p->unwritten = NULL;
        if (!had_unwritten)
            break;
    }
    return status;
}

static void report_failure(exec_profile *p, const hs_error *error)
{
    if (!p->told)
        message("%s: %s; the measured times are kept and written later", p->earlier.path,
                error->why);
    p->told = true;
}

static void *write_now_and_then(void *profile)
{
    exec_profile *p = profile;
    hs_error      error;

    pthread_mutex_lock(&p->lock);
    while (!p->is_over) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += SECONDS_BETWEEN_WRITES;
        if (pthread_cond_timedwait(&p->over, &p->lock, &until) != ETIMEDOUT)
            continue;
        pthread_mutex_unlock(&p->lock);
        if (write_fresh(p, &error) != HS_OK)
            report_failure(p, &error);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

int exec_profile_begin(exec_profile *p, const exec_job *job)
{
    hs_status status;

    if (!p || !p->keeps)
        return EXIT_OK;
    status = hs_feature_index_create(job->plan.in, &p->features);
    if (status == HS_OK && pthread_create(&p->writer, NULL, write_now_and_then, p) != 0)
        status = HS_ENOMEM;
    p->has_writer = status == HS_OK;
    return status == HS_OK ? EXIT_OK : message_status(status, p->earlier.path);
}

static void stop_writer(exec_profile *p)
{
    if (!p->has_writer)
        return;
    pthread_mutex_lock(&p->lock);
    p->is_over = true;
    pthread_cond_signal(&p->over);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->writer, NULL);
}

int exec_profile_close(exec_profile *p)
{
    hs_error  error = {0};
    hs_status status = HS_OK;

    if (!p)
        return EXIT_OK;
    stop_writer(p);
    if (p->has_writer)
        status = write_fresh(p, &error);
    if (status == HS_OK && p->has_writer)
        status = profile_trim(&p->earlier, &error);
    if (status != HS_OK)
        message("%s: the measured times of this run are lost: %s", p->earlier.path, error.why);
    else if (p->lost > 0)
        message("%s: %llu measured times are lost: out of memory", p->earlier.path,
                (unsigned long long)p->lost);
    if (p->lost > 0)
        status = HS_ENOMEM;
    profile_close(&p->earlier);
    hs_cost_free(p->fresh);
    hs_cost_free(p->unwritten);
    hs_feature_index_free(p->features);
    pthread_cond_destroy(&p->over);
    pthread_mutex_destroy(&p->lock);
    free(p);
    return status == HS_OK ? EXIT_OK : EXIT_WORK;
}
