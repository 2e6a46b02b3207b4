/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/io.h>
#include <hybridsched/plugin.h>

#include "common/checked_memory.h"
#include "common/message.h"
#include "common/nearest_word.h"

enum { MOST = 64 };

static struct {
    const char           *path[MOST];
    size_t                paths;
    const hs_algorithm   *algorithm[MOST];
    const hs_policy_kind *policy[MOST];
    size_t                algorithms, policies;
} all;

void plugin_add_file(const char *path)
{
    if (all.paths == MOST)
        usage_error("more than %d plugins", MOST);
    all.path[all.paths++] = path;
}

const hs_algorithm *plugin_algorithm_at(size_t index)
{
    return index < all.algorithms ? all.algorithm[index] : NULL;
}

const hs_policy_kind *plugin_policy_at(size_t index)
{
    return index < all.policies ? all.policy[index] : NULL;
}

/* Find an algorithm of the library or of a plugin; NULL: unknown name. */
static const hs_algorithm *plugin_algorithm_find(const char *name)
{
    for (size_t i = 0; name && i < all.algorithms; i++)
        if (strcmp(hs_algorithm_name(all.algorithm[i]), name) == 0)
            return all.algorithm[i];
    return hs_algorithm_find(name);
}

/* Copy the name of NAME:RANK and set *rank. Return false if the rank is unknown. */
static bool split_rank(const char *text, char name[PLUGIN_RANKED], hs_rank *rank)
{
    size_t length = strcspn(text, ":");

    *rank = HS_RANK_DEFAULT;
    snprintf(name, PLUGIN_RANKED, "%.*s", (int)length, text);
    return !text[length] || hs_rank_find(text + length + 1, rank);
}

/* Return whether a rank is the default or one of the set `ranks`. */
static bool is_supported(hs_rank rank, unsigned ranks)
{
    return rank == HS_RANK_DEFAULT || (ranks >> rank & 1);
}

const hs_algorithm *plugin_algorithm_with_rank(const char *text, hs_rank *rank)
{
    char                name[PLUGIN_RANKED];
    bool                is_known = split_rank(text, name, rank);
    const hs_algorithm *algorithm = plugin_algorithm_find(name);

    if (!algorithm || !is_known || !is_supported(*rank, hs_algorithm_supported_ranks(algorithm)))
        return NULL;
    return algorithm;
}

static const hs_policy_kind *plugin_policy_find(const char *name)
{
    for (size_t i = 0; name && i < all.policies; i++)
        if (strcmp(hs_policy_name(all.policy[i]), name) == 0)
            return all.policy[i];
    return hs_policy_find(name);
}

const hs_policy_kind *plugin_policy_with_rank(const char *text, hs_rank *rank)
{
    char                  name[PLUGIN_RANKED];
    bool                  is_known = split_rank(text, name, rank);
    const hs_policy_kind *kind = plugin_policy_find(name);

    if (!kind || !is_known || !is_supported(*rank, hs_policy_supported_ranks(kind)))
        return NULL;
    return kind;
}

static const char *algorithm_word(size_t index)
{
    size_t              own = hs_algorithm_count();
    const hs_algorithm *algorithm =
        index < own ? hs_algorithm_at(index) : plugin_algorithm_at(index - own);

    return algorithm ? hs_algorithm_name(algorithm) : NULL;
}

static const char *policy_word(size_t index)
{
    size_t                own = hs_policy_count();
    const hs_policy_kind *policy =
        index < own ? hs_policy_at(index) : plugin_policy_at(index - own);

    return policy ? hs_policy_name(policy) : NULL;
}

static const char *rank_word(size_t index)
{
    return hs_rank_name((hs_rank)(HS_RANK_MIN + index));
}

/* Refuse a rank that the algorithm or policy lacks; `ranks` has a bit for each valid rank. */
static _Noreturn void unknown_rank(const char *where, const char *kind, const char *name,
                                   const char *rank, unsigned ranks)
{
    const char *near = nearest_word_to(rank, rank_word), *word;
    char        list[128] = "", meant[128] = "";
    size_t      used = 0;

    for (int r = HS_RANK_MIN; (word = hs_rank_name((hs_rank)r)) && used < sizeof list; r++) {
        if (!(ranks >> r & 1))
            continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", word);
        if (near && strcmp(near, word) == 0)
            snprintf(meant, sizeof meant, "; did you mean '%s:%s'?", name, near);
    }
    if (used == 0)
        usage_error("%s%sthe %s %s takes no rank, such as '%s'; expected its name alone",
                    where ? where : "", where ? ": " : "", kind, name, rank);
    usage_error("%s%sthe %s %s has no rank '%s'; it takes %s%s", where ? where : "",
                where ? ": " : "", kind, name, rank, list, meant);
}

