#pragma once
#include <string>
#include <string_view>

#include <kubist/data/pointer.hpp>
#include <kubist/data/position.hpp>
#include <kubist/util/result.hpp>

namespace kubist::policies {

/// Where a part of the parameters stands in the text that they were read from. Without a text, as
/// in a run, errors get no position. What it was made of outlives it.
class Place {
 public:
  Place() = default;
  explicit Place(const data::PositionLookup& lookup) : m_lookup(lookup ? &lookup : nullptr) {}

  /// That of a field, or of an entry, of what stands here.
  Place operator/(std::string_view field) const { return below(field); }
  Place operator/(std::size_t index) const { return below(index); }
  /// The same, where its name stands.
  Place key() const {
    Place place = *this;
    place.m_at = data::At::key;
    return place;
  }

  /// Invalid, at this place.
  tl::unexpected<util::Error> fail(std::string message, std::string hint = {}) const {
    auto error = util::make_error(util::ErrorKind::invalid, std::move(message), std::move(hint));
    mark(error);
    return util::fail(std::move(error));
  }
  /// The same; an error that has no position yet gets this one.
  template <class T>
  util::Result<T> mark(util::Result<T> read) const {
    if (!read) {
      mark(read.error());
    }
    return read;
  }

 private:
  Place below(auto token) const {
    Place place = *this;
    place.m_at = data::At::value;
    if (m_lookup != nullptr) {
      data::append_token(place.m_pointer, token);
    }
    return place;
  }
  void mark(util::Error& error) const {
    if (m_lookup != nullptr && error.pos == util::SourcePos{}) {
      error.pos = (*m_lookup)(m_pointer, m_at);
    }
  }

  const data::PositionLookup* m_lookup = nullptr;
  std::string m_pointer;
  data::At m_at = data::At::value;
};

}  // namespace kubist::policies
