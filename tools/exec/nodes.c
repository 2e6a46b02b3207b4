/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --nodes: the nodes that execute the tasks, and the commands that start them. */
#include "exec/nodes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "common/checked_memory.h"
#include "common/escape.h"
#include "common/message.h"
#include "common/options.h"

enum { MOST_NODES = 4096, MOST_NAME = 255 };

static const char by_ssh[] = "ssh {}";
static const char by_srun[] = "srun -N1 -n1 -w {} --overlap --mem=0 -c \"$SLURM_CPUS_ON_NODE\" "
                              "--unbuffered --kill-on-bad-exit=0 --quiet";

/* Add a node; both strings belong to the list. */
static void add(exec_nodes *nodes, char *name, char *launch)
{
    if (nodes->count == nodes->room) {
        size_t        room = nodes->room ? 2 * nodes->room : 16;
        hs_exec_node *more = checked_calloc(room, sizeof *more);

        if (nodes->count > 0)
            memcpy(more, nodes->list, nodes->count * sizeof *more);
        free(nodes->list);
        nodes->list = more;
        nodes->room = room;
    }
    nodes->list[nodes->count++] = (hs_exec_node){name, launch};
}

/* Return the command that starts the node: `launch` with the host for each {}. */
static char *launch_on(const char *launch, const char *host)
{
    static const char tail[] = " hsched-exec --node";
    char             *word = shell_word(host), *command, *to;
    size_t            hosts = 1;
    const char       *at;

    for (at = strstr(launch, "{}"); at; at = strstr(at + 2, "{}"))
        hosts++;
    command = to = checked_calloc(strlen(launch) + hosts * strlen(word) + sizeof tail, 1);
    while ((at = strstr(launch, "{}"))) {
        to += sprintf(to, "%.*s%s", (int)(at - launch), launch, word);
        launch = at + 2;
    }
    sprintf(to, "%s%s", launch, tail);
    free(word);
    return command;
}

/* List processes on this machine. */
static int list_here(exec_nodes *nodes, unsigned count)
{
    char    path[4096], name[32];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    char   *word;

    if (length < 0) {
        message("--nodes: the path of this program is not known: %s", strerror(errno));
        return EXIT_RESOURCE;
    }
    path[length] = '\0';
    word = shell_word(path);
    nodes->here = true;
    for (unsigned i = 1; i <= count; i++) {
        size_t size = strlen(word) + 32;
        char  *command = checked_calloc(size, 1);

        snprintf(name, sizeof name, "node%u", i);
        snprintf(command, size, "exec %s --node", word);
        add(nodes, checked_strdup(name), command);
    }
    free(word);
    return EXIT_OK;
}

/* Cut white space off both ends; return the begin. */
static char *trim(char *line)
{
    size_t length;

    line += strspn(line, " \t\r\n");
    for (length = strlen(line); length > 0 && strchr(" \t\r\n", line[length - 1]); length--)
        continue;
    line[length] = '\0';
    return line;
}

/* Return what is wrong with the name of a host; NULL: nothing. */
static const char *name_defect(const char *name)
{
    if (name[0] == '-')
        return "begins with '-'";
    if (strpbrk(name, " \t"))
        return "has more than one word";
    return strlen(name) > MOST_NAME ? "is too long" : NULL;
}

/* Add a host for each line. `source` is the name of the file in messages. */
static int read_hosts(FILE *in, const char *source, const char *launch, exec_nodes *nodes)
{
    char  *line = NULL;
    size_t size = 0, number = 0;
    int    code = EXIT_OK;

    while (!code && getline(&line, &size, in) >= 0) {
        char       *name = trim(line);
        const char *defect = name_defect(name);

        number++;
        if (!*name || *name == '#')
            continue;
        if (defect || nodes->count == MOST_NODES) {
            if (defect)
                message("%s:%zu: the name of the host, '%s', %s", source, number, name, defect);
            else
                message("%s:%zu: more than %d hosts", source, number, MOST_NODES);
            code = EXIT_USAGE;
        } else {
            add(nodes, checked_strdup(name), launch_on(launch, name));
        }
    }
    free(line);
    return code;
}

static int list_file(const char *path, const char *launch, exec_nodes *nodes)
{
    FILE *in = fopen(path, "re");
    int   code;

    if (!in) {
        message("--nodes: cannot read the hosts in '%s': %s", path, strerror(errno));
        return EXIT_USAGE;
    }
    code = read_hosts(in, path, launch, nodes);
    fclose(in);
    return code;
}

/* List the nodes of the job of Slurm that runs this program. */
static int list_slurm(const char *launch, exec_nodes *nodes)
{
    FILE *in;
    int   code, status;

    if (!getenv("SLURM_JOB_NODELIST")) {
        message("--nodes=slurm: this is no job of Slurm: SLURM_JOB_NODELIST is not set");
        return EXIT_USAGE;
    }
    in = popen("scontrol show hostnames \"$SLURM_JOB_NODELIST\"", "re");
    if (!in) {
        message("--nodes=slurm: cannot run scontrol: %s", strerror(errno));
        return EXIT_RESOURCE;
    }
    code = read_hosts(in, "scontrol", launch, nodes);
    status = pclose(in);
    if (!code && status != 0) {
        message("--nodes=slurm: 'scontrol show hostnames' failed");
        code = EXIT_RESOURCE;
    }
    return code;
}

static bool is_number(const char *what)
{
    return what[0] && strspn(what, "0123456789") == strlen(what);
}

int exec_nodes_list(const char *what, const char *launch, exec_nodes *nodes)
{
    int code;

    if (is_number(what) && launch)
        usage_error("--launch is for hosts: --nodes=%s starts processes on this machine", what);
    if (launch && !strstr(launch, "{}"))
        usage_error("--launch='%s' has no {}, which stands for the host", launch);
    if (is_number(what))
        return list_here(nodes, (unsigned)parse_unsigned("--nodes", what, 1, MOST_NODES));
    if (strcmp(what, "slurm") == 0)
        code = list_slurm(launch ? launch : by_srun, nodes);
    else
        code = list_file(what, launch ? launch : by_ssh, nodes);
    if (!code && nodes->count == 0) {
        message("--nodes: there is no host in '%s'", what);
        code = EXIT_USAGE;
    }
    return code;
}

unsigned exec_nodes_of_job(const char *what)
{
    if (strcmp(what, "slurm") == 0)
        return 0;
    if (!is_number(what))
        usage_error("--batch needs --nodes=N or --nodes=slurm: Slurm chooses the hosts, not '%s'",
                    what);
    return (unsigned)parse_unsigned("--nodes", what, 1, MOST_NODES);
}

void exec_nodes_free(exec_nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        free((char *)(uintptr_t)nodes->list[i].name);
        free((char *)(uintptr_t)nodes->list[i].launch);
    }
    free(nodes->list);
}

int exec_nodes_serve(void)
{
    hs_error  error = {0};
    hs_status status = hs_exec_serve(STDIN_FILENO, STDOUT_FILENO, &error);

    if (status == HS_OK)
        return EXIT_OK;
    if (status != HS_ERESOURCE) /* else the coordinator says it */
        message("--node: %s", error.why);
    return status == HS_ECANCELED ? EX_TEMPFAIL : exit_code(status);
}
