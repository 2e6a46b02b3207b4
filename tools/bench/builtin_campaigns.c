/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: the built-in campaigns, in the language of campaign.c. */
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
    "note The paper: balanced-makespan is the best of six algorithms in more than 96 % of all "
    "instances, and never more than 0.6 % behind the best of them; hsched-bench table1 -a with "
    "the six algorithms compares them without best.\n"
    "note Ratios are to theorem2, as in the paper; the proved gap is to the best proved bound.\n";

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
    "note The paper: HeteroPrio and DualHP are near the bound for many tiles; HeteroPrio is "
    "better below 20 tiles; HEFT is rather poor.\n";

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
    "note The paper: from 10 to 30 or 40 tiles HeteroPrio is always best, above all with min, "
    "and always within 30 % of the bound; each other algorithm is much worse in some case.\n"
    "note The paper: HeteroPrio gives CPUs tasks of low acceleration, HEFT tasks of higher "
    "acceleration; DualHP leaves CPUs idle.\n"
    "note Idle time is divided by the time of the workers until the bound.\n";

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
    "note heteroprio-ns is the paper's HP, hp-sp its HP + Sp, hp-corrected its HP with "
    "correction, dmda its heft.\n"
    "note The paper: all variants of HP improve with the size; HP is poor because GPUs starve; "
    "HP with correction is the best dynamic policy for intermediate and large matrices.\n";

static const char ratios[] =
    "title Worst cases of growing size\n"
    "source Beaumont, Eyraud-Dubois, Kumar 2016, section 5; Canon, Marchal, Vivien 2017, figure 1\n"
    "axis argument of the family\n"
    "instances hp-1-1, 1 CPU + 1 GPU = worst hp-1-1 {3,5,7,9,11,13,15,17,19,21}\n"
    "instances hp-m-1, m CPUs + 1 GPU = worst hp-m-1 {2,4,8,16,32,64,128}\n"
    "instances hp-m-n, 36 K^2 CPUs + 6 K GPUs = worst hp-m-n {1,2,3,4}\n"
    "instances balanced, 1 CPU + K GPUs = worst balanced {2,3,5,10,20,50,100}\n"
    "algorithms heteroprio,balanced-estimate,balanced-makespan,dualhp,heft\n"
    "bounds witness\n"
    "lines ratio log-x\n"
    "published hp-1-1, 1 CPU + 1 GPU = heteroprio 1.618033988749895\n"
    "published hp-m-1, m CPUs + 1 GPU = heteroprio 2.618033988749895\n"
    "published hp-m-n, 36 K^2 CPUs + 6 K GPUs = heteroprio 3.1547005383792515\n"
    "published balanced, 1 CPU + K GPUs = balanced-estimate 2\n"
    "note Ratios are to the good schedule of each worst case; published values are the limits of "
    "the ratios.\n"
    "note For m CPUs and n GPUs, the family tends to 3.1547; 3.4142 is the proved guarantee.\n";

static const char cost[] =
    "title Time to compute\n"
    "axis tasks\n"
    "# with -j 1 nothing else takes time\n"
    "instances gamma, 20 + 4 = gamma -n {100,1000,10000,100000,1000000}\n"
    "seeds 1-3\n"
    "algorithms heteroprio,balanced-estimate,balanced-makespan,dualhp,dada,clb2c,lpt,heft\n"
    "bounds theorem2\n"
    "lines seconds log-x log-y\n"
    "lines ratio log-x\n"
    "note Run this campaign with -j 1, because threads slow each other down.\n"
    "note --sizes 100000,1000000,10000000 -n 1 adds 10^7 tasks, which take a minute and 1 GB.\n";

static const char robust[] =
    "title Wrong estimates\n"
    "axis largest relative error of the estimates\n"
    "instances gamma, 20 + 4 = gamma --wrong {0,0.1,0.2,0.3,0.5,0.7,0.9}\n"
    "instances Cholesky 16, 20 + 4 = cholesky 16 --kernels k40m-960 "
    "--wrong {0,0.1,0.2,0.3,0.5,0.7,0.9}\n"
    "seeds 1-20\n"
    "algorithms best,steal/best,balanced-makespan,steal/balanced-makespan,heteroprio,"
    "live/heteroprio\n"
    "bounds theorem2\n"
    "iterations 100000\n"
    "lines ratio\n"
    "boxes ratio for=gamma\n"
    "note A plan keeps its order on each worker; with steal/, idle workers steal tasks; live/ "
    "decides as tasks end, with wrong estimates.\n"
    "note Ratios are to theorem2 of the true times.\n";

