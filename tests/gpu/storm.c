/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu_storm: cancellations in the module for GPUs, without a dispatcher. Tasks of every kernel,
 * small and large, are stopped at a random time of their run, within the first 20 ms. A task must
 * stop soon, or complete with a right result. A few tasks are not stopped and must have right
 * results: stopped tasks must neither disturb them nor stay on the GPU.
 *
 *   gpu_storm [-M MODULE] [-n LARGEST] [-t SECONDS] [RUNS]
 *
 * The storm ends after SECONDS, or after RUNS runs if it is rough: it has stopped a task, and of
 * ten runs at least one was stopped and one completed. Otherwise it continues until it is rough.
 *
 * Exit status 0: success with stopped tasks; 1: a check failed; 3: no GPU.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include <hybridsched/backend.h>
#include <hybridsched/hybridsched.h>

#include "growth.h"

static const char *const kernels[] = {"dgemm",  "sgemm",  "dsyrk",  "dtrsm",  "dpotrf",
                                      "dgetrf", "dgeqrf", "dormqr", "dtpqrt", "dtpmqrt", "ssyrk",
                                      "strsm", "spotrf", "sgetrf", "sgeqrf", "sormqr", "stpqrt", "stpmqrt"};
/* 64ths of the largest size */
static const int sizes[] = {1, 5, 12, 24, 43, 64};

enum {
    KERNELS = sizeof kernels / sizeof *kernels,
    SIZES = sizeof sizes / sizeof *sizes,
    TASKS = KERNELS * SIZES,
    TRIALS = 2,              /* undisturbed runs of each task before the storm */
    LEFT_ALONE = 16,         /* a task of this number is not stopped */
    LATEST_NS = 20 * 1000000 /* latest stop of the remaining tasks */
};

static const char   *file = "hybridsched-cuda.so";
static int           largest = 8192;
static double        limit = 60;
static unsigned long wanted = 3000;

