#include <kubist/data/yaml_writer.hpp>

#include "yaml_emitter.hpp"

namespace kubist::data {

void write_yaml(const Json& value, std::string& out) {
  YamlEmitter<JsonTraits>(false, out).document(&value);
}

std::string to_yaml(const Json& value) {
  std::string text;
  write_yaml(value, text);
  return text;
}

}  // namespace kubist::data
