/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_CLIENT_BUFFERS_PRIVATE_H
#define HSI_EXEC_CLIENT_BUFFERS_PRIVATE_H

#include "exec/client/buffers.h"
#include "exec/client/client.h"

/* Buffers on the devices of a run. */
typedef struct hsi_shared_buffers hsi_shared_buffers;

typedef struct hsi_buffer {
    size_t bytes;
    bool   used;  /* a row of the client names the datum */
    bool   owned; /* the library allocated `home` */
    void  *home;  /* memory of the newest version before and after a run; NULL: none yet */
    void  *at;    /* memory of the newest version during a run */
} hsi_buffer;

typedef struct hsi_named_buffer {
    const char *name;
    size_t      handle;
} hsi_named_buffer;

struct hsi_buffers {
    const hs_instance  *in;
    bool                may_fail, may_take;
    size_t              count, owned; /* number of handles, and of handles with `owned` */
    hsi_buffer         *buffer;       /* by handle */
    hsi_named_buffer   *named;        /* the used data, sorted by name */
    size_t              named_count;
    hsi_shared_buffers *shared; /* the buffers on devices; NULL: none shares them */
};

/* Return true if the row's kernel on CPUs is a function of a plugin that uses data. */
bool hsi_buffers_have_row(const hs_instance *in, size_t number);

/* buffers_devices.c: let the devices of the run share the buffers, if their modules can call
 * functions. */
hs_status hsi_shared_buffers_create(hsi_buffers *buffers, const hsi_client_run *run);
void      hsi_shared_buffers_free(hsi_shared_buffers *shared);

/* Return the devices that share the buffers. */
hsi_devices *hsi_shared_buffers_devices(hsi_shared_buffers *shared);

/* Before a run, after all buffers have memory: all data is at the host. */
void hsi_shared_buffers_renew(hsi_shared_buffers *shared);

/* Bring the data of an attempt to the host. Return false, and write why, if data was lost. */
bool hsi_shared_buffers_take(hsi_shared_buffers *shared, hsi_buffers_attempt *a, char why[HS_WHY]);

/* End the attempt. If it is done, the data that it wrote is in buffer.at. */
void hsi_shared_buffers_give(hsi_shared_buffers *shared, const hsi_buffers_attempt *a, bool done);

/* Prefetch the data of a task to the host. */
void hsi_shared_buffers_expect(hsi_shared_buffers *shared, uint32_t task);

#endif
