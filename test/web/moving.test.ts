// Tests the request with which the console imports a file.
import { describe, expect, test } from "vitest";
import { name as sandboxName } from "../../shared/contract/sandbox-fields.ts";
import { type ImportInput, importRequest, nameOf } from "../../web/console/moving/import-file.ts";

const input: ImportInput = { name: "shop", ttlSeconds: 3600, nodes: " 2 ", version: "1.35" };

describe("an import", () => {
  test.each([
    ["Shop.v2.yaml", "shop"],
    ["--My shop (copy).yaml.gz", "my-shop-copy"],
    [`${"a".repeat(62)}-b.yaml`, "a".repeat(62)],
  ])("proposes a name that the API takes for %s", (file, name) => {
    expect(nameOf(new File([], file))).toBe(name);
    expect(sandboxName.safeParse(name).success).toBe(true);
  });

  test("proposes no name for a file without letters", () => {
    expect(nameOf(new File([], "§.yaml"))).toBe("");
  });

  test("sends nodes and version for objects, and neither for a state", () => {
    const queryOf = (file: string, more: Partial<ImportInput> = {}) =>
      importRequest(new File([], file), { ...input, ...more }).path;
    expect(queryOf("shop.yaml")).toBe("/v1/sandboxes?name=shop&ttlSeconds=3600&nodes=2&version=1.35");
    expect(queryOf("shop.yaml", { name: "", nodes: "" })).toBe("/v1/sandboxes?ttlSeconds=3600&version=1.35");
    expect(queryOf("shop.sandbar-state")).toBe("/v1/sandboxes?name=shop&ttlSeconds=3600");
  });

  test.each([
    ["shop.yaml", "application/yaml", undefined],
    ["shop.json.gz", "application/yaml", "gzip"],
    ["shop.sandbar-state", "application/vnd.sandbar.state", undefined],
  ])("sends %s with its type and encoding", (file, type, encoding) => {
    const { headers } = importRequest(new File([], file), input);
    expect(headers).toMatchObject({ "content-type": type });
    expect(headers["content-encoding"]).toBe(encoding);
  });
});
