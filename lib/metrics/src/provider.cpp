#include <kubist/metrics/provider.hpp>

namespace kubist::metrics {

std::vector<Expected<Sample>> Provider::samples(const std::vector<Subject>& subjects,
                                                const std::stop_token& stop) {
  std::vector<Expected<Sample>> all;
  all.reserve(subjects.size());
  for (const Subject& subject : subjects) {
    all.push_back(sample(subject, stop));
  }
  return all;
}

}  // namespace kubist::metrics
