#include <kubist/resources/ordering.hpp>

#include "support.hpp"

using namespace kubist::resources;

namespace {

std::vector<std::vector<std::string>> names(const std::vector<Wave>& waves,
                                            const std::vector<ObjectRef>& objects) {
  std::vector<std::vector<std::string>> result;
  for (const Wave& wave : waves) {
    auto& kinds = result.emplace_back();
    for (std::size_t i : wave.items) {
      kinds.push_back(objects[i].kind);
    }
  }
  return result;
}

const std::vector<ObjectRef> k_objects = {
    {"admissionregistration.k8s.io", "MutatingWebhookConfiguration", "", "m"},
    {"kubist.io", "VirtualCluster", "p", "v"},
    {"apps", "Deployment", "n", "d"},
    {"example.com", "Thing", "n", "t"},
    {"", "ConfigMap", "n", "c"},
    {"kubist.io", "Project", "", "p"},
    {"", "Secret", "n", "s"},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "", "x"},
    {"", "Namespace", "", "n"},
    {"rbac.authorization.k8s.io", "RoleBinding", "n", "b"},
    {"", "ServiceAccount", "n", "a"},
    {"kubist.io", "Cluster", "p", "c"},
    {"", "Service", "n", "svc"},
};

}  // namespace

TEST_CASE("ordering: what others need comes first, interceptors last") {
  auto waves = apply_waves(k_objects);
  CHECK(names(waves, k_objects) ==
        std::vector<std::vector<std::string>>{{"Namespace"},
                                              {"CustomResourceDefinition"},
                                              {"ServiceAccount"},
                                              {"RoleBinding"},
                                              {"ConfigMap", "Secret"},
                                              {"Service"},
                                              {"Deployment"},
                                              {"Thing"},
                                              {"Project"},
                                              {"Cluster"},
                                              {"VirtualCluster"},
                                              {"MutatingWebhookConfiguration"}});
  CHECK(waves[0].barrier);
  CHECK(waves[1].barrier);
  CHECK_FALSE(waves[2].barrier);
}

TEST_CASE("ordering: deletion goes backwards") {
  auto waves = delete_waves(k_objects);
  CHECK(names(waves, k_objects).front() ==
        std::vector<std::string>{"MutatingWebhookConfiguration"});
  CHECK(names(waves, k_objects).back() == std::vector<std::string>{"Namespace"});
}

TEST_CASE("ordering: a kind is known by its group too") {
  CHECK(apply_rank("", "Namespace") < apply_rank("example.com", "Namespace"));
  CHECK(apply_rank("example.com", "Cluster") < apply_rank("kubist.io", "Cluster"));
  CHECK(apply_waves({}).empty());
}
