#include "reasons.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

#include "embedded_reasons.hpp"

namespace kubist::cli {
namespace {

using util::cat;

constexpr std::array k_files{"runs",    "errors",   "connections", "projects", "policies", "items",
                             "traffic", "releases", "metrics",     "istio",    "readiness"};

constexpr util::Word<Then> k_then[] = {{Then::fine, "Fine"},       {Then::waits, "Waits"},
                                       {Then::retried, "Retried"}, {Then::stalled, "Stalled"},
                                       {Then::ended, "Ended"},     {Then::refused, "Refused"}};

/// A file that does not parse is a bug of this program.
ReasonArea read_area(const std::string& name) {
  const std::string file = cat(name, ".yaml");
  const auto document = data::read_document(embedded::embedded_reasons(file), file);
  if (!document) {
    throw std::logic_error(document.error().to_string());
  }
  const data::Json& area = document->value;
  ReasonArea result{name, area.at("title"), area.at("about"), {}};
  for (const auto& [reason, text] : area.at("reasons").items()) {
    const auto then = util::value_of(k_then, text.at("then").get<std::string>());
    if (!then) {
      throw std::logic_error(cat(file, ": ", reason, ": what is then?"));
    }
    result.reasons.push_back({reason, *then, text.at("means"), text.at("do")});
  }
  return result;
}

}  // namespace

std::string_view to_string(Then then) { return util::word_of(k_then, then); }

std::string_view meaning(Then then) {
  static constexpr util::Word<Then> k_sentences[] = {
      {Then::fine, "Nothing is wrong."},
      {Then::waits, "kubist goes on, or checks again, by itself."},
      {Then::retried,
       "It failed. kubist tries again by itself, in the next run or while it watches."},
      {Then::stalled,
       "Nothing happens until somebody changes the object, what it names, or rights."},
      {Then::ended, "It is over. Nothing more happens by itself."},
      {Then::refused, "A command or a request ends with it."}};
  return util::word_of(k_sentences, then);
}

const std::vector<ReasonArea>& reason_areas() {
  static const std::vector<ReasonArea> areas = [] {
    std::vector<ReasonArea> all;
    for (const char* file : k_files) {
      all.push_back(read_area(file));
    }
    return all;
  }();
  return areas;
}

const Reason* find_reason(std::string_view name) {
  for (const ReasonArea& area : reason_areas()) {
    const auto found = std::ranges::find(area.reasons, name, &Reason::name);
    if (found != area.reasons.end()) {
      return &*found;
    }
  }
  return nullptr;
}

std::vector<std::string> reason_names() {
  std::vector<std::string> names;
  for (const ReasonArea& area : reason_areas()) {
    for (const Reason& reason : area.reasons) {
      names.push_back(reason.name);
    }
  }
  return names;
}

std::string reason_command(std::string_view name) {
  for (const ReasonArea& area : reason_areas()) {
    const bool plain = area.file == "errors" || area.file == "connections";
    const bool known = std::ranges::find(area.reasons, name, &Reason::name) != area.reasons.end();
    if (known) {
      return plain ? std::string() : cat("kubist explain ", name);
    }
  }
  return {};
}

}  // namespace kubist::cli
