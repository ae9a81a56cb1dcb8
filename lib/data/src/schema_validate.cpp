#include <cmath>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "scalar.hpp"
#include "schema_impl.hpp"

namespace kubist::data {

using util::cat;
using util::ErrorKind;

namespace {

std::string_view type_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      return "object";
    case Json::value_t::array:
      return "array";
    case Json::value_t::string:
      return "string";
    case Json::value_t::boolean:
      return "boolean";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return "integer";
    case Json::value_t::number_float: {
      // As IsFloat64AJSONInteger in kube-openapi: beyond, neighbours of a double are left out.
      constexpr double k_largest = (1LL << 53) - 1;
      const double number = value.get<double>();
      return std::trunc(number) == number && std::abs(number) <= k_largest ? "integer" : "number";
    }
    default:
      return "null";
  }
}

std::string shown(const Json& value) {
  std::string text = to_json(value);
  constexpr std::size_t k_longest = 60;
  if (text.size() > k_longest) {
    text.resize(k_longest);
    text += "...";
  }
  return util::printable(text);
}

/// Would that text without its quotes be a value of the type?
bool is_plain(const std::string& text, std::string_view type) {
  const Scalar scalar = resolve_plain(text);
  const bool integer =
      scalar.kind == ScalarKind::integer || scalar.kind == ScalarKind::unsigned_integer;
  return (type == "boolean" && scalar.kind == ScalarKind::boolean) ||
         (type == "integer" && integer) ||
         (type == "number" &&
          (integer || (scalar.kind == ScalarKind::real && std::isfinite(scalar.real))));
}

class Validator {
 public:
  Validator(const PositionLookup& lookup, const SchemaOptions& options)
      : m_lookup(lookup), m_options(options) {}

  std::vector<util::Error> run(const SchemaNode& root, const Json& value) {
    check(root, value);
    return std::move(m_errors);
  }

 private:
  bool full() const { return m_errors.size() >= m_options.max_errors; }

  void report(std::string_view message, std::string hint = {}, At at = At::value) {
    if (full()) {
      return;
    }
    const std::string path = m_pointer.empty() ? "" : dotted_path(m_pointer) + ": ";
    util::Error error = util::make_error(ErrorKind::invalid, cat(path, message), std::move(hint));
    if (m_lookup) {
      error.pos = m_lookup(m_pointer, at);
    }
    m_errors.push_back(std::move(error));
  }

  template <class Token, class Action>
  void inside(const Token& token, Action action) {
    const std::size_t length = m_pointer.size();
    append_token(m_pointer, token);
    action();
    m_pointer.resize(length);
  }

  /// The number of errors that a value has against an alternative; nothing is reported.
  std::vector<util::Error> probe(const SchemaNode& node, const Json& value) {
    const PositionLookup no_lookup;
    SchemaOptions options = m_options;
    options.reject_unknown = false;  // alternatives of a structural schema say nothing of fields
    Validator validator(no_lookup, options);
    validator.m_pointer = m_pointer;
    validator.m_checks = m_checks;
    std::vector<util::Error> errors = validator.run(node, value);
    m_checks = validator.m_checks;
    return errors;
  }

  void check(const SchemaNode& node, const Json& value) {
    if (full()) {
      return;
    }
    if (++m_checks > k_max_checks) {
      report("the schema's alternatives are too many to check");
      return;
    }
    if (value.is_null() && node.nullable) {
      return;
    }
    if (!check_type(node, value)) {
      return;
    }
    check_enum(node, value);
    switch (value.type()) {
      case Json::value_t::object:
        check_map(node, value);
        break;
      case Json::value_t::array:
        check_list(node, value);
        break;
      case Json::value_t::string:
        check_string(node, value.get_ref<const std::string&>());
        break;
      case Json::value_t::number_integer:
      case Json::value_t::number_unsigned:
      case Json::value_t::number_float:
        check_number(node, value);
        break;
      default:
        break;
    }
    check_alternatives(node, value);
  }

  bool check_type(const SchemaNode& node, const Json& value) {
    const std::string_view found = type_of(value);
    if (node.int_or_string) {
      if (found != "integer" && found != "string") {
        report(cat("expected an integer or a string, found ", found, " ", shown(value)));
        return false;
      }
      return true;
    }
    if (node.type.empty() || node.type == found || (node.type == "number" && found == "integer")) {
      return true;
    }
    std::string hint;
    if (node.type == "string" && !value.is_structured() && !value.is_null()) {
      hint = "quote it to make it a string";
    } else if (value.is_string() && is_plain(value.get_ref<const std::string&>(), node.type)) {
      hint = "remove the quotes";
    } else if (value.is_null()) {
      hint = "leave the field out, or give it a value";
    }
    report(value.is_structured() || value.is_null()
               ? cat("expected ", node.type, ", found ", found)
               : cat("expected ", node.type, ", found ", found, " ", shown(value)),
           std::move(hint));
    return false;
  }

