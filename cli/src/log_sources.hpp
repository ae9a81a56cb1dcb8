#pragma once
#include <string>
#include <vector>

#include <kubist/cli/context.hpp>

namespace kubist::cli {

/// One container of which `logs` prints what it wrote.
struct LogSource {
  std::string ns, pod, container;
};

/// The containers that the command line names: of a pod, of the pods that -l selects, or of one pod
/// (with --all-pods: of all) of a workload. Notes which pod and which container it has chosen.
/// Waits up to --pod-running-timeout for a workload's first pod. None: the selector means none.
/// Usage: the words say nothing or too much; not_found: no such object, or no such container;
/// timeout: the workload has no pod.
util::Result<std::vector<LogSource>> log_sources(Context& context, const Arguments& arguments);

/// Of pods, the one first whose log is most likely meant: kubectl's order.
void sort_for_logs(std::vector<data::Json>& pods);

}  // namespace kubist::cli
