// Every golden case of every kind. A new case is two files; `UPDATE_GOLDEN=1` writes the outputs anew.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kinds } from "../../worker/kinds/catalogue.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import { type GoldenInput, findKind, runGolden } from "./golden.ts";

const root = join(import.meta.dirname, "golden");
const folders = readdirSync(root);

describe.each(folders)("%s", (folder) => {
  const cases = readdirSync(join(root, folder))
    .filter((file) => file.endsWith(".input.json"))
    .map((file) => file.slice(0, -".input.json".length));

  test.each(cases)("a write gives what its golden file says: %s", (name) => {
    // The case's author wrote it in this form.
    const input = JSON.parse(readFileSync(join(root, folder, `${name}.input.json`), "utf8")) as GoldenInput;
    const output = runGolden(kinds, findKind(kinds, folder), input);
    const file = join(root, folder, `${name}.output.json`);
    if (process.env.UPDATE_GOLDEN) writeFileSync(file, `${JSON.stringify(output, null, 2)}\n`);
    expect(output).toEqual(JSON.parse(readFileSync(file, "utf8")));
  });
});

test("every kind has its folder: a minimal object that is accepted, its row, and a refusal", () => {
  const lacking = kinds.flatMap((kind) => (kind.computed ? [] : lackOf(kind)));
  expect(lacking).toEqual([]);
});

/** What the golden folder of a kind does not have. A kind that has another's resource may be in its folder. */
function lackOf(kind: Kind): string[] {
  const folder = [kind.resource, kind.plural].map((name) => join(root, name)).find(existsSync);
  if (!folder) return [`${kind.resource}: a folder`];
  const outputs = readdirSync(folder)
    .filter((file) => file.endsWith(".output.json"))
    .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Partial<Record<string, unknown>>);
  const has = {
    "a minimal object": existsSync(join(folder, "minimal.input.json")),
    "a row": outputs.some(({ object, row }) => object !== undefined && row !== undefined),
    "a refusal": outputs.some(({ refused }) => Array.isArray(refused) && refused.length > 0),
  };
  return Object.entries(has).flatMap(([what, is]) => (is ? [] : [`${kind.resource}: ${what}`]));
}
