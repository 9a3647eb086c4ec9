// Snapshots over fakes: answers, stored files, and interruptions at any step.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { snapshot, snapshotList, stateDiff, stateMediaType } from "../../shared/contract/snapshot.ts";
import { readStateFile } from "../../shared/state/read-state.ts";
import {
  finishSnapshotLeftovers,
  forgetExpiredSnapshots,
  removeUnknownFiles,
} from "../../worker/edge/control-api/snapshot-leftovers.ts";
import { readSandboxId } from "../../worker/edge/sandbox-id.ts";
import { configMap, stateFile } from "../state/files.ts";
import { ask, interruptedService } from "./interrupted-service.ts";
import { keys, newService, secret, startMs } from "./service.ts";

type Harness = Awaited<ReturnType<typeof newService>>;

const dayMs = 24 * 3600 * 1000;
const node = (name: string) => ["nodes", { apiVersion: "v1", kind: "Node", metadata: { name } }] as const;

async function withSandbox() {
  const harness = await newService();
  const answer = await harness.send("POST", "/v1/sandboxes", { body: { name: "first" } });
  const sandbox = sandboxWithToken.parse(await answer.json());
  const cluster = harness.clusters.get(sandbox.id);
  if (!cluster) throw new Error("there is no cluster");
  cluster.states.set("now", stateFile([configMap("a", "now", { resourceVersion: "40" }), node("n1"), node("n2")], 40));
  cluster.states.set(7, stateFile([configMap("a", "old"), node("n1")], 7));
  return { ...harness, sandbox, cluster, path: `/v1/sandboxes/${sandbox.id}` };
}

async function snap({ send, path }: { send: Harness["send"]; path: string }, body?: unknown) {
  const answer = await send("POST", `${path}/snapshots`, { body });
  expect(answer.status).toBe(201);
  return snapshot.parse(await answer.json());
}

async function errorOf(answer: Response | Promise<Response>) {
  const { status } = await answer;
  const { error } = errorBody.parse(await (await answer).json());
  return [status, error.code, error.field];
}

