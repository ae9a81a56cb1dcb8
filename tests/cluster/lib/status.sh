# What runs.

# cluster_runs: up was completed and every component still runs
cluster_runs() { [ -e "$data/ready" ] && [ -z "$(dead_components)" ] && api_answers home /readyz; }

print_status() {
  local file name pid
  if [ ! -e "$data" ] && [ -z "$(instance_processes)" ]; then
    echo "down: $CLUSTER_HOME"
    exit 3
  fi
  for file in "$run"/*.pid; do
    [ -e "$file" ] || continue
    name=$(basename "$file" .pid) pid=$(< "$file")
    if alive "$pid"; then echo "$name: runs (pid $pid)"; else echo "$name: dead (see $log/$name.log)"; fi
  done
  if cluster_runs; then
    echo "up: $CLUSTER_HOME ($(< "$data/ready") targets)"
  else
    echo "broken: $CLUSTER_HOME: run 'cluster down' or 'cluster up'"
    exit 1
  fi
}
