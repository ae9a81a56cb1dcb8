// Creating, reading, replacing and listing objects.
#include "server.hpp"

using namespace contract;

TEST_CASE("contract: a created object gets what is the server's, and is read as it was answered") {
  const Place place;
  const Json made = place.make(place.config_map("a", {{"k", "v"}}));
  CHECK(!text(made, {"metadata", "uid"}).empty());
  CHECK(!version_of(made).empty());
  CHECK(!text(made, {"metadata", "creationTimestamp"}).empty());
  CHECK(made["kind"] == "ConfigMap");
  CHECK(made["data"]["k"] == "v");
  CHECK(place.read(made) == made);
}

TEST_CASE("contract: what is there already is 409 AlreadyExists") {
  const Place place;
  place.make(place.config_map("a"));
  const auto again = Place::ask(kube::create(well_known::config_maps(), place.config_map("a")));
  CHECK(again.code == 409);
  CHECK(kube::already_exists(again.error));
}

TEST_CASE("contract: generateName makes names of its own") {
  const Place place;
  Json object = place.config_map("");
  object["metadata"].erase("name");
  object["metadata"]["generateName"] = "gen-";
  const std::string one = text(place.make(object), {"metadata", "name"});
  const std::string two = text(place.make(object), {"metadata", "name"});
  CHECK(one.starts_with("gen-"));
  CHECK(one.size() > 4);
  CHECK(one != two);
}

TEST_CASE("contract: what is not there is 404 NotFound, whatever is asked of it") {
  const Place place;
  const auto& of = well_known::config_maps();
  Json there = place.config_map("none");
  there["metadata"]["resourceVersion"] = "1";
  for (const kube::ApiCall& call :
       {kube::get(of, place.ns(), "none"), kube::replace(of, there),
        kube::remove(of, place.ns(), "none"),
        kube::patch(of, place.ns(), "none", kube::PatchType::merge, Json::object())}) {
    CAPTURE(call.method);
    const auto answer = Place::ask(call);
    CHECK(answer.code == 404);
    CHECK(answer.error.reason == "NotFound");
  }
}

TEST_CASE("contract: a kind that is not served is 404") {
  const Place place;
  const auto nothing =
      kube::make_resource("nothing.example.com", "v1", "Nothing", "nothings", true);
  CHECK(Place::ask(kube::get(nothing, place.ns(), "x")).code == 404);
  CHECK(Place::ask(kube::raw_get(nothing.collection_path(place.ns()))).code == 404);
}

TEST_CASE("contract: in a namespace that does not exist nothing is created") {
  const Place place;
  Json lost = place.config_map("a");
  lost["metadata"]["namespace"] = place.ns() + "-none";
  const auto answer = Place::ask(kube::create(well_known::config_maps(), lost));
  CHECK(answer.code == 404);
  CHECK(answer.error.message.find("namespaces") != std::string::npos);
  CHECK(apply_as(lost, "m").code == 404);
}

TEST_CASE("contract: names that nothing can have are 422 Invalid") {
  const Place place;
  for (const char* name : {"Upper", "under_score", "-dash"}) {
    CAPTURE(name);
    const auto answer = Place::ask(kube::create(well_known::config_maps(), place.config_map(name)));
    CHECK(answer.code == 422);
    CHECK(answer.error.reason == "Invalid");
    REQUIRE(!answer.error.details.empty());
    CHECK(answer.error.details[0].message.starts_with("metadata.name"));
  }
}

TEST_CASE("contract: labels that nothing can have are 422 Invalid") {
  const Place place;
  Json object = place.config_map("a");
  object["metadata"]["labels"] = {{"k", "no spaces"}};
  const auto answer = Place::ask(kube::create(well_known::config_maps(), object));
  CHECK(answer.code == 422);
  REQUIRE(!answer.error.details.empty());
  CHECK(answer.error.details[0].message.starts_with("metadata.labels"));
}