static const char noise[] =
    "title Random graphs, with and without noise\n"
    "source Zhang, Hou: High-Performance Task Scheduling for Heterogeneous Systems, section 5.2, "
    "figures 6, 7 and 8\n"
    "axis tasks, or transfer time over task time\n"
    "instances random, exact = topcuoglu -n {50,100,200,400} -m 4 -k 1 --ccr 0.5 --times gamma "
    "--cpu-mean 4 --cpu-cv 0.5 --gpu-cv 0.5\n"
    "instances random, noise = topcuoglu -n {50,100,200,400} -m 4 -k 1 --ccr 0.5 --times gamma "
    "--cpu-mean 4 --cpu-cv 0.5 --gpu-cv 0.5 --late 1\n"
    "instances shape: chain = chain -n 100 -m 4 -k 1 --ccr 0.5 --cpu-mean 4 --cpu-cv 0.5 "
    "--gpu-cv 0.5\n"
    "instances shape: fork-join = fork-join -n 100 -m 4 -k 1 --ccr 0.5 --cpu-mean 4 --cpu-cv 0.5 "
    "--gpu-cv 0.5\n"
    "instances shape: layered = layered -n 100 -m 4 -k 1 --ccr 0.5 --cpu-mean 4 --cpu-cv 0.5 "
    "--gpu-cv 0.5\n"
    "instances shape: random = random -n 100 -m 4 -k 1 --ccr 0.5 --cpu-mean 4 --cpu-cv 0.5 "
    "--gpu-cv 0.5\n"
    "instances shape: reduction = reduction -n 100 -m 4 -k 1 --ccr 0.5 --cpu-mean 4 --cpu-cv 0.5 "
    "--gpu-cv 0.5\n"
    "instances transfers = topcuoglu -n 120 -m 4 -k 1 --ccr {0.1,0.5,1,2,5,10} --times gamma "
    "--cpu-mean 4 --cpu-cv 0.5 --gpu-cv 0.5\n"
    "seeds 1-20\n"
    "algorithms heft,mct,live/dynamic,live/heteroprio,cpu-only,random,gpu-only\n"
    "bounds critical-path,deadline\n"
    "lines makespan for=random\n"
    "lines speedup for=random\n"
    "boxes speedup for=shape\n"
    "lines gpu-share for=transfers\n"
    "lines speedup for=transfers\n"
    "note Speedups are over gpu-only. The paper measures on a machine and prints pictures only; "
    "here GPUs are four times as fast, and times and delays are random.\n"
    "note The paper: without noise HEFT and MCT are best and dynamic is poor, with noise the "
    "opposite holds; on chains GPU-only is best; with growing transfers HEFT's share of tasks on "
    "GPUs is stable, MCT's grows, and dynamic's falls.\n";

static const char kernels[] =
    "title Kernel graphs of applications\n"
    "source Mapping kernel graphs of applications in embedded systems, section 5.3, figure 5 and "
    "table 3\n"
    "instances mixed, small = applications "
    "xgemm:2,cg:2,cholesky:2,increment:2,va:2,pi:2,fblock:2 --problem small -k 2\n"
    "instances mixed, large = applications "
    "xgemm:2,cg:2,cholesky:2,increment:2,va:2,pi:2,fblock:2 --problem large -k 2\n"
    "instances computation, small = applications "
    "xgemm,cg,cholesky:4,increment,va,pi:4,fblock --problem small -k 2\n"
    "instances computation, large = applications "
    "xgemm,cg,cholesky:4,increment,va,pi:4,fblock --problem large -k 2\n"
    "instances data, small = applications "
    "xgemm,cg,cholesky,increment:4,va:4,pi,fblock --problem small -k 2\n"
    "instances data, large = applications "
    "xgemm,cg,cholesky,increment:4,va:4,pi,fblock --problem large -k 2\n"
    "instances set 1 = applications case-study:5\n"
    "instances set 2 = applications va:5,xgemm:5,increment:5\n"
    "instances set 3 = applications xgemm:2,fblock:2,pi:2\n"
    "algorithms h-ratio,d-rank,dmda,heft,best,cpu-only\n"
    "bounds critical-path,deadline\n"
    "iterations 20000\n"
    "boxes speedup\n"
    "note Speedups are over cpu-only. The two GPUs of the paper differ, here they are alike; its "
    "sets of table 3 take 330.28, 868.61 and 9975.14 ms with its best algorithm, and 318.52, "
    "758.19 and 7176.68 ms with its integer program, which is 1.04, 1.15 and 1.39 times as good.\n";

