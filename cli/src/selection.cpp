#include "selection.hpp"

#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;

struct NamedWord {
  std::string type, name;
};

/// kubectl's two forms: TYPE/NAME..., or TYPE NAME...
util::Result<std::vector<NamedWord>> named_words(const std::vector<std::string>& words) {
  constexpr std::string_view k_forms = "Name resources as Project/shop or vc/dev, or project shop.";
  std::vector<NamedWord> named;
  const bool pairs = !words.empty() && words[0].find('/') != std::string::npos;
  for (std::size_t i = pairs ? 0 : 1; i < words.size(); ++i) {
    const std::size_t slash = words[i].find('/');
    if (pairs != (slash != std::string::npos)) {
      return util::fail(ErrorKind::usage,
                        cat("KIND/NAME and KIND NAME cannot be mixed: \"", words[i], '"'),
                        std::string(k_forms));
    }
    named.push_back(pairs ? NamedWord{words[i].substr(0, slash), words[i].substr(slash + 1)}
                          : NamedWord{words[0], words[i]});
    KUBIST_CHECK(kube::check_name("resource name", named.back().name));
  }
  if (named.empty() && !words.empty()) {
    return util::fail(ErrorKind::usage, cat('"', words[0], "\" needs a name"),
                      std::string(k_forms));
  }
  return named;
}

std::string kinds_of_the_tree() {
  std::vector<std::string> names;
  for (const resources::Kind& kind : resources::kinds()) {
    if (kind.node) {
      names.emplace_back(kind.name);
    }
  }
  return util::join(names, ", ");
}

util::Result<engine::Key> node_key(Context& context, const NamedWord& word) {
  const resources::Kind* kind = resources::find_kind_by_word(word.type);
  std::string ns;
  if (kind == nullptr && word.type.find('.') != std::string::npos) {  // an ExecutorDefinition's
    KUBIST_TRY(const auto client, context.client());
    KUBIST_TRY(const auto resource, client->discovery().find_word(word.type, context.stop()));
    KUBIST_TRY(ns, context.ns());
    return engine::Key{resource.group, resource.kind, ns, word.name};
  }
  if (kind == nullptr || !kind->node) {
    return util::fail(ErrorKind::usage,
                      cat('"', word.type, "\" is not a kind that kubist reconciles",
                          util::did_you_mean(word.type, resources::kind_words())),
                      cat("It reconciles ", kinds_of_the_tree(),
                          ", and kinds of ExecutorDefinitions as PLURAL.GROUP/NAME."));
  }
  if (kind->namespaced) {
    KUBIST_TRY(ns, context.ns());
  }
  return engine::Key{std::string(kind->group), std::string(kind->name), ns, word.name};
}

}  // namespace

util::Result<std::vector<engine::Key>> read_selection(Context& context,
                                                      const std::vector<std::string>& words) {
  KUBIST_TRY(const auto named, named_words(words));
  std::vector<engine::Key> keys;
  for (const NamedWord& word : named) {
    KUBIST_TRY(auto key, node_key(context, word));
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace kubist::cli
