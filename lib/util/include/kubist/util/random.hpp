#pragma once
#include <cstdint>
#include <string>

namespace kubist::util {

/// A uniform number in [0, 1) from the operating system's generator; any thread.
double random_unit();
/// A random UUID, version 4 (RFC 9562), lower case.
std::string random_uuid();
/// `length` characters of [a-z0-9] without vowels, as Kubernetes' generateName uses.
std::string random_suffix(std::size_t length);

}  // namespace kubist::util
