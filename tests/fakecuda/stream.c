/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams: each is a queue with a thread, and a clock of operations known to be over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "state.h"

/* The slots of clocks. Each of the first FAKE_STREAMS slots serves a stream at a time and numbers
 * operations without restart. Later slots belong to branches of graphs launched in a stream. */
static struct {
    fake_stream *stream;
    uint64_t     asked, done;
} slots[FAKE_SLOTS];

static int branches[FAKE_STREAMS][FAKE_BRANCHES]; /* slot by stream and branch; 0: none */
static int slots_used = FAKE_STREAMS;

/* Each hardware queue has the numbers of operations queued and begun. */
static struct {
    uint64_t asked, begun;
} queues[FAKE_DEVICES][FAKE_STREAMS];

static fake_clock host; /* operations known to be over by the host's threads */
static int        serial;

void fake_clock_merge(fake_clock *clock, const fake_clock *other)
{
    int i;

    for (i = 0; i < FAKE_SLOTS; i++)
        if (other->seen[i] > clock->seen[i])
            clock->seen[i] = other->seen[i];
}

void fake_host_clock_merge(const fake_clock *clock)
{
    fake_clock_merge(&host, clock);
}

const fake_clock *fake_host_clock(void)
{
    return &host;
}

int fake_is_pending(int slot, uint64_t number)
{
    return number > slots[slot].done;
}

int fake_branch_slot(fake_stream *stream, int branch)
{
    int *slot = &branches[stream->slot][branch];

    if (*slot == 0 && slots_used == FAKE_SLOTS)
        abort();
    if (*slot == 0)
        *slot = slots_used++;
    slots[*slot].stream = stream;
    return *slot;
}

uint64_t fake_branch_reserve_numbers(int slot, uint64_t nodes)
{
    slots[slot].asked += nodes;
    return slots[slot].asked - nodes;
}

void fake_branch_mark_done(int slot, uint64_t number)
{
    slots[slot].done = number;
}

int fake_stream_is_busy(const fake_stream *stream)
{
    return slots[stream->slot].done != slots[stream->slot].asked;
}

static int is_on_broken(int slot)
{
    const fake_stream *stream = slots[slot].stream;

    return stream && fake.device[stream->object.device].broken;
}

static cudaError_t touch(const fake_stream *stream, const fake_operation *operation,
                         const fake_span *span, int slot, uint64_t number, const fake_clock *known)
{
    fake_block     *block = fake_block_of(span->base);
    const fake_use *other;
    fake_use        use = {slot, span->write, number, 0, 0, operation->name};

    if (span->size == 0)
        return cudaSuccess;
    if (!block || block->pinned != span->pinned) {
        fake_complain("%s: its memory is %s", operation->name,
                      block ? "of the wrong kind" : "not there, or freed");
        return cudaErrorIllegalAddress;
    }
    use.from = (size_t)((const char *)span->base - block->base);
    use.to = use.from + span->size;
    if (use.to > block->size) {
        fake_complain("%s: reaches %zu bytes behind its memory", operation->name,
                      use.to - block->size);
        return cudaErrorIllegalAddress;
    }
    if (!block->pinned &&
        block->object.device != (span->device ? span->device - 1 : stream->object.device)) {
        fake_complain("%s: its memory is on another device", operation->name);
        return cudaErrorIllegalAddress;
    }
    other = fake_find_conflict(block, &use, known);
    if (other && !fake.device[stream->object.device].broken && !is_on_broken(other->slot))
        fake_complain("%s uses memory that %s on another %s may still be using", operation->name,
                      other->name, slots[other->slot].stream == stream ? "branch" : "stream");
    fake_record_use(block, &use);
    return cudaSuccess;
}

cudaError_t fake_check_and_record_uses(const fake_stream *stream, const fake_operation *operation,
                                       int slot, uint64_t number, const fake_clock *known)
{
    cudaError_t error = cudaSuccess;
    int         i;

    for (i = 0; i < operation->spans && !error; i++)
        error = touch(stream, operation, &operation->span[i], slot, number, known);
    return error;
}