static const char granularity[] =
    "title The same work in few or many tasks\n"
    "source Zhang, Hou: High-Performance Task Scheduling for Heterogeneous Systems, section 5.4, "
    "figure 10\n"
    "axis mean GPU time of a task, ms\n"
    "# 6144 ms of a GPU in all; what a task takes beside its computation is the same for all "
    "sizes\n"
    "instances no overhead = topcuoglu --gpu-mean {3,6,12,24,48,96,192,384} "
    "--cpu-mean {12,24,48,96,192,384,768,1536} -n {2048,1024,512,256,128,64,32,16} "
    "-m 4 -k 1 --ccr 0.5 --times gamma --cpu-cv 0.5 --gpu-cv 0.5\n"
    "instances 6 ms more a task = topcuoglu --gpu-mean {3,6,12,24,48,96,192,384} "
    "--cpu-mean {12,24,48,96,192,384,768,1536} -n {2048,1024,512,256,128,64,32,16} "
    "-m 4 -k 1 --ccr 0.5 --times gamma --cpu-cv 0.5 --gpu-cv 0.5 --overhead 6\n"
    "instances 24 ms more a task = topcuoglu --gpu-mean {3,6,12,24,48,96,192,384} "
    "--cpu-mean {12,24,48,96,192,384,768,1536} -n {2048,1024,512,256,128,64,32,16} "
    "-m 4 -k 1 --ccr 0.5 --times gamma --cpu-cv 0.5 --gpu-cv 0.5 --overhead 24\n"
    "seeds 1-20\n"
    "algorithms heft,mct,live/dynamic,live/heteroprio\n"
    "bounds critical-path,deadline\n"
    "lines makespan log-x log-y\n"
    "lines ratio log-x\n"
    "note The paper: the makespan is not monotonic; few tasks leave workers idle, many tasks "
    "cost overhead; 96 ms a task is best.\n"
    "note The paper measures on a machine; here the overhead of a task is added to its time on "
    "each type, times are random, and transfers take half as long as tasks of any size.\n";

static const char learn[] =
    "title Unknown times, learned during the run\n"
    "source Canon, Marchal, Vivien 2017, section 6, for the means of kernels\n"
    "# 20 CPUs and 4 GPUs unless said; the means of kernels as the times of the campaign table1\n"
    "instances 300 tasks of 10 kernels = gamma -n 300 --kernel-count 10\n"
    "instances 1000 tasks of 10 kernels = gamma -n 1000 --kernel-count 10\n"
    "instances 3000 tasks of 10 kernels = gamma -n 3000 --kernel-count 10\n"
    "instances 300 tasks of 100 kernels = gamma -n 300 --kernel-count 100\n"
    "instances 300 tasks of 10 kernels, 4 + 1 = gamma -n 300 -m 4 -k 1 --kernel-count 10\n"
    "seeds 1-200\n"
    "algorithms first/explore,second/explore,trusting/explore,doubting/explore,first/heteroprio,"
    "live/heteroprio\n"
    "bounds witness\n"
    "boxes ratio\n"
    "note Ratios are to live/heteroprio, which is told the mean times of each kernel; the times of "
    "a kernel vary around them with a coefficient of variation of 0.2.\n"
    "note first/ knows no time, and second/ has the measurements of a first run. trusting/ uses "
    "guesses without trying each kernel on both types, and doubting/ also takes a guess for at "
    "least as long as the longest measured time. first/heteroprio learns nothing.\n";

