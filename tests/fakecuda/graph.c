/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stream capture and graphs. A graph runs node by node, always the ready node captured last, which
 * reveals a missing order; or its branches run concurrently. A branch is the part captured in a
 * single stream. Each branch has its own clock, so memory used by two unordered branches is a
 * misuse.
 */
#include <stdlib.h>
#include <string.h>

#include "state.h"

struct CUgraph_st {
    fake_object                object;
    fake_operation            *nodes;
    int                        count, room;
    fake_stream               *origin; /* NULL: the capture is over */
    enum cudaStreamCaptureMode mode;
    pthread_t                  thread;
    fake_stream               *streams[FAKE_BRANCHES]; /* streams captured into the graph */
    int                        places[FAKE_BRANCHES];  /* number of nodes of each */
    int                        stream_count;
    fake_graph                *next; /* list of captures in progress */
};

struct CUgraphExec_st {
    fake_object     object;
    fake_operation *nodes;
    int             count, branches;
    int             places[FAKE_BRANCHES]; /* number of nodes of each branch */
};

/* A launch of a graph. For each branch: the slot of its clock and the number before its first node.
 * For each node: the operations known to be over when it is over. */
typedef struct fake_launch {
    int        slot[FAKE_BRANCHES];
    uint64_t   before[FAKE_BRANCHES];
    fake_clock known[];
} fake_launch;

static fake_graph *captures;

int fake_is_forbidden(const char *call)
{
    const fake_graph *capture;

    for (capture = captures; capture; capture = capture->next) {
        int mine = pthread_equal(capture->thread, pthread_self());

        if (capture->mode == cudaStreamCaptureModeGlobal ||
            (mine && capture->mode == cudaStreamCaptureModeThreadLocal)) {
            fake_complain("%s: not allowed during a capture", call);
            return 1;
        }
    }
    return 0;
}

void fake_captures_reset(void)
{
    captures = NULL;
}

static void dispose_graph(fake_object *object)
{
    free(((fake_graph *)(void *)object)->nodes);
}

static void dispose_made(fake_object *object)
{
    free(((fake_made_graph *)(void *)object)->nodes);
}

static void comes_after(int *before, int *befores, int node)
{
    int i;

    for (i = 0; i < *befores; i++)
        if (before[i] == node)
            return;
    if (*befores == FAKE_BEFORE)
        fake_complain("a capture joins more than %d branches, which the fake cannot do",
                      FAKE_BEFORE);
    else
        before[(*befores)++] = node;
}

static int branch_of(const fake_graph *graph, const fake_stream *stream)
{
    int i = 0;

    while (graph->streams[i] != stream)
        i++;
    return i;
}

cudaError_t fake_capture(fake_stream *stream, const fake_operation *operation)
{
    fake_graph     *graph = stream->capture;
    fake_operation *node;

    if (operation->kind == FAKE_FREE || operation->kind == FAKE_GRAPH) {
        fake_complain("%s: captured, which the fake cannot do", operation->name);
        return cudaErrorStreamCaptureUnsupported;
    }
    if (graph->count == graph->room) {
        graph->room = graph->room ? 2 * graph->room : 64;
        graph->nodes = realloc(graph->nodes, (size_t)graph->room * sizeof *graph->nodes);
        if (!graph->nodes)
            abort();
    }
    node = &graph->nodes[graph->count];
    *node = *operation;
    fake_resolve_addresses(node);
    node->branch = branch_of(graph, stream);
    node->place = ++graph->places[node->branch];
    node->befores = stream->befores;
    memcpy(node->before, stream->before, sizeof node->before);
    stream->before[0] = graph->count++;
    stream->befores = 1;
    return cudaSuccess;
}

void fake_capture_record(fake_stream *stream, fake_event *event)
{
    event->capture = stream->capture;
    event->befores = stream->befores;
    memcpy(event->before, stream->before, sizeof event->before);
}

cudaError_t fake_capture_wait(fake_stream *stream, fake_event *event)
{
    fake_graph *graph = event->capture;
    int         i;

    if (!graph->origin)
        return cudaErrorCapturedEvent;
    if (stream->capture && stream->capture != graph)
        return cudaErrorStreamCaptureMerge;
    if (!stream->capture && graph->stream_count == FAKE_BRANCHES) {
        fake_complain("a capture of more than %d streams, which the fake cannot do", FAKE_BRANCHES);
        return cudaErrorStreamCaptureUnsupported;
    }
    if (!stream->capture) {
        stream->capture = graph;
        stream->befores = 0;
        graph->streams[graph->stream_count++] = stream;
    }
    for (i = 0; i < event->befores; i++)
        comes_after(stream->before, &stream->befores, event->before[i]);
    return cudaSuccess;
}