describe("a snapshot", () => {
  test("is of the current or an earlier revision, and is listed under its sandbox and by itself", async () => {
    const of = await withSandbox();
    const snapshot = await snap(of, { name: "before", note: "the chart" });
    const { id, sandbox } = snapshot;
    expect(snapshot).toMatchObject({ name: "before", note: "the chart", revision: 40, nodes: 2, objects: 3 });
    expect([sandbox, snapshot.createdAt]).toEqual([
      { id: of.sandbox.id, name: "first" },
      new Date(startMs).toISOString(),
    ]);
    expect(Date.parse(snapshot.expiresAt)).toBe(startMs + limits.snapshotDays * dayMs);
    of.time.nowMs += 1000;
    const old = await snap(of, { revision: 7 });
    expect(old).toMatchObject({ name: `snapshot-${old.id.slice(4, 10)}`, note: "", revision: 7, nodes: 1, objects: 2 });
    for (const path of ["/v1/snapshots", `${of.path}/snapshots`]) {
      expect(snapshotList.parse(await (await of.send("GET", path)).json()).snapshots).toEqual([old, snapshot]);
      expect(await (await of.send("GET", `${path}/${id}`)).json()).toEqual(snapshot);
    }
    const first = snapshotList.parse(await (await of.send("GET", "/v1/snapshots?limit=1")).json());
    const next = await of.send("GET", `/v1/snapshots?limit=1&cursor=${first.nextCursor}`);
    expect([first.snapshots, await next.json()]).toEqual([[old], { snapshots: [snapshot] }]);
    expect([...of.files.stored.keys()].sort()).toEqual([`ada/${snapshot.id}`, `ada/${old.id}`].sort());
    expect(snapshot.bytes).toBe(of.files.stored.get(`ada/${id}`)?.bytes.length);
  });

  test("survives its sandbox, and is never visible to another tenant", async () => {
    const of = await withSandbox();
    const { id } = await snap(of);
    for (const path of [`/v1/snapshots/${id}`, `${of.path}/snapshots/${id}`, `${of.path}/snapshots`]) {
      expect(await errorOf(of.send("GET", path, { key: keys.bob }))).toEqual([404, "not_found", undefined]);
    }
    expect(await errorOf(of.send("DELETE", `/v1/snapshots/${id}`, { key: keys.bob }))).toEqual([
      404,
      "not_found",
      undefined,
    ]);
    expect(await (await of.send("GET", "/v1/snapshots", { key: keys.bob })).json()).toEqual({ snapshots: [] });
    await of.send("DELETE", of.path);
    expect(await errorOf(of.send("GET", `${of.path}/snapshots/${id}`))).toEqual([404, "not_found", undefined]);
    expect((await of.send("GET", `/v1/snapshots/${id}`)).status).toBe(200);
    expect((await of.send("DELETE", `/v1/snapshots/${id}`)).status).toBe(204);
    expect(await errorOf(of.send("GET", `/v1/snapshots/${id}`))).toEqual([404, "not_found", undefined]);
    expect([of.files.stored.size, of.errors]).toEqual([0, []]);
  });

  test("is not listed under another sandbox", async () => {
    const of = await withSandbox();
    const { id } = await snap(of);
    const otherSandbox = sandboxWithToken.parse(await (await of.send("POST", "/v1/sandboxes")).json());
    expect((await of.send("GET", `/v1/sandboxes/${otherSandbox.id}/snapshots/${id}`)).status).toBe(404);
    expect((await of.send("DELETE", `/v1/sandboxes/${otherSandbox.id}/snapshots/${id}`)).status).toBe(404);
    expect((await of.send("GET", `/v1/snapshots/${id}`)).status).toBe(200);
  });

  test("is 410 after its expiry and loses its file, and its row later", async () => {
    const of = await withSandbox();
    const { id } = await snap(of);
    of.time.nowMs = startMs + limits.snapshotDays * dayMs;
    expect(await errorOf(of.send("GET", `/v1/snapshots/${id}`))).toEqual([410, "expired", undefined]);
    expect(await (await of.send("GET", "/v1/snapshots")).json()).toEqual({ snapshots: [] });
    of.time.nowMs += 1;
    await forgetExpiredSnapshots(of.service, 30 * dayMs);
    expect(of.files.stored.size).toBe(0);
    expect((await of.send("GET", `/v1/snapshots/${id}`)).status).toBe(410);
    of.time.nowMs += 30 * dayMs;
    await forgetExpiredSnapshots(of.service, 30 * dayMs);
    expect([(await of.send("GET", `/v1/snapshots/${id}`)).status, of.errors]).toEqual([404, []]);
  });

  test("past the tenant's bound is refused, and its file is deleted", async () => {
    const of = await withSandbox();
    const row = {
      tenantId: "ada",
      sandboxId: of.sandbox.id,
      sandboxName: "first",
      name: "n",
      note: "",
      createdAtMs: startMs,
    };
    for (let at = 0; at < limits.snapshots; at++)
      await of.service.snapshots.add({ ...row, id: `snap${at}`, expiresAtMs: startMs + 1000 });
    expect(await errorOf(of.send("POST", `${of.path}/snapshots`))).toEqual([409, "too_many_snapshots", undefined]);
    expect([of.files.stored.size, await of.service.snapshots.count("ada", startMs)]).toEqual([0, limits.snapshots]);
    of.time.nowMs = startMs + 1000;
    await snap(of);
  });

  test.each([
    [{ revision: 8 }, [410, "revision_gone", "revision"]],
    [{ revision: -1 }, [400, "invalid_field", "revision"]],
    [{ name: "a b" }, [400, "invalid_field", "name"]],
    [{ note: "x".repeat(1001) }, [400, "invalid_field", "note"]],
    [{ nodes: 1 }, [400, "invalid_field", "nodes"]],
  ])("is refused: %#", async (body, expected) => {
    const of = await withSandbox();
    expect(await errorOf(of.send("POST", `${of.path}/snapshots`, { body }))).toEqual(expected);
    expect(await of.service.snapshots.count("ada", startMs)).toBe(0);
  });

  test("is refused with 410 for an expired sandbox", async () => {
    const of = await withSandbox();
    of.time.nowMs += 2 * dayMs;
    expect(await errorOf(of.send("POST", `${of.path}/snapshots`))).toEqual([410, "expired", undefined]);
  });
});

