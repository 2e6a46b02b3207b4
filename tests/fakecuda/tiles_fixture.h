/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_TILES_FIXTURE_H
#define FAKECUDA_TILES_FIXTURE_H

/* Factorisations on tiles that CPUs and GPUs share, on the fake, whose kernels compute. */

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

#include "fake.h"

unsigned roll(unsigned sides);
void     restart_dice(void);

/* Devices from now on have settings.late. */
void events_are_late(int wanted);

fake_settings    some_devices(void); /* four */
void             tiles_setup(void);
hs_exec_settings settings_of(const char *policy);
size_t           bytes_of_tile(unsigned n);

/* How an instance differs from what was generated: copies take time; what a CPU can run is nothing,
 * or factors of tiles on the diagonal, and these alone. */
enum { LINKED = 1, ON_GPUS = 2, FACTORS_AT_HOME = 4 };

/* With times for the kernels that were not measured on GPUs. */
hs_instance *altered(int kind, unsigned tiles, unsigned n, unsigned cpus, unsigned gpus, int how);
hs_instance *tiled(int kind, unsigned tiles, unsigned n, unsigned cpus, unsigned gpus);

/* When the first tile of n x n was copied to a GPU: what was launched before is no task's. */
int64_t first_tile_copied(unsigned n);

typedef struct result {
    hs_status      status;
    hs_exec_report report;
    unsigned       on_gpus; /* tasks done there */
    char           why[HS_WHY];
} result;

/* So often with one handle, by the algorithm's plan if there is to be one; what is done has to be
 * right, and done if it is to be `right`. Frees the instance. */
result run_tiles(hs_instance *in, const char *algorithm, const hs_exec_settings *s, int times,
                 int right);

/* A factorisation of 3 tiles for each call that there is, which fails: the run says so, or it is
 * right all the same. */
void fail_each_call(fake_settings settings, const hs_exec_settings *s, int kind, int how);

#endif
