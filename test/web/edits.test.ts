// Edits, actions, logs and related objects, without a page.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../shared/schema/json-values.ts";
import type { Mapping } from "../../web/kubectl/cluster/discovery.ts";
import { newConnectionGate } from "../../web/live/ended.ts";
import { ListRefused } from "../../web/live/informer.ts";
import { readRef, refText } from "../../web/live/reference.ts";
import { impersonationOf, whoCan } from "../../web/objects/access/who-can.ts";
import { actionsFor } from "../../web/objects/actions.ts";
import { parseObject, problemsOf, segments } from "../../web/objects/edit/problems.ts";
import { kindGroups } from "../../web/objects/kinds.ts";
import { LogLines, linesWith, mostLines, textOfLines } from "../../web/objects/logs/log-lines.ts";
import { layoutOf } from "../../web/objects/topology/graph.ts";

const text = `apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app.kubernetes.io/name: web
spec:
  replicas: -1
  template:
    spec:
      containers:
      - name: one
        image: a
      - name: two
        image: "b c"
        nonsense: 1
`;

describe("D12: problems of an edit", () => {
  test("are marked at the line of YAML", () => {
    expect(parseObject("a: 1\nb: [\nc: 2\n").problems?.map(({ line }) => line)).toEqual([3]);
    expect(parseObject("- a\n").problems?.[0]?.line).toBe(1);
    expect(parseObject("a: 1\n").object).toEqual({ a: 1 });
  });

  test.each([
    [{ details: { causes: [{ field: "spec.replicas", message: "must be positive" }] } }, [7]],
    [{ details: { causes: [{ field: "spec.template.spec.containers[1].image", message: "x" }] } }, [14]],
    [{ details: { causes: [{ field: "metadata.labels[app.kubernetes.io/name]", message: "x" }] } }, [5]],
    // What is missing is told where it would stand.
    [{ details: { causes: [{ field: "spec.selector.matchLabels", message: "x" }] } }, [6]],
    [{ message: 'strict decoding error: unknown field "spec.template.spec.containers[1].nonsense"' }, [15]],
    [{ message: "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32" }, [7]],
    [{ message: "no" }, [1]],
  ])("are marked at the line of the field: %j", (status, lines) => {
    expect(problemsOf(status, text).map(({ line }) => line)).toEqual(lines);
  });

  test("have the segments of a field path", () => {
    expect(segments("spec.a[0].b[x.y/z].c")).toEqual(["spec", "a", 0, "b", "x.y/z", "c"]);
    expect(segments('data["a.b"]')).toEqual(["data", "a.b"]);
  });
});

function mapping(group: string, resource: string, kind: string, more: Partial<Mapping> = {}): Mapping {
  return {
    group,
    version: "v1",
    resource,
    singular: kind.toLowerCase(),
    kind,
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs: ["get", "list", "delete", "update"],
    subresources: [],
    isPreferred: true,
    ...more,
  };
}

describe("D11: commands of buttons", () => {
  const lines = (of: Mapping, object: JsonObject, revisions: readonly string[] = []) =>
    actionsFor(of, object, revisions).map(({ asks, words }) => words(asks.map(({ beginning }) => beginning)).join(" "));

  test("are kubectl's for a Deployment", () => {
    const containers = [{ name: "main", image: "nginx" }];
    const spec = { replicas: 2, template: { spec: { containers } } };
    const object = { metadata: { name: "web", namespace: "shop" }, spec };
    expect(lines(mapping("apps", "deployments", "Deployment"), object, ["3", "2", "1"])).toEqual([
      "scale deployment/web --replicas=2 -n shop",
      "set image deployment/web main=nginx -n shop",
      "rollout restart deployment/web -n shop",
      "rollout undo deployment/web --to-revision=2 -n shop",
      "rollout pause deployment/web -n shop",
      "delete deployment/web --wait=false -n shop",
    ]);
  });

  test("are kubectl's for other kinds", () => {
    const object = (name: string, spec: object = {}): JsonObject => ({ metadata: { name, namespace: "shop" }, spec });
    expect(lines(mapping("batch", "cronjobs", "CronJob"), object("nightly", { suspend: true }))).toEqual([
      'patch cronjob/nightly -p {"spec":{"suspend":false}} -n shop',
      "create job nightly-now --from=cronjob/nightly -n shop",
      "delete cronjob/nightly --wait=false -n shop",
    ]);
    const node = { metadata: { name: "node-1" }, spec: { unschedulable: true } };
    expect(lines(mapping("", "nodes", "Node", { namespaced: false }), node)[0]).toBe("uncordon node-1");
    expect(lines(mapping("shop.example.com", "widgets", "Widget", { subresources: ["scale"] }), object("one"))).toEqual(
      [
        "scale widget.shop.example.com/one --replicas=1 -n shop",
        "delete widget.shop.example.com/one --wait=false -n shop",
      ],
    );
  });
});

describe("D13: logs", () => {
  test("are merged by line from several containers, searched and bounded", () => {
    const log = new LogLines();
    log.add("a/main", "one\ntw");
    log.add("b/main", "other\n");
    log.add("a/main", "o\nthree");
    log.end("a/main");
    const all = textOfLines(log.list(), true);
    expect(all).toBe("[a/main] one\n[b/main] other\n[a/main] two\n[a/main] three\n");
    expect(textOfLines(linesWith(log.list(), "T"), false)).toBe("other\ntwo\nthree\n");
    for (let at = 0; at < mostLines; at++) log.add("a/main", `${at}\n`);
    expect([log.list().length, log.list()[0]?.text, log.dropped]).toEqual([mostLines, "0", 4]);
    for (let at = 0; at < 1000; at++) log.add("a/main", `${"x".repeat(100_000)}\n`);
    const characters = log.list().reduce((sum, logLine) => sum + logLine.text.length, 0);
    expect([characters > 4_000_000, characters <= 8_000_000]).toEqual([true, true]);
  });
});

