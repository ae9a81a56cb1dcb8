#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/traffic/ports.hpp>
#include <kubist/util/text.hpp>

namespace kubist::traffic {

using data::Json;
using util::cat;

Json mesh_port(const Json& port, std::string_view otherwise) {
  std::string protocol(data::string_at(port, {"protocol"}, otherwise));
  const std::int64_t number = data::int_at(port, {"number"}, data::int_at(port, {"port"}));
  const std::string usual = cat(util::lower(protocol), '-', number);
  std::transform(protocol.begin(), protocol.end(), protocol.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return {
      {"number", number}, {"name", data::string_at(port, {"name"}, usual)}, {"protocol", protocol}};
}

std::vector<util::Error> duplicates(const std::vector<std::string>& names, std::string_view field) {
  std::vector<util::Error> errors;
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      errors.push_back(util::make_error(util::ErrorKind::invalid,
                                        cat(field, ": ", name, " stands there twice"),
                                        "Take one away, or give it another name."));
    }
  }
  return errors;
}

util::Error joined(std::string_view what, std::vector<util::Error> errors) {
  if (errors.size() == 1) {
    return util::with_context(errors.front(), what);
  }
  std::vector<std::string> messages;
  for (const util::Error& error : errors) {
    messages.push_back(error.message);
  }
  util::Error all = util::make_error(
      util::ErrorKind::invalid, cat(what, ": ", util::join(messages, "; ")), errors.front().hint);
  all.details = std::move(errors);
  return all;
}

}  // namespace kubist::traffic