TEST_CASE("contract: a replacement goes over the version that was read, and no other") {
  const Place place;
  const Json first = place.make(place.config_map("a", {{"k", "1"}}));
  Json second = first;
  second["data"]["k"] = "2";
  const Json after = must(client()->json(kube::replace(well_known::config_maps(), second)));
  CHECK(after["data"]["k"] == "2");
  CHECK(version_of(after) != version_of(first));
  CHECK(text(after, {"metadata", "uid"}) == text(first, {"metadata", "uid"}));
  const auto late = Place::ask(kube::replace(well_known::config_maps(), second));
  CHECK(late.code == 409);
  CHECK(late.error.reason == "Conflict");
  CHECK(!kube::already_exists(late.error));
  CHECK(place.read(first) == after);
  Json other = after;
  other["metadata"]["uid"] = "11111111-2222-3333-4444-555555555555";
  CHECK(Place::ask(kube::replace(well_known::config_maps(), other)).code == 409);
}

TEST_CASE("contract: a replacement of a custom object needs a version") {
  const Place place;
  Json made = place.make(place.virtual_cluster("a"));
  made["metadata"].erase("resourceVersion");
  const auto answer = Place::ask(kube::replace(resource_of(made), made));
  CHECK(answer.code == 422);
}

TEST_CASE("contract: a replacement without a change writes nothing") {
  const Place place;
  const Json made = place.make(place.config_map("a", {{"k", "1"}}));
  const Json after = must(client()->json(kube::replace(well_known::config_maps(), made)));
  CHECK(version_of(after) == version_of(made));
}

TEST_CASE("contract: what a replacement does not name goes") {
  const Place place;
  Json made = place.make(place.config_map("a", {{"k", "1"}, {"l", "2"}}));
  made["data"].erase("l");
  const Json after = must(client()->json(kube::replace(well_known::config_maps(), made)));
  CHECK(after["data"] == Json{{"k", "1"}});
}

TEST_CASE("contract: lists are in the order of names, by selectors of labels and of fields") {
  const Place place;
  for (const char* name : {"c", "a", "b"}) {
    Json object = place.config_map(name);
    object["metadata"]["labels"] = {{"at", name}, {"all", "yes"}};
    place.make(object);
  }
  const auto names = [&](const std::string& labels, const std::string& fields) {
    kube::ListOptions options;
    options.label_selector = labels;
    options.field_selector = fields;
    std::string joined;
    for (const Json& each :
         must(client()->list(well_known::config_maps(), place.ns(), options)).items) {
      const std::string name = text(each, {"metadata", "name"});
      joined += name.starts_with("kube-root") ? "" : name;
    }
    return joined;
  };
  CHECK(names("", "") == "abc");
  CHECK(names("all=yes", "") == "abc");
  CHECK(names("at in (a,c)", "") == "ac");
  CHECK(names("at!=a,all", "") == "bc");
  CHECK(names("", "metadata.name=b") == "b");
  CHECK(names("", "metadata.name!=b,metadata.namespace=" + place.ns()) == "ac");
  CHECK(names("at=z", "").empty());
}

TEST_CASE("contract: pages of a list are of one moment") {
  const Place place;
  for (int i = 0; i < 5; ++i) {
    Json object = place.config_map(cat("m", i));
    object["metadata"]["labels"] = {{"page", "yes"}};
    place.make(object);
  }
  kube::ApiCall call = kube::raw_get(well_known::config_maps().collection_path(place.ns()));
  call.query = {{"limit", "2"}, {"labelSelector", "page=yes"}};
  std::string names;
  std::string version;
  for (int pages = 0;; ++pages) {
    REQUIRE(pages < 5);
    const Json page = must(client()->json(call));
    CHECK(page["items"].size() <= 2);
    for (const Json& each : page["items"]) {
      names += text(each, {"metadata", "name"});
      CHECK_FALSE(each.contains("kind"));
    }
    version = version.empty() ? version_of(page) : version;
    CHECK(version_of(page) == version);
    const std::string token = text(page, {"metadata", "continue"});
    if (token.empty()) {
      break;
    }
    if (pages == 0) {  // too late for this list
      static_cast<void>(
          must(client()->run(kube::remove(well_known::config_maps(), place.ns(), "m4"))));
      place.make(place.config_map("m9"));
    }
    call.query = {{"limit", "2"}, {"labelSelector", "page=yes"}, {"continue", token}};
  }
  CHECK(names == "m0m1m2m3m4");
}

