#pragma once
#include <set>
#include <string>

#include <doctest/doctest.h>

#include <kubist/data/json.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support/paths.hpp"

namespace kubist::testing {

/// docs/reference/report-formats.md names each key of this report.
inline void check_keys_named(const data::Json& report, std::set<std::string>& keys) {
  static const std::string page =
      util::read_file(util::cat(paths::source_dir(), "/docs/reference/report-formats.md")).value();
  for (const auto& [key, below] : report.items()) {
    if (report.is_object() && keys.insert(key).second) {
      CHECK_MESSAGE(page.find(util::cat('`', key, '`')) != std::string::npos,
                    "report-formats.md does not name ", key);
    }
    if (below.is_structured()) {
      check_keys_named(below, keys);
    }
  }
}

}  // namespace kubist::testing