static cudaError_t begin(fake_stream *stream, enum cudaStreamCaptureMode mode)
{
    fake_graph *graph;

    if (!fake_is_live_object(stream, FAKE_STREAM, "cudaStreamBeginCapture"))
        return cudaErrorInvalidResourceHandle;
    if (stream->capture)
        return cudaErrorInvalidValue;
    graph = fake_object_create(FAKE_GRAPH_PLAN, sizeof *graph);
    graph->object.dispose = dispose_graph;
    graph->origin = graph->streams[0] = stream;
    graph->stream_count = 1;
    graph->mode = mode;
    graph->thread = pthread_self();
    graph->next = captures;
    captures = graph;
    stream->capture = graph;
    stream->befores = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    cudaError_t error = fake_begin_call("cudaStreamBeginCapture");

    if (!error)
        error = begin(stream, mode);
    return fake_end_call(error);
}

static void mark(const fake_graph *graph, const int *before, int befores, char *marked)
{
    int i;

    for (i = 0; i < befores; i++)
        if (!marked[before[i]]) {
            marked[before[i]] = 1;
            mark(graph, graph->nodes[before[i]].before, graph->nodes[before[i]].befores, marked);
        }
}

/* Tell whether every node precedes the end of the stream in which the capture began. */
static int is_joined(const fake_graph *graph)
{
    char *marked = calloc((size_t)graph->count + 1, 1);
    int   i, joined = 1;

    if (!marked)
        abort();
    mark(graph, graph->origin->before, graph->origin->befores, marked);
    for (i = 0; i < graph->count; i++)
        joined &= marked[i];
    free(marked);
    return joined;
}

static void end_capture(fake_graph *graph)
{
    fake_graph **place;
    int          i;

    for (place = &captures; *place != graph; place = &(*place)->next)
        ;
    *place = graph->next;
    for (i = 0; i < graph->stream_count; i++)
        graph->streams[i]->capture = NULL;
    graph->origin = NULL;
}

static cudaError_t end(fake_stream *stream, fake_graph **out)
{
    fake_graph *graph;
    int         joined;

    *out = NULL;
    if (!fake_is_live_object(stream, FAKE_STREAM, "cudaStreamEndCapture"))
        return cudaErrorInvalidResourceHandle;
    graph = stream->capture;
    if (!graph)
        return cudaErrorInvalidValue;
    if (graph->origin != stream)
        return cudaErrorStreamCaptureUnmatched;
    if (!pthread_equal(graph->thread, pthread_self()))
        return cudaErrorStreamCaptureWrongThread;
    joined = is_joined(graph);
    end_capture(graph);
    if (joined)
        *out = graph;
    else
        fake_object_destroy(&graph->object);
    return joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

/* A failing call leaves no graph, as if the capture had become invalid. */
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    cudaError_t error = fake_begin_call("cudaStreamEndCapture"), done;

    done = end(stream, pGraph);
    if (error && *pGraph) {
        fake_object_destroy(&(*pGraph)->object);
        *pGraph = NULL;
    }
    return fake_end_call(error ? error : done);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    cudaError_t error = fake_begin_call("cudaGraphDestroy");

    if (!fake_is_live_object(graph, FAKE_GRAPH_PLAN, "cudaGraphDestroy"))
        return fake_end_call(cudaErrorInvalidValue);
    if (!fake_object_kept_by_failure(&graph->object))
        fake_object_destroy(&graph->object);
    return fake_end_call(error);
}

static void count_in(const fake_made_graph *made, int more)
{
    int i;

    for (i = 0; i < made->count; i++)
        if (made->nodes[i].kind == FAKE_RECORD)
            made->nodes[i].event->graphs += more;
}

static cudaError_t instantiate(fake_made_graph **out, const fake_graph *graph)
{
    fake_made_graph *made;
    size_t           size;

    if (!fake_is_live_object(graph, FAKE_GRAPH_PLAN, "cudaGraphInstantiate"))
        return cudaErrorInvalidValue;
    made = fake_object_create(FAKE_GRAPH_MADE, sizeof *made);
    made->object.dispose = dispose_made;
    size = (size_t)graph->count * sizeof *made->nodes;
    made->nodes = malloc(size ? size : 1);
    if (!made->nodes)
        abort();
    if (size)
        memcpy(made->nodes, graph->nodes, size);
    made->count = graph->count;
    made->branches = graph->stream_count;
    memcpy(made->places, graph->places, sizeof made->places);
    count_in(made, 1);
    *out = made;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags)
{
    cudaError_t error = fake_begin_call("cudaGraphInstantiate");

    (void)flags;
    if (!error)
        error = instantiate(pGraphExec, graph);
    return fake_end_call(error);
}

/* Destroy the executable graph. Destroyed objects stay allocated, so a running launch continues. */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
    cudaError_t error = fake_begin_call("cudaGraphExecDestroy");

    if (!fake_is_live_object(graphExec, FAKE_GRAPH_MADE, "cudaGraphExecDestroy"))
        return fake_end_call(cudaErrorInvalidValue);
    count_in(graphExec, -1);
    if (!fake_object_kept_by_failure(&graphExec->object))
        fake_object_destroy(&graphExec->object);
    return fake_end_call(error);
}

static uint64_t number_of(const fake_launch *l, const fake_operation *node)
{
    return l->before[node->branch] + (uint64_t)node->place;
}

/*
 * Check the memory of every node. A node's clock joins the stream's clock at the launch and the
 * clocks of its predecessors. A wait for an event recorded in the graph learns that node's clock
 * only, without further branches.
 */
