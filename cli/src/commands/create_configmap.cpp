#include <kubist/data/json_text.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/util/base64.hpp>

#include "../create_data.hpp"
#include "../create_object.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

util::Result<int> run_create_configmap(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const DataEntries entries, read_data(arguments));
  data::Json object{{"metadata", {{"name", arguments.words()[0]}}}};
  for (const auto& [key, value] : entries) {
    if (data::is_utf8(value)) {
      object["data"][key] = value;
    } else {
      object["binaryData"][key] = util::base64_encode(value);
    }
  }
  return create_object(context, kube::well_known::config_maps(), std::move(object));
}

CommandSpec configmap_command(std::string_view path) {
  CommandSpec spec = create_command(
      path, "Make a ConfigMap of literals and files",
      "Files that are not UTF-8 go into binaryData. With --dry-run=client -o yaml it prints the "
      "object and asks no server.",
      data_flags(),
      {{"Two settings", "kubist create configmap web --from-literal=a=1 --from-literal=b=2"},
       {"A folder as YAML",
        "kubist create configmap web --from-file=conf/ --dry-run=client -o yaml"}});
  spec.run = run_create_configmap;
  return spec;
}

}  // namespace

CommandSpec create_configmap_command() { return configmap_command("create configmap"); }

/// kubectl's short word for it.
CommandSpec create_cm_command() {
  CommandSpec spec = configmap_command("create cm");
  spec.hidden = true;
  return spec;
}

}  // namespace kubist::cli