describe("an interruption at any step", () => {
  test.each(["making", "deleting", "the daily run"])("A5: during %s is completed by the next request", async (work) => {
    for (let at = 0; at < 12; at++) {
      for (const when of ["before", "after"] as const) {
        const of = await withSandbox();
        const { id } = await snap(of);
        const cut = interruptedService(of.service, at, when);
        if (work === "making") await ask(cut, "POST", `${of.path}/snapshots`);
        else if (work === "deleting") await ask(cut, "DELETE", `/v1/snapshots/${id}`);
        else {
          await of.service.snapshots.markDeleting("ada", id);
          await finishSnapshotLeftovers(cut).catch(() => undefined);
        }
        const restorableFiles = async () => {
          const { snapshots } = snapshotList.parse(await (await of.send("GET", "/v1/snapshots")).json());
          for (const listedSnapshot of snapshots) {
            const restored = await of.send("POST", `${of.path}/restore`, { body: { snapshot: listedSnapshot.id } });
            expect(restored.status).toBe(200);
          }
          return snapshots.map((listedSnapshot) => `ada/${listedSnapshot.id}`).sort();
        };
        await restorableFiles();
        of.time.nowMs += limits.sandboxMakingMs + 1;
        const listed = await restorableFiles();
        expect([...of.files.stored.keys()].sort()).toEqual(listed);
        const rows = await of.service.snapshots.expired(startMs + 1000 * dayMs, 100, false);
        expect(rows.map((row) => `ada/${row.id}`).sort()).toEqual(listed);
        expect(of.errors).toEqual([]);
      }
    }
  });

  test("A5: a snapshot whose file could not be stored does not exist", async () => {
    const of = await withSandbox();
    of.service.files = { ...of.files, put: async () => Promise.reject(new Error("no store")) };
    expect((await of.send("POST", `${of.path}/snapshots`)).status).toBe(500);
    expect([await of.service.snapshots.count("ada", startMs), of.errors.length]).toEqual([0, 1]);
  });

  test("A5: a snapshot in creation is hidden, and completed or removed later", async () => {
    const of = await withSandbox();
    const { id } = await snap(of);
    const row = await of.service.snapshots.find("ada", id);
    if (!row) throw new Error("it is not there");
    const { state: _, revision: _r, nodes: _n, objects: _o, bytes: _b, ...making } = row;
    const cut = `snap${"b".repeat(20)}`;
    await of.service.snapshots.add({ ...making, id: cut });
    await of.files.put(`ada/${cut}`, new Uint8Array(1));
    expect((await of.send("GET", `/v1/snapshots/${cut}`)).status).toBe(404);
    await finishSnapshotLeftovers(of.service);
    expect(of.files.stored.has(`ada/${cut}`)).toBe(true);
    of.time.nowMs += limits.sandboxMakingMs + 1;
    await of.send("GET", "/v1/snapshots");
    expect([...of.files.stored.keys()]).toEqual([`ada/${id}`]);
    expect(await of.service.snapshots.find("ada", cut)).toBeUndefined();
  });

  test("A5: a snapshot in deletion is hidden, and removed by the next run", async () => {
    const of = await withSandbox();
    const { id } = await snap(of);
    await of.service.snapshots.markDeleting("ada", id);
    expect((await of.send("GET", `/v1/snapshots/${id}`)).status).toBe(404);
    expect([of.files.stored.size, await of.service.snapshots.find("ada", id)]).toEqual([0, undefined]);
  });

  test("A5: a file without a row is removed once no request can be writing it", async () => {
    const of = await withSandbox();
    const { id } = await snap(of);
    for (let at = 0; at < 2 * limits.filePage; at++) await of.files.put(`eve/snap${1000 + at}`, new Uint8Array(1));
    await removeUnknownFiles(of.service);
    expect(of.files.stored.size).toBe(2 * limits.filePage + 1);
    of.time.nowMs += limits.sandboxMakingMs + 1;
    await removeUnknownFiles(of.service);
    expect([...of.files.stored.keys()]).toEqual([`ada/${id}`]);
  });

  test("A5: a snapshot without its file is 404 and reported, and its row is removed", async () => {
    const of = await withSandbox();
    const { id } = await snap(of);
    of.files.stored.clear();
    expect(await errorOf(of.send("POST", `${of.path}/restore`, { body: { snapshot: id } }))).toEqual([
      404,
      "not_found",
      "snapshot",
    ]);
    expect([of.errors.length, await of.service.snapshots.find("ada", id)]).toEqual([1, undefined]);
  });
});

