/* SPDX-License-Identifier: BSD-3-Clause */
/* Start the nodes of a run, and assign the workers to them. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <hybridsched/io.h>

#include "core/error.h"
#include "exec/backend/remote/options.h"
#include "exec/backend/remote/remote_private.h"
#include "support/clock.h"

const char *hsi_remote_defect(const hsi_run_spec *spec)
{
    const hs_exec_settings *s = &spec->settings;
    double                  latency, bandwidth;

    if (s->run.node_count == 0)
        return NULL;
    if (s->run.calls || s->run.backend_count)
        return "settings.run.nodes run shell commands only: no settings.run.calls and no "
               "settings.run.backends";
    if (s->place.os_cpus)
        return "settings.place.os_cpus are those of this machine: no settings.run.nodes with them";
    if (hs_instance_link(spec->in, HS_H2D, &latency, &bandwidth))
        return "the tasks have data that is copied, and settings.run.nodes run shell commands "
               "only: "
               "remove the links";
    if (spec->workers > HSI_REMOTE_WORKERS)
        return "settings.run.nodes allow 4096 workers: divide the tasks into shares";
    return NULL;
}

/* Write the message `instance`. */
static hs_status write_instance(hsi_remote *remote, hs_error *error)
{
    const hs_instance *in = remote->spec->in;
    int                fd = memfd_create("instance", MFD_CLOEXEC);
    hs_status          st = HS_ERESOURCE;
    char               head[64];
    off_t              size = -1;
    void              *text = MAP_FAILED;

    if (fd >= 0)
        st = hs_instance_write(fd, in, error);
    if (st == HS_OK)
        size = lseek(fd, 0, SEEK_END);
    if (size > 0)
        text = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (st == HS_OK && text == MAP_FAILED)
        st = hsi_error_set(error, HS_ERESOURCE, "no memory for the instance: %s", strerror(errno));
    if (st == HS_OK) {
        snprintf(head, sizeof head, "instance %016llx +%lld\n",
                 (unsigned long long)hs_instance_digest(in), (long long)size);
        if (hsi_vector_append(&remote->instance, head, strlen(head)) != 0 ||
            hsi_vector_append(&remote->instance, text, (size_t)size) != 0)
            st = HS_ENOMEM;
    }
    if (text != MAP_FAILED)
        munmap(text, (size_t)size);
    if (fd >= 0)
        close(fd);
    return st;
}

/* Return the number of workers of a type of node i, if they are divided evenly. */
static unsigned even_part(unsigned workers, unsigned nodes, unsigned i)
{
    return workers / nodes + (i < workers % nodes);
}

/* Assign the workers to the nodes: as the lines of the instance say, else evenly. */
static hs_status assign(hsi_remote *remote, hs_error *error)
{
    const hsi_run_spec *spec = remote->spec;
    const unsigned      begin[2] = {0, spec->cpus}, all[2] = {spec->cpus, spec->gpus};
    const bool          listed = hs_instance_nodes(spec->in) > 1;
    unsigned            next[2] = {0, 0};

    for (unsigned i = 0; i < remote->count; i++) {
        hsi_remote_node *node = &remote->node[i];

        if (listed)
            hs_instance_node(spec->in, i, &node->count[HS_CPU], &node->count[HS_GPU]);
        for (int type = HS_CPU; type <= HS_GPU; type++) {
            if (!listed)
                node->count[type] = even_part(all[type], remote->count, i);
            node->first[type] = next[type];
            next[type] += node->count[type];
            for (unsigned w = 0; w < node->count[type]; w++) {
                unsigned number = begin[type] + node->first[type] + w;

                remote->worker[number].node = node;
                remote->worker[number].number = number;
            }
        }
        if (node->count[HS_CPU] + node->count[HS_GPU] == 0)
            return hsi_error_set(error, HS_EINVAL,
                                 "node %u of %u would have no worker: give fewer nodes, or more "
                                 "workers",
                                 i + 1, remote->count);
    }
    return HS_OK;
}

/* Return whether the number of given nodes fits the lines of the instance. */
static hs_status check_count(const hsi_run_spec *spec, hs_error *error)
{
    const size_t given = spec->settings.run.node_count, lines = hs_instance_nodes(spec->in);

    if (lines == 1 || given == lines)
        return HS_OK;
    if (given < lines && spec->settings.run.fewer_nodes)
        return HS_OK;
    return hsi_error_set(error, given < lines ? HS_ERESOURCE : HS_EINVAL,
                         "the tasks are for %zu nodes, and there %s %zu%s", lines,
                         given == 1 ? "is" : "are", given,
                         given < lines ? ": settings.run.fewer_nodes lets the rest do it" : "");
}

/* Write the begin of the greeting: the settings of the node. */
static hs_status write_greeting(hsi_remote_node *node, char *folder)
{
    const hsi_run_spec     *spec = node->remote->spec;
    const hs_exec_settings *s = &spec->settings;
    const hsi_node_options  options = {.settings = *s,
                                       .name = (char *)(uintptr_t)node->link.name,
                                       .folder = folder,
                                       .module = (char *)(uintptr_t)s->gpu.module,
                                       .first = {node->first[HS_CPU], node->first[HS_GPU]},
                                       .count = {node->count[HS_CPU], node->count[HS_GPU]},
                                       .total = {spec->cpus, spec->gpus},
                                       .timeout = node->link.timeout,
                                       .output = spec->logs || s->report.line};
    static const char       head[] = "hybridsched-node 1 " HS_VERSION_STRING "\n";

    return hsi_vector_append(&node->link.out, head, sizeof head - 1) == 0 &&
                   hsi_node_options_write(&options, &node->link.out)
               ? HS_OK
               : HS_ENOMEM;
}

