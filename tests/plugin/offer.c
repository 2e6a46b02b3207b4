/* SPDX-License-Identifier: BSD-3-Clause */

/* A plugin that offers a correct and a wrong algorithm, and a correct and a wrong policy. */

#include <hybridsched/plugin.h>

#include <math.h>
#include <stdlib.h>

HS_PLUGIN_FILE;

/* Place each task on the next worker that can run it; with `wrong`, every task at once on worker 0.
 * */
static hs_status place_in_turn(const hs_instance *in, bool wrong, hs_schedule **out)
{
    unsigned      cpus = hs_instance_cpus(in), gpus = hs_instance_gpus(in), worker = 0;
    size_t        n = hs_instance_tasks(in), i;
    hs_placement *at = calloc(n + 1, sizeof *at);
    double       *free_at = calloc((size_t)cpus + gpus, sizeof *free_at);
    hs_status     st = at && free_at ? HS_OK : HS_ENOMEM;

    for (i = 0; i < n && st == HS_OK; i++) {
        double time;

        do {
            worker = wrong ? 0 : (worker + 1) % (cpus + gpus);
            time = hs_instance_time(in, i, worker < cpus ? HS_CPU : HS_GPU);
        } while (isinf(time) && !wrong);
        if (isinf(time))
            time = 1;
        at[i] = (hs_placement){free_at[worker], free_at[worker] + time, (uint32_t)i, worker, HS_RUN};
        free_at[worker] = wrong ? 0 : at[i].end;
    }
    if (st == HS_OK)
        st = hs_schedule_build(cpus, gpus, n, at, out);
    free(at);
    free(free_at);
    return st;
}

static bool is_wrong = true;

static hs_status run_in_turn(void *data, const hs_instance *in, const hs_settings *settings,
                             hs_schedule **out)
{
    const bool *wrong = data;

    (void)settings;
    return place_in_turn(in, wrong && *wrong, out);
}

static const hs_algorithm in_turn = {
    .struct_size = sizeof(hs_algorithm),
    .name = "in-turn",
    .summary = "task after task to the next worker that can run it",
    .cost = "O(n)",
    .run = run_in_turn,
};

static const hs_algorithm at_once = {
    .struct_size = sizeof(hs_algorithm),
    .name = "at-once",
    .summary = "a wrong one: everything on the first worker, at the same time",
    .run = run_in_turn,
    .data = &is_wrong,
};

typedef struct in_order_state {
    const hs_instance *in;
    unsigned char     *there; /* by task: not started */
} in_order_state;

static hs_status create(void *data, hs_policy *policy, const hs_instance *estimates,
                        const hs_schedule *plan, const hs_policy_settings *settings, void **out)
{
    size_t           n = hs_instance_tasks(estimates), i;
    in_order_state *state = malloc(sizeof *state);

    (void)data;
    (void)policy;
    (void)plan;
    (void)settings;
    if (!state)
        return HS_ENOMEM;
    *state = (in_order_state){estimates, malloc(n + 1)};
    if (!state->there) {
        free(state);
        return HS_ENOMEM;
    }
    for (i = 0; i < n; i++)
        state->there[i] = 1;
    *out = state;
    return HS_OK;
}

static void destroy(void *data)
{
    in_order_state *state = data;

    free(state->there);
    free(state);
}

/* Start the first waiting task that the worker can run. */
static void next(void *data, unsigned worker, double now, hs_decision *out,
                 hs_wake *wake)
{
    in_order_state *state = data;
    hs_type type = worker < hs_instance_cpus(state->in) ? HS_CPU : HS_GPU;
    size_t  n = hs_instance_tasks(state->in), i;

    (void)now;
    (void)wake;
    for (i = 0; i < n; i++) {
        if (!state->there[i] || isinf(hs_instance_time(state->in, i, type)))
            continue;
        state->there[i] = 0;
        hs_decide_start(out, (uint32_t)i);
        return;
    }
    hs_decide_wait(out, INFINITY);
}

static void ended(void *data, unsigned worker, uint32_t task, hs_ending how, double now,
                  hs_wake *wake)
{
    in_order_state *state = data;

    (void)worker;
    (void)now;
    if (how != HS_ENDING_RETURNED && how != HS_ENDING_ABORTED)
        return;
    state->there[task] = 1;
    hs_wake_all(wake);
}

static void skip(void *data, uint32_t task)
{
    in_order_state *state = data;

    state->there[task] = 0;
}

static const hs_policy_kind in_order = {
    .struct_size = sizeof(hs_policy_kind),
    .name = "in-order",
    .summary = "tasks in the order of the instance",
    .create = create,
    .free = destroy,
    .next = next,
    .ended = ended,
    .mark_done = skip,
};

static void next_forever(void *state, unsigned worker, double now, hs_decision *out,
                         hs_wake *wake)
{
    (void)state;
    (void)worker;
    (void)now;
    (void)wake;
    hs_decide_start(out, 0);
}

static const hs_policy_kind forever = {
    .struct_size = sizeof(hs_policy_kind),
    .name = "forever",
    .summary = "a wrong one: the first task, again and again",
    .create = create,
    .free = destroy,
    .next = next_forever,
    .ended = ended,
    .mark_done = skip,
};

static const hs_algorithm *const   algorithms[] = {&in_turn, &at_once, NULL};
static const hs_policy_kind *const policies[] = {&in_order, &forever, NULL};

HS_PLUGIN_OFFER = {sizeof(hs_plugin_offer), algorithms, policies};
