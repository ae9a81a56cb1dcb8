#include <array>

#include <nlohmann/json.hpp>

#include <kubist/http/logging.hpp>
#include <kubist/util/text.hpp>

namespace kubist::http {
namespace {

using Json = nlohmann::json;

constexpr std::string_view k_mask = "***";
constexpr std::size_t k_max_depth = 200;

bool is_secret_key(std::string_view key) {
  static constexpr std::array<std::string_view, 12> k_keys{
      "token",      "id-token",        "refresh-token", "access_token",
      "password",   "client-key-data", "clientkeydata", "bearertoken",
      "privatekey", "private_key",     "client_secret", "clientsecret"};
  return std::any_of(k_keys.begin(), k_keys.end(),
                     [&](std::string_view secret) { return util::iequals(secret, key); });
}

/// A kubeconfig or a key in the middle of some other document.
bool is_secret_text(const std::string& text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  return has("PRIVATE KEY-----") || (has("clusters") && has("users") &&
                                     (has("token") || has("client-key") || has("password")));
}

void mask_all(Json& value) {
  if (value.is_object() || value.is_array()) {
    for (Json& child : value) {
      mask_all(child);
    }
  } else if (!value.is_null()) {
    value = k_mask;
  }
}

void mask(Json& value, bool of_secrets, std::size_t depth);

void mask_object(Json& object, bool of_secrets, std::size_t depth) {
  const auto kind = object.find("kind");
  if (kind != object.end() && kind->is_string()) {
    const auto& name = kind->get_ref<const std::string&>();
    of_secrets = of_secrets || name == "Secret" || name == "SecretList";
  }
  // What is wrong with a malformed Secret is said with its values.
  const bool complaint =
      of_secrets && kind != object.end() && kind->is_string() && *kind == "Status";
  for (auto& [key, child] : object.items()) {
    if (complaint && (key == "message" || key == "details")) {
      mask_all(child);
      continue;
    }
    const bool values = of_secrets && (key == "data" || key == "stringData" || key == "value");
    if (values || (child.is_string() && is_secret_key(key)) ||
        key == "kubectl.kubernetes.io/last-applied-configuration") {
      mask_all(child);
    } else {
      mask(child, of_secrets, depth + 1);
    }
  }
}

void mask(Json& value, bool of_secrets, std::size_t depth) {
  if (depth > k_max_depth) {
    value = k_mask;
  } else if (value.is_object()) {
    mask_object(value, of_secrets, depth);
  } else if (value.is_array()) {
    for (Json& child : value) {
      mask(child, of_secrets, depth + 1);
    }
  } else if (value.is_string() && is_secret_text(value.get_ref<const std::string&>())) {
    value = k_mask;
  }
}

}  // namespace

std::string redacted_body(std::string_view body, std::string_view content_type, bool of_secrets) {
  // Text is nobody's object: the log of a pod may look like one.
  Json value = content_type.starts_with("text/") ? Json() : Json::parse(body, nullptr, false);
  if (value.is_discarded() || !value.is_structured()) {
    return util::cat('<', body.size(), " bytes of ",
                     content_type.empty() ? "unknown type" : content_type, '>');
  }
  mask(value, of_secrets, 0);
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kubist::http