static int queue_of(const fake_stream *stream)
{
    int count = fake.settings.queues;

    return (count > 0 && count < FAKE_STREAMS ? stream->serial % count : stream->slot);
}

/* Wait until earlier operations of the hardware queue have begun, whatever their stream. */
static void wait_for_turn(const fake_stream *stream, const fake_operation *operation)
{
    while (queues[stream->object.device][queue_of(stream)].begun != operation->turn)
        pthread_cond_wait(&fake_change, &fake_lock);
}

static void begin_in_queue(const fake_stream *stream)
{
    queues[stream->object.device][queue_of(stream)].begun++;
    pthread_cond_broadcast(&fake_change);
}

static int is_launch(fake_kind kind)
{
    return kind == FAKE_KERNEL || kind == FAKE_GRAPH;
}

/* Wait until the stream's queue has space, so that the host launches at the device's speed. */
static void take_room(fake_stream *stream, fake_kind kind)
{
    int room = fake.settings.queue;

    if (!is_launch(kind))
        return;
    if (room > 0 && stream->held >= room) {
        fake.full++;
        fake.held[FAKE_KERNEL] |= fake.holds_when_full;
        fake.holds_when_full = 0;
    }
    while (room > 0 && stream->held >= room)
        pthread_cond_wait(&fake_change, &fake_lock);
    stream->held++;
}

/* Queue an operation. Invalid memory breaks the device, as on a GPU. An unordered operation has no
 * effect, to avoid a data race of the fake itself. */
static cudaError_t queue(fake_stream *stream, const fake_operation *operation)
{
    fake_operation *copy = malloc(sizeof *copy);
    uint64_t        number;
    unsigned        misuses;
    cudaError_t     error;

    if (!copy)
        abort();
    *copy = *operation;
    take_room(stream, copy->kind);
    misuses = fake.misuses;
    number = slots[stream->slot].asked + 1;
    fake_clock_merge(&stream->known, &host);
    stream->known.seen[stream->slot] = number;
    error = copy->graph
                ? fake_check_and_record_graph_uses(stream, copy)
                : fake_check_and_record_uses(stream, copy, stream->slot, number, &stream->known);
    if (error)
        fake_break_device(stream->object.device, error);
    fake_resolve_addresses(copy);
    if (fake.misuses != misuses) {
        copy->run = NULL;
        copy->mute = 1;
    }
    copy->next = NULL;
    copy->number = slots[stream->slot].asked = number;
    copy->turn = queues[stream->object.device][queue_of(stream)].asked++;
    copy->asked = fake_now();
    snprintf(copy->range, sizeof copy->range, "%s", fake_current_range());
    *stream->last = copy;
    stream->last = &copy->next;
    pthread_cond_signal(&stream->wake);
    return error;
}

static void sleep_ns(int64_t ns)
{
    struct timespec time = {ns / 1000000000, ns % 1000000000};

    while (nanosleep(&time, &time) != 0)
        ;
}

void fake_load_function(fake_functions *functions, const fake_stream *stream,
                        fake_operation *operation)
{
    int i;

    for (i = 0; i < functions->count && functions->name[i] != operation->name; i++)
        ;
    operation->first = i == functions->count;
    if (!operation->first)
        return;
    if (i == FAKE_FUNCTIONS)
        abort();
    functions->name[functions->count++] = operation->name;
    if (fake.settings.lazy > 0 && stream->capture)
        fake_complain("%s: captured before its function was loaded", operation->name);
    sleep_ns((int64_t)(1e9 * fake.settings.lazy));
}

