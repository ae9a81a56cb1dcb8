#include "selectors.hpp"

#include <kubist/resources/selector.hpp>

namespace kubist::cli {

util::Result<std::string> label_selector(const Arguments& arguments) {
  KUBIST_TRY(const auto labels, resources::LabelSelector::parse(arguments.text("selector")));
  return labels.to_string();
}

util::Result<std::string> field_selector(const Arguments& arguments) {
  KUBIST_TRY(const auto terms, resources::parse_field_selector(arguments.text("field-selector")));
  return resources::to_string(terms);
}

util::Result<> filter_by_labels(std::vector<resources::Manifest>& manifests,
                                const Arguments& arguments) {
  KUBIST_TRY(const auto selector, resources::LabelSelector::parse(arguments.text("selector")));
  std::erase_if(manifests, [&](const resources::Manifest& manifest) {
    return !selector.matches(resources::ObjectView(manifest.object).labels());
  });
  return {};
}

}  // namespace kubist::cli
