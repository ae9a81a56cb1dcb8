#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

namespace {

using Words = std::array<std::string_view, 4>;

constexpr Words k_root_words{};
constexpr Words k_project_words{"proj"};
constexpr Words k_cluster_words{};
constexpr Words k_virtual_cluster_words{"vc", "virtual-cluster", "virtual_cluster"};
constexpr Words k_execution_words{"exec"};
constexpr Words k_deploy_item_words{"deploy-item", "deploy_item"};
constexpr Words k_destination_words{"dest"};
constexpr Words k_entry_gateway_words{"gateway", "gateways", "entry-gateway", "entry_gateway"};
constexpr Words k_external_service_words{"serviceentry", "serviceentries", "service_entry",
                                         "external-service"};
constexpr Words k_canary_words{"canary", "canaries", "canary-release", "canary_release"};
constexpr Words k_experiment_words{};
constexpr Words k_traffic_route_words{"route", "routes", "vampservice", "vamp_service"};
constexpr Words k_approval_words{};
constexpr Words k_policy_words{"policy", "policies"};
constexpr Words k_cluster_policy_words{"clusterpolicy", "clusterpolicies"};
constexpr Words k_executor_words{"executor", "executors"};

// The order is that of a run: definitions before what may name them, then the tree from the top;
// traffic after what brings up the pods that it goes to, and what a route names before the route.
constexpr Kind k_kinds[] = {
    {"ClusterPolicyDefinition", "clusterpolicydefinitions", k_kubist_group, "kcpol",
     k_cluster_policy_words, false, "", false, true},
    {"ExecutorDefinition", "executordefinitions", k_kubist_group, "kexd", k_executor_words, false,
     "", false, true},
    {"Root", "roots", k_kubist_group, "kroot", k_root_words, false, "", true},
    {"Project", "projects", k_kubist_group, "kproj", k_project_words, false, "Root", true},
    {"PolicyDefinition", "policydefinitions", k_kubist_group, "kpol", k_policy_words, true, "",
     false, true},
    {"Cluster", "clusters", k_kubist_group, "kcl", k_cluster_words, true, "Project", true},
    {"VirtualCluster", "virtualclusters", k_kubist_group, "kvc", k_virtual_cluster_words, true,
     "Cluster", true},
    {"Execution", "executions", k_kubist_group, "kexec", k_execution_words, true, "VirtualCluster",
     true},
    {"DeployItem", "deployitems", k_landscaper_group, "di", k_deploy_item_words, true,
     "VirtualCluster", true},
    {"Destination", "destinations", k_kubist_group, "kdest", k_destination_words, true,
     "VirtualCluster", true},
    {"EntryGateway", "entrygateways", k_kubist_group, "kgw", k_entry_gateway_words, true,
     "VirtualCluster", true},
    {"ExternalService", "externalservices", k_kubist_group, "kext", k_external_service_words, true,
     "VirtualCluster", true},
    {"CanaryRelease", "canaryreleases", k_kubist_group, "kcanary", k_canary_words, true,
     "VirtualCluster", true},
    {"Experiment", "experiments", k_kubist_group, "kab", k_experiment_words, true, "VirtualCluster",
     true},
    {"TrafficRoute", "trafficroutes", k_kubist_group, "kroute", k_traffic_route_words, true,
     "VirtualCluster", true},
    {"Approval", "approvals", k_kubist_group, "kappr", k_approval_words, true, "", false},
};

const Kind* kind_of(const data::Json& object) {
  return find_kind(group_of(data::string_at(object, {"apiVersion"})),
                   data::string_at(object, {"kind"}));
}

bool has_word(const Kind& kind, std::string_view word) {
  if (word == util::lower(kind.name) || word == kind.plural || word == kind.short_name) {
    return true;
  }
  return !word.empty() && std::find(kind.words.begin(), kind.words.end(), word) != kind.words.end();
}

}  // namespace

std::span<const Kind> kinds() { return k_kinds; }

const Kind* find_kind(std::string_view group, std::string_view name) {
  int order = kind_order(group, name);
  return order < 0 ? nullptr : &k_kinds[order];
}

const Kind* find_kind_by_word(std::string_view word) {
  std::string lower = util::lower(word);
  for (const Kind& kind : k_kinds) {
    std::string_view plain = lower;
    // "virtualclusters.kubist.io" and "virtualclusters.v1alpha1.kubist.io", as kubectl takes them.
    for (const std::string& suffix :
         {util::cat('.', k_version, '.', kind.group), util::cat('.', kind.group)}) {
      if (plain.ends_with(suffix)) {
        plain.remove_suffix(suffix.size());
      }
    }
    if (has_word(kind, plain)) {
      return &kind;
    }
  }
  return nullptr;
}

std::vector<std::string> kind_words() {
  std::vector<std::string> words;
  for (const Kind& kind : k_kinds) {
    words.push_back(util::lower(kind.name));
    words.emplace_back(kind.plural);
    words.emplace_back(kind.short_name);
    for (std::string_view word : kind.words) {
      if (!word.empty()) {
        words.emplace_back(word);
      }
    }
  }
  return words;
}

int kind_order(std::string_view group, std::string_view name) {
  for (std::size_t i = 0; i < std::size(k_kinds); ++i) {
    if (k_kinds[i].name == name && k_kinds[i].group == group) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

bool is_kubist_object(const data::Json& object) { return kind_of(object) != nullptr; }

bool is_definition(const data::Json& object) {
  const Kind* kind = kind_of(object);
  return kind != nullptr && kind->definition;
}

std::string api_version(const Kind& kind) { return util::cat(kind.group, '/', k_version); }

}  // namespace kubist::resources
