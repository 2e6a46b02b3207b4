/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `best` for few tasks per worker, beside bin completion: test a makespan with an LP over fractions
 * of task sets, and dive from its solution (packing/dive.h). The first makespan is the bound; after
 * some failed dives the next one is half way to the best schedule. Unused if iterations are
 * counted, since the time of an LP varies.
 */
#include <math.h>

#include "bound/bound.h"
#include "config.h"
#include "refine/best/bin_filling.h"

#ifdef HAVE_GLPK

static const double part = 0.25, part_of_few = 0.8; /* share of the elapsed time for dives, and with
                                                       few tasks per worker */
static const double part_at_once = 0.2;             /* share of the elapsed time for one call of the
                                                       dive */

void hsi_diving_close(hsi_filling *f)
{
    hsi_dive_close(f->dive);
    f->dive = NULL;
}

static void choose_next(const hsi_best *best, hsi_filling *f)
{
    int64_t known = (int64_t)(best->makespan / f->grid);
    int64_t low = (int64_t)ceil(best->bound / f->grid);

    if (!hsi_dive_goes_on(f->dive))
        f->dive_at += known - f->dive_at < 2 ? 1 : (known - f->dive_at) / 2;
    if (f->dive_at < low || f->dive_at >= known)
        f->dive_at = low;
}

static hs_status open_dive(hsi_best *best, hsi_filling *f)
{
    int64_t most = (int64_t)(best->makespan / f->grid);

    if (f->dive) {
        choose_next(best, f);
        return HS_OK;
    }
    f->dive_at = (int64_t)ceil(best->bound / f->grid);
    return hsi_dive_open(best->pb.n, f->weight, f->workers, most, &f->dive);
}

static hs_status dive(hsi_best *best, hsi_filling *f, double seconds)
{
    hsi_stop    slice = {hsi_now(), 0, best->settings};
    hsi_verdict verdict = HSI_STOPPED;
    hs_status   st = open_dive(best, f);

    slice.end = fmin(slice.begin + seconds, best->stop.end);
    hsi_filling_read(best, f);
    if (st == HS_OK)
        st = hsi_dive_go(f->dive, &f->dive_at, &f->random, &slice, f->worker, &verdict);
    if (st == HS_OK && verdict == HSI_REFUTED)
        hsi_bounds_refuted(best, (double)f->dive_at * f->grid);
    return st == HS_OK && verdict == HSI_FOUND ? hsi_filling_take(best, f) : st;
}

int hsi_filling_sees_patterns(const hsi_best *best)
{
    const hsi_filling *f = best->filling;

    return f && f->dive && hsi_dive_covers(f->dive, (int64_t)ceil(best->bound / f->grid));
}

hs_status hsi_diving_slice(hsi_best *best, hsi_filling *f)
{
    double    first = HSI_FILLING_FIRST * hsi_filling_time(best);
    hs_status st = HS_OK;

    while (st == HS_OK && f->may_dive && hsi_best_goes_on(best)) {
        double begin = hsi_now(), passed = hsi_stop_elapsed(&best->stop);

        if (f->dive_seconds >= first + (f->few ? part_of_few : part) * passed)
            break;
        best->phase = "dives";
        st = dive(best, f, fmax(first, part_at_once * passed));
        f->dive_seconds += hsi_now() - begin;
        if (st == HS_ETOOBIG) {
            hsi_diving_close(f);
            f->may_dive = 0;
            st = HS_OK;
        }
    }
    return st;
}

#else

void hsi_diving_close(hsi_filling *f)
{
    (void)f;
}

hs_status hsi_diving_slice(hsi_best *best, hsi_filling *f)
{
    (void)best;
    (void)f;
    return HS_OK;
}

#endif
