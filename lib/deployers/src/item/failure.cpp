#include "item/failure.hpp"

#include <kubist/util/text.hpp>

namespace kubist::deployers {

using util::ErrorKind;

Progress failure_of(const util::Error& error, std::string operation) {
  Progress progress;
  progress.state = Progress::State::failed;
  progress.operation = std::move(operation);
  progress.message = error.to_string();
  switch (error.kind) {
    case ErrorKind::invalid:
    case ErrorKind::usage:
    case ErrorKind::denied:
      progress.codes = {"ERR_CONFIGURATION_PROBLEM"};
      break;
    case ErrorKind::forbidden:
      progress.codes = {"ERR_UNAUTHORIZED"};
      break;
    case ErrorKind::timeout:
      progress.codes = {"ERR_TIMEOUT"};
      break;
    default:
      break;
  }
  progress.reason = error.reason;
  if (progress.reason.empty()) {
    for (const std::string& word : util::split(util::to_string(error.kind), '_')) {
      progress.reason += static_cast<char>(word[0] - 'a' + 'A');
      progress.reason += word.substr(1);
    }
  }
  return progress;
}

bool may_mend(const util::Error& error) {
  return error.kind == ErrorKind::unavailable || error.kind == ErrorKind::conflict ||
         error.kind == ErrorKind::cancelled;
}

}  // namespace kubist::deployers