  void check_enum(const SchemaNode& node, const Json& value) {
    const auto& allowed = node.enum_values;
    if (allowed.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end()) {
      return;
    }
    std::vector<std::string> names;
    for (const Json& each : allowed) {
      names.push_back(each.is_string() ? each.get<std::string>() : to_json(each));
    }
    const std::string wanted = value.is_string() ? value.get<std::string>() : std::string{};
    report(cat("unsupported value ", shown(value), util::did_you_mean(wanted, names)),
           cat("allowed are: ", util::join(names, ", ")));
  }

  void check_count(const std::optional<std::size_t>& least, const std::optional<std::size_t>& most,
                   std::size_t count, std::string_view what) {
    if (least && count < *least) {
      report(cat("expected at least ", *least, ' ', what, ", found ", count));
    }
    if (most && count > *most) {
      report(cat("expected at most ", *most, ' ', what, ", found ", count));
    }
  }

  void check_map(const SchemaNode& node, const Json& value) {
    for (const std::string& name : node.required) {
      if (!value.contains(name)) {
        report(cat("missing required field \"", name, "\""));
      }
    }
    check_count(node.min_properties, node.max_properties, value.size(), "fields");
    for (const auto& [name, member] : value.get_ref<const Json::object_t&>()) {
      const auto known = node.properties.find(name);
      const SchemaNode* schema = known != node.properties.end() ? known->second : node.additional;
      if (schema != nullptr) {
        inside(std::string_view(name), [&, &field = member] { check(*schema, field); });
      } else if (!knows(node, name) && m_options.reject_unknown) {
        unknown_field(node, name, value);
      }
    }
    if (node.embedded_resource) {
      check_embedded(value);
    }
  }

  bool knows(const SchemaNode& node, const std::string& name) const {
    if (node.open() || (node.embedded_resource && is_object_field(name))) {
      return true;
    }
    const bool root = m_pointer.empty() && is_object_field(name);
    return root || std::any_of(node.all_of.begin(), node.all_of.end(), [&](const SchemaNode* each) {
             return each->properties.contains(name) || each->open() ||
                    each->additional != nullptr || knows(*each, name);
           });
  }

  void unknown_field(const SchemaNode& node, const std::string& name, const Json& value) {
    std::vector<std::string> names;
    for (const auto& [known, property] : node.properties) {
      if (!value.contains(known)) {
        names.push_back(known);
      }
    }
    inside(std::string_view(name), [&] {
      std::string hint;
      if (!names.empty() && !util::nearest(name, names)) {
        hint = cat("known here: ", util::join(names, ", "));
      }
      report(cat("unknown field", util::did_you_mean(name, names)), std::move(hint), At::key);
    });
  }

  void check_embedded(const Json& value) {
    for (const char* name : {"apiVersion", "kind"}) {
      if (string_at(value, {name}).empty()) {
        report(cat("an embedded object needs ", name));
      }
    }
  }

  void check_list(const SchemaNode& node, const Json& value) {
    check_count(node.min_items, node.max_items, value.size(), "elements");
    if (node.items != nullptr) {
      for (std::size_t i = 0; i < value.size() && !full(); ++i) {
        inside(i, [&] { check(*node.items, value[i]); });
      }
    }
    check_unique(node, value);
  }

  void check_unique(const SchemaNode& node, const Json& value) {
    const bool map = node.list_type == "map" && !node.list_map_keys.empty();
    if (!map && node.list_type != "set" && !node.unique_items) {
      return;
    }
    std::map<Json, std::size_t> seen;
    for (std::size_t i = 0; i < value.size(); ++i) {
      Json key = value[i];
      if (map && value[i].is_object()) {
        key = Json::array();
        for (const std::string& name : node.list_map_keys) {
          key.push_back(value[i].contains(name) ? value[i][name] : Json());
        }
      }
      const auto first = seen.emplace(std::move(key), i);
      if (!first.second) {
        inside(i, [&] {
          report(map ? cat("same ", util::join(node.list_map_keys, ", "), " as element ",
                           first.first->second)
                     : cat("duplicate of element ", first.first->second));
        });
      }
    }
  }

