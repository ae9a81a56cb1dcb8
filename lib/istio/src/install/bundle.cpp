#include <kubist/data/schema.hpp>
#include <kubist/istio/bundle.hpp>
#include <kubist/istio/record.hpp>
#include <kubist/util/text.hpp>

#include "install/bundle_check.hpp"
#include "install/bundle_source.hpp"

namespace kubist::istio {

namespace {

util::Result<Bundle> make_bundle(const std::vector<std::pair<std::string, std::string>>& files,
                                 const std::string& origin, const Expected& expected) {
  Bundle bundle;
  std::vector<util::Error> errors;
  for (auto& [name, text] : files) {
    resources::ManifestSet set = resources::read_manifest_text(text, name);
    std::move(set.manifests.begin(), set.manifests.end(), std::back_inserter(bundle.manifests));
    std::move(set.errors.begin(), set.errors.end(), std::back_inserter(errors));
  }
  if (!errors.empty()) {
    return util::fail(data::combine_errors(std::move(errors), origin));
  }
  KUBIST_CHECK(check_bundle(bundle, origin, expected));
  return bundle;
}

}  // namespace

util::Result<Bundle> read_bundle(const Source& source, const Expected& expected) {
  KUBIST_TRY(SourceTexts texts, read_source(source));
  KUBIST_TRY(Bundle bundle, make_bundle(texts.files, source.location, expected));
  bundle.sha256 = std::move(texts.sha256);
  return bundle;
}

resources::Manifest install_record(const Bundle& bundle) {
  resources::Manifest manifest;
  manifest.object = {
      {"apiVersion", "v1"},
      {"kind", "ConfigMap"},
      {"metadata", {{"name", install_record_name(bundle.revision)}, {"namespace", bundle.ns}}},
      {"data",
       {{"version", bundle.version}, {"revision", bundle.revision}, {"sha256", bundle.sha256}}}};
  return manifest;
}

}  // namespace kubist::istio
