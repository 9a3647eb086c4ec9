// Data in the built Worker: it is what the source has, although it is stored otherwise.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { jsonText } from "../../scripts/packed-data/json-text.ts";
import { packedBase } from "../../scripts/packed-data/packed-base.ts";
import { newestVersion } from "../../worker/cluster/base/fresh-base.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "sandbar-packed-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Bundles a module as the Worker is bundled, and returns its exports. */
async function bundled(name: string, contents: string) {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root },
    outfile,
    bundle: true,
    format: "esm",
    external: ["node:*"],
    plugins: [jsonText, packedBase],
    logLevel: "silent",
  });
  return (await import(pathToFileURL(outfile).href)) as Record<string, unknown>;
}

test("each version of a fresh cluster's base has its lines and numbers after the build", async () => {
  const numbers = Array.from({ length: newestVersion }, (_, at) => at + 1);
  const contents = numbers.map((n) => `export * from "./worker/cluster/base/versions/${n}.ts";`).join("\n");
  const exports = await bundled("base", contents);
  for (const n of numbers) {
    const source = (await import(`${root}/worker/cluster/base/versions/${n}.ts`)) as Record<string, object>;
    const version = exports[`version${n}`] as object;
    expect(Array.isArray(version) ? version : { ...version }).toEqual(source[`version${n}`]);
  }
});

test("a large JSON file has its content after the build, whether it is imported at once or later", async () => {
  const value = { texts: Array.from({ length: 2_000 }, (_, at) => `text "${at}" ü`) };
  writeFileSync(join(folder, "large.json"), JSON.stringify(value));
  const file = JSON.stringify(join(folder, "large.json"));
  const contents = `import now from ${file}; export { now };`;
  expect((await bundled("now", contents))["now"]).toEqual(value);
  const exports = await bundled("later", `export const later = async () => (await import(${file})).default;`);
  expect(await (exports["later"] as () => Promise<unknown>)()).toEqual(value);
});

test("wrangler uploads the chunks of the Worker, and no source maps", () => {
  const toml = readFileSync(join(root, "wrangler.toml"), "utf8");
  const rules = [...toml.matchAll(/\{ type = "(\w+)", globs = \["([^"]+)"\]/g)].map(([, type, glob]) => [type, glob]);
  expect(rules).toEqual([
    ["ESModule", "**/*.js"],
    ["CompiledWasm", "**/*.wasm"],
  ]);
});
