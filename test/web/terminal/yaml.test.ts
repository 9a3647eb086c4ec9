// `yq` and `kustomize` in the page's shell.
import { expect, test } from "vitest";
import { shellWith } from "./shell.ts";

const files = {
  "web.yaml": "kind: Deployment\nspec:\n  replicas: 2\n  names: [a, b]\n---\nkind: Service\nspec: {}\n",
  "kustomization.yaml": "namePrefix: dev-\nresources: [one.yaml]\n",
  "one.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n",
};

test.each([
  ["yq .kind web.yaml", "Deployment\n---\nService\n"],
  ["yq '.spec.replicas' < web.yaml | head -n 1", "2\n"],
  ["yq eval 'select(.kind == \"Deployment\") | .spec.names[1]' web.yaml", "b\n"],
  ["yq -o json '.spec.names' web.yaml | head -n 1", "[\n"],
  [
    "yq -i 'select(.kind == \"Deployment\") | .spec.replicas = 5' web.yaml; cat web.yaml",
    "kind: Deployment\nspec:\n  replicas: 5\n  names:\n    - a\n    - b\n",
  ],
  ["kustomize build . | grep name", "  name: dev-settings\n"],
])("%s", async (line, out) => {
  expect(await shellWith(files).run(line)).toMatchObject({ out, err: "", code: 0 });
});

test("a broken file, a broken filter and an unknown command are errors", async () => {
  const { run } = shellWith({ "bad.yaml": "a: [", ...files });
  expect((await run("yq . bad.yaml")).code).toBe(1);
  expect((await run("yq '.[' web.yaml")).code).toBe(1);
  expect((await run("yq . none.yaml")).err).toContain("none.yaml: No such file or directory");
  expect((await run("kustomize edit")).err).toContain("only build is simulated");
});
