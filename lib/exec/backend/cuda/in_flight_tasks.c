/* SPDX-License-Identifier: BSD-3-Clause */
/* Attempts to run tasks, one at a time or several in flight. */
#include <stdio.h>
#include <string.h>

#include "exec/backend/cuda/cuda.h"
#include "exec/backend/cuda/range.h"
#include "support/clock.h"

hs_outcome hsi_cuda_fail_attempt(hsi_cuda_gpu *gpu, hs_attempt *attempt)
{
    bool memory = gpu->fault.memory && !gpu->broken;
    char task[HS_MAX_ID + 16];

    hs_instance_name(attempt->instance, attempt->task, task, sizeof task);
    snprintf(attempt->why, HS_WHY, "%s; task %.80s on GPU %d (%.150s)", gpu->fault.text, task,
             gpu->device, gpu->label);
    if (!memory) {
        gpu->broken = true; /* the fault stays for the messages of later attempts */
        return HS_OUTCOME_LOST;
    }
    gpu->fault.text[0] = '\0';
    return HS_OUTCOME_FAILED;
}

/* Return whether an attempt is still running gpu->patience after its cancellation. The GPU is then
 * unusable, since its work cannot be removed. *told is 0 or the time of the first call that saw the
 * cancellation. */
static bool hangs(hsi_cuda_gpu *gpu, const hs_attempt *attempt, int64_t *told)
{
    int64_t now;

    if (!hs_attempt_cancelled(attempt))
        return false;
    now = hsi_clock_ns();
    if (!*told)
        *told = now;
    if (now - *told < gpu->patience)
        return false;
    gpu->broken = gpu->fault.hung = true;
    gpu->fault.memory = false;
    snprintf(gpu->fault.text, sizeof gpu->fault.text,
             "a cancelled task is still running on the GPU after %.3g s",
             1e-9 * (double)gpu->patience);
    return true;
}

/* Wait for an event. Return 1 if the event has completed, -1 for a fault. */
static int await(hsi_cuda_gpu *gpu, cudaEvent_t event, const hs_attempt *attempt)
{
    int64_t start = hsi_clock_ns(), told = 0;
    int     over;

    while ((over = hsi_cuda_event_completed(&gpu->fault, event, false)) == 0) {
        if (hangs(gpu, attempt, &told))
            return -1;
        hsi_cuda_polling_pause(start);
    }
    return over;
}

/* Launch all pieces, two of them ahead. Return 1 after the last one, 0 if the attempt was
 * cancelled, -1 for a fault. */
static int launch_watched(hsi_cuda_gpu *gpu, hsi_cuda_run *run, const hs_attempt *attempt)
{
    hsi_stream_context *context = run->context;
    int                 pieces = 0, more;

    do {
        if (hs_attempt_cancelled(attempt))
            return 0;
        if (pieces >= 2 && await(gpu, context->pace[pieces % 2], attempt) < 0)
            return -1;
        more = run->body->cuda->launch(run);
        if (more > 0 &&
            !CUDA(context->fault, cudaEventRecord, context->pace[pieces % 2], context->stream))
            return -1;
        pieces++;
    } while (more > 0);
    return more < 0 ? -1 : 1;
}

/* Return the addresses of the results of the stream context's next task, and whether they are
 * verified. */
static hsi_cuda_results prepare_results(hsi_cuda_gpu *gpu, hsi_stream_context *context,
                                        const hsi_cuda_body *body, bool watched)
{
    hsi_cuda_results results = hsi_cuda_results_at(body, context->room, watched);

    results.checked = hsi_cuda_check_is_due(gpu, body);
    if (results.checked)
        hsi_cuda_check_fill_with_nan(body, &results);
    return results;
}

/* Start the copies of the results. Copies of resident results that the host verifies come after the
 * event that ends the task's time. */
static bool send_back(hsi_cuda_gpu *gpu, hsi_stream_context *context, hsi_cuda_run *run,
                      const hsi_cuda_results *results)
{
    return hsi_cuda_copy_out(gpu, run, results) &&
           CUDA(&gpu->fault, cudaEventRecord, context->done, context->stream) &&
           (!results->checked ||
            (hsi_cuda_copy_out_to_verify(gpu, run, results) &&
             CUDA(&gpu->fault, cudaEventRecord, context->landed, context->stream)));
}

/* Wait for the results. The task's time ends before resident results are copied for verification.
 * Return 1 if all results are in host memory, -1 for a fault. */
static int finish(hsi_cuda_gpu *gpu, hsi_cuda_run *run, const hsi_cuda_results *results,
                  hs_attempt *attempt)
{
    hsi_stream_context *context = run->context;

    if (!send_back(gpu, context, run, results) || await(gpu, context->done, attempt) < 0)
        return -1;
    attempt->end = hsi_clock_ns();
    return results->checked ? await(gpu, context->landed, attempt) : 1;
}

