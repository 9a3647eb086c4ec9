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

/** Files of 4 MB each. */
function largeFiles(count: number, folder = "c"): ArchiveEntry[] {
  return Array.from({ length: count }, (_, at) => entry(`${folder}/large-${at}`, 4 * megabyte));
}

/** Changes bytes of the first header, with or without its checksum. */
function changedHeader(tar: Uint8Array<ArrayBuffer>, at: number, text: string, hasChecksum = true) {
  const copy = tar.slice();
  copy.set(new TextEncoder().encode(text), at);
  if (!hasChecksum) return copy;
  copy.fill(32, 148, 156);
  const sum = copy.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  copy.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
  return copy;
}

function loadBytes(bytes: Uint8Array<ArrayBuffer>, name = "c.tgz") {
  return loadChart(memoryFiles({ [`/${name}`]: textOfBytes(bytes) }, "/"), `/${name}`, name);
}

const definition = (name: string) => `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`;

describe("archives", () => {
  test("an archive keeps the names and contents of its files, also of long names", async () => {
    const long = `${"folder/".repeat(20)}name.txt`;
    const entries = [entry("a.txt", "one"), entry(long, "two"), entry("empty", "")];
    expect(readTar(await gunzip(await gzip(writeTar(entries, 1))))).toEqual(entries);
  });

  test("an archive of more than 32 MB is refused", async () => {
    await expect(loadPacked(largeFiles(9))).rejects.toThrow("an archive of more than 32 MB cannot be held");
  });

  test("an archive of more than 5,000 files is refused", async () => {
    const entries = Array.from({ length: 5001 }, (_, at) => entry(`c/${at}`, ""));
    await expect(loadPacked(entries)).rejects.toThrow("an archive of more than 5000 files cannot be held");
  });

  test("an archive counts the bytes that the archives inside it unpack to", async () => {
    const subcharts = ["a", "b", "c"].map((name) => ({
      name: `c/charts/${name}.tgz`,
      bytes: packed([entry(`${name}/Chart.yaml`, definition(name)), ...largeFiles(3, name)]),
    }));
    const outer = entry("c/Chart.yaml", definition("c"));
    await expect(loadPacked([outer, ...subcharts])).rejects.toThrow("an archive of more than 32 MB cannot be held");
    expect((await loadPacked([outer, ...subcharts.slice(1)])).dependencies).toHaveLength(2);
  });

  test("an archive that ends early, or whose sizes are wrong, is an error", async () => {
    const compressed = packed([entry("c/Chart.yaml", definition("c"))]);
    await expect(gunzip(compressed.slice(0, -12))).rejects.toThrow("unexpected EOF");
    const tar = writeTar([entry("c/Chart.yaml", definition("c"))], 0);
    expect(() => readTar(tar.slice(0, 520))).toThrow("unexpected EOF");
  });
});

describe("hostile archives", () => {
  const file = entry("c/Chart.yaml", definition("c"));
  const tar = writeTar([file], 0);
  const gzipped = (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes));

  test.each([
    ["c//etc/passwd", "chart illegally contains absolute paths"],
    ["c/../../x", "chart illegally references parent directory"],
    ["c/a/../../x", "chart illegally references parent directory"],
    ["c\\..\\x", "chart illegally references parent directory"],
    ["c/..x", "chart illegally references parent directory"],
    ["x", 'chart illegally contains content outside the base directory: "x"'],
    ["c/C:/x", "chart contains illegally named files"],
    ["Chart.yaml/x", "chart yaml not in base directory"],
  ])("an entry named %s is refused", async (name, message) => {
    await expect(loadPacked([file, entry(name, "x")])).rejects.toThrow(message);
  });

  test("a file of more than 5 MB is refused before it is read, also by its header alone", async () => {
    const message = 'decompressed chart file "c/large" is larger than the maximum file size 5242880';
    await expect(loadPacked([entry("c/large", 5 * megabyte + 1)])).rejects.toThrow(message);
    const header = writeTar([entry("c/large", "")], 0);
    expect(() => readTar(changedHeader(header, 124, "77777777777\0"))).toThrow(message);
    expect(() => readTar(changedHeader(header, 124, "\u007f~~~"))).toThrow("archive/tar: invalid tar header");
  });

  test("links are empty files, and lead nowhere", async () => {
    const link = changedHeader(writeTar([entry("c/values.yaml", "")], 0), 156, "2/etc/passwd");
    const both = new Uint8Array([...tar.slice(0, 1024), ...link]);
    expect((await loadBytes(gzipped(both))).values).toEqual({});
    expect(readTar(both).map(({ name, bytes }) => [name, bytes.length])).toEqual([
      ["c/Chart.yaml", 38],
      ["c/values.yaml", 0],
    ]);
  });

  test("a wrong checksum of the tar header or of gzip is an error", async () => {
    expect(() => readTar(changedHeader(tar, 0, "d", false))).toThrow("archive/tar: invalid tar header");
    const compressed = gzipped(tar);
    compressed.set([1, 2, 3, 4], compressed.length - 8);
    await expect(loadBytes(compressed)).rejects.toThrow("gzip: invalid checksum");
  });

  test("a file that is no archive is named, with its type", async () => {
    const load = (text: string, name: string) => loadBytes(new TextEncoder().encode(text), name);
    await expect(load("a: 1\n", "values.yaml")).rejects.toThrow(
      "file '/values.yaml' seems to be a YAML file, but expected a gzipped archive",
    );
    await expect(load("text", "x.tgz")).rejects.toThrow(
      "file '/x.tgz' does not appear to be a gzipped archive; got 'text/plain; charset=utf-8'",
    );
    await expect(load("\0\u0001", "x.tgz")).rejects.toThrow("got 'application/octet-stream'");
  });

  test("a gzip bomb is stopped at 32 MB", async () => {
    await expect(gunzip(gzipped(new Uint8Array(100 * megabyte)))).rejects.toThrow("an archive of more than 32 MB");
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

  test("rules are matched in linear time, and all of them share one bound", () => {
    const rule = `${"*a".repeat(40)}b`;
    expect(ignoreRules(rule)("a".repeat(200), false)).toBe(false);
    const matches = ignoreRules(`${rule}\n`.repeat(400));
    const visitAll = () => {
      for (let file = 0; file < 5000; file++) matches(`${"a".repeat(200)}${file}`, false);
    };
    expect(visitAll).toThrow("the rules of .helmignore take longer than a page may spend");
    expect(() => ignoreRules("[a-z]*x\n".repeat(200_000))).toThrow("the rules of .helmignore take longer");
  });
});
