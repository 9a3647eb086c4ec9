// The OCI image of a release: its layout, and what an engine without containerd's image store loads of it.
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { writeLayout } from "../../scripts/release/image.ts";

test("an image has blobs under their digests, and both indexes name the same configuration and layer", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbar-layout-"));
  try {
    const layer = Buffer.from("the files of the image");
    const digest = writeLayout(folder, { layer, architecture: "amd64", version: "1.2.3" });
    const read = (path: string) => readFileSync(join(folder, path));
    const json = (path: string) => JSON.parse(read(path).toString()) as never;
    const blob = (of: string) => {
      const bytes = read(`blobs/sha256/${of.slice("sha256:".length)}`);
      expect(`sha256:${createHash("sha256").update(bytes).digest("hex")}`).toBe(of);
      return bytes;
    };
    const index: { manifests: { digest: string }[] } = json("index.json");
    expect(index.manifests.map((entry) => entry.digest)).toEqual([digest]);
    const manifest = JSON.parse(blob(digest).toString()) as {
      config: { digest: string };
      layers: { digest: string }[];
    };
    const zipped = blob(manifest.layers[0]?.digest ?? "");
    expect(gunzipSync(zipped)).toEqual(layer);
    const config = JSON.parse(blob(manifest.config.digest).toString()) as { rootfs: { diff_ids: string[] } };
    expect(config.rootfs.diff_ids).toEqual([`sha256:${createHash("sha256").update(layer).digest("hex")}`]);
    const pathOf = (of: string) => `blobs/sha256/${of.slice("sha256:".length)}`;
    expect(json("manifest.json")).toEqual([
      {
        Config: pathOf(manifest.config.digest),
        RepoTags: ["sandbar:1.2.3"],
        Layers: manifest.layers.map((entry) => pathOf(entry.digest)),
      },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
