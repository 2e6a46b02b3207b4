/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/picture.h"

#include <math.h>
#include <string.h>

void hs_picture_init_sized(hs_picture *picture, size_t size)
{
    memset(picture, 0, size);
    picture->struct_size = size;
}

hs_status hsi_picture_resolve(hs_picture *full, const hs_picture *picture)
{
    hs_picture_init(full);
    if (!picture)
        return HS_OK;
    if (picture->struct_size < sizeof picture->struct_size)
        return HS_EINVAL;
    memcpy(full, picture,
           picture->struct_size < sizeof *full ? picture->struct_size : sizeof *full);
    full->struct_size = sizeof *full;
    if (full->bound && !memchr(full->bound->name, '\0', sizeof full->bound->name))
        return HS_EINVAL;
    return HS_OK;
}

hs_status hsi_picture_check(const hs_instance *in, const hs_schedule *s)
{
    unsigned workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);
    size_t   tasks = hs_instance_tasks(in);

    if (hs_schedule_cpus(s) != hs_instance_cpus(in) || hs_schedule_gpus(s) != hs_instance_gpus(in))
        return HS_ESCHEDULE;
    for (unsigned w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        for (size_t i = 0; i < count; i++)
            if (entries[i].task >= tasks)
                return HS_ESCHEDULE;
    }
    return HS_OK;
}

int hsi_picture_has_title(const hs_picture *picture)
{
    return picture->title && picture->title[0];
}

int hsi_picture_has_bound(const hs_picture *picture)
{
    return picture->bound && isfinite(picture->bound->value) && picture->bound->value >= 0;
}
