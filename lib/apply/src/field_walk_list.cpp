#include <vector>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>

#include "field_walk.hpp"

namespace kubist::apply {
namespace {

using data::Json;

/// Does a list element have the values of a "k:" key? A key field that the input leaves out is one
/// that the schema defaults.
bool has_key(const Json& element, const Json& key, bool exact) {
  if (!element.is_object()) {
    return false;
  }
  for (const auto& [name, value] : key.items()) {
    const auto found = element.find(name);
    if (found == element.end() ? exact : *found != value) {
      return false;
    }
  }
  return true;
}

bool selects(const std::string& field, const Json& key, const Json& element, bool exact) {
  return field[0] == 'v' ? element == key : has_key(element, key, exact);
}

}  // namespace

bool FieldWalk::walk_list(const Node& node, std::string_view key, ValuePlace place) {
  const Json& input = *node.input;
  std::vector<bool> matched(input.size(), false);
  std::vector<std::size_t> live_index(input.size(), 0);
  std::size_t owned = 0;
  for (const auto& [field, inner] : node.fields->items()) {
    if (field == ".") {
      continue;
    }
    if (!field.starts_with("k:") && !field.starts_with("v:")) {
      return note(Verdict::doubtful, "is a list owned by index");
    }
    ++owned;
    const Json selector =
        data::parse_json(std::string_view(field).substr(2), "key").value_or(Json());
    std::size_t at = 0;
    while (at < input.size() && (matched[at] || !selects(field, selector, input[at], false))) {
      ++at;
    }
    if (at == input.size()) {
      return note(Verdict::changed, "has fewer elements");
    }
    matched[at] = true;
    const Json* live = nullptr;
    for (std::size_t i = 0; node.live != nullptr && node.live->is_array() && i < node.live->size();
         ++i) {
      if (selects(field, selector, (*node.live)[i], true)) {
        live = &(*node.live)[i];
        live_index[at] = i;
        break;
      }
    }
    if (live == nullptr) {
      return note(Verdict::changed, "lost an element");
    }
    const std::size_t length = m_path.size();
    data::append_token(m_path, at);
    m_steps.push_back(field);
    const Json* full = node.full != nullptr && node.full->is_array() && at < node.full->size()
                           ? &(*node.full)[at]
                           : nullptr;
    if (!walk({&inner, &input[at], full, live}, key, place, Level::inner)) {
      return false;
    }
    m_steps.pop_back();
    m_path.resize(length);
  }
  if (owned != input.size()) {
    return note(Verdict::changed, "has more elements");
  }
  for (std::size_t i = 1; i < live_index.size(); ++i) {
    if (live_index[i] < live_index[i - 1]) {
      return note(Verdict::changed, "has another order");
    }
  }
  return true;
}

}  // namespace kubist::apply