cudaError_t fake_enqueue(fake_stream *stream, const fake_operation *operation)
{
    if (operation->kind != FAKE_RECORD && operation->kind != FAKE_WAIT &&
        stream->object.device != fake_current_device()) {
        fake_complain("%s: the stream is another device's", operation->name);
        return cudaErrorInvalidResourceHandle;
    }
    return stream->capture ? fake_capture(stream, operation) : queue(stream, operation);
}

static int64_t duration(const fake_operation *operation)
{
    double seconds = fake.settings.launch;

    if (operation->kind == FAKE_KERNEL)
        seconds += fake.settings.kernel +
                   (fake.settings.speed > 0 ? fake_flops(operation) / fake.settings.speed : 0);
    else if (operation->bytes && fake.settings.bandwidth > 0)
        seconds += (double)operation->bytes / fake.settings.bandwidth;
    return (int64_t)(1e9 * seconds);
}

static int *engine_of(const fake_stream *stream, fake_kind kind)
{
    if (kind != FAKE_COPY_IN && kind != FAKE_COPY_OUT)
        return NULL;
    return &fake.device[stream->object.device].busy[kind == FAKE_COPY_OUT];
}

static int is_work(fake_kind kind)
{
    return kind <= FAKE_KERNEL;
}

/* Break the device if this is the operation chosen to fail; the operation has no further effect. */
static int breaks(const fake_stream *stream, const fake_operation *operation)
{
    if (!is_work(operation->kind) || ++fake.operations != fake.settings.fail_operation)
        return 0;
    fake.failed = operation->name;
    fake_break_device(stream->object.device, fake.settings.error ? (cudaError_t)fake.settings.error
                                                                 : cudaErrorLaunchFailure);
    return 1;
}

/* Tell whether the kernel's result must be spoilt: its first number becomes a large negative
 * number. */
static int is_spoilt(const fake_operation *operation)
{
    return operation->kind == FAKE_KERNEL && ++fake.kernels == fake.settings.spoil_kernel;
}

/* Tell whether a number of this copy to the host must be spoilt. */
static int is_misread(const fake_operation *operation)
{
    return operation->kind == FAKE_COPY_OUT && ++fake.copies_home == fake.settings.spoil_copy;
}

static int is_skipped(const fake_operation *operation)
{
    return fake.settings.skip >> operation->kind & 1 &&
           (operation->kind == FAKE_KERNEL || operation->bytes >= fake.settings.skip_from);
}

/* Return the source device of a copy between devices; a broken source copies no data. */
static struct fake_device *source_of(const fake_stream *stream, const fake_operation *operation)
{
    return &fake.device[operation->kind == FAKE_COPY_PEER ? operation->span[0].device - 1
                                                          : stream->object.device];
}

static void work(const fake_stream *stream, const fake_operation *operation)
{
    int64_t             length = duration(operation);
    struct fake_device *device = &fake.device[stream->object.device];
    struct fake_device *source = source_of(stream, operation);
    int runs = !breaks(stream, operation) && operation->run && fake.settings.compute &&
               !device->broken && !source->broken && !is_skipped(operation);
    int spoilt = is_spoilt(operation), misread = is_misread(operation);

    device->running++;
    source->running++;
    pthread_mutex_unlock(&fake_lock);
    if (length > 0)
        sleep_ns(length);
    if (runs)
        operation->run(operation);
    if (runs && spoilt)
        memset(operation->kernel.c, 0xc1, sizeof(double));
    if (runs && misread)
        memset((char *)operation->to + fake.settings.spoil_at, 0xc1, sizeof(double));
    pthread_mutex_lock(&fake_lock);
    device->running--;
    source->running--;
}

static void settle(const fake_stream *stream, const fake_operation *operation, int64_t end)
{
    fake_event *event = operation->event;

    if (operation->kind == FAKE_FREE)
        fake_block_free(operation->block);
    if (operation->kind != FAKE_RECORD)
        return;
    event->done =
        operation->ticket ? operation->ticket : event->done + 1; /* ticket 0: a node of a graph */
    event->ns = end;
    event->device_of_record = stream->object.device;
}

