#include "addresses.hpp"

#include <algorithm>

#include <kubist/util/text.hpp>

namespace kubist::executors {

bool matches_any(const data::Json* patterns, std::string_view text) {
  return patterns != nullptr && patterns->is_array() &&
         std::any_of(patterns->begin(), patterns->end(), [&](const data::Json& pattern) {
           return pattern.is_string() &&
                  util::glob_match(pattern.get_ref<const std::string&>(), text);
         });
}

bool is_never_allowed(std::string_view url) {
  const std::size_t begin = url.find("://") + 3;
  const std::string host = util::lower(url.substr(begin, url.find_first_of("/?#", begin) - begin));
  return host.find('@') != host.npos || host.starts_with("169.254.") || host.starts_with("[fe8") ||
         host.starts_with("[fe9") || host.starts_with("[fea") || host.starts_with("[feb");
}

}  // namespace kubist::executors
