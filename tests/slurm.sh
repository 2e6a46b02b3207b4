#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Submit the scripts of hsched-exec --batch=slurm, and one with --nodes=slurm, to a real Slurm: a private
# munged, slurmctld and three slurmd on this machine, on the loopback device, which need no privileges.
# Nodes are killed while their tasks run; tasks wait for files, so no step depends on time. Everything that
# is started is ended by process id. Run it in a build folder; bootstrap does.

srcdir=$(cd "${srcdir:-.}" && pwd) || exit 99
build=$(pwd)
PATH=$build/.libs:$build:$PATH:/usr/sbin:/sbin
LD_LIBRARY_PATH=$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
LC_ALL=C
unset HSCHED_TASK SLURM_JOB_ID SLURM_ARRAY_TASK_ID
for tool in munged slurmctld slurmd sbatch scontrol scancel squeue sinfo; do
    command -v $tool >/dev/null || { echo "slurm: skipped: there is no $tool (Debian: slurm-wlm, munge)"; exit 77; }
done

base=$(mktemp -d "${TMPDIR:-/tmp}/slurm.XXXXXX") || exit 99
chmod 755 "$base"
SLURM_CONF=$base/slurm.conf
export PATH LD_LIBRARY_PATH LC_ALL SLURM_CONF
daemons=

# Print the ids of processes whose environment has the text $1.
processes_with()
{
    for folder in /proc/[0-9]*; do
        { tr '\0' '\n' <"$folder/environ"; } 2>/dev/null | grep -qx "$1" && echo "${folder#/proc/}"
    done
}