static int attempt_unnamed(hsi_cuda_gpu *gpu, hsi_stream_context *context,
                           const hsi_cuda_body *body, hs_attempt *attempt,
                           hsi_cuda_results *results)
{
    hsi_cuda_run run;
    int          all;

    if (!hsi_cuda_data_grow_pool(gpu, body) ||
        !hsi_stream_context_reserve_for_body(gpu, context, body))
        return -1;
    *results = prepare_results(gpu, context, body, true);
    if (!hsi_cuda_copy_in(gpu, context, body, attempt->instance, attempt->task, results, &run))
        return -1;
    all = launch_watched(gpu, &run, attempt);
    if (all == 1)
        return finish(gpu, &run, results, attempt);
    if (all < 0 || !CUDA(&gpu->fault, cudaEventRecord, context->done, context->stream) ||
        await(gpu, context->done, attempt) < 0)
        return -1;
    return 0;
}

static int attempt_task(hsi_cuda_gpu *gpu, hsi_stream_context *context, const hsi_cuda_body *body,
                        hs_attempt *attempt, hsi_cuda_results *results)
{
    int all;

    hsi_cuda_range_begin(body->cuda->name);
    all = attempt_unnamed(gpu, context, body, attempt, results);
    hsi_cuda_range_end();
    return all;
}

hs_outcome hsi_cuda_run_task(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    hsi_cuda_gpu        *gpu = hsi_cuda_gpu_of(worker);
    const hsi_cuda_body *own = hsi_cuda_body_of(body);
    hsi_stream_context  *context = &gpu->context[0];
    hsi_cuda_results     results = {.checked = 0};
    int                  all = -1;

    if (!gpu->broken)
        all = attempt_task(gpu, context, own, attempt, &results);
    if (all != 1 && results.checked)
        hsi_cuda_check_next_of_kind(gpu, own);
    if (all < 0) {
        hsi_cuda_drain_stream(context);
        return hsi_cuda_fail_attempt(gpu, attempt);
    }
    return all ? hsi_cuda_verify_results(gpu, own, &results, attempt) : HS_OUTCOME_ABORTED;
}

enum { RING = 2 * HSI_CUDA_BATCH };

unsigned hsi_cuda_most_in_flight(hs_backend_worker *worker)
{
    const hsi_cuda_gpu *gpu = hsi_cuda_gpu_of(worker);

    return gpu->graph ? RING + gpu->contexts : gpu->contexts;
}

static bool send(hsi_cuda_gpu *gpu, hsi_stream_context *context, hsi_cuda_in_flight *in_flight)
{
    const hsi_cuda_body *body = in_flight->body;
    hsi_cuda_run         run;
    bool                 sent;

    if (!hsi_stream_context_reserve_for_body(gpu, context, body))
        return false;
    in_flight->results = prepare_results(gpu, context, body, false);
    hsi_cuda_range_begin(body->cuda->name);
    sent = hsi_cuda_copy_in_and_launch(gpu, context, body, in_flight->attempt->instance,
                                       in_flight->attempt->task, &in_flight->results, &run) &&
           send_back(gpu, context, &run, &in_flight->results);
    hsi_cuda_range_end();
    return sent;
}

static void fail(hsi_cuda_gpu *gpu, hsi_cuda_in_flight *in_flight)
{
    if (in_flight->results.checked)
        hsi_cuda_check_next_of_kind(gpu, in_flight->body);
    in_flight->outcome = hsi_cuda_fail_attempt(gpu, in_flight->attempt);
    in_flight->end = hsi_clock_ns();
}

/* Launch an attempt in a stream context. A failure is reported when the attempt is collected. */
static void launch(hsi_cuda_gpu *gpu, const hsi_cuda_in_flight *from, unsigned context)
{
    hsi_cuda_in_flight *in_flight = &gpu->in_flight[context];

    *in_flight = *from;
    in_flight->start = hsi_clock_ns();
    if (!gpu->broken && hsi_cuda_data_grow_pool(gpu, in_flight->body) &&
        hsi_cuda_time_anchor(&gpu->time, &gpu->fault, in_flight->start)) {
        in_flight->anchor = gpu->time.current;
        if (send(gpu, &gpu->context[context], in_flight)) {
            gpu->time.users[in_flight->anchor]++;
            return;
        }
    }
    hsi_cuda_drain_stream(&gpu->context[context]);
    fail(gpu, in_flight);
}

