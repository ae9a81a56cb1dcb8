#pragma once
#include <boost/math/policies/policy.hpp>

namespace kubist::stats {

/// Boost.Math without exceptions: what is outside of a domain gives NaN, what overflows infinity.
using BoostPolicy = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
    boost::math::policies::rounding_error<boost::math::policies::ignore_error>>;

}  // namespace kubist::stats
