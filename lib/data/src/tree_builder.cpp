#include "tree_builder.hpp"

#include <kubist/util/text.hpp>

namespace kubist::data {

using util::cat;
using util::ErrorKind;
using util::Result;

TreeBuilder::TreeBuilder(const ReadOptions& options, const std::string& origin, MarkSource& marks)
    : m_options(options), m_origin(origin), m_marks(marks) {}

tl::unexpected<util::Error> TreeBuilder::error(std::string message, std::string hint) {
  const Mark mark = m_marks.mark();
  return util::fail(ErrorKind::invalid, util::SourcePos{m_origin, mark.line, mark.column},
                    std::move(message), std::move(hint));
}

Result<> TreeBuilder::begin_map(std::string_view anchor) { return begin(Json::object(), anchor); }
Result<> TreeBuilder::begin_list(std::string_view anchor) { return begin(Json::array(), anchor); }

Result<> TreeBuilder::begin(Json&& empty, std::string_view anchor) {
  if (m_frames.size() >= m_options.max_depth) {
    return error(cat("nested deeper than ", m_options.max_depth, " levels"),
                 "flatten the document; no Kubernetes object needs that many levels");
  }
  const std::size_t before = m_nodes;
  KUBIST_TRY(Json * node, place(std::move(empty)));
  Frame& frame = m_frames.emplace_back();
  frame.node = node;
  frame.anchor = anchor;
  frame.first_node = before;
  return {};
}

Result<> TreeBuilder::end_container() {
  const Frame frame = std::move(m_frames.back());
  m_frames.pop_back();
  return finish(*frame.node, frame.anchor, m_nodes - frame.first_node, frame.height);
}

Result<> TreeBuilder::key(std::string_view text, bool merge) {
  Frame& frame = m_frames.back();
  frame.merging = merge;
  if (merge) {
    return {};
  }
  auto& map = frame.node->get_ref<Json::object_t&>();
  const auto [entry, inserted] = map.try_emplace(std::string(text));
  frame.slot = &entry->second;
  if (inserted || m_options.duplicate_keys == DuplicateKeys::last_wins ||
      frame.merged_keys.erase(entry->first) > 0) {
    return {};
  }
  auto duplicate = error(cat("duplicate key \"", text, "\""), "remove one of the two");
  if (m_options.duplicate_keys == DuplicateKeys::reject) {
    return duplicate;
  }
  m_duplicates.push_back(std::move(duplicate).value());
  return {};
}

Result<> TreeBuilder::scalar(Json&& value, std::string_view anchor) {
  KUBIST_TRY(const Json* node, place(std::move(value)));
  return finish(*node, anchor, 1, 0);
}

Result<> TreeBuilder::alias(std::string_view anchor) {
  const auto found = m_anchors.find(anchor);
  if (found == m_anchors.end()) {
    return error(cat("alias *", anchor, " has no anchor before it"),
                 "an alias needs a finished node marked with &NAME earlier in the same document");
  }
  const Anchored& anchored = found->second;
  KUBIST_CHECK(count_aliased(anchored.nodes));
  if (m_frames.size() + anchored.height > m_options.max_depth) {
    return error(cat("aliases nest deeper than ", m_options.max_depth, " levels"));
  }
  m_nodes += anchored.nodes - 1;
  KUBIST_TRY(const Json* node, place(Json(anchored.value)));
  return finish(*node, {}, anchored.nodes, anchored.height);
}

Result<> TreeBuilder::count_aliased(std::size_t nodes) {
  m_aliased += nodes;
  if (m_aliased > m_options.max_alias_nodes) {
    return error(
        cat("anchors and aliases expand to more than ", m_options.max_alias_nodes, " values"),
        "write the values out, or use fewer aliases of aliases");
  }
  return {};
}

Result<Json*> TreeBuilder::place(Json&& value) {
  if (++m_nodes > m_options.max_nodes) {
    return error(cat("more than ", m_options.max_nodes, " values in one document"),
                 "split it into several documents");
  }
  if (m_frames.empty()) {
    m_root = std::move(value);
    return &m_root;
  }
  Frame& frame = m_frames.back();
  if (frame.node->is_array()) {
    auto& list = frame.node->get_ref<Json::array_t&>();
    return &list.emplace_back(std::move(value));
  }
  if (frame.merging) {
    frame.merge_value = std::make_unique<Json>(std::move(value));
    return frame.merge_value.get();
  }
  *frame.slot = std::move(value);
  return frame.slot;
}

/// Called once the node is whole: for anchors, for the parent's height, and for "<<".
Result<> TreeBuilder::finish(const Json& node, std::string_view anchor, std::size_t nodes,
                             std::size_t height) {
  if (!anchor.empty()) {
    // Anchors are copied: a bomb of anchors inside anchors costs as much as one of aliases.
    KUBIST_CHECK(count_aliased(nodes));
    m_anchors.insert_or_assign(std::string(anchor), Anchored{node, nodes, height});
  }
  if (m_frames.empty()) {
    return {};
  }
  Frame& frame = m_frames.back();
  frame.height = std::max(frame.height, height + 1);
  return frame.merging && frame.node->is_object() ? merge(frame) : Result<>{};
}

Result<> TreeBuilder::merge(Frame& frame) {
  frame.merging = false;
  const std::unique_ptr<Json> from = std::move(frame.merge_value);
  if (from->is_object()) {
    return merge_map(frame, *from);
  }
  if (!from->is_array()) {
    return error("the value of a merge key << must be a map or a list of maps");
  }
  const auto& list = from->get_ref<const Json::array_t&>();
  for (auto item = list.rbegin(); item != list.rend(); ++item) {  // earlier ones win
    if (!item->is_object()) {
      return error("the value of a merge key << must be a map or a list of maps");
    }
    KUBIST_CHECK(merge_map(frame, *item));
  }
  return {};
}

/// As go-yaml v2: what is merged replaces keys before the <<, keys after it replace what is merged.
Result<> TreeBuilder::merge_map(Frame& frame, const Json& from) {
  auto& map = frame.node->get_ref<Json::object_t&>();
  for (const auto& [name, value] : from.get_ref<const Json::object_t&>()) {
    map[name] = value;
    frame.merged_keys.insert(name);
  }
  return {};
}

Json TreeBuilder::take() {
  m_frames.clear();
  m_anchors.clear();
  m_nodes = 0;
  m_aliased = 0;
  return std::exchange(m_root, nullptr);
}

}  // namespace kubist::data