describe("a restored or forked sandbox", () => {
  test("is restored from its own snapshot or revision", async () => {
    const of = await withSandbox();
    const { id } = await snap(of, { revision: 7 });
    const answer = await of.send("POST", `${of.path}/restore`, { body: { snapshot: id } });
    expect([answer.status, await answer.json()]).toEqual([200, { revision: 99 }]);
    const [from] = of.cluster.restored;
    expect(from && "file" in from && readStateFile(from.file).header.revision).toBe(7);
    await of.send("POST", `${of.path}/restore`, { body: { revision: 7 } });
    expect(of.cluster.restored[1]).toEqual({ revision: 7 });
  });

  test.each([
    ["restore", {}, [400, "invalid_field", "snapshot"]],
    ["restore", { snapshot: "x", revision: 7 }, [400, "invalid_field", "snapshot"]],
    ["restore", { snapshot: `snap${"a".repeat(20)}` }, [404, "not_found", "snapshot"]],
    ["restore", { revision: 8 }, [410, "revision_gone", "revision"]],
    ["fork", { snapshot: "x", revision: 7 }, [400, "invalid_field", "snapshot"]],
    ["fork", { snapshot: "nothing" }, [404, "not_found", "snapshot"]],
    ["fork", { revision: 8 }, [410, "revision_gone", "revision"]],
    ["fork", { nodes: 3 }, [400, "invalid_field", "nodes"]],
    ["undo", { dryRun: 1 }, [400, "invalid_field", "dryRun"]],
  ])("is not restored or forked: %s %j", async (what, body, expected) => {
    const of = await withSandbox();
    expect(await errorOf(of.send("POST", `${of.path}/${what}`, { body }))).toEqual(expected);
    expect([of.cluster.restored, of.clusters.size]).toEqual([[], 1]);
  });

  test.each([
    [{}, 40],
    [{ revision: 7 }, 7],
    [{ snapshot: true }, 40],
  ])(
    "is forked from %j, with its own token, lifetime and id, and with the source's settings",
    async (changes, revision) => {
      const of = await withSandbox();
      const { id } = await snap(of);
      const body = { ...changes, ...("snapshot" in changes ? { snapshot: id } : {}), name: "copy", ttlSeconds: 60 };
      const answer = await of.send("POST", `${of.path}/fork`, { body });
      const forked = sandboxWithToken.parse(await answer.json());
      expect([answer.status, forked.name, Date.parse(forked.expiresAt)]).toEqual([201, "copy", startMs + 60_000]);
      expect([forked.id === of.sandbox.id, forked.token === of.sandbox.token]).toEqual([false, false]);
      const initializeOptions = of.clusters.get(forked.id)?.initializeOptions;
      expect(initializeOptions?.settings).toMatchObject({
        admissionPlugins: ["NodeRestriction"],
        expiresAtMs: startMs + 60_000,
      });
      expect(initializeOptions?.state && readStateFile(initializeOptions.state).header.revision).toBe(revision);
      expect(forked.nodes).toBe(revision === 7 ? 1 : 2);
      // The edge lets in who shows nothing, as the source's settings say.
      expect(await readSandboxId(secret, forked.id)).toEqual({ anonymousAccess: true });
    },
  );

  test("is created from a snapshot, also after the deletion of its sandbox, and accepts no other settings", async () => {
    const of = await withSandbox();
    const { id } = await snap(of);
    await of.send("DELETE", of.path);
    const forkedSandbox = sandboxWithToken.parse(
      await (await of.send("POST", "/v1/sandboxes", { body: { snapshot: id } })).json(),
    );
    expect(of.clusters.get(forkedSandbox.id)?.initializeOptions?.state).toBeDefined();
    for (const [field, value] of [
      ["nodes", 1],
      ["manifests", ""],
      ["anonymousAccess", true],
    ] as const) {
      const body = { snapshot: id, [field]: value };
      expect(await errorOf(of.send("POST", "/v1/sandboxes", { body }))).toEqual([400, "invalid_field", field]);
    }
    const foreign = { body: { snapshot: id }, key: keys.bob };
    expect(await errorOf(of.send("POST", "/v1/sandboxes", foreign))).toEqual([404, "not_found", undefined]);
  });

  test("reports what an undo would revert, and what it reverted", async () => {
    const of = await withSandbox();
    const dry = await of.send("POST", `${of.path}/undo`, { body: { dryRun: true } });
    const recordedChange = { user: "jane", verb: "delete", auditId: "a", changes: 3, objects: [], restoredTo: 1 };
    expect([await dry.json(), of.cluster.restored]).toEqual([recordedChange, []]);
    expect(await (await of.send("POST", `${of.path}/undo`)).json()).toEqual({ ...recordedChange, revision: 5 });
    expect(await errorOf(of.send("POST", `${of.path}/undo`))).toEqual([409, "nothing_to_undo", undefined]);
  });

  test.each(["snapshots", "restore", "fork", "undo"])("is 404 for another tenant: %s", async (what) => {
    const of = await withSandbox();
    const body = what === "restore" ? { revision: 7 } : {};
    expect(await errorOf(of.send("POST", `${of.path}/${what}`, { body, key: keys.bob }))).toEqual([
      404,
      "not_found",
      undefined,
    ]);
    for (const read of ["diff?from=7", "export"])
      expect((await of.send("GET", `${of.path}/${read}`, { key: keys.bob })).status).toBe(404);
  });
});

