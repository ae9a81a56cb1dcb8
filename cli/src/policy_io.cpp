#include "policy_io.hpp"

#include <algorithm>
#include <stdexcept>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "embedded_policy_io.hpp"

namespace kubist::cli {
namespace {

using data::Json;

/// All files, and what their schemas refer to: each other, and components of their own.
struct PolicyIo {
  Json documents = Json::object();
  Json components = Json::object();
};

/// A file that does not parse is a bug of this program.
PolicyIo read_files() {
  PolicyIo read;
  for (const std::string& name : policy_io_names()) {
    const std::string file = name + ".yaml";
    const auto document = data::read_document(embedded::embedded_policy_io(file), file);
    if (!document) {
      throw std::logic_error(document.error().to_string());
    }
    read.components.update(data::object_at(document->value, {"components"}));
    read.components[name] = document->value.at("schema");
    read.documents[name] = document->value;
  }
  return read;
}

}  // namespace

const std::vector<std::string>& policy_io_names() {
  static const std::vector<std::string> names{"ResourceList", "PolicyRun", "ReleaseObservation",
                                              "ExperimentObservation"};
  return names;
}

std::optional<KindSchema> find_policy_io(std::string_view name) {
  const auto& names = policy_io_names();
  const auto known = std::find_if(names.begin(), names.end(), [&](const std::string& each) {
    return util::iequals(each, name);
  });
  if (known == names.end()) {
    return std::nullopt;
  }
  static const PolicyIo all = read_files();
  const Json& document = all.documents.at(*known);
  return KindSchema{.group = document.at("group"),
                    .version = document.at("version"),
                    .kind = *known,
                    .schema = &all.components.at(*known),
                    .components = &all.components,
                    .has_metadata = false};
}

}  // namespace kubist::cli
