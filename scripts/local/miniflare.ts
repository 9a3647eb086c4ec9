// Loads Miniflare with a quicker encoder of workerd's configuration.
import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type * as MiniflarePackage from "miniflare";

/**
 * A line of capnp-es, which Miniflare bundles: the number of bytes that a message grows by. The message contains the whole Worker, and each
 * growth copies it: a start copied 957 MB in 107 growths.
 */
const growthLine = "var MIN_SINGLE_SEGMENT_GROWTH = 4096;";
/** A growth that is larger than any configuration. The system gives memory only to the pages that are written. */
const largeGrowthLine = "var MIN_SINGLE_SEGMENT_GROWTH = 16 * 1024 * 1024;";

/** Returns Miniflare's source with the large growth. Returns the source of a version without the line unchanged. */
export function withLargeGrowth(source: string): string {
  return source.replace(growthLine, largeGrowthLine);
}

function loadMiniflare(): typeof MiniflarePackage {
  const require = createRequire(import.meta.url);
  const path = require.resolve("miniflare");
  const address = pathToFileURL(path).href;
  const hooks = registerHooks({
    load: (url, context, next) => {
      if (url !== address) return next(url, context);
      return { format: "commonjs", shortCircuit: true, source: withLargeGrowth(readFileSync(path, "utf8")) };
    },
  });
  try {
    // The package declares these types.
    return require("miniflare") as typeof MiniflarePackage;
  } finally {
    hooks.deregister();
  }
}

export const { Log, LogLevel, Miniflare, convertV4MiniflareOptions } = loadMiniflare();
export type Miniflare = InstanceType<typeof Miniflare>;