TEST_CASE("contract: a first page says how many are left") {
  const Place place;
  for (int i = 0; i < 3; ++i) {
    place.make(place.virtual_cluster(cat("v", i)));
  }
  kube::ApiCall call =
      kube::raw_get(resource_of(place.virtual_cluster("x")).collection_path(place.ns()));
  call.query = {{"limit", "2"}};
  const Json page = must(client()->json(call));
  CHECK(page["metadata"]["remainingItemCount"] == 1);
  CHECK(page["items"][0]["kind"] == "VirtualCluster");  // items of custom kinds say what they are
  CHECK(page["kind"] == "VirtualClusterList");
}

TEST_CASE("contract: metadata alone comes as PartialObjectMetadata") {
  const Place place;
  const Json made = place.make(place.config_map("a", {{"k", "v"}}));
  kube::ApiCall one = kube::get(well_known::config_maps(), place.ns(), "a");
  one.accept = kube::k_accept_metadata;
  const Json object = must(client()->json(one));
  CHECK(object["kind"] == "PartialObjectMetadata");
  CHECK_FALSE(object.contains("data"));
  CHECK(object["metadata"]["uid"] == made["metadata"]["uid"]);
  kube::ListOptions options;
  options.form = kube::Form::metadata;
  options.field_selector = "metadata.name=a";
  const auto listed = must(client()->list(well_known::config_maps(), place.ns(), options));
  REQUIRE(listed.items.size() == 1);
  CHECK_FALSE(listed.items[0].contains("data"));
}

TEST_CASE("contract: text of a Secret is kept in base64, and it has a type") {
  const Place place;
  const Json made = place.make({{"apiVersion", "v1"},
                                {"kind", "Secret"},
                                {"metadata", {{"name", "s"}, {"namespace", place.ns()}}},
                                {"stringData", {{"token", "abc"}}}});
  CHECK(made["data"]["token"] == "YWJj");
  CHECK(made["type"] == "Opaque");
  CHECK_FALSE(made.contains("stringData"));
}

TEST_CASE("contract: an object in the body of another name or namespace is 400") {
  const Place place;
  kube::ApiCall call = kube::create(well_known::config_maps(), place.config_map("a"));
  call.path = well_known::config_maps().collection_path("default");
  CHECK(Place::ask(call).code == 400);
  Json made = place.make(place.config_map("a"));
  call = kube::replace(well_known::config_maps(), made);
  made["metadata"]["name"] = "b";
  call.body = std::make_shared<const std::string>(made.dump());
  call.expected.reset();
  CHECK(Place::ask(call).code == 400);
}

TEST_CASE("contract: dry runs answer as if, and keep nothing") {
  const Place place;
  kube::WriteOptions dry;
  dry.dry_run = kube::DryRun::server;
  const Json made =
      must(client()->json(kube::create(well_known::config_maps(), place.config_map("a"), dry)));
  CHECK(made["metadata"]["name"] == "a");
  CHECK(place.read(made).is_null());
  const Json real = place.make(place.config_map("a", {{"k", "1"}}));
  const Json patched =
      must(client()->json(kube::patch(well_known::config_maps(), place.ns(), "a",
                                      kube::PatchType::merge, {{"data", {{"k", "2"}}}}, dry)));
  CHECK(patched["data"]["k"] == "2");
  kube::DeleteOptions remove;
  remove.dry_run = kube::DryRun::server;
  CHECK(Place::ask(kube::remove(well_known::config_maps(), place.ns(), "a", remove)).code == 0);
  CHECK(place.read(real) == real);
}

TEST_CASE("contract: the server says its version, its kinds and what the caller may do") {
  const auto version = must(client()->version());
  CHECK(version.major == 1);
  CHECK(version.minor >= 29);
  const auto index = must(client()->discovery().index());
  const auto* found = index->by_word("kvc");
  REQUIRE(found);
  CHECK(found->kind == "VirtualCluster");
  CHECK(found->has_subresource("status"));
  CHECK(found->has_verb("watch"));
  CHECK(found->namespaced);
  REQUIRE(index->by_kind("coordination.k8s.io", "v1", "Lease"));
  REQUIRE(index->by_word("ns"));
  CHECK_FALSE(index->by_word("ns")->namespaced);
  CHECK(must(client()->can_i({.verb = "create", .group = "", .resource = "namespaces"})).allowed);
}
