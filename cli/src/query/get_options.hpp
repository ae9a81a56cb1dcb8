#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kubist/cli/command.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

#include "output/format.hpp"
#include "output/sorting.hpp"

namespace kubist::cli {

/// The flags of `get`, checked.
struct GetOptions {
  OutputFormat format;
  std::optional<Sorter> sorter;
  std::vector<std::string> files;
  std::vector<std::string> label_columns;
  std::string label_selector;
  std::string field_selector;
  std::string subresource;
  std::int64_t limit = 0;  ///< objects of each kind; 0: all
  bool paged = true;
  bool all_namespaces = false;
  bool contexts = false;  ///< --contexts is given
  bool watch = false;
  bool watch_only = false;
  bool watch_events = false;
  bool no_headers = false;
  bool show_labels = false;
  bool show_kind = false;
  bool show_managed_fields = false;
  bool ignore_not_found = false;
  bool allow_missing_keys = true;

  kube::ListOptions list_options() const;
};

std::vector<Flag> get_flags();
/// `words` is what they select. usage or invalid: what is wrong with a flag.
util::Result<GetOptions> read_get_options(const Arguments& arguments,
                                          const std::vector<std::string>& words);

}  // namespace kubist::cli
