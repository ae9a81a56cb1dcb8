// `edit` does what kubectl's does; the editors here are scripts.
#include <cstdlib>

#include <doctest/doctest.h>

#include "twins.hpp"

using namespace kubist;
using namespace kubist::testing;
using util::cat;

namespace {

/// What the script does with the file $1 in the namespace $NS, at its first and at later calls.
class Editing {
 public:
  explicit Editing(const std::string& name) : m_twins(name) {
    m_twins.make({"create", "configmap", "a", "--from-literal=k=v", "--from-literal=l=v"});
    m_twins.make({"create", "service", "clusterip", "s", "--tcp=80:80"});
    m_twins.make({"create", "secret", "generic", "p", "--from-literal=k=hunter2"});
    m_twins.make({"create", "deployment", "d", "--image=localhost/busybox:1", "--replicas=0"});
  }
  const Twins& twins() const { return m_twins; }

  Ran edit(const std::string& who, const std::string& object, const std::string& first,
           const std::string& later = "true") const {
    m_twins.write("editor",
                  cat("exec >/dev/null\nNS=", m_twins.ns(who), "\nif [ ! -e ",
                      m_twins.file("again"), " ]; then touch ", m_twins.file("again"), "; ", first,
                      "; else cp \"$1\" ", m_twins.file("seen"), "; ", later, "; fi\n"));
    std::remove(m_twins.file("again").c_str());
    std::remove(m_twins.file("seen").c_str());
    m_twins.write("tmp/copies", "");
    ::setenv("TMPDIR", m_twins.file("tmp").c_str(), 1);
    ::setenv("KUBE_EDITOR", cat("sh ", m_twins.file("editor")).c_str(), 1);
    Ran ran = m_twins.ask(who, {"edit", object});
    ::unsetenv("KUBE_EDITOR");
    ::unsetenv("TMPDIR");
    return ran;
  }
  /// What the file held when it was opened again.
  std::string seen() const { return util::read_file(m_twins.file("seen")).value_or(""); }

  void check_same(const std::string& object, const std::string& first,
                  const std::string& later = "true") const {
    CAPTURE(first);
    const Ran theirs = edit("kubectl", object, first, later);
    const Ran ours = edit("kubist", object, first, later);
    CHECK_MESSAGE(ours.out == theirs.out, ours.err, theirs.err);
    CHECK_MESSAGE((ours.code == 0) == (theirs.code == 0), ours.err, theirs.err);
    for (const char* words : {"Edit cancelled, no changes made.", "saved file was empty.",
                              "no valid changes were saved.", "A copy of your changes has been"}) {
      CAPTURE(words);
      CHECK_MESSAGE((ours.err.find(words) == std::string::npos) ==
                        (theirs.err.find(words) == std::string::npos),
                    ours.err, theirs.err);
    }
  }

 private:
  Twins m_twins;
};

const char* const k_break =
    "sed -i 's/^metadata:/# mine\\nmetadata:\\n  labels: {x: \"a b\"}/' \"$1\"";
const char* const k_mend = "sed -i 's/a b/ab/' \"$1\"";

/// The copy that was kept.
std::string take_copy(const std::string& err) {
  const std::size_t from = err.find("stored to \"");
  REQUIRE_MESSAGE(from != std::string::npos, err);
  const std::size_t begin = from + std::string("stored to \"").size();
  const std::string path = err.substr(begin, err.find('"', begin) - begin);
  const auto text = util::read_file(path);
  REQUIRE_MESSAGE(text, path);
  return *text;
}

}  // namespace

TEST_CASE("edit: what is said and done is what kubectl says and does") {
  const Editing editing("edit");
  editing.check_same("cm/a", "sed -i 's/  k: v/  k: w/' \"$1\"");
  editing.check_same("cm/a", "sed -i '/  l: v/d' \"$1\"");
  editing.check_same("cm/a", "true");
  editing.check_same("cm/a", "echo '# a comment' >> \"$1\"");
  editing.check_same("cm/a", "sed -i 's/  k: w/  \"k\": \"w\"/' \"$1\"");
  editing.check_same("cm/a", k_break, k_mend);
  editing.check_same("cm/a", "sed -i 's/  k: w/  k: [/' \"$1\"",
                     "sed -i 's/  k: \\[/  k: z/' \"$1\"");
  editing.check_same("cm/a", "sed -i 's/x: ab/x: \"c d\"/' \"$1\"");
  editing.check_same("service/s", "sed -i 's/80-80/web/' \"$1\"");
  editing.check_same("deployment/d", "sed -i 's/image: .*/image: localhost\\/other:1/' \"$1\"");
  editing.check_same("cm/nosuch", "true");
  editing.twins().check_equal({"get", "cm/a", "service/s", "deployment/d", "-o",
                               "jsonpath={range .items[*]}{.metadata.name} {.metadata.labels} "
                               "{.data} {.spec.ports} {.spec.template}{\"\\n\"}{end}"});
  editing.twins().check_same({"edit"});
}

