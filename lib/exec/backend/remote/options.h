/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_REMOTE_OPTIONS_H
#define HSI_EXEC_BACKEND_REMOTE_OPTIONS_H

#include <hybridsched/exec.h>

#include "exec/backend/remote/protocol.h"

/* The settings of a node. The first CPU worker of the node is number `first[HS_CPU]` among the CPU
 * workers of the run, and so on. */
typedef struct hsi_node_options {
    hs_exec_settings settings; /* members that concern the execution of commands */
    char            *name;     /* HSCHED_NODE in the environment of commands */
    char            *folder;   /* working folder of commands */
    char            *module;   /* settings.gpu.module; NULL: the default */
    unsigned         first[2], count[2], total[2]; /* workers, by hs_type */
    double           timeout;                      /* settings.run.node_timeout */
    bool             output;                       /* the node sends the output of commands */
} hsi_node_options;

/* Append the messages `option` for all members. Return false if memory is short. */
bool hsi_node_options_write(const hsi_node_options *options, hsi_vector *out);

/* Set the member that a message `option` names. Return false if there is no such option, or no such
 * value. The strings belong to *options. */
bool hsi_node_options_read(hsi_node_options *options, const hsi_message *message);
void hsi_node_options_free(hsi_node_options *options);

#endif
