/* SPDX-License-Identifier: BSD-3-Clause */
/* What the workers of a node need: the instance, cores and devices, and bodies of the tasks. */
#include "config.h"

#include "exec/backend/remote/agent_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <hybridsched/io.h>

#include "core/error.h"
#include "exec/backend/command/starter.h"

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t put = write(fd, bytes, length);

        if (put <= 0 && errno != EINTR)
            return false;
        if (put > 0) {
            bytes += put;
            length -= (size_t)put;
        }
    }
    return true;
}

static hs_status read_instance(hsi_agent *agent, const char *bytes, size_t length, uint64_t digest,
                               hs_error *error)
{
    int       fd = memfd_create("instance", MFD_CLOEXEC);
    hs_status st;

    if (fd < 0 || !write_all(fd, bytes, length) || lseek(fd, 0, SEEK_SET) < 0)
        st = hsi_error_set(error, HS_ERESOURCE, "no memory for the instance: %s", strerror(errno));
    else
        st = hs_instance_read(fd, NULL, &agent->in, error);
    if (fd >= 0)
        close(fd);
    if (st == HS_OK && hs_instance_digest(agent->in) != digest)
        return hsi_error_set(error, HS_EINVAL,
                             "the digest of the instance differs from that of "
                             "the coordinator");
    return st;
}

/* Commands run in the coordinator's folder, and have the name of the node. */
static hs_status enter_folder(const hsi_node_options *options, hs_error *error)
{
    if (!options->name || !options->folder || !(options->timeout > 0))
        return hsi_error_set(error, HS_EINVAL, "the name, the folder or the timeout is missing");
    if (chdir(options->folder) != 0)
        return hsi_error_set(error, HS_ERESOURCE, "cannot enter the folder %.300s: %s",
                             options->folder, strerror(errno));
    return setenv("HSCHED_NODE", options->name, 1) == 0 ? HS_OK : HS_ENOMEM;
}

/* Return a policy that any instance fits: the coordinator's policy decides. */
static const hs_policy_kind *any_policy(void)
{
    const hs_policy_kind *policy;
    size_t                i = 0;

    while ((policy = hs_policy_at(i++)) &&
           (hs_policy_needs_plan(policy) || !hs_policy_supports_graphs(policy)))
        continue;
    return policy;
}

static hs_status describe_run(hsi_agent *agent, hs_error *error)
{
    hsi_node_options *o = &agent->options;
    hs_status         st;

    for (int type = HS_CPU; type <= HS_GPU; type++)
        if (o->first[type] > o->total[type] || o->count[type] > o->total[type] - o->first[type])
            return hsi_error_set(error, HS_EINVAL, "the node's workers are not among all workers");
    if (o->total[HS_CPU] != hs_instance_cpus(agent->in) ||
        o->total[HS_GPU] != hs_instance_gpus(agent->in) || o->count[HS_CPU] + o->count[HS_GPU] == 0)
        return hsi_error_set(error, HS_EINVAL, "the instance has other workers, or the node none");
    o->settings.decide.policy = any_policy();
    o->settings.gpu.module = o->module;
    st = hsi_run_spec_make(&agent->spec, agent->in, NULL, &o->settings, error);
    agent->spec.cpus = o->count[HS_CPU];
    agent->spec.gpus = o->count[HS_GPU];
    agent->spec.workers = o->count[HS_CPU] + o->count[HS_GPU];
    return st;
}

/* Make the bodies of the row; a task that cannot run here is left out, since the coordinator has
 * checked what it will send. */
static hs_status make_row(hsi_agent *agent, size_t i)
{
    hs_error error = {0};
    hs_task  row;

    hs_instance_row(agent->in, i, &row);
    agent->backend.row = i;
    for (int type = HS_CPU; type <= HS_GPU; type++)
        if (agent->options.count[type] > 0 && !isinf(type == HS_CPU ? row.cpu : row.gpu) &&
            hsi_remote_body_create(&agent->backend, &row, (hs_type)type,
                                   &agent->bodies[2 * i + (size_t)type], &error) == HS_ENOMEM)
            return HS_ENOMEM;
    return HS_OK;
}

static hs_status make_bodies(hsi_agent *agent)
{
    size_t    rows = hs_instance_rows(agent->in), i;
    hs_status st = HS_OK;

    agent->bodies = calloc(2 * rows + 1, sizeof(hs_body *));
    if (!agent->bodies)
        return HS_ENOMEM;
    for (i = 0; i < rows && st == HS_OK; i++)
        st = make_row(agent, i);
    return st;
}

hs_status hsi_agent_set_up(hsi_agent *agent, const char *bytes, size_t length, uint64_t digest,
                           hs_error *error)
{
    const hs_exec_settings *s = &agent->spec.settings;
    hs_status               st = read_instance(agent, bytes, length, digest, error);

    if (st == HS_OK)
        st = enter_folder(&agent->options, error);
    if (st == HS_OK)
        st = describe_run(agent, error);
    if (st != HS_OK)
        return st;
    agent->backend =
        (hs_backend_options){.struct_size = sizeof agent->backend,
                             .seconds_per_unit = agent->spec.seconds_per_unit,
                             .grace = s->fail.grace,
                             .process_memory = s->place.process_memory,
                             .allow_commands = s->run.allow_commands,
                             .keep_visible_devices = s->gpu.keep_visible_devices,
                             .emulate = {s->run.emulate[HS_CPU], s->run.emulate[HS_GPU]}};
    if (s->run.allow_commands)
        st = hsi_starter_open(&agent->backend, agent->spec.workers, &agent->backend.starter, error);
    if (st == HS_OK)
        st = hsi_machine_find_devices(&agent->machine, &agent->spec, error);
    if (st == HS_OK)
        st = hsi_machine_assign_cores(&agent->machine, &agent->spec, error);
    return st == HS_OK ? make_bodies(agent) : st;
}

void hsi_agent_tear_down(hsi_agent *agent)
{
    size_t i;

    for (i = 0; agent->bodies && i < 2 * hs_instance_rows(agent->in); i++)
        if (agent->bodies[i] && agent->bodies[i]->backend->body_free)
            agent->bodies[i]->backend->body_free(agent->bodies[i]);
    free(agent->bodies);
    hsi_starter_close(agent->backend.starter);
    hsi_machine_close(&agent->machine);
    hsi_run_spec_free(&agent->spec);
    hs_instance_free(agent->in);
    hsi_node_options_free(&agent->options);
}
