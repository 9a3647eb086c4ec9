// The command line's `--file`: files, folders, and folders that kubectl or helm render.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { UsageError } from "../../client/cli/values.ts";
import { manifestsOf, sending } from "../../client/cli/manifests.ts";
import { SandbarError } from "../../client/index.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sandbar-manifests-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function put(path: string, text: string): string {
  const to = join(folder, path);
  mkdirSync(join(to, ".."), { recursive: true });
  writeFileSync(to, text);
  return to;
}

/** A program of that name which prints its words, or ends with an error. */
function program(name: string, body: string): void {
  chmodSync(put(`bin/${name}`, `#!/bin/sh\n${body}\n`), 0o755);
  vi.stubEnv("PATH", `${join(folder, "bin")}${delimiter}${process.env["PATH"] ?? ""}`);
}

test("K4: files are read as documents in order, and a folder's YAML and JSON files by name", () => {
  const firstFile = put("one.yaml", "a: 1");
  for (const [name, text] of [
    ["b.yml", "c: 3"],
    ["a.yaml", "b: 2"],
    ["c.json", "{}"],
    ["notes.txt", "no"],
  ] as const)
    put(`all/${name}`, text);
  expect(manifestsOf([firstFile, join(folder, "all")]).text).toBe("a: 1\n---\nb: 2\n---\nc: 3\n---\n{}");
});

test.each([
  ["kustomization.yaml", "kubectl", (path: string) => `kustomize ${path}`],
  ["Chart.yaml", "helm", (path: string) => `template app ${path}`],
])("K4: a folder with %s is rendered by %s", (file, name, words) => {
  put(`app/${file}`, "{}");
  const path = join(folder, "app");
  program(name, 'echo "$@"');
  expect(manifestsOf([path]).text).toBe(`${words(path)}\n`);
  program(name, "echo it is wrong >&2; exit 1");
  expect(() => manifestsOf([path])).toThrow(new UsageError(`${name} ${words(path)} failed: it is wrong`));
  vi.stubEnv("PATH", join(folder, "nothing"));
  const missing = `${name} is needed to render ${path}, and it is not on the PATH`;
  expect(() => manifestsOf([path])).toThrow(new UsageError(missing));
});

test("K4: the output of kubectl and helm is bounded to 64 MB", () => {
  put("app/Chart.yaml", "{}");
  program("helm", "yes | head -c 70000000");
  expect(() => manifestsOf([join(folder, "app")])).toThrow(UsageError);
});

test("K4: an empty folder and a missing file are wrong commands", () => {
  expect(() => manifestsOf([folder])).toThrow(UsageError);
  expect(() => manifestsOf([join(folder, "missing.yaml")])).toThrow("missing.yaml cannot be read");
});

test("K4: a refusal is reported with file, line and field", async () => {
  const firstFile = put("one.yaml", "a: 1\n");
  put("all/a.yaml", "b: 2\nc: 3");
  put("all/b.yaml", "d: 4");
  const manifests = manifestsOf([firstFile, join(folder, "all")]);
  const lineOf = (text: string) => manifests.text.split("\n").indexOf(text) + 1;
  const problems = [
    { document: 1, line: lineOf("a: 1"), field: "a", message: "is wrong" },
    { document: 2, line: lineOf("c: 3"), field: "c[0].d", message: "is wrong, too" },
    { document: 3, line: lineOf("d: 4"), message: "is refused" },
  ];
  const refusal = { code: "invalid_manifests", message: "document 1, line 1: …", field: "manifests", problems };
  const sent = (error: ConstructorParameters<typeof SandbarError>[1]) =>
    sending(manifests, () => Promise.reject(new SandbarError(400, error)));
  await expect(sent(refusal)).rejects.toThrow(
    new SandbarError(400, {
      ...refusal,
      message: [
        `${firstFile}:1: a: is wrong`,
        `${join(folder, "all/a.yaml")}:2: c[0].d: is wrong, too`,
        `${join(folder, "all/b.yaml")}:1: is refused`,
      ].join("\n"),
    }),
  );
  // Lines of another text: a template's own manifests, or what is imported.
  await expect(sent({ ...refusal, field: "import" })).rejects.toThrow("document 1, line 1: …");
});