static void fail(int code, const char *what, const char *detail)
{
    fprintf(stderr, "gpu_storm: %s: %s\n", what, detail);
    exit(code);
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

typedef struct storm {
    const hs_backend  *module;
    hs_instance       *in;
    hs_backend_worker *worker;
    hs_body           *body[TASKS];
    int64_t            shortest[TASKS]; /* time of the shortest completed run, ns */
    unsigned long      runs, stopped, done;
    int64_t            worst; /* longest time from the request to the stop, ns */
    uint64_t           draws;
} storm;

/* A thread that requests the stop of a task at a given time and records when it did. */
typedef struct teller {
    pthread_mutex_t lock;
    pthread_cond_t  change;
    int64_t         moment; /* 0: none; -1: end the thread */
    int64_t         told;
    int             cancel;
} teller;

static uint64_t draw(storm *s)
{
    uint64_t z = s->draws += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static hs_instance *make_instance(void)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_status    st = hs_builder_create(&b);
    char         kernel[32];
    int          i;

    if (st == HS_OK)
        st = hs_builder_set_workers(b, 1, 1);
    for (i = 0; i < TASKS && st == HS_OK; i++) {
        hs_task row = {.struct_size = sizeof row, .cpu = 1, .gpu = 1, .kernel = kernel};
        int     n = largest * sizes[i / KERNELS] / 64;

        snprintf(kernel, sizeof kernel, "%s:%d", kernels[i % KERNELS], n > 0 ? n : 1);
        st = hs_builder_add_row(b, &row);
    }
    if (st == HS_OK)
        st = hs_builder_finish(b, &in, NULL);
    hs_builder_free(b);
    if (st != HS_OK)
        fail(1, "no instance", hs_status_text(st));
    return in;
}

static const hs_backend *open_module(void)
{
    hs_backend_module_function *entry = NULL;
    void                       *library = dlopen(file, RTLD_NOW | RTLD_LOCAL), *symbol;
    const hs_backend           *module;

    if (!library)
        fail(3, file, dlerror());
    symbol = dlsym(library, HS_BACKEND_MODULE_SYMBOL);
    memcpy(&entry, &symbol, sizeof entry);
    module = entry ? entry(HS_BACKEND_ABI) : NULL;
    if (!module)
        fail(1, file, "it is no module for this version");
    return module;
}

static void prepare(storm *s)
{
    hs_backend_options options = {
        .struct_size = sizeof options, .seconds_per_unit = 1, .grace = 10, .verify = 1};
    hs_backend_worker_info info = {.struct_size = sizeof info,
                                   .number = 1,
                                   .type = HS_GPU,
                                   .cpus = 1,
                                   .gpus = 1,
                                   .os_cpu = -1};
    hs_backend_item        items[TASKS];
    hs_error               error = {0};
    hs_task                row;
    int                    i;

    for (i = 0; i < TASKS; i++) {
        hs_instance_row(s->in, (size_t)i, &row);
        if (s->module->body_create(&options, &row, HS_GPU, &s->body[i], &error) != HS_OK)
            fail(1, row.kernel, error.why);
        items[i] = (hs_backend_item){s->body[i], (uint32_t)i};
    }
    if (s->module->worker_open(&options, &info, &s->worker, &error) != HS_OK)
        fail(3, "no worker", error.why);
    if (s->module->prepare(s->worker, s->in, items, TASKS, 0, &error) != HS_OK)
        fail(1, "not prepared", error.why);
}

static void *tell(void *data)
{
    teller *t = data;

    pthread_mutex_lock(&t->lock);
    while (t->moment >= 0) {
        struct timespec nap = {0, 20000};
        int64_t         moment = t->moment;

        if (moment == 0) {
            pthread_cond_wait(&t->change, &t->lock);
            continue;
        }
        pthread_mutex_unlock(&t->lock);
        if (now_ns() < moment)
            nanosleep(&nap, NULL);
        pthread_mutex_lock(&t->lock);
        if (t->moment != moment || now_ns() < moment)
            continue;
        t->told = now_ns();
        t->moment = 0;
        __atomic_store_n(&t->cancel, HS_CANCEL_STOP, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static void set_moment(teller *t, int64_t moment)
{
    pthread_mutex_lock(&t->lock);
    t->moment = moment;
    if (moment > 0)
        t->told = 0;
    pthread_cond_signal(&t->change);
    pthread_mutex_unlock(&t->lock);
}

static void judge(storm *s, hs_outcome outcome, uint32_t task, bool alone, const char *why)
{
    char name[HS_MAX_ID + 16];

    hs_instance_name(s->in, task, name, sizeof name);
    s->runs++;
    s->stopped += outcome == HS_OUTCOME_ABORTED;
    s->done += outcome == HS_OUTCOME_DONE;
    if (outcome == HS_OUTCOME_FAILED || outcome == HS_OUTCOME_LOST)
        fail(1, name, why);
    if (alone && outcome != HS_OUTCOME_DONE)
        fail(1, name, "it stopped although nobody told it to");
}

/* Run a task and stop it `moment` ns after its start; -1: never. */
static void run_task(storm *s, teller *t, uint32_t task, int64_t moment)
{
    bool       alone = moment < 0;
    char       why[HS_WHY] = "";
    hs_attempt attempt = {.struct_size = sizeof attempt,
                          .instance = s->in,
                          .task = task,
                          .number = 1,
                          .worker = 1,
                          .seconds = 1,
                          .cancel = &t->cancel,
                          .wake_fd = -1,
                          .why = why};
    hs_outcome outcome;
    int64_t    start, end;

    __atomic_store_n(&t->cancel, 0, __ATOMIC_RELEASE);
    start = now_ns();
    if (!alone)
        set_moment(t, start + 1 + moment);
    outcome = s->module->run(s->worker, s->body[task], &attempt);
    end = now_ns();
    if (!alone)
        set_moment(t, 0);
    judge(s, outcome, task, alone, why);
    if (outcome == HS_OUTCOME_DONE && end - start < s->shortest[task])
        s->shortest[task] = end - start;
    if (!alone && t->told && outcome == HS_OUTCOME_ABORTED && now_ns() - t->told > s->worst)
        s->worst = now_ns() - t->told;
}

/* Run a random task. The stop falls into the task's own time, however fast the GPU is. */
static void run_one(storm *s, teller *t)
{
    uint32_t task = (uint32_t)(draw(s) % TASKS);
    int64_t  latest = s->shortest[task] < LATEST_NS ? s->shortest[task] : LATEST_NS;
    bool     alone = draw(s) % LEFT_ALONE == 0;

    run_task(s, t, task, alone ? -1 : (int64_t)(draw(s) % (uint64_t)(latest + 1)));
}

/* Measure each task undisturbed; this also warms up allocations that are made once. */
static void try_all(storm *s, teller *t)
{
    uint32_t i;

    for (i = 0; i < TASKS; i++)
        s->shortest[i] = INT64_MAX;
    for (i = 0; i < TRIALS * TASKS; i++)
        run_task(s, t, i % TASKS, -1);
    s->runs = s->stopped = s->done = 0;
}

/* Return true if tasks were stopped, and stopped and completed runs are both a tenth of the
 * runs. */
static bool is_rough(const storm *s)
{
    return s->stopped > 0 && s->stopped >= wanted / 10 && s->done >= wanted / 10;
}

static long gpu_memory(void)
{
    size_t      unused = 0, all = 0;
    cudaError_t error = cudaMemGetInfo(&unused, &all);

    if (error != cudaSuccess)
        fail(3, "cudaMemGetInfo", cudaGetErrorString(error));
    return (long)((all - unused) / 1024);
}

/* Run the storm with a look at the GPU's memory after each tenth of the runs or of the time; return
 * the growth. */
static long run_all(storm *s, teller *t)
{
    long    looks[GROWTH_LOOKS];
    int64_t start;
    int     i;

    try_all(s, t);
    looks[0] = gpu_memory();
    start = now_ns();
    for (i = 1; i < GROWTH_LOOKS; i++) {
        unsigned long until = wanted * (unsigned long)i / (GROWTH_LOOKS - 1);
        int64_t       end = start + (int64_t)(1e9 * limit * i / (GROWTH_LOOKS - 1));
        int           last = i == GROWTH_LOOKS - 1;

        while ((s->runs < until || (last && !is_rough(s))) && now_ns() < end)
            run_one(s, t);
        looks[i] = gpu_memory();
    }
    return growth_median_step(looks);
}

static void take_options(int argc, char **argv)
{
    int c;

    while ((c = getopt(argc, argv, "M:n:t:")) != -1) {
        if (c == 'M')
            file = optarg;
        else if (c == 'n')
            largest = atoi(optarg);
        else if (c == 't')
            limit = atof(optarg);
        else
            exit(2);
    }
    if (optind < argc)
        wanted = strtoul(argv[optind], NULL, 10);
    if (largest < 1 || !(limit > 0) || wanted < 1)
        exit(2);
}

int main(int argc, char **argv)
{
    static storm s;
    teller       t = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};
    pthread_t    thread;
    long         growth;
    int          i;

    take_options(argc, argv);
    s.module = open_module();
    s.in = make_instance();
    prepare(&s);
    if (pthread_create(&thread, NULL, tell, &t) != 0)
        fail(1, "no thread", "it cannot be started");
    growth = run_all(&s, &t);
    set_moment(&t, -1);
    pthread_join(thread, NULL);
    s.module->worker_close(s.worker);
    for (i = 0; i < TASKS; i++)
        s.module->body_free(s.body[i]);
    hs_instance_free(s.in);
    printf("runs,stopped,done,worst_ms,kib_by_step\n%lu,%lu,%lu,%.3f,%ld\n", s.runs, s.stopped,
           s.done, 1e-6 * (double)s.worst, growth);
    if (s.stopped == 0)
        fail(1, "nothing was stopped", "larger tasks (-n) may do it");
    return 0;
}
