/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PROFILE_H
#define TOOLS_PROFILE_H

#include <stdbool.h>

#include <hybridsched/profile.h>

/*
 * Profiles of the tools: measured times of earlier runs. A build without SQLite refuses all files
 * (profile_none.c); ":memory:" is then an empty profile.
 */

typedef struct times_profile {
    const char  *path;         /* file name in messages */
    hs_profile  *file;         /* NULL in a build without SQLite */
    hs_processor processor[2]; /* processors of this machine, by hs_type */
    hs_cost     *known;        /* executions that profile_load() has read */
} times_profile;

#define PROFILE_EMULATED "emulated" /* model of GPUs without a device */

/** Return whether this build keeps profiles in files. */
bool profile_is_supported(void);

/**
 * Open the profile `path` for a machine with this CPU, `cores` cores for each worker, and GPUs of
 * the model `gpu`; NULL: the model in the profile with the most entries, emulated only if there is
 * no other. ":memory:" is always empty and can be updated. Return 0, or an exit code after a
 * message. The caller frees *p with profile_close() in any case.
 */
int profile_open(times_profile *p, const char *path, hs_profile_access access, unsigned cores,
                 const char *gpu);

/**
 * Read the entries of this machine's processors into p->known, and entries of similar processors
 * for keys that this machine's do not have; a message says so unless `quiet`. Return 0, or an exit
 * code after a message.
 */
int profile_load(times_profile *p, bool quiet);

/**
 * Merge the fresh executions of `cost` into the file, replace entries by those of `cost`, or limit
 * the entries to the usual number; statuses as of hs_profile_flush(), hs_profile_replace_entries()
 * and hs_profile_trim().
 */
hs_status profile_write(times_profile *p, hs_cost *cost, hs_error *error);
hs_status profile_replace_entries(times_profile *p, hs_cost *cost, hs_error *error);
hs_status profile_trim(times_profile *p, hs_error *error);

/**
 * Read the entries of the index-th processor of the file, or return HS_EINVAL past the last; on
 * HS_OK the caller frees *cost.
 */
hs_status profile_processor_at(times_profile *p, size_t index, hs_processor *processor,
                               hs_cost **cost, hs_error *error);

/** Delete the entries of a key, or all if it is NULL, as hs_profile_forget() does. */
hs_status profile_forget(times_profile *p, const char *key, uint64_t *deleted, hs_error *error);

/** Close the file and free p->known; a zeroed profile is allowed. */
void profile_close(times_profile *p);

/** Print why a call about the profile failed; return the exit code. */
int profile_refused(hs_status status, const hs_error *error);

/** Write the model of a processor, and its cores if workers have several. */
enum { PROFILE_PROCESSOR = HS_MAX_PROCESSOR_MODEL + 32 };
void profile_describe(const hs_processor *processor, char text[PROFILE_PROCESSOR]);

#endif
