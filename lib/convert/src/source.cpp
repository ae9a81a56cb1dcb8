#include "source.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "advice.hpp"

namespace kubist::convert {

using util::cat;

std::string_view Source::name() const { return resources::ObjectView(object()).name(); }
std::string_view Source::ns() const { return resources::ObjectView(object()).ns(); }

Fields Source::spec() { return {*this, "/spec", data::find_path(object(), {"spec"})}; }

void Source::warn(const std::string& pointer, std::string_view why) {
  const resources::ObjectView view(object());
  const std::string field = data::dotted_path(pointer);
  m_warnings.push_back(util::make_error(
      util::ErrorKind::invalid, m_manifest->position(pointer, data::At::key),
      cat(view.kind(), '/', view.name(), ": ", field, field.empty() ? "" : ": ", why)));
}

void Source::warn_of_rest() {
  if (const Json* spec = data::find_path(object(), {"spec"})) {
    warn_of_rest(*spec, "/spec");
  }
}

void Source::warn_of_rest(const Json& value, const std::string& pointer) {
  if (m_taken.contains(pointer)) {
    return;
  }
  const auto below = m_taken.lower_bound(cat(pointer, '/'));
  const bool is_read = below != m_taken.end() && below->starts_with(cat(pointer, '/'));
  const bool is_choice = value.is_object() && value.size() == 1 && util::is_digit(pointer.back());
  if (!is_read && !is_choice) {  // of a choice in a list, the word says more
    warn(pointer, advice_of(data::dotted_path(pointer)));
    return;
  }
  std::size_t index = 0;
  for (const auto& [key, child] : value.items()) {
    std::string place = pointer;
    if (value.is_array()) {
      data::append_token(place, index++);
    } else {
      data::append_token(place, key);
    }
    warn_of_rest(child, place);
  }
}

const Json* Fields::find(std::string_view name) const {
  const Json* found = m_value == nullptr ? nullptr : data::find_path(*m_value, {name});
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string Fields::pointer_of(std::string_view name) const {
  std::string pointer = m_pointer;
  data::append_token(pointer, name);
  return pointer;
}

std::vector<std::string> Fields::names() const {
  std::vector<std::string> names;
  if (m_value != nullptr && m_value->is_object()) {
    for (const auto& [name, value] : m_value->items()) {
      names.push_back(name);
    }
  }
  return names;
}

Json Fields::any(std::string_view name) const {
  const Json* found = find(name);
  if (found == nullptr) {
    return {};
  }
  take(name);
  return *found;
}

std::string Fields::text(std::string_view name, std::string_view fallback) const {
  const Json* found = find(name);
  if (found == nullptr || !(found->is_string() || found->is_number())) {
    return std::string(fallback);
  }
  take(name);
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::optional<std::int64_t> Fields::number(std::string_view name) const {
  const Json* found = find(name);
  std::optional<std::int64_t> read;
  if (found != nullptr && found->is_number_integer()) {
    read = found->get<std::int64_t>();
  } else if (found != nullptr && found->is_string()) {
    read = util::parse_int(found->get<std::string>());
  }
  if (!read) {
    return std::nullopt;
  }
  take(name);
  return std::clamp(*read, -k_largest, k_largest);
}

bool Fields::flag(std::string_view name, bool fallback) const {
  const Json* found = find(name);
  if (found == nullptr || !found->is_boolean()) {
    return fallback;
  }
  take(name);
  return found->get<bool>();
}

std::vector<std::string> Fields::texts(std::string_view name) const {
  const Json* found = find(name);
  std::vector<std::string> texts;
  if (found == nullptr || !found->is_array() ||
      !std::all_of(found->begin(), found->end(), [](const Json& one) { return one.is_string(); })) {
    return texts;
  }
  take(name);
  for (const Json& one : *found) {
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

std::string Fields::duration(std::string_view name) const {
  const Json* found = find(name);
  const bool readable = found != nullptr && (found->is_string() || found->is_number());
  const std::string read =
      readable ? duration_text(found->is_string() ? found->get<std::string>() : found->dump()) : "";
  if (!read.empty()) {
    take(name);
  }
  return read;
}

Fields Fields::at(std::string_view name) const {
  const Json* found = find(name);
  const bool is_object = found != nullptr && found->is_object();
  if (is_object && found->empty()) {
    take(name);
  }
  return {*m_source, pointer_of(name), is_object ? found : nullptr};
}

std::vector<Fields> Fields::list(std::string_view name) const {
  const Json* found = find(name);
  std::vector<Fields> list;
  if (found == nullptr || !found->is_array()) {
    return list;
  }
  if (found->empty()) {
    take(name);
  }
  for (std::size_t i = 0; i < found->size(); ++i) {
    std::string pointer = pointer_of(name);
    data::append_token(pointer, i);
    if ((*found)[i].empty()) {
      m_source->take(pointer);
    }
    list.emplace_back(*m_source, std::move(pointer), &(*found)[i]);
  }
  return list;
}

void Fields::note(std::string_view name, std::string_view why) const {
  m_source->warn(pointer_of(name), why);
}

void Fields::lost(std::string_view name, std::string_view why) const {
  take(name);
  note(name, why);
}

void Fields::lost(std::string_view why) const {
  m_source->take(m_pointer);
  m_source->warn(m_pointer, why);
}

void Fields::lost_by(std::string_view name, std::string_view why) const {
  m_source->take(m_pointer);
  note(name, why);
}

}  // namespace kubist::convert
