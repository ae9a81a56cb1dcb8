#include "left.hpp"

#include <algorithm>
#include <iterator>
#include <regex>

#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

namespace faults {

namespace util = kubist::util;

namespace {

std::string without_chance(std::string text) {
  static const std::regex k_uid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  static const std::regex k_hash("[0-9a-f]{10,64}");
  static const std::regex k_time("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z");
  text = std::regex_replace(text, k_uid, "UID");
  text = std::regex_replace(text, k_time, "TIME");
  return std::regex_replace(text, k_hash, "HASH");
}

/// What a Secret says, and nothing of which run something is.
void make_plain(Json& object) {
  Json& metadata = object["metadata"];
  for (const char* part : {"managedFields", "resourceVersion", "creationTimestamp"}) {
    metadata.erase(part);
  }
  if (metadata.contains("annotations")) {
    metadata["annotations"].erase("kubist.io/run");
  }
  if (object.contains("status")) {
    object["status"].erase("lastRun");
    if (object["status"].contains("transitionTimes")) {  // what ends meanwhile is not waited for
      object["status"]["transitionTimes"].erase("waitTime");
    }
  }
  if (object["kind"] == "Secret" && object.contains("data")) {
    for (Json& value : object["data"]) {
      value = util::base64_decode(value.get<std::string>()).value_or("");
    }
  }
}

void add_missing(std::string& text, const char* mark, const Left& from, const Left& in) {
  Left missing;
  std::set_difference(from.begin(), from.end(), in.begin(), in.end(),
                      std::inserter(missing, missing.end()));
  for (const std::string& each : missing) {
    text += util::cat(mark, each, '\n');
  }
}

}  // namespace

Left comparable(std::vector<Json> objects,
                const std::vector<std::pair<std::string, std::string>>& names) {
  Left left;
  for (Json& object : objects) {
    make_plain(object);
    std::string text = object.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (const auto& [name, word] : names) {
      text = util::replace_all(text, name, word);
    }
    left.insert(without_chance(std::move(text)));
  }
  return left;
}

std::string difference(const Left& expected, const Left& found) {
  std::string text;
  add_missing(text, "- ", expected, found);
  add_missing(text, "+ ", found, expected);
  return text;
}

}  // namespace faults
