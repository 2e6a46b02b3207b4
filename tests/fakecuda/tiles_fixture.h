/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_TILES_FIXTURE_H
#define FAKECUDA_TILES_FIXTURE_H

/* Factorisations on tiles shared by CPUs and GPUs, on the computing fake. */

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

#include "fake.h"

unsigned roll(unsigned sides);
void     reseed_dice(void);

/* Set settings.late of the devices from now on. */
void set_events_late(int wanted);

fake_settings    devices_of_tests(void); /* four devices */
void             tiles_setup(void);
hs_exec_settings settings_of(const char *policy);
size_t           fake_bytes_of_tile(int kind, unsigned n);

/* Changes to a generated instance: links with transfer times; CPUs can run no task; CPUs run the
 * factorisations of diagonal tiles and no further task. */
enum { LINKED = 1, ON_GPUS = 2, FACTORS_AT_HOME = 4 };

/* Return a generated instance with changes `how` and with GPU times for unmeasured kernels. */
hs_instance *altered(int kind, unsigned tiles, unsigned n, unsigned cpus, unsigned gpus, int how);
hs_instance *tiled(int kind, unsigned tiles, unsigned n, unsigned cpus, unsigned gpus);

/* Return the time at which the first tile of n x n was copied to a GPU; earlier launches belong to
 * no task. */
int64_t time_of_first_tile_copy(unsigned n);

typedef struct result {
    hs_status      status;
    hs_exec_report report;
    unsigned       on_gpus; /* tasks done on GPUs */
    hs_error       error;
} result;

/*
 * Run the instance `times` times with the same handle, by the algorithm's plan if the policy needs
 * a plan. A completed run must have correct factors; with `right`, every run must complete. Frees
 * the instance.
 */
result run_tiles(hs_instance *in, const char *algorithm, const hs_exec_settings *s, int times,
                 int right);

/* Run a factorisation of 3 tiles for each call, which fails: the run reports the failure, or its
 * factors are correct. */
void fail_each_call(fake_settings settings, const hs_exec_settings *s, int kind, int how);

#endif