TEST_CASE("edit: what was refused is opened again with the reason and the comments of the user") {
  const Editing editing("edit");
  const Ran mended = editing.edit("kubist", "cm/a", k_break, k_mend);
  CHECK_MESSAGE(mended.code == 0, mended.err);
  CHECK(mended.out == "configmap/a edited\n");
  const std::string seen = editing.seen();
  CHECK(seen.starts_with("# Please edit the object below."));
  CHECK_MESSAGE(seen.find("\n# mine\nmetadata:\n") != std::string::npos, seen);
  CHECK_MESSAGE(seen.find("Invalid value: \"a b\"") < seen.find("# mine"), seen);
  CHECK(seen.find("# Please edit", 1) == std::string::npos);

  const Ran left = editing.edit("kubist", "cm/a", "sed -i 's/  k: v/  k: [/' \"$1\"");
  CHECK(left.code == 1);
  CHECK(take_copy(left.err).find("k: [") != std::string::npos);
  const Ran gone = editing.edit("kubist", "cm/a",
                                "sed -i 's/  k: v/  k: w/' \"$1\"; kubectl delete cm a -n $NS");
  CHECK(gone.code == 1);
  CHECK_MESSAGE(gone.err.find("not found") != std::string::npos, gone.err);
  CHECK(take_copy(gone.err).find("k: w") != std::string::npos);

  const Ran secret = editing.edit("kubist", "secret/p", "sed -i 's/  k: a/  k: [a/' \"$1\"");
  CHECK(secret.code == 1);
  CHECK((secret.out + secret.err).find("aHVudGVyMg==") == std::string::npos);
  const std::string kept = take_copy(secret.err);
  CHECK(kept.substr(0, kept.find("apiVersion:")).find("aHVudGVyMg==") == std::string::npos);
}

TEST_CASE("edit: an empty file cancels, a failed editor and another name lose nothing") {
  const Editing editing("edit");
  const Ran empty = editing.edit("kubist", "cm/a", ": > \"$1\"");  // kubectl sends it
  CHECK(empty.code == 0);
  CHECK(empty.err.find("Edit cancelled, saved file was empty.") != std::string::npos);
  const Ran failed = editing.edit("kubist", "cm/a", "sed -i 's/  k: v/  k: x/' \"$1\"; exit 3");
  CHECK(failed.code == 1);
  CHECK_MESSAGE(failed.err.find("exit code 3") != std::string::npos, failed.err);
  CHECK(take_copy(failed.err).find("k: x") != std::string::npos);
  ::setenv("KUBE_EDITOR", "no-such-editor", 1);
  const Ran absent = editing.twins().ask("kubist", {"edit", "cm/a"});
  ::unsetenv("KUBE_EDITOR");
  CHECK(absent.code == 1);
  CHECK_MESSAGE(absent.err.find("cannot run no-such-editor") != std::string::npos, absent.err);
  CHECK(absent.err.find("$KUBE_EDITOR") != std::string::npos);
  const Ran renamed = editing.edit("kubist", "cm/a", "sed -i 's/name: a$/name: b/' \"$1\"");
  CHECK(renamed.code == 1);
  CHECK(editing.seen().find("kind, name and namespace was changed") != std::string::npos);
  CHECK(take_copy(renamed.err).find("name: b") != std::string::npos);
  CHECK(editing.twins().ask("kubist", {"get", "cm/a", "-o", "jsonpath={.data.k}"}).out == "v");
}

TEST_CASE("edit: what others change meanwhile stays, or is a conflict") {
  const Editing editing("edit");
  const Words ports{"get", "service/s", "-o",
                    "jsonpath={.spec.ports[0].name} {.metadata.labels.by}"};
  const std::string rename = "sed -i 's/80-80/web/' \"$1\"";
  const Ran beside =
      editing.edit("kubist", "service/s", cat(rename, "; kubectl label service s by=other -n $NS"));
  CHECK_MESSAGE(beside.code == 0, beside.err);
  CHECK(editing.twins().ask("kubist", ports).out == "web other");
  const Ran same = editing.edit(
      "kubist", "service/s",
      "sed -i 's/name: web/name: mine/' \"$1\"; kubectl patch service s -n $NS --type=json "
      R"(-p '[{"op":"replace","path":"/spec/ports/0/name","value":"theirs"}]')");
  CHECK_MESSAGE(same.code == 6, same.err);
  CHECK_MESSAGE(same.err.find("spec.ports") != std::string::npos, same.err);
  CHECK(take_copy(same.err).find("name: mine") != std::string::npos);
  CHECK(editing.twins().ask("kubist", ports).out == "theirs other");
}
