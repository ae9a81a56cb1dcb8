#pragma once
#include <stop_token>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::apply {

/// Fills NotReady::events with the last Warning events of each object and of what it made (pods of
/// a Deployment and the like, by their names). What cannot be read is left out.
void add_warning_events(kube::Client& client, std::vector<NotReady>& objects,
                        const std::stop_token& stop);

}  // namespace kubist::apply