describe("D14: the page of an object", () => {
  test("has the object's name in its address", () => {
    const ref = { resource: "deployments.apps", namespace: "default", name: "web" };
    expect([refText(ref), readRef(refText(ref))]).toEqual(["deployments.apps/default/web", ref]);
    expect(readRef("nodes/-/node-1")).toEqual({ resource: "nodes", namespace: "", name: "node-1" });
    expect(readRef("nonsense")).toBeUndefined();
  });

  test("lists the subjects of bindings that allow an action", () => {
    const meta = (name: string, namespace?: string) => ({ name, uid: name, ...(namespace ? { namespace } : {}) });
    const typed = { apiVersion: "", kind: "" };
    const reader = {
      ...typed,
      metadata: meta("reader"),
      rules: [{ apiGroups: [""], resources: ["pods", "*/log"], verbs: ["get"] }],
    };
    const named = {
      ...reader,
      metadata: meta("named"),
      rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"], resourceNames: ["one"] }],
    };
    const binding = (name: string, role: string, namespace: string | undefined, subject: string) => ({
      ...typed,
      metadata: meta(name, namespace),
      roleRef: { apiGroup: "", kind: "ClusterRole", name: role },
      subjects: [{ kind: "User", name: subject }],
    });
    const objects = {
      roles: [],
      clusterRoles: [reader, named],
      roleBindings: [binding("here", "reader", "shop", "jane"), binding("there", "reader", "zoo", "joe")],
      clusterRoleBindings: [binding("all", "named", undefined, "ann")],
    };
    const subjectsOf = (verb: string, resource: string, namespace: string, name = "") =>
      whoCan({ verb, group: "", resource, name, namespace }, objects).map(({ subject, names }) =>
        [subject.name, ...names].join(" "),
      );
    expect(subjectsOf("get", "pods", "shop")).toEqual(["ann one", "jane"]);
    expect(subjectsOf("get", "pods/log", "shop")).toEqual(["ann one", "jane"]);
    expect(subjectsOf("delete", "pods", "shop", "two")).toEqual([]);
    expect(subjectsOf("get", "pods", "")).toEqual(["ann one"]);
    expect(impersonationOf({ kind: "ServiceAccount", name: "a", namespace: "b" })).toEqual([
      "--as=system:serviceaccount:b:a",
    ]);
  });

  test("groups kinds as users look for them, and custom kinds by their group", () => {
    const resources = [
      mapping("", "pods", "Pod"),
      mapping("apps", "deployments", "Deployment"),
      mapping("shop.example.com", "widgets", "Widget"),
      mapping("coordination.k8s.io", "leases", "Lease"),
      mapping("authorization.k8s.io", "reviews", "Review", { verbs: ["create"] }),
    ];
    const groups = kindGroups({ groups: [], resources }, true).map(({ name, kinds }) => [
      name,
      ...kinds.map(({ kind }) => kind),
    ]);
    expect(groups).toEqual([
      ["workloads", "Pod", "Deployment"],
      ["shop.example.com", "Widget"],
      ["others", "Lease"],
    ]);
    const groupsWithoutSecrets = kindGroups(
      { groups: [], resources: [mapping("", "secrets", "Secret"), ...resources] },
      false,
    );
    expect(groupsWithoutSecrets.flatMap(({ kinds }) => kinds.map(({ kind }) => kind))).toEqual([
      "Pod",
      "Deployment",
      "Widget",
      "Lease",
    ]);
  });

  test("draws related objects side by side, each in its own place", () => {
    const node = (id: string, layer: number) => ({
      id,
      layer,
      kind: "Pod",
      tone: "ok" as const,
      object: { apiVersion: "", kind: "", metadata: {} },
    });
    const nodes = [node("s", 0), node("t", 0), node("a", 1), node("b", 1), node("c", 1)];
    const { placed, columns, rows } = layoutOf({
      nodes,
      edges: [
        { from: "s", to: "b" },
        { from: "t", to: "a" },
        { from: "t", to: "c" },
      ],
    });
    const places = [...placed.values()].map(({ x, y }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(nodes.length);
    expect([columns, rows]).toEqual([2, 3]);
    expect([placed.get("s")?.y, placed.get("t")?.y]).toEqual([1, 2]);
  });
});

describe("D16: a sandbox that has ended", () => {
  test("is requested once by all lost watches, and then no more", async () => {
    let requestCount = 0;
    const gate = newConnectionGate(() => {
      requestCount += 1;
      return Promise.reject(new ListRefused(410, "it has expired"));
    });
    const all = await Promise.allSettled([gate.pass(), gate.pass(), gate.pass()]);
    await expect(gate.pass()).rejects.toThrow("it has expired");
    expect([requestCount, new Set(all.map(({ status }) => status)), gate.ended.value?.status]).toEqual([
      1,
      new Set(["rejected"]),
      410,
    ]);
  });

  test("is distinguished from a service that is unreachable for a while", async () => {
    let requestCount = 0;
    const gate = newConnectionGate(() => {
      requestCount += 1;
      return requestCount === 1 ? Promise.reject(new Error("no network")) : Promise.resolve();
    });
    await expect(gate.pass()).rejects.toThrow("no network");
    await gate.pass();
    expect([requestCount, gate.ended.value]).toEqual([2, undefined]);
  });
});
