#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

namespace {

constexpr std::size_t k_label_length = 63;
constexpr std::size_t k_subdomain_length = 253;

bool is_lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alnum(char c) { return is_lower_alnum(c) || (c >= 'A' && c <= 'Z'); }

bool has_label_shape(std::string_view text) {
  if (text.empty() || !is_lower_alnum(text.front()) || !is_lower_alnum(text.back())) {
    return false;
  }
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower_alnum(c) || c == '-'; });
}

/// The name part of labels and annotations, and label values.
bool has_qualified_shape(std::string_view text) {
  if (text.empty() || text.size() > k_label_length || !is_alnum(text.front()) ||
      !is_alnum(text.back())) {
    return false;
  }
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

/// Names that become one segment of a URL path and nothing else (RBAC kinds).
std::string check_path_segment(std::string_view text) {
  if (text.empty()) {
    return "must not be empty";
  }
  if (text == "." || text == "..") {
    return "must not be \".\" or \"..\"";
  }
  if (text.find('/') != std::string_view::npos || text.find('%') != std::string_view::npos) {
    return "must not contain \"/\" or \"%\"";
  }
  return {};
}

}  // namespace

bool is_dns_label(std::string_view text) {
  return text.size() <= k_label_length && has_label_shape(text);
}

bool is_dns_subdomain(std::string_view text) {
  if (text.size() > k_subdomain_length) {
    return false;
  }
  // Kubernetes does not limit the parts to 63: RFC 1123 does, its validation never did.
  for (const std::string& part : util::split(text, '.')) {
    if (!has_label_shape(part)) {
      return false;
    }
  }
  return true;
}

std::string check_dns_label(std::string_view text) {
  if (text.size() > k_label_length) {
    return util::cat("must be no more than ", k_label_length, " characters, it has ", text.size());
  }
  return has_label_shape(text) ? ""
                               : "must consist of lower case letters, digits and \"-\", and start "
                                 "and end with a letter or digit";
}

std::string check_dns_subdomain(std::string_view text) {
  if (text.size() > k_subdomain_length) {
    return util::cat("must be no more than ", k_subdomain_length, " characters, it has ",
                     text.size());
  }
  return is_dns_subdomain(text) ? ""
                                : "must consist of lower case letters, digits, \"-\" and \".\", "
                                  "and start and end with a letter or digit";
}

std::string check_object_name(std::string_view group, std::string_view kind,
                              std::string_view name) {
  if (group == "rbac.authorization.k8s.io") {
    return check_path_segment(name);
  }
  if (group.empty() && (kind == "Namespace" || kind == "Service")) {
    return check_dns_label(name);
  }
  return check_dns_subdomain(name);
}

std::string check_qualified_name(std::string_view text) {
  auto slash = text.find('/');
  if (slash != std::string_view::npos) {
    std::string_view prefix = text.substr(0, slash);
    if (std::string wrong = check_dns_subdomain(prefix); !wrong.empty()) {
      return util::cat("has the prefix \"", prefix, "\", which ", wrong);
    }
    text.remove_prefix(slash + 1);
  }
  return has_qualified_shape(text) ? ""
                                   : "must be at most 63 letters, digits, \"-\", \"_\" and \".\", "
                                     "and start and end with a letter or digit";
}

std::string check_label_value(std::string_view text) {
  return text.empty() || has_qualified_shape(text)
             ? ""
             : "must be empty, or at most 63 letters, digits, \"-\", \"_\" and \".\" that start "
               "and end with a letter or digit";
}

}  // namespace kubist::resources