static void wait_for_event(const fake_operation *operation)
{
    while (operation->event->done < operation->ticket)
        pthread_cond_wait(&fake_change, &fake_lock);
}

/* Wait until fewer kernels run than the number of engines. */
static void take_compute(const fake_stream *stream, fake_kind kind)
{
    struct fake_device *device = &fake.device[stream->object.device];

    if (kind != FAKE_KERNEL)
        return;
    while (fake.settings.engines > 0 && device->kernels >= fake.settings.engines)
        pthread_cond_wait(&fake_change, &fake_lock);
    device->kernels++;
}

/* Call a function of the host, unless the device is broken. */
static void call_host(const fake_stream *stream, const fake_operation *operation)
{
    if (fake.device[stream->object.device].broken)
        return;
    pthread_mutex_unlock(&fake_lock);
    operation->host(operation->to);
    pthread_mutex_lock(&fake_lock);
}

void fake_execute(fake_stream *stream, const fake_operation *operation, int in_graph)
{
    int        *engine = engine_of(stream, operation->kind);
    fake_record record = {operation->name,
                          operation->kind,
                          stream->object.device,
                          stream->serial,
                          in_graph,
                          operation->first,
                          "",
                          operation->bytes,
                          operation->asked,
                          0,
                          0};

    memcpy(record.range, operation->range, sizeof record.range);
    if (operation->kind == FAKE_WAIT)
        wait_for_event(operation);
    while (engine && *engine)
        pthread_cond_wait(&fake_change, &fake_lock);
    if (engine)
        *engine = 1;
    take_compute(stream, operation->kind);
    fake.begun[operation->kind]++;
    record.start = fake_now();
    pthread_cond_broadcast(&fake_change);
    while (fake.held[operation->kind])
        pthread_cond_wait(&fake_change, &fake_lock);
    if (operation->graph)
        fake_run_graph(stream, operation);
    else if (operation->host)
        call_host(stream, operation);
    else if (is_work(operation->kind))
        work(stream, operation);
    record.end = fake_now();
    if (engine)
        *engine = 0;
    if (operation->kind == FAKE_KERNEL)
        fake.device[stream->object.device].kernels--;
    fake.ended[operation->kind]++;
    settle(stream, operation, record.end);
    fake_add_record(&record);
    pthread_cond_broadcast(&fake_change);
}

static void *serve(void *context)
{
    fake_stream    *stream = context;
    fake_operation *operation;

    pthread_mutex_lock(&fake_lock);
    for (;;) {
        while (!stream->first && !stream->closing)
            pthread_cond_wait(&stream->wake, &fake_lock);
        operation = stream->first;
        if (!operation)
            break;
        wait_for_turn(stream, operation);
        begin_in_queue(stream);
        if (operation->kind < FAKE_KINDS)
            fake_execute(stream, operation, 0);
        stream->first = operation->next;
        if (!stream->first)
            stream->last = &stream->first;
        slots[stream->slot].done = operation->number;
        stream->held -= is_launch(operation->kind);
        free(operation->own);
        free(operation);
        pthread_cond_broadcast(&fake_change);
    }
    pthread_mutex_unlock(&fake_lock);
    return NULL;
}

static int free_slot(void)
{
    int i;

    for (i = 0; i < FAKE_STREAMS && slots[i].stream; i++)
        ;
    return i;
}

static cudaError_t create(cudaStream_t *out, unsigned flags)
{
    int          slot = free_slot();
    fake_stream *stream;

    if (!out || slot == FAKE_STREAMS)
        return cudaErrorInvalidValue;
    if (!(flags & cudaStreamNonBlocking))
        fake_complain("cudaStreamCreateWithFlags: a stream that waits for the default stream");
    stream = fake_object_create(FAKE_STREAM, sizeof *stream);
    stream->slot = slot;
    stream->serial = serial++;
    stream->last = &stream->first;
    pthread_cond_init(&stream->wake, NULL);
    slots[slot].stream = stream;
    if (pthread_create(&stream->thread, NULL, serve, stream) != 0)
        abort();
    *out = stream;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    cudaError_t error = fake_begin_call("cudaStreamCreateWithFlags");

    if (!error)
        error = create(pStream, flags);
    return fake_end_call(error);
}

