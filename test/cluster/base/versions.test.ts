// Versions of the base of new clusters: the newest is what the code writes, and older ones never change.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allControllers } from "../../../worker/cluster/controllers.ts";
import type { BaseVersion } from "../../../worker/cluster/base/base-version.ts";
import { newestVersion, nodesOfBase } from "../../../worker/cluster/base/fresh-base.ts";
import { addCoreDns, addSystemPods } from "../../../worker/cluster/bootstrap/bootstrap.ts";
import { tokenKey } from "../../../worker/cluster/token-key.ts";
import { createTables } from "../../../worker/store/tables.ts";
import { testAuthority } from "../../authority.ts";
import { recordedBase } from "../../base.ts";
import { quietCluster } from "../../cluster.ts";
import { nodeSql } from "../../sqlite.ts";

const folder = join(import.meta.dirname, "../../../worker/cluster/base/versions");

/**
 * The SHA-256 of each version's file. Sandboxes were created with them. If the code writes another cluster, add a version and its digest.
 */
const digests: Readonly<Record<string, string>> = {
  "1.ts": "7fb31e6fbd4577b9074fb017c848747e8327c44d770f24e27b77cbcc721c260b",
  "2.ts": "cded0aa48c284c9f4beaf3f9bde37b56594c9947d8376e321ea694bf4c7c5565",
  "3.ts": "8b7dafc29b382b238924466ccb0640ae424e433cda52348a53a60cb77da67916",
};

test("C5: a new sandbox begins with the objects that the current code writes", async () => {
  const sql = nodeSql();
  createTables(sql);
  const frontProxy = { authority: "$frontProxyCA$", name: "front-proxy-client", certificate: "", key: "" };
  const controllers = allControllers({
    zeroDelays: true,
    caPem: "$serverCA$",
    authority: { ...testAuthority, certificate: "$clientCA$" },
    frontProxy: () => frontProxy,
    signToken: tokenKey(sql).sign,
  });
  const { system, clock, runUntilQuiet } = quietCluster({ sql, controllers, systemPods: false });
  const empty = recordedBase(sql);
  addCoreDns(system);
  runUntilQuiet();
  const bare = recordedBase(sql);
  addSystemPods(system, { nodes: nodesOfBase, nowMs: clock.nowMs() });
  runUntilQuiet();
  const recorded = recordedBase(sql);
  expect(bare.slice(0, empty.length)).toEqual(empty);
  expect(recorded.slice(0, bare.length)).toEqual(bare);
  await expect(fileOf(recorded, { empty: empty.length, bare: bare.length })).toMatchFileSnapshot(
    join(folder, `${newestVersion}.ts`),
  );
});

test("C5: a base version that sandboxes were created with never changes", () => {
  const fileDigests = readdirSync(folder).map((file) => {
    const digest = createHash("sha256")
      .update(readFileSync(join(folder, file)))
      .digest("hex");
    return [file, digest];
  });
  expect(Object.fromEntries(fileDigests)).toEqual(digests);
});

/** The objects, sorted, in one line each. */
function fileOf(lines: readonly string[], { empty, bare }: Required<Omit<BaseVersion, "lines">>): string {
  const quoted = lines.map((line) => `    '${line.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}',\n`);
  const first =
    "// What a sandbox of this version began with (see template.ts): recorded by test/cluster/base/versions.test.ts.";
  const type = 'import type { BaseVersion } from "../base-version.ts";\n';
  const rest = `export const version${newestVersion}: BaseVersion = {\n  empty: ${empty},\n  bare: ${bare},\n  lines: [\n`;
  return `${first}\n${type}\n${rest}${quoted.join("")}  ],\n};\n`;
}
