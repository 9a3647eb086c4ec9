// Tests the places of backups: a folder, and a bucket behind a server that has the API of S3.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openArchive } from "../../scripts/backup/archive.ts";
import { signedHeaders } from "../../scripts/backup/bucket.ts";
import { bytesOf } from "../../scripts/backup/manifest.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sandbar-archive-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};

describe("a folder", () => {
  test("has files that only their owner can read, and no file of a save that broke off", async () => {
    const archive = openArchive(join(folder, "a"), {});
    expect(await archive.isEmpty()).toBe(true);
    await archive.save("b/c", [Buffer.from("one"), Buffer.from("two")]);
    expect(statSync(join(folder, "a/b/c")).mode & 0o777).toBe(0o600);
    expect(new TextDecoder().decode(await bytesOf(archive.read("b/c")))).toBe("onetwo");
    const broken = (async function* () {
      yield Buffer.from("one");
      throw new Error("it broke off");
    })();
    await expect(archive.save("b/d", broken)).rejects.toThrow("it broke off");
    expect(readdirSync(join(folder, "a/b"))).not.toContain("d");
    expect(await archive.isEmpty()).toBe(false);
  });

  test("refuses names outside of it", async () => {
    await expect(openArchive(folder, {}).save("../b", [])).rejects.toThrow("is not a file of a backup");
  });
});

describe("signatures", () => {
  // The examples of Amazon's documentation of Signature Version 4.
  test.each([
    ["?lifecycle", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
    ["?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"],
  ])("the signature of %s is that of the documentation", (query, signature) => {
    const headers = signedHeaders({
      ...credentials,
      method: "GET",
      url: new URL(`https://examplebucket.s3.amazonaws.com/${query}`),
      contentHash: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      atMs: Date.UTC(2013, 4, 24),
      region: "us-east-1",
    });
    expect(headers["authorization"]).toContain(`Signature=${signature}`);
  });
});

describe("a bucket", () => {
  let server: Server;
  const stored = new Map<string, Buffer>();
  const failures = { left: 0 };
  const requests: string[] = [];

  beforeEach(async () => {
    stored.clear();
    requests.length = 0;
    server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://bucket");
      requests.push(`${request.method} ${url.pathname} ${request.headers["content-length"] ?? ""}`.trim());
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (failures.left-- > 0) return void response.writeHead(503).end("busy");
        if (!request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 ")) return void response.writeHead(403).end();
        if (request.method === "PUT") stored.set(url.pathname, Buffer.concat(chunks));
        if (request.method === "PUT") return void response.end();
        if (url.searchParams.has("prefix")) {
          const prefix = `/sandbar/${url.searchParams.get("prefix") ?? ""}`;
          const keys = [...stored.keys()].filter((key) => key.startsWith(prefix));
          return void response.end(
            `<ListBucketResult>${keys.map((key) => `<Key>${key}</Key>`).join("")}</ListBucketResult>`,
          );
        }
        const file = stored.get(url.pathname);
        response.writeHead(file ? 200 : 404).end(file ?? "no such key");
      });
    });
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  });
  afterEach(() => void server.close());

  const open = (prefix = "backups/a") =>
    openArchive(`s3://sandbar/${prefix}`, {
      ...credentials,
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });

  test("has what was saved, below its prefix, with the length in front", async () => {
    const archive = open();
    expect(await archive.isEmpty()).toBe(true);
    await archive.save("files/ada/x y", [Buffer.from("one"), Buffer.from("two")]);
    expect(requests).toContain("PUT /sandbar/backups/a/files/ada/x%20y 6");
    expect(new TextDecoder().decode(await bytesOf(archive.read("files/ada/x y")))).toBe("onetwo");
    expect(await archive.isEmpty()).toBe(false);
    expect(await open("other").isEmpty()).toBe(true);
  });

  test("is asked again when it is busy, and three times at most", async () => {
    failures.left = 2;
    await open().save("a", [Buffer.from("x")]);
    expect(stored.get("/sandbar/backups/a/a")?.toString()).toBe("x");
    failures.left = 3;
    await expect(open().save("b", [Buffer.from("x")])).rejects.toThrow("failed: 503: busy");
    failures.left = 0;
  });

  test("names the variables that are missing, and the file that is", async () => {
    expect(() => openArchive("s3://sandbar/a", {})).toThrow("AWS_ENDPOINT_URL");
    await expect(bytesOf(open().read("none"))).rejects.toThrow("404");
  });
});
