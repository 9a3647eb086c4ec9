// `npm run backup` and `npm run restore` of a service that does not copy all of its sandboxes. The service is a fake.
import { expect, test } from "vitest";
import { SandbarError } from "../../client/index.ts";
import { ServiceCopies } from "../../client/copies.ts";
import type { Archive } from "../../scripts/backup/archive.ts";
import { backUp } from "../../scripts/backup/back-up.ts";
import { readManifest, verify } from "../../scripts/backup/manifest.ts";
import { restore } from "../../scripts/backup/restore.ts";

const sandboxes = {
  table: "sandboxes",
  columns: ["id", "expires_at_ms"],
  rows: [
    ["copied", 1e15],
    ["large", 1e15],
  ],
};

/** Returns a service with two sandboxes, of which `large` cannot be copied, and the requests that it got. */
function fakeService(isEmpty: boolean) {
  const stored: string[] = [];
  const copies = new ServiceCopies(async (path, { method = "GET", query = {}, body } = {}) => {
    const { id = "" } = query;
    const name = path.slice("/v1/admin/copy".length);
    if (method !== "GET") {
      stored.push(name === "/rows" ? JSON.stringify((body as { rows: unknown }).rows) : `${name} ${String(id)}`);
      return Response.json({ session: "s", isComplete: true });
    }
    if (name === "/rows") return Response.json({ tables: [sandboxes] });
    if (name === "/files") return Response.json({ files: [] });
    if (name === "/objects" && id === "large")
      throw new SandbarError(413, { code: "too_large", message: "more is stored than fits" });
    if (name === "/objects") return Response.json({ session: "s", text: "a line\n", isLast: true });
    const rows = isEmpty ? 0 : sandboxes.rows.length;
    return Response.json({ secrets: ["x"], databases: [[{ table: "sandboxes", rows }]] });
  });
  return { copies, stored };
}

function newArchive(): Archive {
  const files = new Map<string, Uint8Array>();
  return {
    name: "memory",
    isEmpty: async () => files.size === 0,
    save: async (file, chunks) => {
      const pieces: Uint8Array[] = [];
      for await (const chunk of chunks) pieces.push(chunk);
      files.set(file, Buffer.concat(pieces));
    },
    read: async function* (file) {
      yield files.get(file) ?? new Uint8Array();
    },
  };
}

test("a sandbox that cannot be copied is named in the manifest, and a restore leaves out its row", async () => {
  const archive = newArchive();
  const { failures } = await backUp({
    copies: fakeService(false).copies,
    archive,
    local: new Map(),
    nowMs: () => 0,
    wait: async () => undefined,
  });
  expect(failures).toEqual(["clusters/large: more is stored than fits"]);
  const manifest = await readManifest(archive);
  await verify(archive, manifest);
  expect(manifest.missing).toEqual(["clusters/large"]);
  const empty = fakeService(true);
  expect(await restore(empty.copies, archive, manifest)).toMatchObject({ sandboxes: 1, rows: 1 });
  expect(empty.stored).toEqual(["/objects copied", '[["copied",1000000000000000]]']);
});