  void check_string(const SchemaNode& node, const std::string& text) {
    if (node.min_length || node.max_length) {
      check_count(node.min_length, node.max_length, util::code_points(text), "characters");
    }
    if (node.pattern && !re2::RE2::PartialMatch(text, node.pattern->regex)) {
      report(cat(shown(text), " does not match ", node.pattern->text));
    }
    if (!node.format.empty() && !matches_format(text, node.format)) {
      report(cat(shown(text), " is no ", node.format));
    }
  }

  void check_number(const SchemaNode& node, const Json& value) {
    const double number = value.get<double>();
    auto bound = [&](const std::optional<double>& limit, bool exclusive, double sign,
                     std::string_view word) {
      if (limit && (exclusive ? sign * number <= sign * *limit : sign * number < sign * *limit)) {
        report(cat("expected ", exclusive ? "" : "at ", word, " ", go_json_number(*limit),
                   ", found ", shown(value)));
      }
    };
    bound(node.minimum, node.exclusive_minimum, 1, node.exclusive_minimum ? "more than" : "least");
    bound(node.maximum, node.exclusive_maximum, -1, node.exclusive_maximum ? "less than" : "most");
    if (node.multiple_of && *node.multiple_of > 0 &&
        std::abs(std::remainder(number, *node.multiple_of)) > 1e-9 * std::abs(*node.multiple_of)) {
      report(cat("expected a multiple of ", go_json_number(*node.multiple_of), ", found ",
                 shown(value)));
    }
    constexpr double k_int32_limit = 2147483648.0;
    if (node.format == "int32" && (number >= k_int32_limit || number < -k_int32_limit)) {
      report(cat(shown(value), " does not fit in 32 bits"));
    }
  }

  void check_alternatives(const SchemaNode& node, const Json& value) {
    for (const SchemaNode* each : node.all_of) {
      for (util::Error& error : probe(*each, value)) {
        if (!full()) {
          m_errors.push_back(std::move(error));
          if (m_lookup) {
            m_errors.back().pos = m_lookup(m_pointer, At::value);
          }
        }
      }
    }
    if (!node.any_of.empty()) {
      check_any(node.any_of, value);
    }
    if (!node.one_of.empty()) {
      const auto passing =
          std::count_if(node.one_of.begin(), node.one_of.end(),
                        [&](const SchemaNode* each) { return probe(*each, value).empty(); });
      if (passing == 0) {
        check_any(node.one_of, value);
      } else if (passing > 1) {
        report(cat("must match exactly one of ", node.one_of.size(), " alternatives, matches ",
                   passing));
      }
    }
    if (node.negated != nullptr && probe(*node.negated, value).empty()) {
      report("has a value that is not allowed here");
    }
  }

  /// Reports why the alternative with the fewest errors does not match.
  void check_any(const std::vector<const SchemaNode*>& alternatives, const Json& value) {
    std::vector<util::Error> best;
    for (std::size_t i = 0; i < alternatives.size(); ++i) {
      std::vector<util::Error> errors = probe(*alternatives[i], value);
      if (errors.empty()) {
        return;
      }
      if (i == 0 || errors.size() < best.size()) {
        best = std::move(errors);
      }
    }
    report(cat("matches none of ", alternatives.size(),
               " alternatives; nearest: ", best.front().message));
  }

  /// Alternatives inside alternatives can double the work with each level.
  static constexpr std::size_t k_max_checks = 50'000'000;

  const PositionLookup& m_lookup;
  const SchemaOptions& m_options;
  std::string m_pointer;
  std::size_t m_checks = 0;
  std::vector<util::Error> m_errors;
};

}  // namespace

std::vector<util::Error> Schema::validate(const Json& value, const PositionLookup& lookup,
                                          const SchemaOptions& options) const {
  std::vector<util::Error> errors = Validator(lookup, options).run(root(), value);
  std::stable_sort(errors.begin(), errors.end(), [](const util::Error& a, const util::Error& b) {
    return std::pair(a.pos.line, a.pos.column) < std::pair(b.pos.line, b.pos.column);
  });
  return errors;
}

util::Error combine_errors(std::vector<util::Error> errors, std::string_view what) {
  if (errors.size() == 1) {
    return std::move(errors.front());
  }
  util::Error error = util::make_error(ErrorKind::invalid, cat(errors.size(), " errors in ", what));
  error.details = std::move(errors);
  return error;
}

}  // namespace kubist::data
