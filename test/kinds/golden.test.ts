// Every golden case of every kind. A new case is two files; `UPDATE_GOLDEN=1` writes the outputs anew.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kinds } from "../../worker/kinds/catalogue.ts";
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

test("every kind has a golden case that is accepted", () => {
  const stored = kinds.filter((kind) => !kind.computed);
  const accepted = stored.filter((kind) => {
    const names = [kind.resource, kind.plural].map((name) => join(root, name)).filter(existsSync);
    const outputs = names.slice(0, 1).flatMap((path) =>
      readdirSync(path)
        .filter((file) => file.endsWith(".output.json"))
        .map((file) => readFileSync(join(path, file), "utf8")),
    );
    return outputs.some((text) => text.includes('"object"'));
  });
  expect(accepted.map((kind) => kind.resource)).toEqual(stored.map((kind) => kind.resource));
});
