#pragma once
#include <cstdio>
#include <cstdlib>

namespace kubist::testing {

/// Is the NUMBERth step, from 0, of a long test in the part that runs? $KUBIST_SLICE is
/// "PART/PARTS", counted from 1; without it all are. See tests/slices.tsv.
inline bool in_slice(int number) {
  const char* slice = std::getenv("KUBIST_SLICE");
  int part = 1, parts = 1;
  if (slice != nullptr && std::sscanf(slice, "%d/%d", &part, &parts) != 2) {
    std::fprintf(stderr, "KUBIST_SLICE=%s: say PART/PARTS, as 2/4\n", slice);
    std::abort();
  }
  return number % parts == part - 1;
}

}  // namespace kubist::testing
