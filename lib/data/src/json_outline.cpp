#include <kubist/data/document.hpp>
#include <kubist/data/json_outline.hpp>

#include "json_scan.hpp"

namespace kubist::data {

namespace {

/// The members of the object at the pointer that can be read.
Json readable_members(std::string_view raw, std::string_view pointer) {
  Json members = Json::object();
  const std::string_view text = scan_pointer(raw, pointer).value_or("");
  JsonScanner scanner(text);
  if (!scanner.take('{')) {
    return members;
  }
  for (auto key = scanner.next_key(); key; key = scanner.next_key()) {
    const std::size_t start = scanner.position();
    if (!scanner.skip_value()) {
      break;
    }
    auto value = parse_json(text.substr(start, scanner.position() - start), std::string(pointer));
    if (value && key->find('\\') == key->npos) {
      members[std::string(*key)] = *std::move(value);
    }
  }
  return members;
}

}  // namespace

Json outline(std::string_view raw) {
  Json object = readable_members(raw, "");
  for (auto member = object.begin(); member != object.end();) {
    const bool kept = member.key() == "apiVersion" || member.key() == "kind";
    member = kept ? std::next(member) : object.erase(member);
  }
  object["metadata"] = readable_members(raw, "/metadata");
  object["metadata"].erase("managedFields");
  object["spec"] = readable_members(raw, "/spec");
  return object;
}

}  // namespace kubist::data
