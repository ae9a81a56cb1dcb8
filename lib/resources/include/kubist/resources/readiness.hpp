#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>

namespace kubist::resources {

enum class Status { in_progress, failed, current, terminating, not_found, unknown };

/// "InProgress", "Failed", "Current", "Terminating", "NotFound", "Unknown": kstatus' words.
std::string_view to_string(Status status);

struct Readiness {
  Status status = Status::unknown;
  std::string reason;   ///< CamelCase; empty where kstatus gives none
  std::string message;  ///< for people
};

/// What counts as reached. kstatus calls a running Job, a failed Pod and a load balancer without an
/// address Current; the other modes say what people usually mean.
enum class ReadyMode {
  kstatus,       ///< exactly kstatus
  job_finished,  ///< Jobs: Current only when complete; Pods: only when succeeded, failed is Failed
  lb_address,    ///< Services and Gateways/Ingresses: Current only with an address
  strict,        ///< both of the above, for whatever kind they apply to
};

/// The status of one live object by the rules of kstatus (sigs.k8s.io/cli-utils). `now` decides how
/// long a Pod may be unschedulable (15 s) before that counts as failed. Never throws: an object
/// that cannot be judged is unknown, with the reason.
Readiness readiness(const data::Json& object, std::chrono::system_clock::time_point now,
                    ReadyMode mode = ReadyMode::kstatus);

/// The status of an object that the server does not have.
Readiness not_found();

}  // namespace kubist::resources
