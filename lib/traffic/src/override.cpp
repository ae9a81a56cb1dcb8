#include <kubist/data/pointer.hpp>
#include <kubist/traffic/override.hpp>

namespace kubist::traffic {

using data::Json;

Override Override::on(const std::string& cluster) const {
  Override own = *this;
  if (const auto other = held.find(cluster); other != held.end() && own.shift) {
    own.shift->percent = other->second;
    own.shift = other->second == 0 ? std::nullopt : own.shift;
  }
  return own;
}

Json to_json(const Override& given) {
  Json json = {{"by", given.by}, {"attempt", given.attempt}, {"forSpec", given.for_spec}};
  if (given.split) {
    json["split"] = to_json(*given.split);
    return json;
  }
  json.update(to_json(*given.shift));
  if (given.final) {
    json["final"] = true;
  }
  return json;
}

std::optional<Override> read_override(const Json* json) {
  if (json == nullptr || !json->is_object()) {
    return std::nullopt;
  }
  Override read;
  read.by = data::string_at(*json, {"by"});
  read.attempt = static_cast<int>(data::int_at(*json, {"attempt"}));
  read.for_spec = data::string_at(*json, {"forSpec"});
  read.final = data::bool_at(*json, {"final"});
  if (const Json* split = data::find_path(*json, {"split"})) {
    read.split = read_split(*split);
    if (!read.split) {
      return std::nullopt;
    }
  } else {
    read.shift = read_shift(*json);
  }
  return read;
}

util::Result<Json> overridden_routes(const Json& routes, const Override& given) {
  return given.split ? split_routes(routes, *given.split) : shifted_routes(routes, *given.shift);
}

}  // namespace kubist::traffic
