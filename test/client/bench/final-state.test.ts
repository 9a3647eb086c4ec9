// The final state of a cluster: what is read, what is masked, and what differs.
import { createServer, type Server } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { differences, isMasked, readFinalState } from "../../../client/bench/final-state.ts";
import { lifeCounts, type RecordedChange } from "../../../client/bench/history.ts";
import { Kube } from "../../../client/bench/kube.ts";
import { repeatCommand } from "../../../client/cli/repeat-command.ts";

const resourcesOf = (...names: string[]) => names.map((resource) => ({ resource, verbs: ["list"] }));
const discovery: Record<string, object> = {
  "/api": { items: [{ versions: [{ version: "v1", resources: resourcesOf("pods", "configmaps", "events") }] }] },
  "/apis": {
    items: [
      {
        metadata: { name: "apps" },
        versions: [
          { version: "v1", resources: resourcesOf("statefulsets") },
          { version: "v1beta1", resources: resourcesOf("statefulsets") },
        ],
      },
    ],
  },
};

/** Serves lists by their paths, and notes the paths that were read. */
async function cluster(lists: Record<string, readonly object[]>) {
  const read: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = request.url ?? "";
    read.push(path);
    response.end(JSON.stringify(discovery[path] ?? { items: lists[path] ?? [] }));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { kube: new Kube(`http://127.0.0.1:${port}`, "t"), read };
}

const uid = "11111111-2222-4333-8444-555555555555";

describe("a final state", () => {
  test("has the preferred version of each resource, and no events", async () => {
    const { kube, read } = await cluster({});
    await readFinalState(kube);
    expect(read.sort()).toEqual(["/api", "/api/v1/configmaps", "/api/v1/pods", "/apis", "/apis/apps/v1/statefulsets"]);
  });

  test("is read of the resources that are asked for alone", async () => {
    const { kube, read } = await cluster({});
    await readFinalState(kube, (resource) => resource === "statefulsets.apps");
    expect(read).toContain("/apis/apps/v1/statefulsets");
    expect(read).toHaveLength(3);
  });

  test("has no values that differ from run to run", async () => {
    const pod = (name: string, nodeName: string) => ({
      metadata: { name, namespace: "default", generateName: "web-", uid, resourceVersion: "7" },
      spec: { nodeName, hostname: `of-${uid}` },
      status: { phase: "Running", podIP: "10.0.0.1" },
    });
    const { kube } = await cluster({ "/api/v1/pods": [pod("web-abcde", "node-1"), pod("web-fghij", "node-2")] });
    const state = await readFinalState(kube);
    expect([...state.keys()]).toEqual(["pods default/web-*1", "pods default/web-*2"]);
    expect(Object.fromEntries(state.get("pods default/web-*1") ?? [])).toEqual({
      "metadata.name": "web-abcde",
      "metadata.namespace": "default",
      "metadata.generateName": "web-",
      "spec.hostname": "of-<uid>",
      "status.phase": "Running",
    });
  });

  test("differs in values and in objects", () => {
    const before = new Map([
      ["a", new Map([["x", "1"]])],
      ["b", new Map([["x", "1"]])],
    ]);
    const after = new Map([
      ["a", new Map([["x", "2"]])],
      ["c", new Map([["x", "1"]])],
    ]);
    expect(differences(before, after)).toEqual([
      { object: "a", path: "x", before: "1", after: "2" },
      { object: "b", path: "", before: "exists", after: undefined },
      { object: "c", path: "", before: undefined, after: "exists" },
    ]);
  });
});

test.each([
  ["secrets */* data.*", true],
  ["secrets default/s data.key", true],
  ["secrets default/s data", false],
  ["secrets *", true],
  ["configmaps *", false],
  ["*data.key", true],
  ["*data.key*key", false],
])("the rule %s masks: %s", (rule, isExpected) => {
  const difference = { object: "secrets default/s", path: "data.key", before: "1", after: "2" };
  expect(isMasked(difference, [rule])).toBe(isExpected);
});

test("creations and deletions are counted by object, but not those of locks, pods and generated names", () => {
  const rows = [
    ["created", "configmaps", "a"],
    ["created", "configmaps", "a"],
    ["changed", "configmaps", "a"],
    ["deleted", "configmaps", `of-${uid}`],
    ["created", "configmaps", "my-leader"],
    ["created", "jobs.batch", "backup-b4c6d"],
    ["created", "pods", "web-0"],
  ].map(([change, resource, name]) => ({
    change,
    resource,
    name,
    namespace: "default",
  })) as unknown as RecordedChange[];
  expect(Object.fromEntries(lifeCounts(rows))).toEqual({
    "created configmaps default/a": 2,
    "deleted configmaps default/of-<uid>": 1,
  });
});

test("the command that repeats a finding has every option that decides about it, quoted for a shell", () => {
  const options: Record<string, string[]> = {
    crds: ["crd.yaml"],
    workload: ["a.yaml", "kubectl patch x -p '{}'"],
    quiet: ["4s"],
  };
  const command = repeatCommand("f/plan-1.json", (option) => options[option] ?? [], ["./op", "--port={port}", "a b"]);
  expect(command).toBe(
    String.raw`sandbar test-operator --plan f/plan-1.json --crds crd.yaml --workload a.yaml --workload 'kubectl patch x -p '\''{}'\''' --quiet 4s -- ./op --port={port} 'a b'`,
  );
});