finish()
{
    status=$?
    trap '' INT TERM
    [ $status = 0 ] || tail -n 30 "$base"/*.log "$base"/jobs/*.out 2>/dev/null
    kill -9 $(processes_with "SLURM_CONF=$base/slurm.conf" | grep -vx $$) 2>/dev/null
    for pid in $daemons; do
        kill -9 "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
    done
    rm -rf "$base"
    exit $status
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail()
{
    echo "slurm: $*"
    exit 1
}

# Start a daemon in the foreground of the background, with its output in LOG.
start() # LOG COMMAND...
{
    log=$base/$1.log
    shift
    "$@" >>"$log" 2>&1 &
    daemons="$daemons $!"
}

# Wait until the command succeeds; fail if the controller has ended.
until_true()
{
    until "$@"; do
        kill -0 "$controller" 2>/dev/null || fail "slurmctld has ended"
        sleep 0.2
    done
}

user=$(id -un)
host=$(hostname)
port=$((20000 + $$ % 3000 * 4))
mkdir "$base/munge" "$base/state" "$base/jobs" "$base/n1" "$base/n2" "$base/n3"
chmod 711 "$base/munge"
head -c 1024 /dev/urandom >"$base/munge/key"
chmod 600 "$base/munge/key"
cat >"$SLURM_CONF" <<EOF
ClusterName=hsched
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$base/munge/socket,cred_expire=5
StateSaveLocation=$base/state
SlurmctldPidFile=$base/slurmctld.pid
SlurmdPidFile=$base/%n/slurmd.pid
SlurmdSpoolDir=$base/%n
SlurmctldLogFile=$base/slurmctld.log
SlurmdLogFile=$base/slurmd-%n.log
TmpFS=$base/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdTimeout=10
SchedulerParameters=sched_interval=5
KillWait=5
ReturnToService=2
GresTypes=gpu
NodeName=n[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=2 Gres=gpu:2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
echo "NodeName=n[1-3] Name=gpu Count=2" >"$base/gres.conf"
[ ! -e /dev/tty2 ] || echo "NodeName=n[1-3] Name=gpu File=/dev/tty[1-2]" >"$base/gres.conf"

start munged munged --foreground --key-file="$base/munge/key" --socket="$base/munge/socket" \
    --pid-file="$base/munge/pid" --seed-file="$base/munge/seed" --log-file="$base/munge/log"
until [ -S "$base/munge/socket" ]; do
    kill -0 $! 2>/dev/null || fail "munged has ended"
    sleep 0.1
done
start controller slurmctld -D
controller=$!

start_node()
{
    start "$1" slurmd -D -N "$1"
    eval "node_$1=$!"
}
for node in n1 n2 n3; do
    start_node $node
done

idle_nodes() { [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l)" = "$1" ]; }
until_true idle_nodes 3
cd "$base/jobs" || exit 99

# Make the table: tasks write their name and node, and then wait for the file `go`.
table()
{
    printf '# cpus 2\n# gpus 0\nid,cpu,cpu_command\n'
    for task in 1 2 3 4 5 6 7 8 9 10 11 12; do
        echo "t$task,1,\"echo \$SLURMD_NODENAME >started.$1.t$task; until test -e $1.go; do sleep 0.1; done; echo t$task >>$1.did\""
    done
}

# Kill all processes of a node: its slurmd, its slurmstepd and the processes of its jobs.
kill_node()
{
    eval "daemon=\$node_$1"
    jobs_of_node=$(processes_with "SLURMD_NODENAME=$1" | while read -r pid; do
        grep -qx "SLURM_CONF=$base/slurm.conf" <<EOF && echo "$pid"
$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ")
EOF
    done)
    steps=$(for pid in $jobs_of_node; do
        parent=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null)
        grep -qs slurmstepd "/proc/$parent/comm" && echo "$parent"
    done | sort -u)
    kill -9 "$daemon" $steps $jobs_of_node 2>/dev/null
    wait "$daemon" 2>/dev/null
    echo "slurm: killed node $1: slurmd, $(echo $steps | wc -w) slurmstepd, $(echo $jobs_of_node | wc -w) processes of jobs"
}

submit() { sbatch --parsable "$1" || fail "sbatch refused $1"; }
no_job() { [ -z "$(squeue -h -j "$1" -t all -o %T | grep -vE '^(COMPLETED|FAILED|CANCELLED|NODE_FAIL|TIMEOUT)$')" ]; }
started_or_ended() { [ -e "$1.status" ] || started "$1" "$2"; }
started() { [ "$(ls started."$1".* 2>/dev/null | wc -l)" -ge "$2" ]; }

# Check that the journals of a file have 12 tasks, none of them twice, and that each ran to its end once.
check_record() # NAME FILE
{
    [ "$(cat "$2".journal* | grep -c '^done ')" = 12 ] || fail "$1: not 12 tasks on record"
    [ "$(cat "$2".journal* | grep '^done ' | cut -d' ' -f2 | sort -u | wc -l)" = 12 ] ||
        fail "$1: a task is twice on record"
    [ "$(sort "$1.did" | uniq -u | wc -l)" = 12 ] || fail "$1: not every task ran to its end once"
}

# Check that every task of the table $1 is done, and that no journal has a task twice.
check_done()
{
    hsched-exec --gather --journal="$1.csv.journal" "$1.csv" >"$1.gathered" 2>&1 ||
        { cat "$1.gathered"; fail "$1: --gather says that tasks are missing"; }
    grep -q "^$1.csv: 12 of 12 tasks done" "$1.gathered" || { cat "$1.gathered"; fail "$1: no report of 12 tasks"; }
    check_record "$1" "$1.csv"
}

# An array of three shares, one on each node. A node dies while its tasks run, and stays dead.
table array >array.csv
hsched-exec --batch=slurm --share=all/3 --oversubscribe --allow=commands array.csv >array.sh || fail "no script"
job=$(submit array.sh)
until_true started array 6
[ "$(cat started.array.* | sort -u | wc -l)" = 3 ] || fail "the array does not use three nodes"
kill_node n2
touch array.go
until_true no_job "$job"
check_done array
echo "slurm: an array of 3 shares: a node was killed, 12 of 12 tasks done, none twice on record"

# A single job. Its node, which is the batch host, dies, and comes back.
start_node n2
until_true idle_nodes 3
table single >single.csv
hsched-exec --batch=slurm --oversubscribe --allow=commands single.csv >single.sh || fail "no script"
job=$(submit single.sh)
until_true started single 2
node=$(cat started.single.t* | sort -u)
kill_node "$node"
start_node "$node"
touch single.go
until_true no_job "$job"
check_done single
echo "slurm: a job on one node: the batch host was killed, 12 of 12 tasks done, none twice on record"

# The signal before the time limit ends the job after its running tasks; the same script continues.
until_true idle_nodes 3
table drained >drained.csv
hsched-exec --batch=slurm --oversubscribe --allow=commands drained.csv >drained.sh || fail "no script"
job=$(submit drained.sh)
until_true started drained 2
scancel --batch --signal=TERM "$job"
until_true grep -qs 'stopping after the running tasks' "slurm-$job.out"
touch drained.go
until_true no_job "$job"
[ "$(grep -c '^done ' drained.csv.journal)" = 2 ] || fail "the drained job did not end after its running tasks"
job=$(submit drained.sh)
until_true no_job "$job"
check_done drained
echo "slurm: a job was drained by SIGTERM after 2 tasks, and continued: 12 of 12 tasks done, none twice"

# Submit a job of three nodes, the first of which has the coordinator, and wait until all six workers have a
# task. The script is that of --batch, but records the name of its node and the status of hsched-exec.
submit_nodes() # NAME
{
    for task in 1 2 3 4 5 6 7 8 9 10 11 12; do
        echo "echo \"\$HSCHED_NODE \$SLURMD_NODENAME\" >started.$1.t$task;" \
            "until test -e $1.go; do sleep 0.1; done; echo t$task >>$1.did"
    done >"$1.list"
    hsched-exec --batch=slurm --nodes=3 --keep-going --oversubscribe -m 6 --commands="$1.list" >"$1.script" ||
        fail "no script"
    sed "s,^exec ,echo \"\$SLURMD_NODENAME\" >$1.host\\n," "$1.script" >"$1.sh"
    echo "echo \$? >$1.status" >>"$1.sh"
    job=$(submit "$1.sh")
    until_true started_or_ended "$1" 6
    [ ! -e "$1.status" ] || fail "$1: hsched-exec ended with status $(cat "$1.status") before its tasks"
    [ "$(cat started."$1".* | sort -u)" = "$(printf 'n1 n1\nn2 n2\nn3 n3')" ] ||
        fail "$1: the tasks are not on three nodes: $(cat started."$1".* | sort | uniq -c)"
}

# Let the tasks of a job of submit_nodes end, and check that all are done.
finish_nodes() # NAME
{
    touch "$1.go"
    until_true no_job "$job"
    [ -e "$1.status" ] || fail "$1: the job ended before hsched-exec"
    [ "$(cat "$1.status")" = 0 ] || fail "$1: hsched-exec ended with status $(cat "$1.status")"
    check_record "$1" "$1.list"
}

until_true idle_nodes 3
submit_nodes nodes
finish_nodes nodes
echo "slurm: --nodes=slurm: 12 of 12 tasks done on 3 nodes, none twice on record"

# A node that is not the batch host dies while its tasks run, and stays dead.
until_true idle_nodes 3
submit_nodes lost
node=$(printf 'n1\nn2\nn3\n' | grep -vxF "$(cat lost.host)" | tail -n 1)
kill_node "$node"
finish_nodes lost
grep -q "$node" "slurm-$job.out" || fail "lost: no message names the node"
echo "slurm: --nodes=slurm: a node was killed, 12 of 12 tasks done, none twice on record"
start_node "$node"
until_true idle_nodes 3

# The request for GPUs is one that Slurm accepts.
printf '# cpus 1\n# gpus 2\nid,cpu,gpu,cpu_command,gpu_command\na,1,1,true,true\n' >gpus.csv
hsched-exec --batch=slurm --no-reserve --allow=commands gpus.csv >gpus.sh || fail "no script"
grep -qx '#SBATCH --gpus-per-node=2' gpus.sh || fail "the script requests no GPUs"
sbatch --test-only gpus.sh >gpus.out 2>&1 || { cat gpus.out; fail "Slurm refuses the request for GPUs"; }
echo "slurm: the request for 2 GPUs is accepted"