_Noreturn void plugin_unknown_algorithm(const char *where, const char *text)
{
    char                name[PLUGIN_RANKED];
    size_t              length = strcspn(text, ":");
    const hs_algorithm *algorithm;

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    algorithm = plugin_algorithm_find(name);
    if (algorithm)
        unknown_rank(where, "algorithm", name, text + length + 1,
                     hs_algorithm_supported_ranks(algorithm));
    report_unknown_word(where, "algorithm", name, algorithm_word,
                        "hsched-solve --list lists all, with their ranks");
}

_Noreturn void plugin_unknown_policy(const char *where, const char *text)
{
    char                  name[PLUGIN_RANKED];
    size_t                length = strcspn(text, ":");
    const hs_policy_kind *policy;

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    policy = plugin_policy_find(name);
    if (policy)
        unknown_rank(where, "policy", name, text + length + 1, hs_policy_supported_ranks(policy));
    report_unknown_word(where, "policy", name, policy_word,
                        "hsched-exec --help lists all, with their ranks");
}

static _Noreturn void refuse(const char *path, const char *why)
{
    message("%s: %s", path, why);
    exit(EXIT_USAGE);
}

/* Check the name of an offered algorithm or policy. `taken`: the name is already in use. */
static void check_offer(const char *path, const char *name, bool taken, size_t count)
{
    if (!name || !*name)
        refuse(path, "one of its algorithms or policies has no name");
    if (hs_printable(name, NULL, 0) != strlen(name))
        refuse(path, "the name of one of its algorithms or policies has unprintable characters");
    if (taken) {
        message("%s: the name '%s' is already in use: choose another in the plugin", path, name);
        exit(EXIT_USAGE);
    }
    if (count == MOST)
        refuse(path, "the plugins have too many algorithms or policies");
}

static void take_offer(const char *path, const hs_plugin_offer *offer)
{
    const hs_algorithm *const   *a = offer->algorithms;
    const hs_policy_kind *const *p = offer->policies;

    for (; a && *a; a++) {
        const char *name = hs_algorithm_name(*a);

        check_offer(path, name, plugin_algorithm_find(name) != NULL, all.algorithms);
        all.algorithm[all.algorithms++] = *a;
    }
    for (; p && *p; p++) {
        const char *name = hs_policy_name(*p);

        check_offer(path, name, plugin_policy_find(name) != NULL, all.policies);
        all.policy[all.policies++] = *p;
    }
}

/*
 * Open a plugin file, for the rest of the program. No search path is used: a name without a slash
 * is in the working directory.
 */
static void *open_file(const char *path)
{
    const char *folder = strchr(path, '/') ? "" : "./";
    size_t      bytes = strlen(folder) + strlen(path) + 1;
    char       *name = checked_calloc(bytes, 1);
    void       *file;

    snprintf(name, bytes, "%s%s", folder, path);
    file = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!file) {
        message("cannot open the plugin: %s", dlerror());
        exit(EXIT_RESOURCE);
    }
    free(name);
    return file;
}

static void open_one(const char *path)
{
    void                  *file = open_file(path);
    const unsigned        *abi = dlsym(file, "hs_plugin_abi");
    const hs_plugin_offer *offer = dlsym(file, "hs_plugin_offers");
    hs_plugin_offer        known = {0}; /* the members that the plugin's struct_size covers */

    if (!abi)
        refuse(path, "not a plugin: its source lacks the line HS_PLUGIN_FILE;");
    if (*abi != HS_PLUGIN_ABI)
        refuse(path,
               "the plugin was compiled for another version of its interface: compile it again");
    if (offer && offer->struct_size >= sizeof offer->struct_size)
        memcpy(&known, offer,
               offer->struct_size < sizeof known ? offer->struct_size : sizeof known);
    if (!known.algorithms && !known.policies)
        refuse(path, "the plugin has no algorithms and no policies");
    take_offer(path, &known);
}

void plugin_open_files(int allowed)
{
    if (all.paths && !allowed)
        refuse(all.path[0], "opening a plugin runs its code: --allow=plugins permits this");
    for (size_t i = 0; i < all.paths; i++)
        open_one(all.path[i]);
}
