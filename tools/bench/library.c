/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: the campaigns that come with it, in the language of campaign.c. */
#include <string.h>

#include "bench/bench.h"

static const char table1[] =
    "title Independent tasks with gamma times\n"
    "source Canon, Marchal, Vivien 2017, section 6, figure 2 and table 1\n"
    "# 300 tasks on 20 CPUs and 4 GPUs; means 15 and 1, coefficients of variation as said\n"
    "instances CPU cv 0.2, GPU cv 0.2 = gamma --cpu-cv 0.2 --gpu-cv 0.2\n"
    "instances CPU cv 0.2, GPU cv 1 = gamma --cpu-cv 0.2 --gpu-cv 1\n"
    "instances CPU cv 1, GPU cv 0.2 = gamma --cpu-cv 1 --gpu-cv 0.2\n"
    "instances CPU cv 1, GPU cv 1 = gamma --cpu-cv 1 --gpu-cv 1\n"
    "seeds 1-100\n"
    "algorithms balanced-estimate,balanced-makespan,heteroprio,clb2c,dualhp,dada,best\n"
    "bounds theorem2\n"
    "iterations 1000000\n"
    "boxes ratio\n"
    "boxes ratio together\n"
    "boxes gap together\n"
    "# the ranges of table 1, of all 400 instances\n"
    "published * = balanced-estimate 1.002..1.15\n"
    "published * = balanced-makespan 1.002..1.08\n"
    "published * = heteroprio 1.033..1.17\n"
    "published * = clb2c 1.036..1.37\n"
    "published * = dualhp 1.002..1.14\n"
    "published * = dada 1.009..1.15\n"
    "note The paper has balanced-makespan best of its six in more than 96 % of all instances, and "
    "never more than 0.6 % behind the best of them; hsched-bench table1 -a with the six alone "
    "compares them without best.\n"
    "note Ratios are to theorem2, as in the paper; the proved gap is to what best has proved.\n";

static const char independent[] =
    "title Tasks of factorisations without their dependencies\n"
    "source Beaumont, Eyraud-Dubois, Kumar 2016, section 6.1, figure 6\n"
    "axis tiles\n"
    "instances Cholesky, 20 + 4 = cholesky {4,6,8,10,12,14,16,20,24,28,32,40,48,56,64} "
    "--kernels k40m-960\n"
    "instances LU, 20 + 4 = lu {4,6,8,10,12,14,16,20,24,28,32,40,48,56,64} --kernels k40m-960\n"
    "instances QR, 20 + 4 = qr {4,6,8,10,12,14,16,20,24,28,32,40,48,56,64} --kernels k40m-960\n"
    "instances Cholesky, 9 + 3 = cholesky {4,6,8,10,12,14,16,20,24,28,32,40,48,56,64} "
    "--kernels mirage-960\n"
    "algorithms heteroprio,dualhp,heft,best\n"
    "bounds theorem2\n"
    "iterations 20000\n"
    "lines ratio log-x\n"
    "note The paper: HeteroPrio and DualHP are near the bound where there are many tiles; "
    "HeteroPrio is better below 20; HEFT is rather poor.\n";

static const char graphs[] =
    "title Factorisations as graphs\n"
    "source Beaumont, Eyraud-Dubois, Kumar 2016, section 6.2, figures 7, 8 and 9\n"
    "axis tiles\n"
    "instances Cholesky = cholesky {4,8,12,16,20,24,32,40,48,64} --graph --kernels k40m-960\n"
    "instances LU = lu {4,8,12,16,20,24,32,40} --graph --kernels k40m-960\n"
    "instances QR = qr {4,8,12,16,20,24,32,40} --graph --kernels k40m-960\n"
    "algorithms heteroprio:min,heteroprio:avg,dualhp:min,dualhp:avg,dualhp:fifo,heft:min,heft:avg\n"
    "bounds paths\n"
    "time 60\n"
    "lines ratio log-x\n"
    "lines cpu-acceleration log-x\n"
    "lines gpu-acceleration log-x\n"
    "lines cpu-idle log-x\n"
    "lines gpu-idle log-x\n"
    "note The paper: from 10 to 30 or 40 tiles HeteroPrio is always best, above all with min, and "
    "always within 30 % of the bound; each other algorithm is much worse somewhere.\n"
    "note The paper: HeteroPrio gives CPUs tasks of low acceleration, HEFT of higher; DualHP "
    "leaves "
    "CPUs idle.\n"
    "note Idle time is over what the workers could do until the bound.\n";

static const char perturbed[] =
    "title Cholesky with perturbed times\n"
    "source Agullo, Beaumont, Eyraud-Dubois, Herrmann, Kumar, Marchal, Thibault 2015, figure 1\n"
    "axis tiles\n"
    "# each kernel's times off by up to 10 %, and all scaled to the area bound that there was\n"
    "instances Cholesky, 9 + 3 = cholesky {4,8,12,16,24,32} --graph --kernels mirage-960 "
    "--perturb 0.1\n"
    "seeds 1-30\n"
    "algorithms heteroprio-ns,hp-sp,hp-corrected,dmda:avg,heft:avg,heteroprio:min\n"
    "bounds theorem2\n"
    "boxes performance\n"
    "lines performance\n"
    "note heteroprio-ns is the paper's HP, hp-sp its HP + Sp, hp-corrected its HP with correction, "
    "dmda its heft.\n"
    "note The paper: all HP variants get better with the size; HP is poor as GPUs starve; HP with "
    "correction is best of the dynamic ones for intermediate and large matrices.\n";

static const struct {
    const char *name, *text;
} library[] = {
    {"table1", table1},
    {"independent", independent},
    {"graphs", graphs},
    {"perturbed", perturbed},
};

enum { CAMPAIGNS = sizeof library / sizeof *library };

const char *bench_library_name(size_t index)
{
    return index < CAMPAIGNS ? library[index].name : NULL;
}

const char *bench_library_text(const char *name)
{
    for (size_t i = 0; i < CAMPAIGNS; i++)
        if (strcmp(library[i].name, name) == 0)
            return library[i].text;
    return NULL;
}
