/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_PROFILE_H
#define HYBRIDSCHED_PROFILE_H

#include <hybridsched/cost.h>

HS_BEGIN_DECLS

/**
 * A profile: an SQLite file that keeps the entries of cost models (hybridsched/cost.h), grouped by
 * processor model. Several processes may use a file at the same time; a call waits up to 30 s while
 * another process writes. The file has names of programs and kernels, and digests; it has no
 * command, argument, host name or user name. Functions are in libhybridsched-profile. No call is
 * safe while another thread uses the same hs_profile.
 *
 * Every call can fail with HS_EINVAL: an argument is NULL or out of range; HS_ENOMEM; HS_EIO: the
 * file cannot be read or written, or another process kept it locked; HS_ERESOURCE: the disk is
 * full; HS_ESYNTAX: the file is damaged. *error (may be NULL) says what is wrong and what to do.
 */
typedef struct hs_profile hs_profile;

#define HS_MAX_PROCESSOR_MODEL 256 /* size of the name of a processor model in bytes */

/**
 * A processor model. Equal processors share the entries of a profile. Initialise a structure with
 * hs_processor_init() before a call fills it.
 */
typedef struct hs_processor {
    size_t  struct_size;
    hs_type type;
    int     cores;                         /* cores of each worker; 0 for GPUs */
    char    model[HS_MAX_PROCESSOR_MODEL]; /* e.g. "AMD EPYC 7543 32-Core Processor" */
} hs_processor;

HS_API void hs_processor_init_sized(hs_processor *processor, size_t size);
#define hs_processor_init(p) hs_processor_init_sized((p), sizeof *(p))

/** Describe the CPU of this computer, with `cores` cores for each worker. */
HS_API void hs_processor_detect_cpu(int cores, hs_processor *processor);

/** How a profile is opened. */
typedef enum hs_profile_access {
    HS_PROFILE_READ,  /* the file must exist, and is not changed; an empty one, which another
                         process may be about to fill, is an empty profile */
    HS_PROFILE_UPDATE /* create the file if it does not exist, with permissions for its owner only;
                         refuse a file that cannot be written */
} hs_profile_access;

/**
 * Open the profile `path`; ":memory:" with HS_PROFILE_UPDATE is an empty profile without a file.
 * On HS_OK the caller owns *out. HS_EKIND: a file of another kind. HS_EUNSUPPORTED: written by a
 * newer version. HS_ESYNTAX: a damaged file. O(size of the file).
 */
HS_API hs_status hs_profile_open(const char *path, hs_profile_access access, hs_profile **out,
                                 hs_error *error);

/** Close a profile; NULL is allowed. */
HS_API void hs_profile_close(hs_profile *profile);

/**
 * Merge the entries of a CPU model and of a GPU model into `cost`; either may be NULL. A second
 * call would count the entries twice. After a failure, `cost` may have some of the entries.
 * O(entries): 0.2 s for 100,000.
 */
HS_API hs_status hs_profile_load(hs_profile *profile, const hs_processor *cpu,
                                 const hs_processor *gpu, hs_cost *cost, hs_error *error);

/**
 * Merge entries of another processor into `cost`, for the keys that `own` does not have. Of the
 * processors that have such keys, the other processor is one of the same model as `own` with other
 * cores; if there is none, the one of this type with the most entries. The model "emulated" neither serves others nor is served. Set *keys
 * to the number of these keys, and *from to the processor; without such keys, *keys is 0 and *from
 * is unchanged. Call it at most once for each type, after hs_profile_load(). O(entries).
 */
HS_API hs_status hs_profile_load_similar(hs_profile *profile, const hs_processor *own,
                                         hs_cost *cost, hs_processor *from, uint64_t *keys,
                                         hs_error *error);

/**
 * Merge the fresh executions of `cost` (hs_cost_fresh_at()) into the entries of these processors in
 * one transaction, then call hs_cost_clear_fresh(). After a failure the file and the fresh
 * executions are as before, and a later call can write them. HS_EINVAL: also a fresh execution on a
 * type whose processor is NULL. O(entries of `cost`).
 */
HS_API hs_status hs_profile_flush(hs_profile *profile, const hs_processor *cpu,
                                  const hs_processor *gpu, hs_cost *cost, hs_error *error);

/**
 * Write all entries of `cost` in place of those of equal features, for example entries from another
 * program; otherwise like hs_profile_flush().
 */
HS_API hs_status hs_profile_replace_entries(hs_profile *profile, const hs_processor *cpu,
                                            const hs_processor *gpu, hs_cost *cost,
                                            hs_error *error);

#define HS_PROFILE_MAX_ENTRIES 100000 /* usual limit of hs_profile_trim() */

/**
 * Limit the entries of each processor to `most`: delete those whose latest execution is the oldest.
 */
HS_API hs_status hs_profile_trim(hs_profile *profile, uint64_t most, hs_error *error);

/** Count the processors that have entries. */
HS_API hs_status hs_profile_count_processors(hs_profile *profile, size_t *count, hs_error *error);

/**
 * Describe the processor of an index below hs_profile_count_processors(), and count its entries.
 * HS_EINVAL: no such index.
 */
HS_API hs_status hs_profile_processor_at(hs_profile *profile, size_t index, hs_processor *processor,
                                         uint64_t *entries, hs_error *error);

/**
 * Delete the entries of a key for all processors, and set *deleted (may be NULL) to the number of
 * deleted entries. A NULL key deletes all entries.
 */
HS_API hs_status hs_profile_forget(hs_profile *profile, const char *key, uint64_t *deleted,
                                   hs_error *error);

HS_END_DECLS

#endif