static const char estimates[] =
    "title Estimates of cost models\n"
    "source Zhang, Hou: High-Performance Task Scheduling for Heterogeneous Systems, sections 5.1 "
    "and 5.5, figures 4, 5 and 11\n"
    "axis tasks, CCR, tiles, or size of the kernel\n"
    "instances fig.4, CCR 0.5 = topcuoglu -n {8,12,16,24} -m 8 -k 1 --mean 0.005 --ccr 0.5 "
    "--machine 0.1\n"
    "instances fig.4, CCR 1 = topcuoglu -n {8,12,16,24} -m 8 -k 1 --mean 0.005 --ccr 1 "
    "--machine 0.1\n"
    "instances fig.5, 24 tasks = topcuoglu --ccr {0.1,0.2,0.5,1,2,5,10} -n 24 -m 8 -k 1 "
    "--mean 0.005 --machine 0.1\n"
    "instances fig.11, tiles of 64 = cholesky {4,6,8,10,12} --graph -m 8 -k 1 --machine 0.1 "
    "--tile 64\n"
    "instances fig.11, tiles of 384 = cholesky {4,6,8,10,12} --graph -m 8 -k 1 --machine 0.1 "
    "--tile 384\n"
    "# with --profile: every second size is predicted from the others\n"
    "instances measured dgemm = profile dgemm {96,160,224,288,352,416,480}\n"
    "instances measured dtrsm = profile dtrsm {96,160,224,288,352,416,480}\n"
    "instances measured dsyrk = profile dsyrk {96,160,224,288,352,416,480}\n"
    "instances measured dpotrf = profile dpotrf {96,160,224,288,352,416,480}\n"
    "seeds 1-50\n"
    "algorithms roofline/heft,power/heft,learned/heft,laws/heft,online/heft,"
    "learned/live/dynamic,online/live/dynamic,heft\n"
    "bounds critical-path,deadline\n"
    "lines error for=fig.4\n"
    "lines error log-x for=fig.5\n"
    "lines error for=fig.11\n"
    "lines error for=measured\n"
    "lines makespan log-y for=fig.11\n"
    "published-error fig.4, CCR 0.5 = learned/heft 1\n"
    "published-error fig.4, CCR 0.5 = online/heft 1\n"
    "published-error fig.4, CCR 1 = learned/heft 1\n"
    "published-error fig.4, CCR 1 = online/heft 1\n"
    "note The paper measures on a machine and prints pictures only. Of figure 4 it says that the "
    "analytic model has a significantly higher mean error than the others, which keep it below "
    "roughly one in most cases; of figure 5 that the errors hardly depend on the ratio of "
    "communication to computation (CCR); of figure 11 that online calibration reduces the makespan "
    "of static and dynamic scheduling, especially on larger cases, and that the dynamic method with "
    "online calibration is best on the largest case. It does not define the error; here it is "
    "|estimate - time| / time.\n"
    "note Here the machines are made: each seed has one, whose kernels reach different shares of "
    "its rates. roofline/ knows the rates only, the paper's analytic model. power/, learned/ and "
    "laws/ know the times of 10 other graphs, or of factorisations with other tiles: a power law "
    "of the size, the paper's learned model, or the better of both. online/ also has the times of "
    "a first run. heft knows all times.\n"
    "note Times of the machine deviate by up to 10% from run to run, which is an error of 5% that "
    "no estimate avoids.\n"
    "note measured needs --profile=FILE with times of these kernels at 64, 96 ... 512 from "
    "hsched-calibrate --profile. online/ needs two profiles, and predicts the times of the second "
    "by those of the first.\n";

static const char peers[] =
    "title Other solvers in the same time\n"
    "axis tasks, or tiles\n"
    "instances gamma, 4 + 2 = gamma -n {12,25,50,100} -m 4 -k 2\n"
    "instances gamma, 20 + 4 = gamma -n {100,300}\n"
    "instances Cholesky, 20 + 4 = cholesky {4,6,8} --kernels k40m-960\n"
    "seeds 1-2\n"
    "algorithms best,exact,peer/glpk,peer/cbc,peer/highs\n"
    "bounds deadline\n"
    "time 5s\n"
    "lines ratio log-x\n"
    "lines seconds log-x\n"
    "note glpk is GLPK's glpsol, cbc COIN-OR's, highs HiGHS: each solves a model with a binary "
    "variable for each task and worker, on one processor. A solver that has proved the optimum "
    "ends before the time limit.\n"
    "note A solver without a schedule at the time limit has no point.\n";

static const struct {
    const char *name, *text;
} library[] = {
    {"table1", table1},   {"independent", independent},
    {"graphs", graphs},   {"perturbed", perturbed},
    {"ratios", ratios},   {"cost", cost},
    {"robust", robust},   {"noise", noise},
    {"kernels", kernels}, {"granularity", granularity},
    {"learn", learn},     {"estimates", estimates},
    {"peers", peers},
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