cudaError_t fake_check_and_record_graph_uses(fake_stream *stream, fake_operation *operation)
{
    const fake_made_graph *graph = operation->graph;
    const fake_clock       start = stream->known;
    size_t                 nodes = (size_t)graph->count;
    fake_launch           *l = malloc(sizeof *l + nodes * sizeof *l->known);
    cudaError_t            error = cudaSuccess;
    int                    i, k;

    if (!l)
        abort();
    for (k = 0; k < graph->branches; k++) {
        l->slot[k] = fake_branch_slot(stream, k);
        l->before[k] = fake_branch_reserve_numbers(l->slot[k], (uint64_t)graph->places[k]);
    }
    for (i = 0; i < graph->count; i++) {
        const fake_operation *node = &graph->nodes[i];
        int                   slot = l->slot[node->branch];
        uint64_t              number = number_of(l, node);

        l->known[i] = start;
        for (k = 0; k < node->befores; k++)
            fake_clock_merge(&l->known[i], &l->known[node->before[k]]);
        l->known[i].seen[slot] = number;
        if (!error)
            error = fake_check_and_record_uses(stream, node, slot, number, &l->known[i]);
        fake_clock_merge(&stream->known, &l->known[i]);
        if (node->kind == FAKE_RECORD && !fake.settings.late) {
            node->event->asked++;
            node->event->known = l->known[i];
        }
    }
    operation->own = l;
    return error;
}

static cudaError_t launch(fake_made_graph *graph, fake_stream *stream)
{
    fake_operation operation = {.kind = FAKE_GRAPH, .name = "cudaGraphLaunch", .graph = graph};

    if (!fake_is_live_object(graph, FAKE_GRAPH_MADE, "cudaGraphLaunch") ||
        !fake_is_live_object(stream, FAKE_STREAM, "cudaGraphLaunch"))
        return cudaErrorInvalidResourceHandle;
    return fake_enqueue(stream, &operation);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    cudaError_t error = fake_begin_call("cudaGraphLaunch");

    if (!error)
        error = launch(graphExec, stream);
    return fake_end_call(error);
}

/* Check the arguments; the fake has nothing to upload. */
cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    cudaError_t error = fake_begin_call("cudaGraphUpload");

    if (!error && (!fake_is_live_object(graphExec, FAKE_GRAPH_MADE, "cudaGraphUpload") ||
                   !fake_is_live_object(stream, FAKE_STREAM, "cudaGraphUpload")))
        error = cudaErrorInvalidResourceHandle;
    return fake_end_call(error);
}

/* A running launch. */
typedef struct run {
    fake_stream          *stream;
    const fake_operation *operation;
    char                 *ran; /* by node */
    int                   next_branch;
} run;

static int is_ready(const fake_operation *node, const char *ran)
{
    int i, ready = 1;

    for (i = 0; i < node->befores; i++)
        ready &= ran[node->before[i]];
    return ready;
}

static void run_node(const run *r, int i)
{
    const fake_launch *l = r->operation->own;
    fake_operation     node = r->operation->graph->nodes[i];

    if (r->operation->mute)
        node.run = NULL;
    fake_execute(r->stream, &node, 1);
    if (node.kind == FAKE_RECORD && fake.settings.late) {
        node.event->asked = node.event->done;
        node.event->known = l->known[i];
    }
    r->ran[i] = 1;
    fake_branch_mark_done(l->slot[node.branch], number_of(l, &node));
    pthread_cond_broadcast(&fake_change);
}

static void run_one_by_one(const run *r)
{
    const fake_made_graph *graph = r->operation->graph;
    int                    left, i;

    for (left = graph->count; left > 0; left--) {
        for (i = graph->count - 1; i >= 0 && (r->ran[i] || !is_ready(&graph->nodes[i], r->ran));
             i--)
            ;
        run_node(r, i);
    }
}

static void *run_branch(void *context)
{
    run                   *r = context;
    const fake_made_graph *graph = r->operation->graph;
    int                    branch, i;

    pthread_mutex_lock(&fake_lock);
    branch = r->next_branch++;
    for (i = 0; i < graph->count; i++) {
        if (graph->nodes[i].branch != branch)
            continue;
        while (!is_ready(&graph->nodes[i], r->ran))
            pthread_cond_wait(&fake_change, &fake_lock);
        run_node(r, i);
    }
    pthread_mutex_unlock(&fake_lock);
    return NULL;
}

static void run_at_once(run *r)
{
    int       branches = r->operation->graph->branches, i;
    pthread_t thread[FAKE_BRANCHES];

    pthread_mutex_unlock(&fake_lock);
    for (i = 0; i < branches; i++)
        if (pthread_create(&thread[i], NULL, run_branch, r) != 0)
            abort();
    for (i = 0; i < branches; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_lock(&fake_lock);
}

void fake_run_graph(fake_stream *stream, const fake_operation *operation)
{
    run r = {stream, operation, calloc((size_t)operation->graph->count + 1, 1), 0};

    if (!r.ran)
        abort();
    if (fake.settings.overlap)
        run_at_once(&r);
    else
        run_one_by_one(&r);
    free(r.ran);
}