/* Find a free stream context. If the pool must grow for the body, no attempt may be in flight. */
static bool find_context(const hsi_cuda_gpu *gpu, const hsi_cuda_body *body, unsigned *context)
{
    if (gpu->count && !gpu->broken && !hsi_cuda_data_pool_suffices(gpu, body))
        return false;
    for (*context = 0; *context < gpu->contexts; ++*context)
        if (!gpu->in_flight[*context].attempt)
            return true;
    return false;
}

/* Return whether the batch of the last submitted task is incomplete. Tasks outside the batch are
 * then refused, which keeps the order of the list. */
static bool is_batch_open(const hsi_cuda_gpu *gpu)
{
    unsigned last = (gpu->batched_first + gpu->batched_count - 1) % RING;

    return gpu->batched_count &&
           hsi_cuda_graph_item_is_unlaunched(gpu->graph, gpu->batched[last].item);
}

/* Return 1 if the attempt joined its batch, 0 if no batch is for it, -1 if there is no room. */
static int join_batch(hsi_cuda_gpu *gpu, const hsi_cuda_in_flight *in_flight)
{
    hsi_cuda_in_flight joined = *in_flight;
    int                taken;

    if (!gpu->graph || gpu->broken)
        return 0;
    if (gpu->batched_count == RING)
        return -1;
    taken = hsi_cuda_graph_submit(gpu, &joined);
    if (taken == 1)
        gpu->batched[(gpu->batched_first + gpu->batched_count++) % RING] = joined;
    return taken;
}

int hsi_cuda_submit(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    hsi_cuda_gpu      *gpu = hsi_cuda_gpu_of(worker);
    hsi_cuda_in_flight in_flight = {
        .attempt = attempt, .body = hsi_cuda_body_of(body), .outcome = HS_OUTCOME_DONE};
    int      taken = join_batch(gpu, &in_flight);
    unsigned context;

    if (taken < 0)
        return 0;
    if (!taken) {
        if (is_batch_open(gpu) || !find_context(gpu, in_flight.body, &context))
            return 0;
        launch(gpu, &in_flight, context);
    }
    gpu->count++;
    return 1;
}

/* Return 1 and set in_flight->end if the attempt has completed, 0 if not, -1 for a fault. */
static int context_over(hsi_cuda_gpu *gpu, unsigned context, hsi_cuda_in_flight *in_flight)
{
    cudaEvent_t done = gpu->context[context].done;
    int         over = hsi_cuda_event_completed(
                &gpu->fault, in_flight->results.checked ? gpu->context[context].landed : done, false);

    if (over == 0)
        return 0;
    gpu->time.users[in_flight->anchor]--;
    if (over < 0)
        return -1;
    in_flight->end = hsi_cuda_time_of_event(&gpu->time, &gpu->fault, in_flight->anchor, done);
    return gpu->fault.text[0] ? -1 : 1;
}

/* Return whether the attempt is known to have ended. */
static bool look(hsi_cuda_gpu *gpu, hsi_cuda_in_flight *in_flight, int context)
{
    int over = -1;

    if (in_flight->end)
        return true;
    if (!gpu->broken)
        over = context >= 0 ? context_over(gpu, (unsigned)context, in_flight)
                            : hsi_cuda_graph_item_completed(gpu, in_flight->item, in_flight);
    if (over < 0) {
        if (context >= 0)
            hsi_cuda_drain_stream(&gpu->context[context]);
        fail(gpu, in_flight);
    }
    return over != 0;
}

/* Return the attempt with the earliest end among those that have ended, or NULL. */
static hsi_cuda_in_flight *first_over(hsi_cuda_gpu *gpu)
{
    hsi_cuda_in_flight *first = NULL, *head = &gpu->batched[gpu->batched_first];
    unsigned            i;

    for (i = 0; i < gpu->contexts; i++) {
        hsi_cuda_in_flight *in_flight = &gpu->in_flight[i];

        if (in_flight->attempt && look(gpu, in_flight, (int)i) &&
            (!first || in_flight->end < first->end))
            first = in_flight;
    }
    if (gpu->batched_count &&
        (gpu->broken || !hsi_cuda_graph_item_is_unlaunched(gpu->graph, head->item)) &&
        look(gpu, head, -1) && (!first || head->end < first->end))
        first = head;
    return first;
}

static bool is_batched(const hsi_cuda_gpu *gpu, const hsi_cuda_in_flight *in_flight)
{
    return in_flight >= gpu->batched && in_flight < gpu->batched + RING;
}

