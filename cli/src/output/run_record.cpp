#include "output/run_record.hpp"

#include <algorithm>
#include <tuple>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/diff.hpp>
#include <kubist/resources/secret_mask.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using Clock = std::chrono::steady_clock;
using data::Json;
using util::cat;

namespace {

constexpr std::size_t k_most_spans = 100;      // of a node
constexpr std::size_t k_most_diff = 32 << 10;  // bytes of one
constexpr std::size_t k_most_diffs = 8 << 20;  // bytes of all
constexpr std::string_view k_no_room = "the report has no room for this diff\n";

/// Without what a server changes with each write, and its status, which is others'.
Json without_server_fields(const Json& object) {
  Json copy = object;
  if (copy.is_object()) {
    copy.erase("status");
    for (const char* field : {"resourceVersion", "generation", "uid", "creationTimestamp"}) {
      data::erase_path(copy, {"metadata", field});
    }
  }
  return copy;
}

std::string cut_diff(std::string diff, std::size_t most) {
  if (diff.size() <= most) {
    return diff;
  }
  diff.resize(diff.rfind('\n', most) + 1);  // npos + 1 is nothing
  return cat(diff, "... the rest is left out\n");
}

std::string diff_of(const deployers::Change& change) {
  Json before = without_server_fields(change.before);
  Json after = without_server_fields(change.after);
  if (resources::is_deploy_item(after)) {
    std::tie(before, after) = resources::masked_item(before, after);
  }
  return cut_diff(
      resources::diff_objects(before, after, {.before_label = "before", .after_label = "after"})
          .text,
      k_most_diff);
}

void begin_span(std::vector<NodeCourse::Span>& spans, NodeCourse::Span span) {
  if (spans.size() == k_most_spans) {
    spans.erase(spans.begin());
  }
  spans.push_back(std::move(span));
}

bool is_open(const std::vector<NodeCourse::Span>& spans) {
  return !spans.empty() && spans.back().until == NodeCourse::Time::max();
}

void end_span(std::vector<NodeCourse::Span>& spans, NodeCourse::Time now) {
  if (is_open(spans)) {
    spans.back().until = now;
  }
}

/// Tells two.
class ObserverAndRecord final : public engine::Observer {
 public:
  ObserverAndRecord(std::unique_ptr<engine::Observer> observer, RunRecord& record)
      : m_observer(std::move(observer)), m_record(record) {}
  void planned(const engine::Graph& graph, const std::vector<engine::NodeId>& nodes) override {
    m_observer->planned(graph, nodes);
  }
  void started(const engine::Node& node, engine::Mode mode) override {
    m_record.started(node, Clock::now());
    m_observer->started(node, mode);
  }
  void progress(const engine::Node& node, const std::string& message) override {
    m_record.progress(node, message, Clock::now());
    m_observer->progress(node, message);
  }
  void finished(const engine::Node& node, const engine::NodeReport& report) override {
    m_record.finished(node, Clock::now());
    m_observer->finished(node, report);
  }
  void summary(const engine::Report& report) override { m_observer->summary(report); }

 private:
  std::unique_ptr<engine::Observer> m_observer;
  RunRecord& m_record;
};

}  // namespace

void RunRecord::started(const engine::Node& node, Time now) {
  const std::lock_guard lock(m_mutex);
  begin_span(m_nodes[engine::to_string(node)].runs, {now, Time::max()});
}

void RunRecord::progress(const engine::Node& node, const std::string& message, Time now) {
  const std::lock_guard lock(m_mutex);
  auto& waits = m_nodes[engine::to_string(node)].waits;
  if (!is_open(waits) || waits.back().message != message) {
    end_span(waits, now);
    begin_span(waits, {now, Time::max(), message});
  }
}

void RunRecord::finished(const engine::Node& node, Time now) {
  const std::lock_guard lock(m_mutex);
  NodeCourse& course = m_nodes[engine::to_string(node)];
  end_span(course.runs, now);
  end_span(course.waits, now);
}

void RunRecord::changed(const engine::Node& node, const deployers::Change& change) {
  std::string diff = diff_of(change);
  const std::lock_guard lock(m_mutex);
  if (m_diffs + diff.size() > k_most_diffs) {
    diff = k_no_room;
  }
  m_diffs += diff.size();
  m_nodes[engine::to_string(node)].changes.push_back(
      {change.object, change.cluster, std::move(diff)});
}

std::unique_ptr<engine::Observer> RunRecord::beside(std::unique_ptr<engine::Observer> observer) {
  return std::make_unique<ObserverAndRecord>(std::move(observer), *this);
}

RunRecord::Courses RunRecord::take(const std::vector<std::string>& nodes) {
  const std::lock_guard lock(m_mutex);
  Courses taken;
  for (const std::string& name : nodes) {
    if (auto found = m_nodes.extract(name)) {
      for (const NodeCourse::Changed& change : found.mapped().changes) {
        m_diffs -= change.diff.size();
      }
      taken.insert(std::move(found));
    }
  }
  return taken;
}

}  // namespace kubist::cli
