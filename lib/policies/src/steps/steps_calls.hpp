#pragma once
#include "steps/steps_plan.hpp"

namespace kubist::policies {

/// {name, url, timeout, metadata, retries, type}, as Flagger writes a webhook. Invalid: another
/// field, no name or URL, a timeout that is not between 1s and 1m.
util::Result<Step> read_webhook(const Json& given, const std::string& where, const Place& place);

/// {name, image, command, args, env, resources, imagePullSecrets, timeout, retries}: a pod whose
/// exit code decides. Invalid: another field, no name or image, env that is not plain text, a
/// timeout that is not between 1s and 24h.
util::Result<Step> read_job(const Json& given, const std::string& where, const Place& place);

/// What the answer to a step's call says.
struct CallCheck {
  enum class Outcome { passed, refused, unknown, pending };  ///< pending: it has not ended
  Outcome outcome = Outcome::pending;
  std::string reason, message;
};
/// `answer`: null where there is none.
CallCheck check_call(const Step& step, const Json* answer);

}  // namespace kubist::policies