static void forget(hsi_cuda_gpu *gpu, hsi_cuda_in_flight *in_flight)
{
    gpu->count--;
    if (gpu->check.attempt == in_flight->attempt)
        gpu->check.attempt = NULL;
    if (is_batched(gpu, in_flight)) {
        hsi_cuda_graph_count_collected(gpu->graph, in_flight->item);
        gpu->batched_first = (gpu->batched_first + 1) % RING;
        gpu->batched_count--;
    }
    in_flight->attempt = NULL;
}

/* Launch the first attempt of an incomplete batch in a stream context, since the rest is not
 * submitted. */
static void split_batch(hsi_cuda_gpu *gpu)
{
    hsi_cuda_in_flight head = gpu->batched[gpu->batched_first];
    unsigned           context;

    hsi_cuda_graph_drop_next_batch(gpu->graph);
    if (!find_context(gpu, head.body, &context))
        return; /* the caller retries */
    gpu->batched_first = (gpu->batched_first + 1) % RING;
    gpu->batched_count--;
    if (!hs_attempt_cancelled(head.attempt)) {
        launch(gpu, &head, context);
        return;
    }
    head.outcome = HS_OUTCOME_ABORTED;
    head.start = head.end = hsi_clock_ns();
    gpu->in_flight[context] = head;
}

/* Return any attempt in flight. All attempts of a worker are cancelled at the same time. */
static const hs_attempt *any_attempt(const hsi_cuda_gpu *gpu)
{
    unsigned i;

    for (i = 0; i < gpu->contexts; i++)
        if (gpu->in_flight[i].attempt)
            return gpu->in_flight[i].attempt;
    return gpu->batched[gpu->batched_first].attempt;
}

/* Return an attempt in flight whose results the host verifies, or NULL. */
static const hsi_cuda_in_flight *next_checked(const hsi_cuda_gpu *gpu)
{
    unsigned i;

    for (i = 0; i < gpu->contexts; i++)
        if (gpu->in_flight[i].attempt && gpu->in_flight[i].results.checked)
            return &gpu->in_flight[i];
    for (i = 0; i < gpu->batched_count; i++) {
        const hsi_cuda_in_flight *in_flight = &gpu->batched[(gpu->batched_first + i) % RING];

        if (in_flight->results.checked)
            return in_flight;
    }
    return NULL;
}

/* Compute the first half of the next verification while no attempt has ended. Return false if there
 * is no verification to prepare. */
static bool predict(hsi_cuda_gpu *gpu)
{
    const hsi_cuda_in_flight *in_flight = gpu->check.attempt ? NULL : next_checked(gpu);

    if (!in_flight || gpu->broken)
        return false;
    hsi_cuda_check_predict_product(gpu, in_flight->body, in_flight->attempt);
    return true;
}

static hsi_cuda_in_flight *wait_for_one(hsi_cuda_gpu *gpu)
{
    int64_t             start = hsi_clock_ns(), told = 0;
    hsi_cuda_in_flight *first;

    while (!(first = first_over(gpu))) {
        if (hangs(gpu, any_attempt(gpu), &told))
            continue;
        if (gpu->batched_count &&
            hsi_cuda_graph_item_is_unlaunched(gpu->graph, gpu->batched[gpu->batched_first].item))
            split_batch(gpu);
        else if (!predict(gpu))
            hsi_cuda_polling_pause(start);
    }
    return first;
}

static int64_t between(int64_t least, int64_t value, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Set the times of an attempt. The times of a worker do not overlap and are not in the future,
 * since another backend may run the worker's next task. */
static void date(hsi_cuda_gpu *gpu, const hsi_cuda_in_flight *in_flight, hs_completion *out)
{
    int64_t now = hsi_clock_ns();

    out->start = between(gpu->last, in_flight->start, now);
    out->end = gpu->last = between(out->start, in_flight->end, now);
}

int hsi_cuda_collect(hs_backend_worker *worker, int wait, hs_completion *out)
{
    hsi_cuda_gpu       *gpu = hsi_cuda_gpu_of(worker);
    hsi_cuda_in_flight *in_flight;

    if (gpu->count == 0)
        return 0;
    in_flight = wait ? wait_for_one(gpu) : first_over(gpu);
    if (!in_flight)
        return 0;
    out->attempt = in_flight->attempt;
    if (gpu->note[0] && in_flight->outcome == HS_OUTCOME_DONE) {
        memcpy(in_flight->attempt->why, gpu->note, sizeof gpu->note);
        gpu->note[0] = '\0';
    }
    out->outcome = in_flight->outcome;
    date(gpu, in_flight, out);
    if (in_flight->outcome == HS_OUTCOME_DONE)
        out->outcome =
            hsi_cuda_verify_results(gpu, in_flight->body, &in_flight->results, in_flight->attempt);
    forget(gpu, in_flight);
    return 1;
}
