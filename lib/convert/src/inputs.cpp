#include <algorithm>
#include <chrono>

#include <kubist/resources/object.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "source.hpp"

namespace kubist::convert {

using util::cat;

Inputs::Inputs(const std::vector<resources::Manifest>& manifests) {
  for (const resources::Manifest& manifest : manifests) {
    m_sources.emplace_back(manifest);
  }
}

std::vector<Source*> Inputs::all(std::string_view group, std::string_view kind) {
  std::vector<Source*> all;
  for (Source& source : m_sources) {
    const resources::ObjectView view(source.object());
    if (view.group() == group && view.kind() == kind) {
      all.push_back(&source);
    }
  }
  return all;
}

Source* Inputs::use(std::string_view group, std::string_view kind, std::string_view ns,
                    std::string_view name) {
  for (Source* source : all(group, kind)) {
    if (source->name() == name && (source->ns().empty() || ns.empty() || source->ns() == ns)) {
      source->used = true;
      return source;
    }
  }
  return nullptr;
}

std::vector<util::Error> Inputs::warnings() {
  std::vector<util::Error> all;
  for (Source& source : m_sources) {
    if (source.used) {
      source.warn_of_rest();
    } else {
      source.warn("", "it is not used: nothing that is converted names it, so apply it as it is");
    }
    std::vector<util::Error> own = source.warnings();
    std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) {
      return std::pair(a.pos.line, a.pos.column) < std::pair(b.pos.line, b.pos.column);
    });
    const auto end = std::unique(own.begin(), own.end(), [](const auto& a, const auto& b) {
      return a.pos == b.pos && a.message == b.message;
    });
    all.insert(all.end(), own.begin(), end);
  }
  return all;
}

std::string duration_text(std::string_view text) {
  const bool seconds = !text.empty() && std::all_of(text.begin(), text.end(), util::is_digit);
  const auto read = util::parse_duration(seconds ? cat(text, 's') : std::string(text));
  if (!read || read->count() < 0) {
    return "";
  }
  using std::chrono::duration_cast;
  const auto all = std::chrono::ceil<std::chrono::milliseconds>(*read);
  if (all.count() % 1000 != 0) {
    return cat(all.count() / 1000, 's', all.count() % 1000, "ms");
  }
  const auto whole = all.count() / 1000;
  std::string result;
  for (const auto& [unit, length] : {std::pair("h", 3600), std::pair("m", 60), std::pair("s", 1)}) {
    const auto count = length == 3600 ? whole / 3600 : length == 60 ? whole / 60 % 60 : whole % 60;
    result += count > 0 ? cat(count, unit) : "";
  }
  return result.empty() ? "0s" : result;
}

std::int64_t seconds_of(std::string_view text) {
  const auto read = util::parse_duration(text);
  return read ? std::chrono::ceil<std::chrono::seconds>(*read).count() : 0;
}

}  // namespace kubist::convert
