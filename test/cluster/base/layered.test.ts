// A cluster with a base and its own rows, compared with a cluster that stores all objects.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { freshBase } from "../../../worker/cluster/base/fresh-base.ts";
import { allControllers } from "../../../worker/cluster/controllers.ts";
import { tokenKey } from "../../../worker/cluster/token-key.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { serviceAccounts } from "../../../worker/kinds/core/service-account.ts";
import { createTables, writeMeta } from "../../../worker/store/tables.ts";
import { anyRequest, requestArguments, prepare } from "../../api/fuzz-requests.ts";
import { newServer } from "../../api/server.ts";
import { testAuthority } from "../../authority.ts";
import { testBase, testFrontProxy } from "../../base.ts";
import { newCluster, quietCluster } from "../../cluster.ts";
import { nodeSql } from "../../sqlite.ts";
import { headersOf, openStore, stateOf } from "./state-of.ts";

const runs = Number(process.env["SANDBAR_FUZZ_RUNS"] ?? 2500);
const seed = 20_260_102;
const nowMs = Date.UTC(2026, 10, 22, 16, 5, 39, 123);
/** Requests after which all that is stored is compared. */
const often = 100;

test("C4: a layered cluster answers every request as a cluster that stores its whole base", {
  timeout: 300_000,
}, async () => {
  const sqls = [nodeSql(), nodeSql()] as const;
  const layered = newServer({ sql: sqls[0], base: "layered" });
  const written = newServer({ sql: sqls[1], base: "written" });
  for (const server of [layered, written]) await prepare(server);
  expect(stateOf(sqls[0])).toEqual(stateOf(sqls[1]));
  let asks = 0;
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const [answer, otherAnswer] = [
        await layered.ask(...requestArguments(request)),
        await written.ask(...requestArguments(request)),
      ];
      expect([answer.code, answer.text, headersOf(answer)]).toEqual([
        otherAnswer.code,
        otherAnswer.text,
        headersOf(otherAnswer),
      ]);
      if (++asks % often > 0) return;
      for (const { cluster } of [layered, written]) cluster.step(60_000);
      expect(stateOf(sqls[0])).toEqual(stateOf(sqls[1]));
    }),
    { numRuns: runs, seed },
  );
  for (const { cluster } of [layered, written]) cluster.runUntilQuiet();
  expect(stateOf(sqls[0])).toEqual(stateOf(sqls[1]));
  expect(layered.cluster.changes).toEqual(written.cluster.changes.slice(-layered.cluster.changes.length));
});

describe("C4: a new sandbox", () => {
  test.each([true, false])("stores less than thirty rows, and its first drains write nothing", (systemPods) => {
    const sql = nodeSql();
    const { registry } = quietCluster({ sql, base: "layered", systemPods });
    expect(registry.store.revision).toBe(registry.store.began);
    expect(sql.all("SELECT * FROM objects UNION ALL SELECT 0, 0, 0, revision, 0, 0, 0 FROM changes")).toEqual([]);
    expect(sql.rowsWritten()).toBeLessThan(30);
  });

  test.each([
    [true, true],
    [false, true],
    [true, false],
    [false, false],
  ])(
    "has nothing that a controller would write, even if every object is reconciled again",
    (zeroDelays, systemPods) => {
      const sql = nodeSql();
      createTables(sql);
      // A cursor that fell out of the log: everything is looked at again.
      writeMeta(sql, "cursor", "0");
      const controllers = allControllers({
        zeroDelays,
        caPem: "test",
        authority: testAuthority,
        frontProxy: () => testFrontProxy,
        signToken: tokenKey(sql).sign,
      });
      const { changes } = quietCluster({ sql, base: "layered", controllers, systemPods });
      expect(changes.map(({ type, resource, name }) => `${type} ${resource} ${name}`)).toEqual([]);
    },
  );

  test("gives the same answers after it is opened again, with its changes and deletions", () => {
    const sql = nodeSql();
    const { client, get, edit } = newCluster({ sql, base: "layered" });
    edit(configMaps, "kube-system", "coredns", (draft) => void (draft.data = { Corefile: "." }));
    client.delete(serviceAccounts, "kube-public", "default");
    const store = openStore(sql);
    const key = (resource: string, namespace: string, name: string) => ({ resource, namespace, name });
    expect(store.get(key("configmaps", "kube-system", "coredns"))).toEqual(get(configMaps, "kube-system", "coredns"));
    expect(store.get(key("serviceaccounts", "kube-public", "default"))).toBeUndefined();
    expect(store.count({ resource: "serviceaccounts", namespace: "kube-public" })).toBe(0);
  });

  test("C4: a watch or a list before the base's last revision is answered 410", async () => {
    const { ask, cluster } = newServer({ base: "layered" });
    const before = cluster.registry.store.began - 1;
    const listed = await ask("GET", `/api/v1/nodes?resourceVersion=${before}&resourceVersionMatch=Exact`);
    expect([listed.code, listed.body.message]).toEqual([410, "The resourceVersion for the provided list is too old."]);
    const watched = await ask("GET", `/api/v1/nodes?resourceVersion=${before}&watch=1&timeoutSeconds=1`);
    expect(watched.text).toContain(`too old resource version: ${before}`);
  });
});

