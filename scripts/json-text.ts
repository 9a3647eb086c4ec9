// Bundles large JSON files as texts that are parsed, which the engine does in half the time that it takes to compile them as literals.
import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

/** The characters of a file above which it is bundled as a text. */
const least = 10_000;

export const jsonText: Plugin = {
  name: "json-text",
  setup({ onLoad }) {
    onLoad({ filter: /\.json$/ }, ({ path }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
      if (text.length < least) return { contents: text, loader: "json" };
      return { contents: `export default JSON.parse(${JSON.stringify(text)});`, loader: "js" };
    });
  },
};
