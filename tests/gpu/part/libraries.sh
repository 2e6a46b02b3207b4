# SPDX-License-Identifier: BSD-3-Clause
# Find CUDA's libraries and the GPU. Sourced by tests/gpu/run.

# Print the folders that may hold CUDA's libraries, one a line, in the order in which they are tried.
library_folders() {
    {
        echo "${CUDA_LIBS:-}:${LD_LIBRARY_PATH:-}" | tr ':' '\n'
        for folder in /usr/local/cuda/lib64 /usr/local/cuda/lib /usr/local/cuda-*/lib64 \
            /usr/local/cuda-*/lib /usr/local/cuda*/targets/*/lib /opt/cuda/lib64; do
            echo "$folder"
        done
        ldconfig -p 2>/dev/null | sed -n 's|.*libcu[A-Za-z]*\.so.* => \(.*\)/[^/]*$|\1|p'
        echo "/usr/lib/x86_64-linux-gnu"
        echo "/usr/lib64"
        python_folders
    } | awk 'NF && !seen[$0]++' | while read -r folder; do
        [ ! -d "$folder" ] || echo "$folder"
    done
}

# Print the folders of the libraries that Python's packages nvidia-* contain.
python_folders() {
    python3 -c 'import glob, sys
for place in sys.path:
    print(*glob.glob(place + "/nvidia/*/lib"), sep="\n")' 2>/dev/null
    for folder in /opt/*/lib/python3*/site-packages/nvidia/*/lib \
        /opt/*/.venv/lib/python3*/site-packages/nvidia/*/lib \
        /opt/*/*/lib/python3*/site-packages/nvidia/*/lib; do
        echo "$folder"
    done
}

folder_of() { # library
    while read -r folder; do
        [ ! -e "$folder/$1" ] || { echo "$folder" && return; }
    done <"$work/folders"
}

# Print the files of a library of any version.
versions_of() { # library
    while read -r folder; do
        for file in "$folder/${1%%.so.*}".so.*; do
            [ ! -e "$file" ] || readlink -f "$file"
        done
    done <"$work/folders" | sort -u | tr '\n' ' '
}

# Exit with a status of its own: the GPU may be fine.
check_missing() {
    [ -s "$work/missing" ] || return 0
    say "CUDA libraries of the version that the programs need are missing:"
    while read -r library; do
        found=$(versions_of "$library")
        say "  $library: found ${found:-no version of it}"
    done <"$work/missing"
    say "Name their folders in CUDA_LIBS (FOLDER:FOLDER), install them, or build the archive with" \
        "a CUDA toolkit of the version found."
    exit 78
}

# Set the search path of our programs: the fake's or CUDA's folders, then the archive's.
set_libraries() {
    path=$here/lib:$here/lib/hybridsched
    if [ -n "$fake" ]; then
        path=$fake:$path
    else
        library_folders >"$work/folders"
        : >"$work/missing"
        while read -r library; do
            folder=$(folder_of "$library")
            [ -n "$folder" ] || echo "$library" >>"$work/missing"
            case :$path: in *":$folder:"*) ;; *) path=$path${folder:+:$folder} ;; esac
        done <"$here/cuda-libraries"
        check_missing
    fi
    for library in "$here"/lib/base/*; do # the machine's own comes first
        [ ! -e "$library" ] || ldconfig -p 2>/dev/null | grep -q "$(basename "$library") " ||
            path=$path:$here/lib/base
    done
    path=$path${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}:/usr/local/nvidia/lib64
}

driver_version() {
    if [ -n "$fake" ]; then
        echo "a fake"
    elif [ -r /proc/driver/nvidia/version ]; then
        sed -n '1s/.*Kernel Module[^0-9]*\([0-9.]*\).*/\1/p' /proc/driver/nvidia/version
    else
        timeout 20 nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1
    fi
}

# Print what must be known even if nothing runs.
find_versions() {
    deadline=$(($(now) + 60))
    {
        ours gpu_probe -v 2>"$work/versions.log" || tail -n 1 "$work/versions.log"
        driver=$(driver_version)
        echo "driver ${driver:-not found}"
        sed -n 's/^MemTotal: *\([0-9]*\) kB/MemTotal \1 KiB/p' /proc/meminfo
    } >"$work/versions"
    say "$(tr '\n' ';' <"$work/versions" | sed 's/;$//; s/;/; /g')"
}

none() {
    say "no GPU: $*"
    exit 77
}

# Tell a machine without a GPU from a GPU that does not work: the latter has a driver.
find_devices() {
    deadline=$(($(now) + 60))
    ours hsched-exec --devices >"$work/devices" 2>&1 && return
    why=$(tail -n 1 "$work/devices")
    case $why in
    *cudaErrorNoDevice* | *cudaErrorInsufficientDriver* | *StubLibrary* | *"sees none"*) none "$why" ;;
    esac
    [ -n "$fake" ] || [ -e /dev/nvidiactl ] || none "$why"
    say "there is a GPU, and it does not work: $why"
    exit 1
}