describe("a comparison", () => {
  test("covers revisions, snapshots, sandboxes and the present, by fields or as text", async () => {
    const of = await withSandbox();
    const { id } = await snap(of, { revision: 7 });
    const otherSandbox = sandboxWithToken.parse(await (await of.send("POST", "/v1/sandboxes")).json());
    of.clusters.get(otherSandbox.id)?.states.set("now", stateFile([configMap("a", "other")]));
    const fieldsOf = async (query: string) => {
      const answer = await of.send("GET", `${of.path}/diff?${query}`);
      expect(answer.status).toBe(200);
      return stateDiff.parse(await answer.json()).objects.map(({ change, name, fields }) => [change, name, ...fields]);
    };
    const changed = ["changed", "a", { path: "data.v", from: "old", to: "now" }];
    expect(await fieldsOf("from=7")).toEqual([changed, ["added", "n2"]]);
    expect((await fieldsOf(`from=${id}&to=now`))[0]).toEqual(changed);
    expect((await fieldsOf(`from=${id}&to=${otherSandbox.id}`))[0]).toEqual([
      "changed",
      "a",
      { path: "data.v", from: "old", to: "other" },
    ]);
    expect(await fieldsOf("from=now")).toEqual([]);
    const text = await of.send("GET", `${of.path}/diff?from=7`, { headers: { accept: "text/plain" } });
    expect(text.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(await text.text()).toContain("-  v: old\n+  v: now\n");
  });

  test.each([
    ["", [400, "invalid_field", "from"]],
    ["from=8", [410, "revision_gone", "from"]],
    ["from=7&to=8", [410, "revision_gone", "to"]],
    ["from=7&to=elsewhere", [404, "not_found", "to"]],
    [`from=snap${"a".repeat(20)}`, [404, "not_found", "from"]],
    ["from=7&much=1", [400, "invalid_field", "much"]],
  ])("is refused: %j", async (query, expected) => {
    const of = await withSandbox();
    expect(await errorOf(of.send("GET", `${of.path}/diff?${query}`))).toEqual(expected);
  });
});

describe("an exported state", () => {
  test("is a file from which a sandbox is created", async () => {
    const of = await withSandbox();
    const answer = await of.send("GET", `${of.path}/export?format=state`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, stateMediaType]);
    const file = new Uint8Array(await answer.arrayBuffer());
    const headers = { "content-type": stateMediaType };
    const upload = await of.send("POST", "/v1/sandboxes?name=again&ttlSeconds=60", {
      body: file,
      headers,
      key: keys.bob,
    });
    const forkedSandbox = sandboxWithToken.parse(await upload.json());
    expect([upload.status, forkedSandbox.name, forkedSandbox.nodes]).toEqual([201, "again", 2]);
    expect(of.clusters.get(forkedSandbox.id)?.initializeOptions?.state).toEqual(file);
  });

  test.each<[string, (file: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>, unknown]>([
    ["cut", (file) => file.slice(0, -1), [400, "cut", undefined]],
    ["altered", (file) => changedAt(file, file.length - 5), [400, "altered", undefined]],
    ["signed by another service", () => stateFile([configMap("a", "b")]), [400, "foreign_state", undefined]],
    ["something else", () => new Uint8Array([1, 2, 3]), [400, "not_a_state", undefined]],
    ["nothing", () => new Uint8Array(0), [400, "not_a_state", undefined]],
    ["too large", () => new Uint8Array(limits.stateFileBytes + 1), [413, "body_too_large", undefined]],
  ])("A11: is refused if it is %s, and nothing is created", async (_, spoil, expected) => {
    const of = await withSandbox();
    const file = new Uint8Array(await (await of.send("GET", `${of.path}/export?format=state`)).arrayBuffer());
    const headers = { "content-type": stateMediaType };
    expect(await errorOf(of.send("POST", "/v1/sandboxes", { body: spoil(file), headers }))).toEqual(expected);
    expect([of.clusters.size, of.errors]).toEqual([1, []]);
  });

  test("is imported as YAML, and objects that could not be imported are reported", async () => {
    const of = await withSandbox();
    const text = await (await of.send("GET", `${of.path}/export`)).text();
    const headers = { "content-type": "application/yaml; charset=utf-8" };
    const answer = await of.send("POST", "/v1/sandboxes?name=copy&nodes=0&ttlSeconds=60", { body: text, headers });
    const forkedSandbox = sandboxWithToken.parse(await answer.json());
    expect([answer.status, forkedSandbox.name, forkedSandbox.nodes]).toEqual([201, "copy", 0]);
    expect(forkedSandbox.notImported).toEqual([{ kind: "Pod", namespace: "a", name: "b", reason: "it was not asked" }]);
    expect(of.clusters.get(forkedSandbox.id)?.initializeOptions).toMatchObject({
      import: text,
      nodes: 0,
      manifests: "",
    });
    const bad = await of.send("POST", "/v1/sandboxes?nodes=x", { body: text, headers });
    expect(await errorOf(bad)).toEqual([400, "invalid_field", "nodes"]);
    const long = { body: { import: "x".repeat(limits.requestBodyBytes + 1) } };
    expect(await errorOf(of.send("POST", "/v1/sandboxes", long))).toEqual([413, "body_too_large", undefined]);
    const json = await of.send("POST", "/v1/sandboxes", { body: { import: text, anonymousAccess: true } });
    expect(sandboxWithToken.parse(await json.json()).notImported).toHaveLength(1);
    expect(of.clusters.size).toBe(3);
  });

  test("is refused as YAML past 32 MiB, but exported as a file", async () => {
    const of = await withSandbox();
    const large = Array.from({ length: 24 }, (_, at) => configMap(`large-${at}`, "x".repeat(1_400_000)));
    of.cluster.states.set("now", stateFile(large));
    expect(await errorOf(of.send("GET", `${of.path}/export`))).toEqual([413, "too_large", undefined]);
    expect((await of.send("GET", `${of.path}/export?format=state`)).status).toBe(200);
  });

  test("is YAML by default", async () => {
    const of = await withSandbox();
    const answer = await of.send("GET", `${of.path}/export`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/yaml"]);
    expect(await answer.text()).toContain("---\napiVersion: v1\ndata:\n  v: now\nkind: ConfigMap\n");
    expect(await errorOf(of.send("GET", `${of.path}/export?format=tar`))).toEqual([400, "invalid_field", "format"]);
  });
});

function changedAt(file: Uint8Array<ArrayBuffer>, at: number): Uint8Array<ArrayBuffer> {
  const copy = file.slice();
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
