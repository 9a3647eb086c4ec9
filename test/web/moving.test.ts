// Tests the request with which the console imports a file.
import { describe, expect, test } from "vitest";
import { name as sandboxName } from "../../shared/contract/sandbox-fields.ts";
import { importFile, type ImportInput, nameOf, queryOf } from "../../web/console/moving/import-file.ts";
import type { Upload } from "../../web/api/upload.ts";
import type { Control } from "../../web/api/control.ts";

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
    expect(queryOf(new File([], "shop.yaml"), input)).toBe("name=shop&ttlSeconds=3600&nodes=2&version=1.35");
    expect(queryOf(new File([], "shop.yaml"), { ...input, name: "", nodes: "" })).toBe("ttlSeconds=3600&version=1.35");
    expect(queryOf(new File([], "shop.sandbar-state"), input)).toBe("name=shop&ttlSeconds=3600");
  });

  test.each([
    ["shop.yaml", { "content-type": "application/yaml" }, undefined],
    ["shop.json.gz", { "content-type": "application/yaml" }, "gzip"],
    ["shop.sandbar-state", { "content-type": "application/vnd.sandbar.state" }, undefined],
  ])("sends %s by its type and encoding", async (file, type, encoding) => {
    const uploads: Upload[] = [];
    // The request calls nothing else of the client.
    const control = { upload: async (upload: Upload) => (uploads.push(upload), Response.json({})) } as unknown as Control;
    await importFile(control, new File([], file), input, { signal: new AbortController().signal, progress: () => {} });
    expect(uploads[0]?.headers).toMatchObject(type);
    expect(uploads[0]?.headers["content-encoding"]).toBe(encoding);
  });
});
