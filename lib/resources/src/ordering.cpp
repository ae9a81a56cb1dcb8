#include <kubist/resources/kinds.hpp>
#include <kubist/resources/ordering.hpp>

namespace kubist::resources {

namespace {

struct Place {
  std::string_view group;
  std::string_view kind;
};

// Helm's and kapp's orders agree on this; each line may go in parallel.
constexpr Place k_names[] = {{"", "Namespace"}};
constexpr Place k_definitions[] = {{"apiextensions.k8s.io", "CustomResourceDefinition"}};
constexpr Place k_policies[] = {{"scheduling.k8s.io", "PriorityClass"},
                                {"node.k8s.io", "RuntimeClass"},
                                {"", "ResourceQuota"},
                                {"", "LimitRange"},
                                {"networking.k8s.io", "NetworkPolicy"},
                                {"networking.k8s.io", "IngressClass"},
                                {"gateway.networking.k8s.io", "GatewayClass"},
                                {"storage.k8s.io", "StorageClass"},
                                {"storage.k8s.io", "CSIDriver"},
                                {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy"}};
constexpr Place k_accounts[] = {{"", "ServiceAccount"},
                                {"rbac.authorization.k8s.io", "ClusterRole"},
                                {"rbac.authorization.k8s.io", "Role"}};
constexpr Place k_bindings[] = {{"rbac.authorization.k8s.io", "ClusterRoleBinding"},
                                {"rbac.authorization.k8s.io", "RoleBinding"}};
constexpr Place k_configuration[] = {{"", "Secret"}, {"", "ConfigMap"}, {"", "PersistentVolume"}};
constexpr Place k_claims[] = {{"", "PersistentVolumeClaim"}};
// Services before workloads, so that pods get their variables and StatefulSets their names.
constexpr Place k_services[] = {
    {"", "Service"}, {"", "Endpoints"}, {"discovery.k8s.io", "EndpointSlice"}};
constexpr Place k_workloads[] = {{"", "Pod"},
                                 {"", "ReplicationController"},
                                 {"apps", "ReplicaSet"},
                                 {"apps", "Deployment"},
                                 {"apps", "StatefulSet"},
                                 {"apps", "DaemonSet"},
                                 {"batch", "Job"},
                                 {"batch", "CronJob"}};
constexpr Place k_around_workloads[] = {{"autoscaling", "HorizontalPodAutoscaler"},
                                        {"policy", "PodDisruptionBudget"},
                                        {"networking.k8s.io", "Ingress"}};
// What intercepts requests comes last: its service must answer by then.
constexpr Place k_interceptors[] = {
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"},
    {"admissionregistration.k8s.io", "MutatingWebhookConfiguration"},
    {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"},
    {"apiregistration.k8s.io", "APIService"}};

constexpr int k_step = 100;
constexpr std::span<const Place> k_order[] = {
    k_names,         k_definitions, k_policies, k_accounts,  k_bindings,
    k_configuration, k_claims,      k_services, k_workloads, k_around_workloads};
constexpr int k_last_barrier = 1 * k_step;  // Namespaces and CRDs
constexpr int k_custom = 20 * k_step;
constexpr int k_kubist = 30 * k_step;  // plus the kind's place in the table
constexpr int k_intercepting = 40 * k_step;

bool contains(std::span<const Place> places, std::string_view group, std::string_view kind) {
  return std::any_of(places.begin(), places.end(), [&](const Place& place) {
    return place.group == group && place.kind == kind;
  });
}

}  // namespace

int apply_rank(std::string_view group, std::string_view kind) {
  if (int order = kind_order(group, kind); order >= 0) {
    return k_kubist + order;
  }
  if (contains(k_interceptors, group, kind)) {
    return k_intercepting;
  }
  for (std::size_t i = 0; i < std::size(k_order); ++i) {
    if (contains(k_order[i], group, kind)) {
      return static_cast<int>(i) * k_step;
    }
  }
  return k_custom;
}

std::vector<Wave> apply_waves(const std::vector<ObjectRef>& objects) {
  std::map<int, Wave> waves;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    int rank = apply_rank(objects[i].group, objects[i].kind);
    Wave& wave = waves[rank];
    wave.items.push_back(i);
    wave.barrier = rank <= k_last_barrier;
  }
  std::vector<Wave> ordered;
  for (auto& [rank, wave] : waves) {
    ordered.push_back(std::move(wave));
  }
  return ordered;
}

std::vector<Wave> delete_waves(const std::vector<ObjectRef>& objects) {
  std::vector<Wave> waves = apply_waves(objects);
  std::reverse(waves.begin(), waves.end());
  for (Wave& wave : waves) {
    wave.barrier = false;
  }
  return waves;
}

}  // namespace kubist::resources
