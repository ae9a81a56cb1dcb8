#include <algorithm>
#include <charconv>

#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::data {

using util::cat;
using util::ErrorKind;
using util::Result;

namespace {

/// The members of one operation, checked for being there and for their types.
struct Operation {
  std::string_view op;
  std::string_view path;
  std::string_view from;
  const Json* value = nullptr;
};

Result<Operation> parse_operation(const Json& json) {
  if (!json.is_object()) {
    return util::fail(ErrorKind::invalid, "an operation must be an object");
  }
  auto text = [&json](const char* name) -> const std::string* {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get_ptr<const std::string*>()
                                                     : nullptr;
  };
  const std::string* op = text("op");
  const std::string* path = text("path");
  if (op == nullptr || path == nullptr) {
    return util::fail(ErrorKind::invalid, "\"op\" and \"path\" must be there and be strings");
  }
  Operation operation{*op, *path, {}, nullptr};
  if (*op == "move" || *op == "copy") {
    const std::string* from = text("from");
    if (from == nullptr) {
      return util::fail(ErrorKind::invalid, "\"from\" must be there and be a string");
    }
    operation.from = *from;
  } else if (*op == "add" || *op == "replace" || *op == "test") {
    const auto value = json.find("value");
    if (value == json.end()) {
      return util::fail(ErrorKind::invalid, "\"value\" is missing");
    }
    operation.value = &*value;
  } else if (*op != "remove") {
    return util::fail(ErrorKind::invalid, "unknown op",
                      "the operations are add, remove, replace, move, copy and test");
  }
  return operation;
}

tl::unexpected<util::Error> no_such(std::string_view path) {
  return util::fail(ErrorKind::invalid, cat("the document has no value at \"", path, '"'));
}

/// The container that holds the last token of a path, and that token.
struct Place {
  Json* parent;
  std::string token;
};

Result<Place> find_place(Json& root, std::string_view path) {
  KUBIST_TRY(std::vector<std::string> tokens, split_pointer(path));
  std::string last = std::move(tokens.back());
  tokens.pop_back();
  const std::string parent_path = join_pointer(tokens);
  Json* parent = find(root, parent_path);
  if (parent == nullptr) {
    return no_such(parent_path);
  }
  if (!parent->is_structured()) {
    return util::fail(ErrorKind::invalid, cat("\"", parent_path, "\" is a ", parent->type_name(),
                                              ", so nothing can be inside it"));
  }
  return Place{parent, std::move(last)};
}

Result<> add(Json& root, std::string_view path, Json value) {
  if (path.empty()) {
    root = std::move(value);
    return {};
  }
  KUBIST_TRY(Place place, find_place(root, path));
  if (place.parent->is_object()) {
    (*place.parent)[place.token] = std::move(value);
    return {};
  }
  auto& list = place.parent->get_ref<Json::array_t&>();
  if (place.token == "-") {
    list.push_back(std::move(value));
    return {};
  }
  std::size_t index = 0;
  const std::string& token = place.token;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, index);
  if (error != std::errc{} || stop != end || (token.size() > 1 && token[0] == '0')) {
    return util::fail(ErrorKind::invalid, cat("\"", token, "\" is no list index"));
  }
  if (index > list.size()) {
    return util::fail(ErrorKind::invalid, cat("index ", index, " is beyond the end of the list (",
                                              list.size(), " elements)"));
  }
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(index), std::move(value));
  return {};
}

/// Takes the value out of the tree.
Result<Json> take(Json& root, std::string_view path) {
  if (path.empty()) {
    return std::exchange(root, nullptr);
  }
  KUBIST_CHECK(split_pointer(path));
  Json* node = find(root, path);
  if (node == nullptr) {
    return no_such(path);
  }
  Json value = std::move(*node);
  KUBIST_TRY(const Place place, find_place(root, path));
  if (place.parent->is_object()) {
    place.parent->erase(place.token);
  } else {
    auto& list = place.parent->get_ref<Json::array_t&>();
    list.erase(list.begin() + (node - list.data()));
  }
  return value;
}

class Patcher {
 public:
  Patcher(Json& root, const PatchLimits& limits) : m_root(root), m_limits(limits) {}

