#include <kubist/engine/report.hpp>
#include <kubist/util/duration.hpp>

namespace kubist::engine {

namespace {

double seconds(std::chrono::nanoseconds time) {
  // Milliseconds are enough for people, and keep reports short.
  return static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(time).count()) /
         1e6;
}

Json to_json(const util::Error& error) {
  Json out = {{"kind", util::to_string(error.kind)}, {"message", error.message}};
  if (!error.hint.empty()) {
    out["hint"] = error.hint;
  }
  if (!error.pos.origin.empty()) {
    out["position"] = util::to_string(error.pos);
  }
  return out;
}

}  // namespace

Json to_json(const PolicyTrace& trace) {
  Json out = {{"name", trace.name},
              {"origin", trace.origin},
              {"outcome", trace.outcome},
              {"seconds", seconds(trace.took)}};
  if (!trace.message.empty()) {
    out["message"] = trace.message;
  }
  if (trace.error) {
    out["error"] = to_json(*trace.error);
  }
  if (!trace.stderr_tail.empty()) {
    out["stderr"] = trace.stderr_tail;
  }
  if (!trace.input.is_null()) {
    out["input"] = trace.input;
    out["output"] = trace.output;
  }
  return out;
}

namespace {

Json to_json(const Write& write) {
  Json out = {{"verb", write.verb}, {"object", write.object}};
  if (!write.cluster.empty()) {
    out["cluster"] = write.cluster;
  }
  if (!write.detail.empty()) {
    out["detail"] = write.detail;
  }
  return out;
}

template <class T>
void put_list(Json& out, const char* name, const std::vector<T>& values) {
  for (const T& value : values) {
    out[name].push_back(to_json(value));
  }
}

Json node_json(const Report& report, const NodeReport& node) {
  Json out = {{"kind", node.key.kind},
              {"name", node.key.name},
              {"mode", node.mode == Mode::align ? "align" : "remove"},
              {"state", to_string(node.state)},
              {"ready", node.ready},
              {"statusWritten", node.status_written},
              {"seconds", seconds(node.took)}};
  auto put = [&](const char* name, const std::string& value) {
    if (!value.empty()) {
      out[name] = value;
    }
  };
  put("namespace", node.key.ns);
  put("target", node.target);
  put("reason", node.reason);
  put("message", node.message);
  if (node.outcome) {
    out["outcome"] = to_string(*node.outcome);
  }
  if (node.error) {
    out["error"] = to_json(*node.error);
  }
  put_list(out, "policies", node.policies);
  put_list(out, "writes", node.writes);
  if (!node.left_behind.empty()) {
    out["leftBehind"] = node.left_behind;
  }
  if (node.requeue_after) {
    out["requeueAfterSeconds"] = seconds(*node.requeue_after);
  }
  for (NodeId child : node.children) {
    out["children"].push_back(node_json(report, *report.find(child)));
  }
  return out;
}

}  // namespace

const NodeReport* Report::find(NodeId id) const {
  auto found = index.find(id);
  return found == index.end() ? nullptr : &nodes[found->second];
}

std::vector<util::Error> Report::status_errors() const {
  std::vector<util::Error> errors;
  for (const auto& [part, error] : statuses) {
    if (error) {
      errors.push_back(*error);
    }
  }
  return errors;
}

RunSummary summarize(const std::vector<NodeReport>& nodes) {
  RunSummary sum;
  sum.nodes = nodes.size();
  for (const NodeReport& node : nodes) {
    sum.writes += node.writes.size() + (node.status_written ? 1 : 0);
    switch (node.state) {
      case NodeState::done:
        if (!node.ready) {
          ++sum.not_ready;
        } else {
          ++(node.mode == Mode::remove ? sum.removed : sum.ready);
        }
        break;
      case NodeState::failed:
        ++sum.failed;
        break;
      case NodeState::blocked:
        ++sum.blocked;
        break;
      case NodeState::skipped:
        ++(node.reason == "Suspended" ? sum.suspended : sum.not_started);
        break;
      case NodeState::waiting:
      case NodeState::ready:
      case NodeState::running:
        ++sum.not_started;
        break;
    }
  }
  return sum;
}

Json to_json(const Report& report) {
  const RunSummary& sum = report.summary;
  Json out = {{"run",
               {{"id", report.run.id},
                {"startedAt", util::format_time(report.run.started_at)},
                {"dryRun", report.run.dry},
                {"stopped", report.stopped},
                {"seconds", seconds(report.took)}}},
              {"summary",
               {{"nodes", sum.nodes},
                {"ready", sum.ready},
                {"notReady", sum.not_ready},
                {"removed", sum.removed},
                {"failed", sum.failed},
                {"blocked", sum.blocked},
                {"suspended", sum.suspended},
                {"notStarted", sum.not_started},
                {"writes", sum.writes}}},
              {"nodes", Json::array()}};
  for (NodeId root : report.roots) {
    out["nodes"].push_back(node_json(report, *report.find(root)));
  }
  put_list(out, "statusErrors", report.status_errors());
  return out;
}

}  // namespace kubist::engine
