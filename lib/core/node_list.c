/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/node_list.h"

static bool has_name(const hsi_node_list *list, const char *name, size_t length)
{
    for (size_t i = 0; i < list->count; i++)
        if (strlen(hsi_node_name(list, i)) == length &&
            memcmp(hsi_node_name(list, i), name, length) == 0)
            return true;
    return false;
}

static bool is_name(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (name[i] == ' ' || name[i] == '\t' || name[i] == '\n' || name[i] == '\r' || !name[i])
            return false;
    return length > 0;
}

hs_status hsi_node_list_add(hsi_node_list *list, const char *name, size_t length, unsigned cpus,
                            unsigned gpus)
{
    hsi_node  end = {0, 0, 0}, *node;
    hs_status st;

    if (!is_name(name, length) || cpus > HS_MAX_WORKERS || gpus > HS_MAX_WORKERS ||
        cpus + gpus == 0 || has_name(list, name, length))
        return HS_EINVAL;
    if (list->count > 0)
        end = *hsi_node_at(list, list->count);
    if (list->count == HS_MAX_NODES || length > HS_MAX_ID || cpus > HS_MAX_WORKERS - end.cpu ||
        gpus > HS_MAX_WORKERS - end.gpu)
        return HS_ETOOBIG;
    st = hsi_vector_reserve(&list->node, 2 * sizeof *node) ||
                 hsi_vector_reserve(&list->names, length + 1)
             ? HS_ENOMEM
             : HS_OK;
    if (st != HS_OK)
        return st;
    node = list->node.data;
    node[list->count] = (hsi_node){end.cpu, end.gpu, list->names.size};
    node[++list->count] = (hsi_node){end.cpu + cpus, end.gpu + gpus, 0};
    list->node.size = (list->count + 1) * sizeof *node;
    (void)hsi_vector_append(&list->names, name, length);
    (void)hsi_vector_append(&list->names, "", 1);
    return HS_OK;
}

void hsi_node_list_clear(hsi_node_list *list)
{
    if (!list)
        return;
    hsi_vector_free(&list->node);
    hsi_vector_free(&list->names);
    *list = (hsi_node_list){0};
}
