# What a job of `nox -s cluster` does. tasks/cluster.py writes the variables name, jobs, root and scratch, and the
# functions setup and bench, before it. A job notes what becomes of it, because finished jobs leave the queue.
file=$jobs/${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID.json
note() {
    printf '{"kind": "%s", "node": "%s", "restarts": %d, "since": "%s", "code": %s}\n' \
        "$name" "$SLURMD_NODENAME" "${SLURM_RESTART_COUNT:-0}" "$(date -u +%FT%TZ)" "$1" >"$file.part"
    mv "$file.part" "$file"
}
measure() {
    cd "$root" || return
    export BENCH_NODE=$SLURMD_NODENAME BENCH_STATE=$scratch/rosetta-bench-$(id -u)-$SLURMD_NODENAME
    mkdir -p -m 700 "$BENCH_STATE" || return
    if [ ! -O "$BENCH_STATE" ]; then
        echo "error: $BENCH_STATE belongs to another user: set scratch in cluster.toml to a folder of your own" >&2
        return 2
    fi
    setup && bench
}
trap : TERM # the bench gets the signal too: this shell waits until it has ended, and notes its exit code
note null
measure
code=$?
note "$code"
exit "$code"
