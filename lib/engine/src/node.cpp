#include <algorithm>
#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/node.hpp>
#include <kubist/engine/targets.hpp>
#include <kubist/util/text.hpp>

#include "read_part.hpp"

namespace kubist::engine {

namespace {

StatusSummary summarize_status(const Json& status) {
  StatusSummary summary;
  summary.observed_generation = data::int_at(status, {"observedGeneration"});
  summary.failures = data::count_at(status, {"failures"});
  for (const Json& condition : data::array_at(status, {"conditions"})) {
    const std::string_view type = data::string_at(condition, {"type"});
    const std::string_view value = data::string_at(condition, {"status"});
    if (type == "Ready") {
      summary.ready = value;
    } else if (type == "TreeReady") {
      summary.tree_ready = value;
    } else if (type == "Stalled") {
      summary.stalled = value == "True";
    }
  }
  return summary;
}

}  // namespace

std::size_t KeyHash::operator()(const Key& key) const {
  std::hash<std::string> hash;
  std::size_t seed = hash(key.name);
  for (const std::string* part : {&key.ns, &key.kind}) {
    seed ^= hash(*part) + 0x9e3779b97f4a7c15ULL + (seed << 6U) + (seed >> 2U);
  }
  return seed;
}

const Json& Node::metadata() const { return data::object_at(*object, {"metadata"}); }
const Json& Node::spec() const { return data::object_at(*object, {"spec"}); }
const Json& Node::status() const {
  return m_target_status ? *m_target_status : data::object_at(*object, {"status"});
}

void Node::become_target(const std::string& virtual_cluster) {
  target = virtual_cluster;
  m_target_status = std::make_shared<const Json>(target_status(status(), virtual_cluster));
  status_summary = summarize_status(*m_target_status);
}

bool Node::recorded_ready() const {
  return status_summary.ready == "True" && status_summary.observed_generation >= generation;
}

void Node::make_unreadable(util::Error why) {
  unreadable = true;
  problem_reason = why.reason;
  problem = std::move(why);
}

std::string Node::annotation(std::string_view name) const {
  return std::string(resources::ObjectView(*object).annotation(name));
}

Node make_node(std::shared_ptr<const Json> object) {
  Node node;
  resources::ObjectView view(*object);
  node.key = view.ref();
  node.object = object;
  const Json& metadata = node.metadata();
  node.uid = data::string_at(metadata, {"uid"});
  node.generation = data::int_at(metadata, {"generation"});
  node.resource_version = data::string_at(metadata, {"resourceVersion"});
  node.deleting = !data::string_at(metadata, {"deletionTimestamp"}).empty();
  node.finalizers = data::strings_at(metadata, {"finalizers"});
  read_part(node, [&] {
    if (!view.spec().empty()) {
      node.suspend = resources::is_suspended(*object);
      node.executor = resources::executor_of(*object);
      node.policies = resources::policies_of(*object);
      node.depends_on = resources::references_of(*object);
    }
    node.status_summary = summarize_status(view.status());
  });
  node.foreign_status = node.key.group == resources::k_landscaper_group;
  if (node.foreign_status) {
    node.status_summary.tree_ready = node.status_summary.ready;
  }
  return node;
}

Node make_node(Json object) { return make_node(std::make_shared<const Json>(std::move(object))); }

std::string project_of(const Node& node) {
  return node.key.kind == "Project" ? resources::project_namespace(*node.object) : node.key.ns;
}

std::string to_string(const Node& node) {
  std::string text = node.key.kind + "/";
  if (!node.key.ns.empty()) {
    text += node.key.ns + "/";
  }
  text += node.key.name;
  return node.target.empty() ? text : util::cat(text, " on ", node.target);
}

bool is_engine_condition(std::string_view type) {
  constexpr std::array<std::string_view, 5> k_types{"Ready", "TreeReady", "Reconciling", "Stalled",
                                                    resources::k_drifted};
  return std::find(k_types.begin(), k_types.end(), type) != k_types.end();
}

const Json* find_condition(const Json& status, std::string_view type) {
  auto conditions = status.find("conditions");
  if (conditions == status.end() || !conditions->is_array()) {
    return nullptr;
  }
  for (const Json& condition : *conditions) {
    if (condition.is_object() && data::string_at(condition, {"type"}) == type) {
      return &condition;
    }
  }
  return nullptr;
}

}  // namespace kubist::engine