  Result<> apply(const Operation& operation) {
    if (operation.value != nullptr) {
      KUBIST_CHECK(check_depth(operation.path, extent_of(*operation.value)));
    }
    if (operation.op == "add") {
      return add(m_root, operation.path, *operation.value);
    }
    if (operation.op == "remove") {
      KUBIST_CHECK(take(m_root, operation.path));
      return {};
    }
    if (operation.op == "move") {
      return move(operation);
    }
    if (operation.op == "copy") {
      return copy(operation);
    }
    KUBIST_CHECK(split_pointer(operation.path));
    Json* node = find(m_root, operation.path);
    if (node == nullptr) {
      return no_such(operation.path);
    }
    if (operation.op == "replace") {
      *node = *operation.value;
      return {};
    }
    if (*node != *operation.value) {
      return util::fail(ErrorKind::conflict, "the value there is another one");
    }
    return {};
  }

 private:
  // What is deeper would end the process where something walks it by recursion, as its copy does.
  Result<> check_depth(std::string_view path, const Extent& value) const {
    const auto levels = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
    return levels + value.depth <= m_limits.max_depth
               ? Result<>{}
               : util::fail(ErrorKind::invalid, cat("the value would be nested deeper than ",
                                                    m_limits.max_depth, " levels"));
  }

  Result<> move(const Operation& operation) {
    if (operation.path.starts_with(operation.from) &&
        operation.path.substr(operation.from.size()).starts_with('/')) {
      return util::fail(ErrorKind::invalid, "a value cannot move into itself");
    }
    KUBIST_TRY(Json value, take(m_root, operation.from));
    KUBIST_CHECK(check_depth(operation.path, extent_of(value)));
    return add(m_root, operation.path, std::move(value));
  }

  Result<> copy(const Operation& operation) {
    KUBIST_CHECK(split_pointer(operation.from));
    const Json* source = find(m_root, operation.from);
    if (source == nullptr) {
      return no_such(operation.from);
    }
    const Extent extent = extent_of(*source);
    KUBIST_CHECK(check_depth(operation.path, extent));
    m_copied += extent.nodes;
    if (m_copied > m_limits.max_copied_nodes) {
      return util::fail(ErrorKind::invalid,
                        cat("copies add more than ", m_limits.max_copied_nodes, " values"));
    }
    return add(m_root, operation.path, Json(*source));
  }

  Json& m_root;
  const PatchLimits& m_limits;
  std::size_t m_copied = 0;
};

}  // namespace

Result<Json> apply_json_patch(Json target, const Json& patch, const PatchLimits& limits) {
  if (!patch.is_array()) {
    return util::fail(ErrorKind::invalid, "a JSON patch must be a list of operations");
  }
  if (patch.size() > limits.max_operations) {
    return util::fail(ErrorKind::invalid,
                      cat("the JSON patch has ", patch.size(),
                          " operations, more than the limit of ", limits.max_operations));
  }
  Patcher patcher(target, limits);
  for (std::size_t i = 0; i < patch.size(); ++i) {
    auto operation = parse_operation(patch[i]);
    if (!operation) {
      const std::string_view op = string_at(patch[i], {"op"}, "?");
      return util::fail(util::with_context(std::move(operation).error(),
                                           cat("JSON patch operation ", i, " (", op, ")")));
    }
    if (auto done = patcher.apply(*operation); !done) {
      return util::fail(util::with_context(
          std::move(done).error(),
          cat("JSON patch operation ", i, " (", operation->op, " ", operation->path, ")")));
    }
  }
  return target;
}

Json apply_merge_patch(Json target, const Json& patch) {
  target.merge_patch(patch);
  return target;
}

Json make_merge_patch(const Json& from, const Json& to) {
  if (!from.is_object() || !to.is_object()) {
    return to;
  }
  Json patch = Json::object();
  for (const auto& [key, value] : from.items()) {
    if (!to.contains(key)) {
      patch[key] = nullptr;
    }
  }
  for (const auto& [key, value] : to.items()) {
    const auto old = from.find(key);
    if (old == from.end()) {
      // Merging into nothing drops the nulls inside, as a merge on the server would.
      patch[key] = value.is_object() ? apply_merge_patch(Json::object(), value) : value;
    } else if (*old != value) {
      patch[key] = make_merge_patch(*old, value);
    }
  }
  return patch;
}

Extent extent_of(const Json& value) {
  Extent extent;
  std::vector<std::pair<const Json*, std::size_t>> open{{&value, 0}};
  while (!open.empty()) {
    const auto [node, above] = open.back();
    open.pop_back();
    ++extent.nodes;
    if (node->is_structured()) {
      extent.depth = std::max(extent.depth, above + 1);
      for (const Json& child : *node) {
        open.emplace_back(&child, above + 1);
      }
    }
  }
  return extent;
}

}  // namespace kubist::data
