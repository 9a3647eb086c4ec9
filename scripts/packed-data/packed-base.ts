// Bundles the lines of the versions of a fresh cluster's base as one compressed text, since most lines are in several versions. A version
// is decompressed when the first cluster with it is opened. The oldest file exports a plain array, and is bundled as it is.
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import type { Plugin } from "esbuild";
import type { BaseVersion } from "../../worker/cluster/base/base-version.ts";
import { unpacking, unpackingImports } from "./pack.ts";

const lines = "packed-base-lines";

export const packedBase: Plugin = {
  name: "packed-base",
  setup({ initialOptions, onLoad, onResolve }) {
    const folder = join(initialOptions.absWorkingDir ?? "", "worker/cluster/base/versions");
    onResolve({ filter: new RegExp(`^${lines}$`) }, ({ path }) => ({ path, namespace: lines }));
    onLoad({ filter: /.*/, namespace: lines }, async () => ({ contents: await packedLines(folder), loader: "js" }));
    onLoad({ filter: /\/cluster\/base\/versions\/\d+\.ts$/ }, async ({ path }) => {
      const [name, version] = await versionIn(path);
      if (!isPacked(version)) return undefined;
      const { lines: _, ...numbers } = version;
      const fields = JSON.stringify(numbers).slice(1, -1);
      const contents = `import { linesOf } from "${lines}";
        let lines;
        export const ${name} = { ${fields}, get lines() { return lines ??= linesOf("${basename(path)}"); } };`;
      return { contents, loader: "js" };
    });
  },
};

type Exported = BaseVersion | readonly string[];

function isPacked(version: Exported): version is BaseVersion {
  return "lines" in version;
}

async function versionIn(path: string): Promise<[name: string, version: Exported]> {
  const [entry] = Object.entries((await import(path)) as Record<string, Exported>);
  if (!entry) throw new Error(`${path} exports no version`);
  return entry;
}

/** Returns a module whose `linesOf` decompresses all versions and parses the lines of one. */
async function packedLines(folder: string): Promise<string> {
  const places: Record<string, readonly [from: number, to: number]> = {};
  let text = "";
  for (const file of globSync("*.ts", { cwd: folder }).toSorted()) {
    const [, version] = await versionIn(join(folder, file));
    if (!isPacked(version)) continue;
    const from = Buffer.byteLength(text);
    text += JSON.stringify(version.lines);
    places[file] = [from, Buffer.byteLength(text)];
  }
  return `${unpackingImports}
    const places = ${JSON.stringify(places)};
    const unpack = ${unpacking(text)};
    export function linesOf(file) {
      return JSON.parse(unpack().subarray(...places[file]).toString());
    }`;
}
