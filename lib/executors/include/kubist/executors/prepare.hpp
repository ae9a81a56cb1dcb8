#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/apply/set.hpp>
#include <kubist/executors/session.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

/// For apply::Options::needs: the namespace of every Project of the input that is not there and not
/// in the input itself, exactly as the Project's executor would make it, so that one folder with a
/// project and what lives in it applies in one go. Existing namespaces are left to the executor.
/// Invalid: a Project names a reserved namespace.
util::Result<std::vector<apply::Needed>> needed_namespaces(
    kube::Client& client, const std::vector<resources::Manifest>& objects, std::stop_token stop);

/// After an apply of what is to be reconciled: the objects of the tree among its results (those
/// that it pruned and that may be gone, too) become the selection of a run, in a dry run with
/// `planned`, as they would be (the report keeps them: apply::Options::keep_objects). Errors: as of
/// load_served_kinds().
util::Result<> select_applied(kube::Client& client, const apply::Report& report,
                              ReconcileOptions& options, const std::stop_token& stop);

}  // namespace kubist::executors
