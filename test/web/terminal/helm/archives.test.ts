// Charts of strangers as files: archives within bounds, and the rules of .helmignore.
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { textOfBytes } from "../../../../shared/base/byte-text.ts";
import { memoryFiles } from "../../../../web/kubectl/files.ts";
import {
  type ArchiveEntry,
  gunzip,
  gzip,
  readTar,
  writeTar,
} from "../../../../web/terminal/shell/helm/chart/archive.ts";
import { loadChart } from "../../../../web/terminal/shell/helm/chart/chart.ts";
import { ignoreRules } from "../../../../web/terminal/shell/helm/chart/ignore.ts";

const megabyte = 1024 * 1024;

function entry(name: string, content: string | number): ArchiveEntry {
  return { name, bytes: typeof content === "number" ? new Uint8Array(content) : new TextEncoder().encode(content) };
}

function packed(entries: readonly ArchiveEntry[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(writeTar(entries, 0)));
}

function loadPacked(entries: readonly ArchiveEntry[]) {
  return loadChart(memoryFiles({ "/c.tgz": textOfBytes(packed(entries)) }, "/"), "/c.tgz", "c.tgz");
}

const definition = (name: string) => `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`;

describe("an archive", () => {
  test("keeps the names and contents of its files, also of long names", async () => {
    const long = `${"folder/".repeat(20)}name.txt`;
    const entries = [entry("a.txt", "one"), entry(long, "two"), entry("empty", "")];
    expect(readTar(await gunzip(await gzip(writeTar(entries, 1))))).toEqual(entries);
  });

  test("of more than 32 MB is refused", async () => {
    await expect(loadPacked([entry("c/large", 33 * megabyte)])).rejects.toThrow(
      "an archive of more than 32 MB cannot be held",
    );
  });

  test("of more than 5,000 files is refused", async () => {
    const entries = Array.from({ length: 5001 }, (_, at) => entry(`c/${at}`, ""));
    await expect(loadPacked(entries)).rejects.toThrow("an archive of more than 5000 files cannot be held");
  });

  test("counts what the archives inside it unpack to", async () => {
    const subcharts = ["a", "b", "c"].map((name) => ({
      name: `c/charts/${name}.tgz`,
      bytes: packed([entry(`${name}/Chart.yaml`, definition(name)), entry(`${name}/large`, 12 * megabyte)]),
    }));
    const outer = entry("c/Chart.yaml", definition("c"));
    await expect(loadPacked([outer, ...subcharts])).rejects.toThrow("an archive of more than 32 MB cannot be held");
    expect((await loadPacked([outer, ...subcharts.slice(1)])).dependencies).toHaveLength(2);
  });

  test("that ends early, or whose sizes are wrong, is an error", async () => {
    const whole = packed([entry("c/Chart.yaml", definition("c"))]);
    await expect(gunzip(whole.slice(0, -12))).rejects.toThrow();
    const tar = writeTar([entry("c/Chart.yaml", definition("c"))], 0);
    expect(() => readTar(tar.slice(0, 520))).toThrow("unexpected EOF");
  });
});

describe("the rules of .helmignore", () => {
  test.each([
    ["*.bak", "templates/x.bak", false, true],
    ["*.bak", "templates/x.yaml", false, false],
    ["/top.txt", "in/top.txt", false, false],
    ["in/*.txt", "in/top.txt", false, true],
    ["docs/", "docs", true, true],
    ["docs/", "docs", false, false],
    ["[^a].txt", "b.txt", false, true],
    ["[^a].txt", "a.txt", false, false],
    ["# *", "x", false, false],
    ["", "templates/.hidden", false, true],
  ])("%j ignores %s (folder: %s): %s", (rules, name, isFolder, isIgnored) => {
    expect(ignoreRules(rules)(name, isFolder)).toBe(isIgnored);
  });

  test.each([
    ["a/**", "double-star (**) syntax is not supported"],
    ["[a", "syntax error in pattern"],
  ])("%j is an error", (rules, message) => {
    expect(() => ignoreRules(rules)).toThrow(message);
  });

  test("are matched in linear time", () => {
    const startMs = performance.now();
    expect(ignoreRules(`${"*a".repeat(40)}b`)("a".repeat(200), false)).toBe(false);
    expect(performance.now() - startMs).toBeLessThan(5000);
  });
});
