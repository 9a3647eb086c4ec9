// The generated declarations of the Kubernetes API.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { declarationFiles } from "../../scripts/generate-types.ts";

test("shared/k8s/api declares the types that the code imports, as npm run generate writes them", () => {
  const root = new URL("../../", import.meta.url);
  const folder = new URL("shared/k8s/api/", root);
  const files = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), "utf8")] as const);
  expect(new Map(files)).toEqual(declarationFiles(root));
});