static hs_status start_node(hsi_remote *remote, unsigned i, char *folder)
{
    const hs_exec_settings *s = &remote->spec->settings;
    hsi_remote_node        *node = &remote->node[i];

    node->link.timeout = s->run.node_timeout;
    node->link.grace = s->fail.grace;
    node->link.shared = remote->instance.data;
    node->link.shared_left = remote->instance.size;
    node->link.take = hsi_remote_take;
    node->link.lost = hsi_remote_lost;
    if (i >= s->run.node_count) {
        hsi_link_miss(&node->link, "it was not given");
        return HS_ERESOURCE;
    }
    if (write_greeting(node, folder) != HS_OK)
        return HS_ENOMEM;
    return hsi_link_start(&node->link, s->run.nodes[i].launch);
}

/* Start all nodes at once, and wait until each is ready or lost. */
static hs_status start_all(hsi_remote *remote, hs_error *error)
{
    const bool fewer = remote->spec->settings.run.fewer_nodes;
    char      *folder = getcwd(NULL, 0);
    unsigned   i, ready = 0;
    hs_status  st, first = HS_OK;

    if (!folder)
        return hsi_error_set(error, HS_ERESOURCE, "no working folder: %s", strerror(errno));
    for (i = 0; i < remote->count; i++)
        (void)start_node(remote, i, folder); /* hsi_link_wait() returns a failure, too */
    free(folder);
    for (i = 0; i < remote->count; i++) {
        hsi_link *link = &remote->node[i].link;

        st = hsi_link_wait(link);
        ready += st == HS_OK;
        if (st != HS_OK && first == HS_OK)
            first = hsi_error_set(error, st, "node %.100s: %.300s", link->name, link->why);
    }
    if (ready > 0 && fewer && first != HS_ENOMEM)
        first = HS_OK;
    hsi_vector_free(&remote->instance);
    remote->instance = (hsi_vector){.data = NULL};
    return first;
}

static hs_status prepare(hsi_remote *remote, hs_error *error)
{
    const hsi_run_spec *spec = remote->spec;
    const size_t        lines = hs_instance_nodes(spec->in);
    hs_status           st = check_count(spec, error);

    if (st != HS_OK)
        return st;
    remote->count = (unsigned)spec->settings.run.node_count;
    if (lines > remote->count)
        remote->count = (unsigned)lines;
    remote->node = calloc(remote->count, sizeof *remote->node);
    remote->worker = calloc(spec->workers, sizeof *remote->worker);
    if (!remote->node || !remote->worker)
        return HS_ENOMEM;
    for (unsigned i = 0; i < remote->count; i++) {
        unsigned cpus, gpus;

        remote->node[i].remote = remote;
        remote->node[i].link.kick = -1;
        remote->node[i].link.name = i < spec->settings.run.node_count
                                        ? spec->settings.run.nodes[i].name
                                        : hs_instance_node(spec->in, i, &cpus, &gpus);
    }
    return assign(remote, error);
}

hs_status hsi_remote_open(const hsi_run_spec *spec, hsi_remote **out, hs_error *error)
{
    hsi_remote *remote = calloc(1, sizeof *remote);
    hs_status   st;

    if (!remote)
        return HS_ENOMEM;
    remote->backend = hsi_backend_remote;
    remote->backend.data = remote;
    remote->spec = spec;
    st = prepare(remote, error);
    if (st == HS_OK && !spec->settings.keep.dry_run)
        st = write_instance(remote, error);
    if (st == HS_OK && !spec->settings.keep.dry_run)
        st = start_all(remote, error);
    if (st == HS_OK)
        *out = remote;
    else
        hsi_remote_close(remote);
    return st;
}

/* End all nodes at the same time. A launcher that has lost its node has half a second to end. */
static void end_nodes(hsi_remote *remote)
{
    const unsigned count = remote->node ? remote->count : 0;
    int64_t        until;
    unsigned       i;

    for (i = 0; i < count; i++)
        hsi_link_end(&remote->node[i].link);
    for (i = 0; i < count; i++)
        hsi_link_close(&remote->node[i].link);
    until = hsi_clock_ns() + 500000000;
    for (i = 0; i < count; i++)
        hsi_link_free(&remote->node[i].link, until);
}

void hsi_remote_close(hsi_remote *remote)
{
    if (!remote)
        return;
    end_nodes(remote);
    hsi_vector_free(&remote->instance);
    free(remote->node);
    free(remote->worker);
    free(remote);
}

void hsi_remote_drain(hsi_remote *remote)
{
    for (unsigned i = 0; i < remote->count; i++) {
        hsi_link *link = &remote->node[i].link;

        pthread_mutex_lock(&link->lock);
        hsi_link_put(link, "drain\n");
        pthread_mutex_unlock(&link->lock);
        hsi_link_wake(link); /* the caller may not block SIGPIPE */
    }
}

const hs_backend *hsi_remote_backend(const hsi_remote *remote)
{
    return &remote->backend;
}

const char *hsi_remote_node_name(const hsi_remote *remote, unsigned worker)
{
    return remote->worker[worker].node->link.name;
}