/* Close the stream after its remaining operations. */
static void close_stream(fake_stream *stream)
{
    int i;

    stream->closing = 1;
    fake_object_destroy(&stream->object);
    pthread_cond_signal(&stream->wake);
    pthread_mutex_unlock(&fake_lock);
    pthread_join(stream->thread, NULL);
    pthread_mutex_lock(&fake_lock);
    pthread_cond_destroy(&stream->wake);
    if (fake.device[stream->object.device].broken)
        fake_host_clock_merge(&stream->known); /* a broken device's stream cannot be waited for */
    slots[stream->slot].stream = NULL;
    for (i = 0; i < FAKE_BRANCHES; i++)
        if (branches[stream->slot][i])
            slots[branches[stream->slot][i]].stream = NULL;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t error = fake_begin_call("cudaStreamDestroy");

    if (!fake_is_live_object(stream, FAKE_STREAM, "cudaStreamDestroy"))
        return fake_end_call(cudaErrorInvalidResourceHandle);
    if (stream->capture)
        fake_complain("cudaStreamDestroy: it is being captured");
    if (!fake_object_kept_by_failure(&stream->object))
        close_stream(stream);
    return fake_end_call(error);
}

static cudaError_t usable(fake_stream *stream, const char *call)
{
    if (!fake_is_live_object(stream, FAKE_STREAM, call))
        return cudaErrorInvalidResourceHandle;
    if (stream->capture || fake_is_forbidden(call))
        return cudaErrorStreamCaptureUnsupported;
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    fake_operation operation = {
        .kind = FAKE_HOST, .name = "cudaLaunchHostFunc", .host = fn, .to = userData};
    cudaError_t error = fake_begin_call("cudaLaunchHostFunc");

    if (!error && !fn)
        error = cudaErrorInvalidValue;
    if (!error)
        error = usable(stream, "cudaLaunchHostFunc");
    if (!error)
        error = fake_enqueue(stream, &operation);
    return fake_end_call(error);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t error = fake_begin_call("cudaStreamQuery");

    if (!error)
        error = usable(stream, "cudaStreamQuery");
    if (!error && !fake_stream_is_busy(stream))
        fake_host_clock_merge(&stream->known);
    else if (!error)
        error = cudaErrorNotReady;
    return fake_end_call(error);
}

static cudaError_t finish(fake_stream *stream)
{
    while (fake_stream_is_busy(stream) && !fake.device[stream->object.device].broken)
        pthread_cond_wait(&fake_change, &fake_lock);
    fake_host_clock_merge(&stream->known);
    return fake.device[stream->object.device].broken;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = fake_begin_call("cudaStreamSynchronize");

    if (!error)
        error = usable(stream, "cudaStreamSynchronize");
    if (!error)
        error = finish(stream);
    return fake_end_call(error);
}

void fake_drain_device(int device)
{
    int i;

    for (i = 0; i < FAKE_STREAMS; i++)
        if (slots[i].stream && slots[i].stream->object.device == device) {
            while (slots[i].stream && fake_stream_is_busy(slots[i].stream))
                pthread_cond_wait(&fake_change, &fake_lock);
            if (slots[i].stream)
                fake_host_clock_merge(&slots[i].stream->known);
        }
}

void fake_streams_reset(void)
{
    int i;

    for (i = 0; i < FAKE_STREAMS; i++)
        if (slots[i].stream)
            close_stream(slots[i].stream);
    memset(queues, 0, sizeof queues);
    memset(branches, 0, sizeof branches);
    slots_used = FAKE_STREAMS;
    serial = 0;
}
