#include "selection.hpp"

#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::cat;
using util::ErrorKind;

util::Result<std::vector<engine::Key>> read_selection(Context& context,
                                                      const std::vector<std::string>& words) {
  std::vector<engine::Key> keys;
  for (const std::string& word : words) {
    const std::size_t slash = word.find('/');
    if (slash == std::string::npos) {
      return util::fail(ErrorKind::usage, cat("\"", word, "\" is not KIND/NAME"),
                        "Name a resource as Project/shop or vc/dev.");
    }
    KUBIST_CHECK(kube::check_name("resource name", word.substr(slash + 1)));
    const std::string type = word.substr(0, slash);
    const resources::Kind* kind = resources::find_kind_by_word(type);
    if (kind == nullptr && type.find('.') != std::string::npos) {  // an ExecutorDefinition's
      KUBIST_TRY(const auto client, context.client());
      KUBIST_TRY(const auto resource, client->discovery().find_word(type, context.stop()));
      KUBIST_TRY(std::string own_ns, context.ns());
      keys.push_back({resource.group, resource.kind, std::move(own_ns), word.substr(slash + 1)});
      continue;
    }
    if (kind == nullptr || !kind->node) {
      return util::fail(ErrorKind::usage, cat("\"", type, "\" is no kind of the tree",
                                              util::did_you_mean(type, resources::kind_words())));
    }
    std::string ns;
    if (kind->namespaced) {
      KUBIST_TRY(ns, context.ns());
    }
    keys.push_back({std::string(kind->group), std::string(kind->name), ns, word.substr(slash + 1)});
  }
  return keys;
}

}  // namespace kubist::cli
