#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include <kubist/kube/client.hpp>
#include <kubist/setup/install.hpp>

#include "credentials.hpp"

/// Who runs kubist in a test case. In the suites below it is a user who has the rights that
/// `kubist init --print-rbac` prints for the test's projects, and those that
/// tests/rights-exceptions.tsv adds for the case. Elsewhere, and where that file says so, it is
/// the administrator of KUBECONFIG. Any thread.
namespace it::caller {

/// The KUBECONFIG of a kubist that the running test case starts. What is printed for its projects
/// and their virtual clusters as they are now is granted before.
std::filesystem::path kubeconfig();
/// Projects whose names begin so are the running test case's.
void add_projects(const std::string& prefix);
/// Takes back what is granted outside of the projects.
void revoke();
bool is_administrator();
/// Grants what is printed, and waits until the API server knows it.
void grant(const kubist::setup::ProjectAccount& printed);
/// A client with the caller's credentials.
std::shared_ptr<kubist::kube::Client> client();

/// That of a user with the rights of the running test case's caller.
Certificate certificate(const std::string& user);

}  // namespace it::caller
