#include "policy/step_fields.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

using util::cat;

util::Result<> check_fields(const Json& object, std::span<const std::string_view> known,
                            const std::string& what, const Place& place) {
  std::vector<std::string> names(known.begin(), known.end());
  for (const auto& [key, value] : object.items()) {
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      return (place / key)
          .key()
          .fail(cat(what, ": ", key, " is not supported, only ", util::join(names, ", "),
                    util::did_you_mean(key, names)));
    }
  }
  return {};
}

util::Result<std::optional<std::chrono::seconds>> read_time(const Json& object,
                                                            std::string_view field,
                                                            const std::string& what,
                                                            const Place& place) {
  const Json* found = data::find_path(object, {field});
  if (found == nullptr || found->is_null()) {
    return std::nullopt;
  }
  const std::string text = found->is_number_integer() ? cat(found->get<std::int64_t>(), 's')
                           : found->is_string()       ? found->get<std::string>()
                                                      : "";
  const auto read = util::parse_duration(text);
  if (!read || read->count() < 0) {
    return (place / field)
        .fail(cat(what, ": ", field, ": ", found->dump(), " is no duration like 10m"));
  }
  return std::chrono::ceil<std::chrono::seconds>(*read);
}

}  // namespace kubist::policies
