// The recipe of docs/images.md: a student's app with its own image is rolled out under a client's loop.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { buildImage } from "../../client/image/build.ts";
import { createSandbox, type Images } from "../../shared/contract/sandbox.ts";
import { core, newServer } from "../api/server.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/images.md"), "utf8");

/** The blocks of the page that have a name: "```python shop/app.py". */
const blocks = new Map(
  [...page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = "", text = ""]) => [name, text] as const),
);

function block(name: string): string {
  const text = blocks.get(name);
  if (text === undefined) throw new Error(`docs/images.md has no block ${name}`);
  return text;
}

function built(tag: string, version: string): Images {
  const encoder = new TextEncoder();
  const files = ["app.py", "requirements.txt"].map((name) => {
    const file = { isExecutable: false, read: () => encoder.encode(block(`shop/${name}`)) };
    return [name, file] as const;
  });
  const { image, problems } = buildImage(block("shop/Dockerfile"), new Map(files), {
    name: `shop:${tag}`,
    tags: [],
    buildArgs: new Map([["VERSION", version]]),
  });
  expect(problems).toEqual([]);
  return createSandbox.parse({ images: [image] }).images;
}

/** Returns the loop's distinct output lines with their counts. */
async function rolledOut(manifests: string): Promise<ReadonlyMap<string, number>> {
  const images = [built("v1", "v1"), built("v2", "v2")].flat() as Images;
  const server = newServer({ zeroDelays: false, images, proxyMs: 1000 });
  const create = async (text: string) => {
    for (const document of text.split(/^---$/m)) {
      const [, kind = ""] = /^kind: (\w+)$/m.exec(document) ?? [];
      const path =
        kind === "Deployment" ? "/apis/apps/v1/namespaces/default/deployments" : `${core}/${kind.toLowerCase()}s`;
      const answer = await server.ask("POST", path, {
        body: document,
        headers: { "content-type": "application/yaml" },
      });
      expect(answer.code).toBe(201);
    }
  };
  await create(manifests);
  server.cluster.step(15_000);
  await create(block("loop.yaml"));
  server.cluster.step(5_000);
  const body = { spec: { template: { spec: { containers: [{ name: "shop", image: "shop:v2" }] } } } };
  const headers = { "content-type": "application/strategic-merge-patch+json" };
  await server.ask("PATCH", "/apis/apps/v1/namespaces/default/deployments/shop", { headers, body });
  server.cluster.step(35_000);
  expect(server.bugs).toEqual([]);
  const { text } = await server.ask("GET", `${core}/pods/loop/log`);
  const counts = new Map<string, number>();
  for (const line of text.trim().split("\n")) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

test("no request fails with a readiness probe, maxUnavailable: 0 and a preStop sleep", async () => {
  const counts = await rolledOut(block("shop.yaml"));
  expect([...counts.keys()].sort()).toEqual(["shop v1", "shop v2"]);
  expect([...counts.values()].every((count) => count > 10)).toBe(true);
});

test("the documented images are valid", () => {
  const images = parse(block("images.yaml")) as unknown;
  expect(createSandbox.safeParse({ images }).error).toBeUndefined();
});

test("some requests fail without these settings", async () => {
  const careless = block("shop.yaml")
    .replace(/^ +readinessProbe:\n(?: {12}.*\n)+/m, "")
    .replace(/^ +lifecycle:\n(?: {12}.*\n)+/m, "")
    .replace("maxUnavailable: 0", "maxUnavailable: 1");
  expect(careless).not.toContain("readinessProbe");
  const counts = await rolledOut(careless);
  expect(counts.get("failed")).toBeGreaterThan(0);
  expect(counts.get("shop v2")).toBeGreaterThan(10);
});