describe.each([true, false])("C4: a base", (systemPods) => {
  const base = freshBase(testBase(nowMs, { systemPods }));
  const revisions = base.entries().map(({ revision }) => revision);

  test("numbers its revisions from 1, and has a text for each", () => {
    expect(revisions).toEqual(Array.from({ length: base.revision }, (_, at) => at + 1));
    for (const { revision, characters, name } of base.entries()) {
      const object = base.object(revision);
      expect(JSON.stringify(object)).toBe(base.text(revision));
      expect([characters, name]).toEqual([base.text(revision).length, object.metadata.name]);
      expect(object.metadata.resourceVersion).toBe(String(revision));
      expect(base.object(revision)).toBe(object);
      expect(isFrozen(object)).toBe(true);
    }
  });

  test("records its creation time, and has a unique uid for each object", () => {
    const uids = base.entries().map(({ revision }) => base.object(revision).metadata.uid ?? "");
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (const uid of uids) expect(uid).toMatch(form);
    expect(new Set(uids).size).toBe(uids.length);
    const otherBase = freshBase({ ...testBase(nowMs, { systemPods }), seed: "3f0c8a52-7d1e-4b96-9a43-5e2f60d7c18c" });
    const both = new Set([...uids, ...revisions.map((revision) => otherBase.object(revision).metadata.uid)]);
    expect(both.size).toBe(2 * uids.length);
    const texts = revisions.map((revision) => base.text(revision)).join("\n");
    expect(texts).not.toMatch(/2026-01-01|00000000-0000-4000-8000|\$[a-zA-Z]+CA\$/);
    expect(texts).toContain('"creationTimestamp":"2026-11-22T16:05:09Z"');
    expect(texts).toContain('"renewTime":"2026-11-22T16:05:09.123000Z"');
  });

  test("names owners by their uids", () => {
    const uids = new Set(base.entries().map(({ revision }) => base.object(revision).metadata.uid));
    const owners = base.indexed().flatMap((entry) => entry.owners.map((owner) => owner.replace("!", "")));
    expect(owners.length).toBeGreaterThan(2);
    for (const owner of owners) expect(uids).toContain(owner);
  });

  test("shares equal parts with other bases", () => {
    const otherBase = freshBase({
      ...testBase(nowMs + 5000, { systemPods }),
      seed: "3f0c8a52-7d1e-4b96-9a43-5e2f60d7c18c",
    });
    const specOf = (object: KubeObject & { rules?: unknown }) => object.rules;
    const roles = base.list("clusterroles.rbac.authorization.k8s.io");
    expect(roles.length).toBeGreaterThan(50);
    for (const { revision } of roles) expect(specOf(otherBase.object(revision))).toBe(specOf(base.object(revision)));
  });
});

function isFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
