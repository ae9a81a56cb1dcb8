#pragma once
#include <csignal>

#include "stage.hpp"

namespace traffic_test {

/// Looks at `what` ("Project/shop") until `holds`, and no longer: a release under way would keep
/// `reconcile` busy until its time is over. False: it did not hold in time.
inline bool look_until(Stage& stage, const std::string& what, const std::function<bool()>& holds,
                       int seconds = 60) {
  return eventually(
      [&] {
        Background run(stage.world().as_user({"reconcile", what, "-n", stage.project()}));
        bool ended = false;
        eventually([&] { return holds() || (ended = run.wait(0).has_value()); }, seconds);
        if (!ended) {
          run.signal(SIGINT);
          run.wait(20);
        }
        return holds();
      },
      seconds);
}

}  // namespace traffic_test
