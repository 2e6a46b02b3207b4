/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/order.h"
#include "core/schedule_impl.h"
#include "core/settings.h"
#include "policy/policy.h"
#include "support/sized.h"

static const hs_policy_kind *const registry[] = {
    &hsi_policy_plan,          &hsi_policy_plan_steal, &hsi_policy_heteroprio,
    &hsi_policy_heteroprio_ns, &hsi_policy_hp_sp,      &hsi_policy_hp_corrected,
    &hsi_policy_dualhp,        &hsi_policy_dynamic,    &hsi_policy_h_ratio,
    &hsi_policy_d_rank,        &hsi_policy_dmda,       &hsi_policy_dmdas,
    &hsi_policy_explore,
};

size_t hs_policy_count(void)
{
    return sizeof registry / sizeof *registry;
}

const hs_policy_kind *hs_policy_at(size_t index)
{
    return index < hs_policy_count() ? registry[index] : NULL;
}

const hs_policy_kind *hs_policy_find(const char *name)
{
    size_t i;

    for (i = 0; name && i < hs_policy_count(); i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    return NULL;
}

/* Return a complete copy of a kind; fields beyond its struct_size are 0. */
static hs_policy_kind whole_kind(const hs_policy_kind *kind)
{
    hs_policy_kind known = {0};

    (void)hsi_sized_copy_in(&known, sizeof known, kind);
    return known;
}

const char *hs_policy_name(const hs_policy_kind *kind)
{
    return whole_kind(kind).name;
}

const char *hs_policy_summary(const hs_policy_kind *kind)
{
    const char *summary = whole_kind(kind).summary;

    return summary ? summary : "";
}

int hs_policy_supports_graphs(const hs_policy_kind *kind)
{
    return whole_kind(kind).supports_graphs;
}

unsigned hs_policy_supported_ranks(const hs_policy_kind *kind)
{
    return whole_kind(kind).supported_ranks;
}

int hs_policy_needs_plan(const hs_policy_kind *kind)
{
    return whole_kind(kind).needs_plan;
}

int hs_policy_keeps_plan(const hs_policy_kind *kind)
{
    const hs_policy_kind known = whole_kind(kind);

    return known.needs_plan && known.keeps_plan;
}

static bool is_whole(const hs_policy_kind *kind)
{
    return kind->name && kind->create && kind->free && kind->next && kind->ended &&
           kind->mark_done && (kind->add_ready || !(kind->supports_graphs || kind->groups_endings));
}

static bool plan_fits_instance(const hs_schedule *plan, const hs_instance *in)
{
    return plan && hs_schedule_cpus(plan) == hs_instance_cpus(in) &&
           hs_schedule_gpus(plan) == hs_instance_gpus(in);
}

static bool is_finite_nonnegative(double x)
{
    return x >= 0 && !isinf(x);
}

void hs_policy_settings_init_sized(hs_policy_settings *settings, size_t size)
{
    memset(settings, 0, size);
    settings->struct_size = size;
}

/* Copy the settings, fill in defaults and check ranges. HS_EINVAL: out of range. */
static hs_status resolve_settings(hs_policy_settings *full, const hs_policy_settings *given)
{
    hs_policy_settings_init(full);
    if (given && !hsi_sized_copy_in(full, sizeof *full, given))
        return HS_EINVAL;
    return is_finite_nonnegative(full->tolerance) && (unsigned)full->guesses <= HS_GUESSES_DOUBTED
               ? hsi_parameters_resolve(&full->parameters)
               : HS_EINVAL;
}

static bool takes_rank(const hs_policy_kind *kind, hs_rank rank)
{
    return rank == HS_RANK_DEFAULT || (hs_rank_name(rank) && kind->supported_ranks >> rank & 1);
}

static bool open_releases(hs_policy *policy)
{
    policy->ran_on = calloc(policy->tasks + (size_t)1, sizeof *policy->ran_on);
    policy->released_by = malloc((policy->tasks + (size_t)1) * sizeof *policy->released_by);
    if (!policy->ran_on || !policy->released_by)
        return false;
    memset(policy->released_by, 0xff, policy->tasks * sizeof *policy->released_by); /* HS_NONE */
    return true;
}

/* Create the ready counters and the inputs for all kinds, if the policy groups endings. */
static hs_status open_shared_state(hs_policy *policy, const hs_instance *estimates)
{
    hs_status st;

    policy->groups_endings =
        policy->kind.groups_endings || hs_instance_has_graph(estimates) || policy->arrivals;
    policy->behind = policy->groups_endings;
    if (!policy->groups_endings)
        return HS_OK;
    if (hs_instance_has_graph(estimates) && !open_releases(policy))
        return HS_ENOMEM;
    st = hsi_problem_of_tasks(estimates, &policy->token, &policy->pb);
    if (st == HS_OK)
        st = hsi_ready_open(&policy->ready, &policy->pb);
    if (st != HS_OK)
        return st;
    if (!policy->arrivals)
        return hsi_inputs_open(&policy->inputs, estimates, &policy->pb);
    policy->arrivals->ready = &policy->ready;
    policy->arrivals->inputs = &policy->inputs;
    return hsi_inputs_open_arriving(&policy->inputs, &policy->pb, policy->arrivals->room.handles);
}

static void close_policy(hs_policy *policy)
{
    hsi_inputs_close(&policy->inputs);
    hsi_ready_close(&policy->ready);
    hsi_problem_close(&policy->pb);
    hsi_arrivals_free(policy->arrivals);
    free(policy->ran_on);
    free(policy->released_by);
    free(policy);
}

/* Check the arguments of a new policy, and fill in the settings and the kind. */
static hs_status check_request(const hs_policy_kind *kind, const hs_instance *estimates,
                               const hs_schedule *plan, const hs_policy_settings *given,
                               hs_policy_settings *settings, hs_policy_kind *known)
{
    if (!kind || !estimates || resolve_settings(settings, given) != HS_OK)
        return HS_EINVAL;
    *known = whole_kind(kind);
    if (!is_whole(known) || (known->needs_plan && !plan_fits_instance(plan, estimates)) ||
        !takes_rank(known, settings->rank))
        return HS_EINVAL;
    return hs_instance_has_graph(estimates) && !known->supports_graphs ? HS_EDEPENDENT : HS_OK;
}

hs_status hsi_policy_create(const hs_policy_kind *kind, const hs_instance *estimates,
                            const hs_schedule *plan, const hs_policy_settings *given,
                            hsi_arrivals *arrivals, hs_policy **out)
{
    hs_policy_settings settings;
    hs_policy_kind     known;
    hs_status          st = check_request(kind, estimates, plan, given, &settings, &known);
    hs_policy         *policy = st == HS_OK ? calloc(1, sizeof *policy) : NULL;

    if (!policy) {
        hsi_arrivals_free(arrivals);
        return st == HS_OK ? HS_ENOMEM : st;
    }
    policy->kind = known;
    policy->arrivals = arrivals;
    policy->workers = hs_instance_cpus(estimates) + hs_instance_gpus(estimates);
    policy->tasks = (uint32_t)hs_instance_tasks(estimates);
    policy->token = (hsi_token){settings.cancel, settings.cancel_data, false, 0};
    st = open_shared_state(policy, estimates);
    policy->inputs.records = settings.transfers;
    if (st == HS_OK)
        st = known.create(known.data, policy, estimates, plan, &settings, &policy->state);
    if (st == HS_OK && hsi_poll(&policy->token)) {
        st = HS_ECANCELED;
        policy->kind.free(policy->state);
    }
    policy->token = (hsi_token){0};
    if (st == HS_OK)
        *out = policy;
    else
        close_policy(policy);
    return st;
}

hs_status hs_policy_create(const hs_policy_kind *kind, const hs_instance *estimates,
                           const hs_schedule *plan, const hs_policy_settings *settings,
                           hs_policy **out)
{
    return out ? hsi_policy_create(kind, estimates, plan, settings, NULL, out) : HS_EINVAL;
}

void hs_policy_free(hs_policy *policy)
{
    if (!policy)
        return;
    policy->kind.free(policy->state);
    close_policy(policy);
}

int hs_policy_groups_endings(const hs_policy *policy)
{
    return policy->groups_endings &&
           !(policy->counts_down && !hsi_inputs_are_tracked(&policy->inputs));
}

size_t hs_policy_collect_ready(hs_policy *policy, double now, const uint32_t **tasks, hs_wake *wake)
{
    hs_wake         unread = {0};
    const uint32_t *news;
    size_t          count;

    if (!policy->groups_endings)
        return 0;
    policy->behind = false;
    count = hsi_ready_collect(&policy->ready, &news);
    policy->kind.add_ready(policy->state, news, count, now, wake ? wake : &unread);
    if (tasks)
        *tasks = news;
    return count;
}

/* Report ready tasks before a decision if the caller has not asked for them since the last
 * ending. */
static void catch_up(hs_policy *policy, double now, hs_wake *wake)
{
    if (policy->behind)
        hs_policy_collect_ready(policy, now, NULL, wake);
}

/* Start the transfers of a decided task. The kind may be an application's: the start of a task that
 * does not exist or is not ready is NaN. */
static void start_transfers(hs_policy *policy, unsigned worker, double now, hs_decision *out)
{
    if (out->kind != HS_DECIDE_START)
        return;
    if (out->task >= policy->tasks || !hsi_policy_may_start(policy, out->task))
        out->start = NAN;
    else
        out->start = hs_policy_start_transfers(policy, out->task, worker, now);
    if (policy->arrivals && !isnan(out->start))
        hsi_arrivals_give(policy->arrivals, out->task);
}

void hs_policy_next(hs_policy *policy, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    hs_wake unread = {0};

    if (worker >= policy->workers) {
        hs_decide_wait(out, INFINITY);
        return;
    }
    catch_up(policy, now, wake);
    policy->kind.next(policy->state, worker, now, out, wake ? wake : &unread);
    start_transfers(policy, worker, now, out);
}

void hs_policy_prefetch(hs_policy *policy, unsigned worker, double now, hs_decision *out,
                        hs_wake *wake)
{
    hs_wake unread = {0};

    hs_decide_wait(out, INFINITY);
    if (worker >= policy->workers || !policy->kind.prefetch)
        return;
    catch_up(policy, now, wake);
    policy->kind.prefetch(policy->state, worker, now, out, wake ? wake : &unread);
    start_transfers(policy, worker, now, out);
}

int hs_policy_peek(hs_policy *policy, unsigned worker, uint32_t *task)
{
    return policy->kind.peek && worker < policy->workers &&
           policy->kind.peek(policy->state, worker, task) && *task < policy->tasks;
}

double hs_policy_input_arrival(const hs_policy *policy, uint32_t task, unsigned worker, double now)
{
    if (worker >= policy->workers || task >= policy->tasks)
        return now;
    return hsi_inputs_arrival(&policy->inputs, task, worker, now);
}

double hs_policy_longest_transfer(const hs_policy *policy, uint32_t task, unsigned worker)
{
    if (worker >= policy->workers || task >= policy->tasks)
        return 0;
    return hsi_inputs_longest_transfer(&policy->inputs, task, worker);
}

double hs_policy_start_transfers(hs_policy *policy, uint32_t task, unsigned worker, double now)
{
    if (worker >= policy->workers || task >= policy->tasks)
        return now;
    return hsi_inputs_start_transfers(&policy->inputs, task, worker, now);
}

double hs_policy_missing_bytes(const hs_policy *policy, uint32_t task, unsigned worker)
{
    if (worker >= policy->workers || task >= policy->tasks)
        return 0;
    return hsi_inputs_missing_bytes(&policy->inputs, task, worker);
}

int hs_policy_has_replica(const hs_policy *policy, uint32_t handle, uint32_t memory_node)
{
    return hsi_inputs_have_replica(&policy->inputs, handle, memory_node);
}

uint32_t hs_policy_released_by(const hs_policy *policy, uint32_t task, unsigned *worker)
{
    uint32_t predecessor;

    if (!policy->released_by || task >= policy->tasks)
        return HS_NONE;
    predecessor = policy->released_by[task];
    if (worker && predecessor != HS_NONE)
        *worker = policy->ran_on[predecessor];
    return predecessor;
}

const hs_transfer *hs_policy_transfers(hs_policy *policy, size_t *count)
{
    return hsi_sort_transfers(&policy->inputs.transfers, count);
}

int hs_policy_take_own(hs_policy *policy, unsigned worker, uint32_t *task)
{
    return policy->kind.take_own && worker < policy->workers &&
           policy->kind.take_own(policy->state, worker, task) && *task < policy->tasks;
}

const uint32_t *hs_policy_own_list(hs_policy *policy, unsigned worker, size_t *count)
{
    if (!policy->kind.own_list || worker >= policy->workers)
        return NULL;
    return policy->kind.own_list(policy->state, worker, count);
}

/* Record the end of a task and the tasks that it releases. */
static void record_done(hs_policy *policy, uint32_t task, unsigned worker)
{
    size_t before = policy->ready.news_count;

    hsi_ready_record_done(&policy->ready, task);
    if (!policy->released_by)
        return;
    policy->ran_on[task] = worker;
    for (; before < policy->ready.news_count; before++)
        policy->released_by[policy->ready.news[before]] = task;
}

/* Update the row of a task that arrived, after the policy has read it for the last time. */
static void end_arrival(hsi_arrivals *arrivals, uint32_t task, hs_ending how)
{
    if (how == HS_ENDING_DONE)
        hsi_arrivals_retire(arrivals, task);
    else if (how == HS_ENDING_DROPPED)
        hsi_arrivals_drop(arrivals, task);
    else if (how != HS_ENDING_HELD)
        hsi_arrivals_take_back(arrivals, task);
}

void hs_policy_ended(hs_policy *policy, unsigned worker, uint32_t task, hs_ending how, double now,
                     hs_wake *wake)
{
    hs_wake unread = {0};

    if (worker >= policy->workers || task >= policy->tasks ||
        (policy->arrivals && !hsi_arrivals_is_given(policy->arrivals, task)))
        return;
    if (how == HS_ENDING_DONE && policy->groups_endings) {
        hsi_inputs_record_end(&policy->inputs, task, worker, now);
        if (!policy->counts_down && !policy->arrivals)
            record_done(policy, task, worker);
    }
    if (how == HS_ENDING_DROPPED && policy->groups_endings && !policy->arrivals)
        hsi_ready_record_dropped(&policy->ready, task);
    if (hs_policy_groups_endings(policy)) { /* a policy that does not group endings may be called
                                               by several threads at once, so nothing is written
                                               then */
        policy->behind = true;
        policy->now = now;
    }
    policy->kind.ended(policy->state, worker, task, how, now, wake ? wake : &unread);
    if (policy->arrivals)
        end_arrival(policy->arrivals, task, how);
}

void hs_policy_mark_done(hs_policy *policy, uint32_t task, unsigned worker)
{
    if (task >= policy->tasks || policy->arrivals)
        return;
    hsi_inputs_mark_done(&policy->inputs, task, worker < policy->workers ? worker : HS_NONE);
    if (policy->groups_endings)
        hsi_ready_mark_done_before_start(&policy->ready, task);
    policy->kind.mark_done(policy->state, task);
}

void hs_policy_mark_elsewhere(hs_policy *policy, uint32_t task)
{
    if (task >= policy->tasks || policy->arrivals)
        return;
    if (policy->groups_endings)
        hsi_ready_exclude(&policy->ready, task);
    policy->kind.mark_done(policy->state, task); /* the kind forgets the task */
}

/* A kind that counts predecessors itself gets no worker, so it wakes every worker that the end
 * concerns. Others see the tasks that become ready. */
void hs_policy_ended_elsewhere(hs_policy *policy, uint32_t task, double now, hs_wake *wake)
{
    hs_wake unread = {0};

    if (task >= policy->tasks || policy->arrivals || !policy->ready.graph)
        return;
    hsi_inputs_mark_done(&policy->inputs, task, HS_NONE);
    if (policy->counts_down) {
        policy->kind.ended(policy->state, HS_NONE, task, HS_ENDING_DONE, now,
                           wake ? wake : &unread);
        return;
    }
    hsi_ready_record_done(&policy->ready, task);
    policy->behind = true;
    policy->now = now;
}

void hs_policy_retire(hs_policy *policy, unsigned worker, hs_wake *wake)
{
    hs_wake unread = {0};

    policy->behind |=
        policy->groups_endings; /* the worker's tasks may go to other workers at once */
    if (policy->kind.retire && worker < policy->workers)
        policy->kind.retire(policy->state, worker, wake ? wake : &unread);
}

/* Record that a stranded task will not run. */
static void drop_stranded(hs_policy *policy, uint32_t task)
{
    hs_wake unread = {0};

    if (policy->arrivals) {
        policy->kind.ended(policy->state, 0, task, HS_ENDING_DROPPED, policy->now, &unread);
        hsi_arrivals_drop(policy->arrivals, task);
    } else if (policy->groups_endings) {
        hsi_ready_record_dropped(&policy->ready, task);
    }
}

int hs_policy_take_stranded(hs_policy *policy, uint32_t *task)
{
    uint32_t dropped = policy->arrivals ? hsi_arrivals_take_dropped(policy->arrivals) : HS_NONE;

    if (dropped != HS_NONE) {
        *task = dropped;
        return 1;
    }
    if (!policy->kind.take_stranded)
        return 0;
    catch_up(policy, policy->now, NULL);
    if (!policy->kind.take_stranded(policy->state, task) || *task >= policy->tasks)
        return 0;
    drop_stranded(policy, *task);
    return 1;
}
