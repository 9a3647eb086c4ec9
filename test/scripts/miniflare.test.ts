// Miniflare's encoder of workerd's configuration.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { withLargeGrowth } from "../../scripts/local/miniflare.ts";

const source = readFileSync(createRequire(import.meta.url).resolve("miniflare"), "utf8");

test("Miniflare's messages grow by more than the whole configuration, so that the Worker is not copied at each growth", () => {
  const name = "MIN_SINGLE_SEGMENT_GROWTH";
  const linesWith = (text: string) => text.split("\n").filter((line) => line.includes(name));
  expect(linesWith(source)).toEqual([`var ${name} = 4096;`, expect.stringContaining(`minSize < ${name} ? ${name} :`)]);
  expect(linesWith(withLargeGrowth(source))).toEqual([`var ${name} = 16 * 1024 * 1024;`, linesWith(source)[1]]);
});

test("the source of a version of Miniflare without the line stays unchanged", () => {
  expect(withLargeGrowth("var growth = 4096;")).toBe("var growth = 4096;");
});
