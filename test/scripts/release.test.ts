// The parts of a release that are worked out: which version may follow, the changelog, and the files that state the version.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { packageNames } from "../../scripts/release/names.ts";
import { release } from "../../scripts/release/release.ts";
import { releasedChangelog, requireNext, versioned, versionProblems } from "../../scripts/release/version.ts";

const root = resolve(import.meta.dirname, "../..");

describe("the version of a release", () => {
  test.each([
    ["1.2.3", "1.2.4", false, ""],
    ["1.2.3", "1.10.0", false, ""],
    ["0.1.0", "0.1.0", true, ""],
    ["0.1.0", "0.1.0", false, "does not follow"],
    ["1.10.0", "1.9.9", false, "does not follow"],
    ["1.0.0", "1.0.1-rc.1", false, "is no version"],
    ["1.0.0", "v1.0.1", false, "is no version"],
  ])("%s is followed by %s (first: %s): %s", (current, next, isFirst, refusal) => {
    const check = () => requireNext(current, next, isFirst);
    if (refusal) expect(check).toThrow(refusal);
    else expect(check).not.toThrow();
  });

  test("the changelog's changes go below a heading of the version, and earlier sections stay", () => {
    const text = "# Changelog\n\n## Unreleased\nFirst.\n- a\n- b\n\n## 0.1.0 (2026-01-01)\n- old\n";
    const released =
      "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-02-01)\nFirst.\n- a\n- b\n\n## 0.1.0 (2026-01-01)\n- old\n";
    expect(releasedChangelog(text, "0.2.0", "2026-02-01")).toBe(released);
    expect(() => releasedChangelog(released, "0.3.0", "2026-03-01")).toThrow("no changes");
    expect(() => releasedChangelog(text, "0.1.0", "2026-03-01")).toThrow("already");
  });

  test("each file of the checkout that states the version gets the new one, and nothing else changes", () => {
    const read = (path: string) => readFileSync(join(root, path), "utf8");
    const all = versioned("9.8.7", read);
    expect(all.map(({ path }) => path)).toEqual([
      "package.json",
      "package-lock.json",
      "sdk/python/pyproject.toml",
      "sdk/java/pom.xml",
    ]);
    for (const { path, text } of all) {
      const before = read(path).split("\n");
      const changed = text.split("\n").filter((line, at) => line !== before[at]);
      expect([path, changed]).toEqual([path, [expect.stringContaining("9.8.7")]]);
    }
  });
});

test("a tag fits only a checkout whose files and changelog state its version", () => {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const released = new Map(versioned("9.8.7", read).map(({ path, text }) => [path, text]));
  released.set("CHANGELOG.md", releasedChangelog(read("CHANGELOG.md"), "9.8.7", "2026-01-01"));
  expect(versionProblems("9.8.7", (path) => released.get(path))).toEqual([]);
  released.set("sdk/java/pom.xml", read("sdk/java/pom.xml"));
  released.set("CHANGELOG.md", read("CHANGELOG.md"));
  expect(versionProblems("9.8.7", (path) => released.get(path))).toEqual([
    "sdk/java/pom.xml states another version than 9.8.7",
    "CHANGELOG.md has no section of 9.8.7",
  ]);
});

describe("package names in examples", () => {
  const pages = [
    "README.md",
    "client/README.md",
    "scripts/local/packed/README.md",
    "docs/ci.md",
    "docs/courses.md",
    "docs/deploy.md",
  ];

  test.each(pages)("%s uses no unscoped package of the registry", (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const commands = text.matchAll(/\b(npx|npm exec|pnpm dlx|yarn dlx|bunx|npm (?:i|install))\b([^\n`;&|#)]*)/g);
    const packages = [...commands].flatMap(([, command = "", rest = ""]) => {
      const words = rest.split(/ +/).filter((word) => word && !word.startsWith("-"));
      // Only an installation has several packages; elsewhere words follow for the program.
      return command.startsWith("npm i") ? words : words.slice(0, 1);
    });
    const unscoped = packages.filter((word) => /^sandbar(?:-local)?(?:@|$)/.test(word));
    expect(unscoped).toEqual([]);
  });

  test("are scoped", () => {
    expect(Object.values(packageNames).every((name) => name.startsWith("@sandbar-dev/"))).toBe(true);
  });
});

test("a release removes no folder that it did not write", async () => {
  const out = mkdtempSync(join(tmpdir(), "release-"));
  writeFileSync(join(out, "letter"), "mine");
  const options = {
    root: `${root}/`,
    version: "9.8.7",
    out,
    isDry: true,
    isTagged: false,
    isBuilt: true,
    hasImage: false,
  };
  const released = release({ ...options, today: "2026-01-01", log: () => undefined });
  await expect(released).rejects.toThrow(`${out} has files that no release wrote`);
  expect(readFileSync(join(out, "letter"), "utf8")).toBe("mine");
  rmSync(out, { recursive: true });
});
