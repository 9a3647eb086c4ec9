// Bundles large JSON files as texts that are parsed, which the engine does in half the time that it takes to compile them as literals. A file
// that only an `import()` loads is also compressed.
import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { unpacking, unpackingImports } from "./pack.ts";

/** The characters of a file above which it is bundled as a text. */
const least = 10_000;

export const jsonText: Plugin = {
  name: "json-text",
  setup({ onLoad, onResolve, resolve }) {
    onResolve({ filter: /\.json$/ }, async ({ path, kind, pluginData: isResolving, ...from }) => {
      if (kind !== "dynamic-import" || isResolving === true) return undefined;
      const { importer, resolveDir } = from;
      return {
        ...(await resolve(path, { importer, resolveDir, kind, pluginData: true })),
        pluginData: { isLate: true },
      };
    });
    onLoad({ filter: /\.json$/ }, ({ path, pluginData }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
      if (text.length < least) return { contents: text, loader: "json" };
      const isLate = (pluginData as { isLate?: boolean } | undefined)?.isLate === true;
      const parsed = isLate ? `(${unpacking(text)})().toString()` : JSON.stringify(text);
      return { contents: `${isLate ? unpackingImports : ""}export default JSON.parse(${parsed});`, loader: "js" };
    });
  },
};
