#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "references.hpp"

namespace kubist::resources {

namespace {

class CallChecker {
 public:
  CallChecker(const std::vector<const Manifest*>& manifests, const ValidateContext& context)
      : m_context(context) {
    for (const Manifest* manifest : manifests) {
      ObjectView view(manifest->object);
      if (view.kind() == "ExecutorDefinition") {
        m_executors.emplace(view.name());
      }
    }
  }

  void check(const Manifest& manifest) {
    ObjectView view(manifest.object);
    std::string ns = namespace_of(view);
    const std::vector<std::string> own{std::string(view.kind())};
    if (auto executor = executor_of(manifest.object)) {
      bool alias = data::string_at(view.spec(), {"executor", "name"}).empty();
      if (m_executors.count(executor->name) == 0) {
        ask(m_context.check_executor, manifest, ns, *executor, own,
            alias ? "/spec/policyExecutor" : "/spec/executor");
      }
    }
    std::vector<NamedCall> policies = policies_of(manifest.object);
    for (std::size_t i = 0; i < policies.size(); ++i) {
      ask(m_context.check_policy, manifest, ns, policies[i], own, util::cat("/spec/policies/", i));
    }
    const std::vector<Imposition> all = impositions_of(manifest.object);
    for (std::size_t i = 0; i < all.size(); ++i) {
      check_kinds(manifest, all[i], util::cat("/spec/impose/", i, "/kinds/"));
      for (std::size_t k = 0; k < all[i].policies.size(); ++k) {
        ask(m_context.check_policy, manifest, "", all[i].policies[k], all[i].kinds,
            util::cat("/spec/impose/", i, "/policies/", k));
      }
    }
  }

  std::vector<util::Error> take() { return std::move(m_errors); }

 private:
  /// One that is none of kubist's may be an ExecutorDefinition's, unless it looks like one of
  /// these.
  void check_kinds(const Manifest& manifest, const Imposition& imposed,
                   const std::string& pointer) {
    std::vector<std::string> nodes;
    for (const Kind& kind : kinds()) {
      if (kind.node) {
        nodes.emplace_back(kind.name);
      }
    }
    for (std::size_t i = 0; i < imposed.kinds.size(); ++i) {
      const std::string& kind = imposed.kinds[i];
      const std::string near = util::did_you_mean(kind, nodes);
      if (std::find(nodes.begin(), nodes.end(), kind) == nodes.end() && !near.empty()) {
        m_errors.push_back(util::make_error(util::ErrorKind::invalid,
                                            manifest.position(util::cat(pointer, i)),
                                            util::cat("unknown kind \"", kind, "\"", near)));
      }
    }
  }

  using Check = std::function<std::vector<util::Error>(const CallSite&)>;

  std::string namespace_of(const ObjectView& view) const {
    return std::string(view.ns().empty() ? std::string_view(m_context.default_namespace)
                                         : view.ns());
  }

  void ask(const Check& check_call, const Manifest& manifest, const std::string& ns,
           const NamedCall& call, const std::vector<std::string>& kinds,
           const std::string& pointer) {
    if (!check_call) {
      return;
    }
    data::PositionLookup positions = [&](std::string_view below, data::At at) {
      return manifest.position(pointer + std::string(below), at);
    };
    ObjectView view(manifest.object);
    for (util::Error& error : check_call({view.kind(), ns, call, positions, kinds})) {
      if (error.pos.origin.empty()) {
        error.pos = manifest.position(pointer + "/name");
      }
      m_errors.push_back(util::with_context(std::move(error), to_string(view.ref())));
    }
  }

  const ValidateContext& m_context;
  std::set<std::string, std::less<>> m_executors;
  std::vector<util::Error> m_errors;
};

}  // namespace

std::vector<util::Error> check_calls(const std::vector<const Manifest*>& manifests,
                                     const ValidateContext& context) {
  CallChecker checker(manifests, context);
  for (const Manifest* manifest : manifests) {
    checker.check(*manifest);
  }
  return checker.take();
}

}  // namespace kubist::resources
