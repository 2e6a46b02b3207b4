/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run_spec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/order.h"
#include "core/memory_name.h"
#include "exec/backend/plugin/call.h"
#include "exec/backend/remote/remote.h"
#include "support/sized.h"

void hs_exec_settings_init_sized(hs_exec_settings *settings, size_t size)
{
    memset(settings, 0, size);
    settings->struct_size = size;
    if (size >= offsetof(hs_exec_settings, run.verify) + sizeof settings->run.verify)
        settings->run.verify = 1;
}

static hs_status copy(hs_exec_settings *full, const hs_exec_settings *given)
{
    hs_exec_settings_init(full);
    return !given || hsi_sized_copy_in(full, sizeof *full, given) ? HS_OK : HS_EINVAL;
}

static bool is_span(double seconds)
{
    return seconds >= 0 && isfinite(seconds);
}

static bool is_zero(const uint64_t *words, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (words[i] != 0)
            return false;
    return true;
}

/* Return the name of a reserved member that is not 0; NULL: all are 0. */
static const char *reserved_in_use(const hs_exec_settings *s)
{
    const struct {
        const char     *name;
        const uint64_t *words;
        size_t          count;
    } reserved[] = {
#define RESERVED(group)                                                                            \
    {"settings." #group ".reserved", s->group.reserved,                                            \
     sizeof s->group.reserved / sizeof *s->group.reserved}
        RESERVED(decide), RESERVED(decide.parameters),
        RESERVED(run),    RESERVED(place),
        RESERVED(gpu),    RESERVED(fail),
        RESERVED(keep),   RESERVED(report),
#undef RESERVED
    };
    size_t i;

    for (i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (!is_zero(reserved[i].words, reserved[i].count))
            return reserved[i].name;
    return s->decide.parameters.reserved_word ? "settings.decide.parameters.reserved_word" : NULL;
}

/* Return what is wrong with the settings of the policy; NULL: nothing. */
static const char *policy_defect(const hs_exec_settings *s, const hs_schedule *plan)
{
    if (!s->decide.policy)
        return "settings.decide.policy is NULL, and this library has no policy \"plan\"";
    if (hs_policy_needs_plan(s->decide.policy) && !plan)
        return "the policy needs a plan: pass a schedule, or choose a policy without plan";
    if (s->decide.rank != HS_RANK_DEFAULT &&
        (!hs_rank_name(s->decide.rank) ||
         !(hs_policy_supported_ranks(s->decide.policy) >> s->decide.rank & 1)))
        return "settings.decide.rank is not a rank of the policy: see hs_policy_supported_ranks()";
    if (!is_span(s->decide.parameters.band))
        return "settings.decide.parameters.band is not a number of at least 0";
    if (!is_span(s->decide.parameters.leave))
        return "settings.decide.parameters.leave is not a number of at least 0";
    if (!isfinite(s->decide.tolerance))
        return "settings.decide.tolerance is not a finite number";
    if (!hsi_is_cell_width(s->decide.parameters.ratio_tolerance))
        return "settings.decide.parameters.ratio_tolerance is neither 0 nor from 1e-12 to 1";
    return NULL;
}

/* Return what is wrong with the placement of workers and tiles; NULL: nothing. */
static const char *placement_defect(const hs_exec_settings *s)
{
    if (s->place.cores[HS_CPU] > HSI_MOST_CORES || s->place.cores[HS_GPU] > HSI_MOST_CORES)
        return "settings.place.cores is above 65536 cores for each worker";
    if (s->place.unbound && s->place.os_cpus)
        return "settings.place.os_cpus and settings.place.unbound exclude each other: use one";
    if (s->place.os_cpus && (s->place.cores[HS_CPU] > 1 || s->place.cores[HS_GPU] > 1))
        return "settings.place.os_cpus allows one core for each worker: leave settings.place.cores "
               "0";
    if (!(s->place.process_memory >= 0))
        return "settings.place.process_memory is not a number of at least 0";
    if (!is_span(s->gpu.tile_memory))
        return "settings.gpu.tile_memory is not a number of at least 0";
    if (!(s->gpu.tile_share >= 0 && s->gpu.tile_share <= 1))
        return "settings.gpu.tile_share is not between 0 and 1";
    if (s->gpu.mode != HS_GPU_STREAMS && s->gpu.mode != HS_GPU_GRAPH)
        return "settings.gpu.mode is not an hs_gpu_mode";
    return NULL;
}

/* Return what is wrong with the settings for failures, files and reports; NULL: nothing. */
static const char *run_defect(const hs_exec_settings *s)
{
    if (!is_span(s->run.time_scale))
        return "settings.run.time_scale is not a number of at least 0";
    if (s->run.node_count && !s->run.nodes)
        return "settings.run.nodes is NULL, but settings.run.node_count is not 0";
    if (!is_span(s->run.node_timeout))
        return "settings.run.node_timeout is not a number of at least 0";
    if (s->run.backend_count && !s->run.backends)
        return "settings.run.backends is NULL, but settings.run.backend_count is not 0";
    if (s->run.mpi && (s->run.node_count || s->run.backend_count || s->run.calls))
        return "settings.run.mpi excludes settings.run.nodes, settings.run.backends and "
               "settings.run.calls: built-in kernels run the tasks";
    if (s->run.mpi && s->run.emulate[HS_CPU])
        return "settings.run.mpi excludes settings.run.emulate[HS_CPU]: emulated tasks compute "
               "nothing";
    if (s->run.mpi && s->keep.journal)
        return "settings.run.mpi excludes settings.keep.journal: the tiles are in memory alone";
    if (!is_span(s->fail.timeout))
        return "settings.fail.timeout is not a number of at least 0";
    if (!is_span(s->fail.timeout_factor))
        return "settings.fail.timeout_factor is not a number of at least 0";
    if (!is_span(s->fail.grace))
        return "settings.fail.grace is not a number of at least 0";
    if (!(s->fail.retry_delay <= 1e9))
        return "settings.fail.retry_delay is not a number of at most 1e9 seconds";
    if (s->fail.halt != HS_HALT_SOON && s->fail.halt != HS_HALT_NOW &&
        s->fail.halt != HS_HALT_NEVER)
        return "settings.fail.halt is not an hs_halt";
    if (s->keep.resume != HS_RESUME_NOT && s->keep.resume != HS_RESUME_REST &&
        s->keep.resume != HS_RESUME_FAILED)
        return "settings.keep.resume is not an hs_resume";
    if (s->keep.resume && !s->keep.journal)
        return "settings.keep.resume needs a journal to resume: set settings.keep.journal";
    if (!is_span(s->report.progress_interval))
        return "settings.report.progress_interval is not a number of at least 0";
    return NULL;
}

/* Replace 0 by the default, and a negative tolerance or delay by 0. */
static void fill_defaults(hs_exec_settings *s)
{
    if (s->run.time_scale == 0)
        s->run.time_scale = 1;
    if (s->place.cores[HS_CPU] == 0)
        s->place.cores[HS_CPU] = 1;
    if (s->place.cores[HS_GPU] == 0)
        s->place.cores[HS_GPU] = 1;
    if (s->decide.tolerance == 0)
        s->decide.tolerance = 0.02;
    else if (s->decide.tolerance < 0)
        s->decide.tolerance = 0;
    if (s->fail.retry_delay == 0)
        s->fail.retry_delay = 0.1;
    else if (s->fail.retry_delay < 0)
        s->fail.retry_delay = 0;
    if (s->fail.retire_after == 0)
        s->fail.retire_after = 5;
    if (s->fail.grace == 0)
        s->fail.grace = 2;
    if (s->run.node_timeout == 0)
        s->run.node_timeout = 30;
    if (s->run.mpi && s->fail.halt == HS_HALT_NEVER)
        s->fail.halt = HS_HALT_SOON; /* other ranks wait for the tasks behind a failed one */
    if (s->report.progress_interval == 0)
        s->report.progress_interval = 0.2;
    s->keep.separate_errors |= s->report.line != NULL;
    if (s->fail.retries > UINT16_MAX - 1) /* attempts are counted in 16 bits */
        s->fail.retries = UINT16_MAX - 1;
}

static hs_status resolve(hs_exec_settings *full, const hs_exec_settings *given,
                         const hs_schedule *plan, hs_error *error)
{
    const char *defect = NULL, *in_use;

    if (copy(full, given) != HS_OK)
        return hsi_error_set(error, HS_EINVAL, "%s",
                             "the settings are not initialised: call hs_exec_settings_init()");
    in_use = reserved_in_use(full);
    if (in_use)
        return hsi_error_set(error, HS_EINVAL,
                             "%s must be 0: this version of the library has no such setting",
                             in_use);
    if (!full->decide.policy)
        full->decide.policy = hs_policy_find("plan");
    defect = policy_defect(full, plan);
    if (!defect)
        defect = placement_defect(full);
    if (!defect)
        defect = run_defect(full);
    if (defect)
        return hsi_error_set(error, HS_EINVAL, "%s", defect);
    fill_defaults(full);
    return HS_OK;
}

/* Check and copy the path of the folder for logs, before the run creates other files. */
static hs_status keep_folder(hsi_run_spec *spec, hs_error *error)
{
    const char *logs = spec->settings.keep.log_folder;
    struct stat folder;

    if (!logs)
        return HS_OK;
    if (stat(logs, &folder) != 0 || (!S_ISDIR(folder.st_mode) && (errno = ENOTDIR)) ||
        access(logs, W_OK | X_OK) != 0)
        return hsi_error_set(error, HS_EINVAL, "%.200s: cannot write logs into this folder: %s",
                             logs, strerror(errno));
    spec->logs = strdup(logs);
    return spec->logs ? HS_OK : HS_ENOMEM;
}

static hs_status check_plan(const hsi_run_spec *spec, hs_error *error)
{
    hs_error  fault;
    hs_status st = spec->plan ? hs_schedule_check(spec->in, spec->plan, &fault) : HS_OK;

    return st == HS_ESCHEDULE ? hsi_error_set(error, st, "the plan is not valid: %s", fault.why)
                              : st;
}

/* Return true if settings.run.calls has functions for the row, but none for the type. */
static bool lacks_function(const hsi_run_spec *spec, const hsi_calls *calls, size_t row,
                           hs_type type)
{
    return !spec->settings.run.emulate[type] && hsi_calls_have_row(calls, row) &&
           !hsi_calls_have_type(calls, row, type);
}

/* Set `unused`, `timed` and `own_gpus` from the rows of the instance. */
static void look_at_rows(hsi_run_spec *spec)
{
    const hsi_calls calls = {.in = spec->in, .list = spec->settings.run.calls};
    size_t          rows = hs_instance_rows(spec->in), i;
    hs_task         row;

    spec->own_gpus = calls.list != NULL;
    spec->timed = spec->settings.fail.timeout > 0 || spec->settings.fail.timeout_factor > 0;
    spec->unused[HS_CPU] = spec->unused[HS_GPU] = 1;
    for (i = 0; i < rows; i++) {
        hs_instance_row(spec->in, i, &row);
        spec->timed |= isfinite(row.timeout);
        spec->unused[HS_CPU] &= isinf(row.cpu) || lacks_function(spec, &calls, i, HS_CPU);
        spec->unused[HS_GPU] &= isinf(row.gpu) || lacks_function(spec, &calls, i, HS_GPU);
        spec->own_gpus &= isinf(row.gpu) || hsi_calls_have_row(&calls, i);
    }
}

/* Refuse data that is on GPUs at the start: a run begins with all data on the host. Emulated GPUs,
 * and GPUs that the program drives, may have it. */
static hs_status check_memories(const hsi_run_spec *spec, hs_error *error)
{
    const char *name;
    char        memory[16];

    if (spec->settings.run.emulate[HS_GPU] || spec->own_gpus || spec->unused[HS_GPU] ||
        spec->settings.run.backend_count)
        return HS_OK;
    for (size_t i = 0; (name = hs_instance_handle_name(spec->in, i)); i++)
        if (hs_instance_handle_memory_node(spec->in, i) >= hs_instance_nodes(spec->in))
            return hsi_error_set(
                error, HS_EINVAL,
                "data '%.100s' is on %s at the start, but a run begins with all data on the host: "
                "emulate the GPUs, or remove the memory from the '# data' line",
                name,
                hsi_memory_node_name(spec->in, hs_instance_handle_memory_node(spec->in, i),
                                     memory));
    return HS_OK;
}

hs_status hsi_run_spec_make(hsi_run_spec *spec, const hs_instance *in, const hs_schedule *plan,
                            const hs_exec_settings *given, hs_error *error)
{
    hs_exec_settings *s = &spec->settings;
    hs_status         st = resolve(s, given, plan, error);

    if (st != HS_OK)
        return st;
    if (hs_instance_has_graph(in) && !hs_policy_supports_graphs(s->decide.policy))
        return hsi_error_set(
            error, HS_EDEPENDENT,
            "policy '%s' supports independent tasks only, and the instance has a graph",
            hs_policy_name(s->decide.policy));
    spec->in = in;
    spec->plan = plan;
    spec->cpus = hs_instance_cpus(in);
    spec->gpus = hs_instance_gpus(in);
    spec->workers = spec->cpus + spec->gpus;
    spec->seconds_per_unit = hs_unit_seconds(hs_instance_unit(in)) * s->run.time_scale;
    st = hsi_calls_check(&(hsi_calls){.in = in, .list = s->run.calls}, error);
    if (st != HS_OK)
        return st;
    look_at_rows(spec);
    if (hsi_remote_defect(spec))
        return hsi_error_set(error, HS_EINVAL, "%s", hsi_remote_defect(spec));
    st = check_memories(spec, error);
    if (st == HS_OK)
        st = check_plan(spec, error);
    return st == HS_OK ? keep_folder(spec, error) : st;
}

void hsi_run_spec_free(hsi_run_spec *spec)
{
    free(spec->logs);
}
