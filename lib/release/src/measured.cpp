#include <cmath>

#include <kubist/data/pointer.hpp>
#include <kubist/release/measured.hpp>

namespace kubist::release {

using data::Json;

namespace {

bool is_of_this_step(const Json& measured, const Progress& progress) {
  return measured.is_object() && data::int_at(measured, {"weight"}) == progress.weight &&
         data::int_at(measured, {"attempt"}) == progress.attempt && measured.contains("versions");
}

Json of_version(const Json& measured, const std::string& version, const char* field) {
  for (const Json& each : measured["versions"]) {
    if (data::string_at(each, {"name"}) == version) {
      return each.value(field, Json());
    }
  }
  return {};
}

/// The rates before and that of this window, the last ones of them.
Json with_rate(Json rates, double errors, double requests) {
  constexpr double k_places = 1e6;
  rates = rates.is_array() ? std::move(rates) : Json::array();
  rates.push_back(std::round(errors / requests * k_places) / k_places);
  if (rates.size() > k_most_rates) {
    rates.erase(rates.begin());
  }
  return rates;
}

}  // namespace

Json measured_after(const Json& measured, const Json& window, const Plan& plan,
                    const Progress& before) {
  const Json* arms = data::find_path(window, {"arms"});
  if (arms == nullptr) {
    return measured;
  }
  const Json known =
      is_of_this_step(measured, before) ? measured : Json{{"versions", Json::array()}};
  const bool both = data::number_at(*arms, {plan.stable, "requests"}) > 0 &&
                    data::number_at(*arms, {plan.canary, "requests"}) > 0;
  Json versions = Json::array();
  for (const std::string& version : {plan.stable, plan.canary}) {
    Json row{{"name", version}};
    for (const char* field : {"requests", "errors"}) {
      const Json sum = of_version(known, version, field);
      row[field] = data::number_at(*arms, {version, field}) + data::number_at(sum, {});
    }
    Json rates = of_version(known, version, "rates");
    if (both) {
      rates = with_rate(std::move(rates), data::number_at(*arms, {version, "errors"}),
                        data::number_at(*arms, {version, "requests"}));
    }
    if (!rates.is_null()) {
      row["rates"] = std::move(rates);
    }
    versions.push_back(std::move(row));
  }
  return {{"weight", before.weight},
          {"attempt", before.attempt},
          {"seconds", data::number_at(window, {"seconds"}) + data::number_at(known, {"seconds"})},
          {"versions", std::move(versions)}};
}

}  // namespace kubist::release
