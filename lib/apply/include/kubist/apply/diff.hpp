#pragma once
#include <stop_token>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/apply/set.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/diff.hpp>
#include <kubist/resources/manifest.hpp>

namespace kubist::apply {

/// How one object would change.
struct SetDiff {
  ObjectResult result;         ///< outcome as of a server dry run
  std::string name;            ///< "apps.v1.Deployment.default.web", as kubectl names its file
  resources::ObjectDiff diff;  ///< empty text: no difference. Secrets are masked
  /// The apply takes it over from client-side `kubectl apply` (Options::take_over_client_side):
  /// what left the input goes, too, which is not in `diff`.
  bool taken_over = false;
};

struct SetDiffs {
  std::vector<SetDiff> objects;  ///< Options::needs, the input, what is pruned
  Report report;
  bool differs() const;
};

/// What apply_set would change, by a dry run on the server: conflicts do not stop it (kubectl
/// forces them too). Objects of a kind or namespace that the input itself makes are shown as
/// created.
SetDiffs diff_set(kube::Client& client, std::vector<resources::Manifest>& objects, Options options,
                  std::stop_token stop = {});

}  // namespace kubist::apply
