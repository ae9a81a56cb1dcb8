#include "describe.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <kubist/data/go_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/secret_mask.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "table.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;

constexpr std::size_t k_max_annotation = 140;
constexpr std::string_view k_last_applied = "kubectl.kubernetes.io/last-applied-configuration";

std::string indent(std::size_t level) { return std::string(2 * level, ' '); }

std::string text_of(const Json& map, std::string_view key) {
  return std::string(data::string_at(map, {key}));
}

/// Text with tabs between the cells, aligned as Go's tabwriter does.
void write_aligned(Sink& out, const std::string& text) {
  TableWriter writer(out, {0, 2, false});
  std::vector<std::string> lines = util::split(text, '\n');
  if (!lines.empty() && lines.back().empty()) {
    lines.pop_back();
  }
  for (const std::string& line : lines) {
    const std::vector<std::string> cells = util::split(util::printable(line), '\t');
    writer.row({cells.begin(), cells.end()});
  }
}

std::string labels_section(const Json& labels) {
  std::string text = "Labels:\t";
  if (labels.empty()) {
    return text + "<none>\n";
  }
  bool first = true;
  for (const auto& [key, value] : labels.items()) {
    text += cat(first ? "" : "\t", key, '=', data::go_text(value), '\n');
    first = false;
  }
  return text;
}

std::string long_annotation(std::string_view value) {
  std::string text;
  for (const std::string& line : util::split(value, '\n')) {
    const bool cut = line.size() > k_max_annotation - 2;
    text += cat("\t  ", line.substr(0, k_max_annotation - 2), cut ? "..." : "", '\n');
  }
  return text;
}

std::string annotations_section(const Json& annotations) {
  std::string text = "Annotations:\t";
  bool first = true;
  for (const auto& [key, json] : annotations.items()) {
    if (key == k_last_applied) {
      continue;
    }
    std::string value = data::go_text(json);
    if (value.ends_with('\n')) {
      value.pop_back();
    }
    text += cat(first ? "" : "\t", key, ':');
    const bool is_long =
        value.size() + key.size() + 2 > k_max_annotation || value.find('\n') != std::string::npos;
    text += is_long ? "\n" + long_annotation(value) : cat(' ', value, '\n');
    first = false;
  }
  return first ? text + "<none>\n" : text;
}

/// Conditions in one line each instead of a block each.
std::string conditions_table(const Json& conditions, std::size_t level) {
  const std::string space = indent(level);
  std::string text = cat(space, "Conditions:\n", space, "  Type\tStatus\tSince\tReason\tMessage\n",
                         space, "  ----\t------\t-----\t------\t-------\n");
  for (const Json& condition : conditions) {
    std::string message = text_of(condition, "message");
    std::replace(message.begin(), message.end(), '\n', ' ');
    text += cat(space, "  ", text_of(condition, "type"), '\t', text_of(condition, "status"), '\t',
                text_of(condition, "lastTransitionTime"), '\t', text_of(condition, "reason"), '\t',
                message, '\n');
  }
  return text;
}

bool are_conditions(const std::string& path, const Json& value) {
  return path == ".status.conditions" && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& condition) {
           return condition.is_object() && condition.contains("type") &&
                  condition.contains("status");
         });
}

bool is_skipped(const std::string& path) {
  constexpr std::array<std::string_view, 5> skipped{".metadata.managedFields", ".metadata.name",
                                                    ".metadata.namespace", ".metadata.labels",
                                                    ".metadata.annotations"};
  return std::find(skipped.begin(), skipped.end(), path) != skipped.end();
}

// Recursion goes as deep as the object, which the reader has limited.
void add_content(std::string& text, const Json& content, std::size_t level,
                 const std::string& parent) {
  for (const auto& [field, value] : content.items()) {
    const std::string path = cat(parent, '.', field);
    if (is_skipped(path)) {
      continue;
    }
    if (value.is_object()) {
      text += cat(indent(level), field_label(field), ":\n");
      add_content(text, value, level + 1, path);
    } else if (value.is_array() && are_conditions(path, value)) {
      text += conditions_table(value, level);
    } else if (value.is_array()) {
      text += cat(indent(level), field_label(field), ":\n");
      for (const Json& child : value) {
        if (child.is_object()) {
          add_content(text, child, level + 1, path);
        } else {
          text += cat(indent(level + 1), data::go_text(child), '\n');
        }
      }
    } else {
      text += cat(indent(level), field_label(field), ":\t", data::go_text(value), '\n');
    }
  }
}

std::string secret_section(const Json& secret) {
  std::string text = cat("\nType:\t", text_of(secret, "type"), "\n\nData\n====\n");
  if (const Json* values = data::find_path(secret, {"data"}); values != nullptr) {
    for (const auto& [key, value] : values->items()) {
      const auto bytes = util::base64_decode(value.is_string() ? value.get<std::string>() : "");
      text += cat(key, ":\t", bytes ? bytes->size() : 0, " bytes\n");
    }
  }
  return text;
}

std::string events_table(const std::vector<Json>& events, Now now) {
  if (events.empty()) {
    return "Events:\t<none>\n";
  }
  std::string text =
      "Events:\n  Type\tReason\tAge\tFrom\tMessage\n  ----\t------\t----\t----\t-------\n";
  for (const Json& event : events) {
    text += cat("  ", text_of(event, "type"), '\t', text_of(event, "reason"), '\t',
                event_age(event, now), '\t', event_source(event), '\t', event_message(event), '\n');
  }
  return text;
}

/// Words of a camelCase name, as github.com/fatih/camelcase splits them.
std::vector<std::string> camel_words(std::string_view field) {
  std::vector<std::string> words;
  const auto is_upper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t i = 0; i < field.size(); ++i) {
    const bool after_word = i > 0 && is_letter(field[i]) == is_letter(field[i - 1]);
    const bool starts_hump =
        i > 0 && is_upper(field[i]) &&
        (!is_upper(field[i - 1]) ||
         (i + 1 < field.size() && is_letter(field[i + 1]) && !is_upper(field[i + 1])));
    if (words.empty() || !after_word || starts_hump) {
      words.emplace_back();
    }
    words.back() += field[i];
  }
  return words;
}

}  // namespace

std::string field_label(std::string_view field) {
  constexpr std::array<std::string_view, 5> acronyms{"API", "URL", "UID", "OSB", "GUID"};
  if (!std::all_of(field.begin(), field.end(),
                   [](unsigned char c) { return std::isalpha(c) != 0 || c == '-' || c >= 0x80; })) {
    return std::string(field);
  }
  std::vector<std::string> words = camel_words(field);
  for (std::string& word : words) {
    std::string upper = word;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (std::find(acronyms.begin(), acronyms.end(), upper) != acronyms.end()) {
      word = upper;
    } else {
      word[0] = upper[0];
    }
  }
  return util::join(words, " ");
}

void describe(Sink& out, const Json& object, const std::vector<Json>* events, Now now) {
  const resources::ObjectView view(object);
  std::string text = cat("Name:\t", view.name(), "\nNamespace:\t", view.ns(), '\n',
                         labels_section(view.labels()), annotations_section(view.annotations()));
  if (resources::is_secret(object)) {
    write_aligned(out, text + secret_section(object));
    return;
  }
  add_content(text, resources::masked_pair(object, object).first, 0, "");
  if (events != nullptr && events->empty()) {
    text += events_table(*events, now);
  }
  write_aligned(out, text);
  if (events != nullptr && !events->empty()) {
    write_aligned(out, events_table(*events, now));
  }
}

}  // namespace kubist::cli
