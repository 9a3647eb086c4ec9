// The parts of a sandbox's screen that need no page: the tree of workloads, forms, actions on several objects, previews, and the list of sandboxes.
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { ListedSandbox } from "../../shared/contract/sandbox.ts";
import { matchingSandboxes, queryOf, textOfQuery, valuesOf } from "../../web/console/sandbox-query.ts";
import type { Mapping } from "../../web/kubectl/cluster/discovery.ts";
import { treeGoal, treeRows } from "../../web/live/tree-rows.ts";
import type { Workload, WorkloadKind } from "../../web/live/workloads.ts";
import { toYaml } from "../../web/live/yaml.ts";
import { kindForms } from "../../web/objects/create/forms/catalogue.ts";
import { initialValues, numberIn, pairsIn } from "../../web/objects/create/forms/form.ts";
import { bulkActions, bulkLines, selected } from "../../web/objects/list/bulk.ts";
import type { Row } from "../../web/objects/list/rows.ts";
import { forwardWords, headersIn, portsOf, proxyPath } from "../../web/objects/preview/request.ts";

const lineOf = (words: readonly string[]) => ["kubectl", ...words].join(" ");

describe("the tree of workloads", () => {
  const workload = (
    kind: WorkloadKind,
    name: string,
    children: readonly Workload[] = [],
    more: object = {},
  ): Workload => ({
    kind,
    object: { metadata: { name, uid: `${kind} ${name}`, namespace: "shop" } } as never,
    status: { text: "Running", tone: "ok" },
    ready: "",
    restarts: 0,
    node: "",
    ip: "",
    note: "",
    isHistory: false,
    children,
    ...more,
  });
  const broken = workload("Pod", "web-2", [], { status: { text: "CrashLoopBackOff", tone: "bad" } });
  const current = workload("ReplicaSet", "web-new", [workload("Pod", "web-1"), broken]);
  const history = workload("ReplicaSet", "web-old", [], { isHistory: true });
  const system = workload("DaemonSet", "proxy", [], {
    object: { metadata: { name: "proxy", uid: "proxy", namespace: "kube-system" } },
  });
  const roots = [workload("Deployment", "web", [current, history]), system];
  const names = (toggled: readonly string[] = [], search = "") =>
    treeRows(roots, new Set(toggled), search).map(({ level, name }) => `${level} ${name}`);

  test("has the pods of the only revision below their Deployment, and system namespaces folded", () => {
    expect(names()).toEqual(["1 shop", "2 web", "3 web-1", "3 web-2", "1 kube-system"]);
    expect(names(["Deployment web", "namespace kube-system"])).toEqual(["1 shop", "2 web", "1 kube-system", "2 proxy"]);
  });

  test("shows the worst state below a row", () => {
    expect(treeRows(roots, new Set(), "").map(({ tone }) => tone)).toEqual(["bad", "bad", "ok", "bad", "ok"]);
  });

  test("keeps what has the searched name with what it is in, unfolded", () => {
    expect(names([], "PROXY")).toEqual(["1 kube-system", "2 proxy"]);
    expect(names([], "web-2")).toEqual(["1 shop", "2 web", "3 web-2"]);
    expect(names([], "nothing")).toEqual([]);
  });

  test("begins folded if it is large", () => {
    const many = Array.from({ length: 40 }, (_, at) => workload("Deployment", `d${at}`, [workload("Pod", `p${at}`)]));
    expect(treeRows(many, new Set(), "")).toHaveLength(41);
  });

  test("is moved through by the keys of a tree", () => {
    const rows = treeRows(roots, new Set(), "");
    const goals = (at: number) =>
      ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "a"].map((key) => treeGoal(rows, at, key));
    expect(goals(2)).toEqual([3, 1, 1, undefined, 0, 4, undefined]);
    expect(goals(0)).toEqual([1, 0, undefined, 1, 0, 4, undefined]);
    expect(goals(4)).toEqual([4, 3, undefined, undefined, 0, 4, undefined]);
  });
});

describe("forms", () => {
  test("are ten, and each begins with an object that has what its kind needs", () => {
    expect(kindForms.map(({ kind }) => kind)).toHaveLength(10);
    for (const form of kindForms) {
      const object = form.objectOf(initialValues(form));
      expect(object).toMatchObject({ kind: form.kind, metadata: { name: expect.stringMatching(/^[a-z]+$/) } });
      expect(parse(toYaml(object))).toEqual(JSON.parse(JSON.stringify(object)));
    }
  });

  test("leave out what is empty, and pass on what is not a number for the API to refuse", () => {
    const form = kindForms.find(({ kind }) => kind === "Deployment");
    const object = form?.objectOf({
      name: "a",
      image: "b",
      replicas: "many",
      port: "",
      environment: "A=1\n\n=x\nB=x=y",
    });
    expect(object).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "a" },
      spec: {
        replicas: "many",
        selector: { matchLabels: { app: "a" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: {
            containers: [
              {
                name: "a",
                image: "b",
                env: [
                  { name: "A", value: "1" },
                  { name: "B", value: "x=y" },
                ],
              },
            ],
          },
        },
      },
    });
    expect([numberIn(" 3 "), numberIn("http"), numberIn("")]).toEqual([3, "http", undefined]);
    expect(pairsIn("a=b")).toEqual([["a", "b"]]);
  });
});

describe("several selected objects", () => {
  const row = (name: string, namespace: string): Row => ({ uid: name, name, namespace }) as Row;
  const mapping = {
    group: "apps",
    resource: "deployments",
    singular: "deployment",
    kind: "Deployment",
    verbs: ["delete", "patch"],
  } as unknown as Mapping;
  const rows = [row("a", "x"), row("b", "y"), row("c", "x")];

  test("are acted on by one kubectl line for each namespace", () => {
    const lines = (id: string, answer = "") => {
      const action = bulkActions(mapping).find((candidate) => candidate.id === id);
      return action ? bulkLines(action, mapping, rows, answer).map(lineOf) : [];
    };
    expect(bulkActions(mapping).map(({ id }) => id)).toEqual(["restart", "scale", "label", "delete"]);
    expect(lines("restart")).toEqual([
      "kubectl rollout restart deployment/a deployment/c -n x",
      "kubectl rollout restart deployment/b -n y",
    ]);
    expect(lines("scale", "3")[0]).toBe("kubectl scale deployment/a deployment/c --replicas=3 -n x");
    expect(lines("label", "tier=front old-")[1]).toBe("kubectl label deployment/b tier=front old- --overwrite -n y");
    expect(lines("delete")[0]).toBe("kubectl delete deployment/a deployment/c --wait=false -n x");
  });

  test("are split, in a large namespace, into lines of a hundred", () => {
    const many = Array.from({ length: 250 }, (_, at) => row(`d${at}`, "x"));
    const action = bulkActions(mapping).find(({ id }) => id === "delete");
    expect(action && bulkLines(action, mapping, many, "").map((words) => words.length)).toEqual([104, 104, 54]);
  });

  test("are toggled one by one, or added as a range", () => {
    const first = selected(new Set(), rows, { at: 0, from: undefined });
    expect([...first]).toEqual(["a"]);
    expect([...selected(first, rows, { at: 0, from: undefined })]).toEqual([]);
    expect([...selected(first, rows, { at: 2, from: 1 })]).toEqual(["a", "b", "c"]);
  });
});

describe("a preview", () => {
  const ref = { resource: "services", namespace: "shop", name: "web" };

  test("offers the TCP ports of a Service or Pod", () => {
    const service = { spec: { ports: [{ port: 80, name: "http" }, { port: 53, protocol: "UDP" }, { port: 8080 }] } };
    expect(portsOf("services", service as never).map(({ text }) => text)).toEqual(["http 80", "8080"]);
    const pod = { spec: { containers: [{ ports: [{ containerPort: 6379 }] }, {}] } };
    expect(portsOf("pods", pod as never)).toEqual([{ port: 6379, text: "6379" }]);
  });

  test("leads through the proxy of the API, and never to another host", () => {
    expect(proxyPath(ref, 80, "/a/b?c=d")).toBe("/api/v1/namespaces/shop/services/web:80/proxy/a/b?c=d");
    expect(proxyPath(ref, 80, "//evil.example.com")).toBe(
      "/api/v1/namespaces/shop/services/web:80/proxy/evil.example.com",
    );
  });

  test("sends the headers of its lines, and refuses others", () => {
    expect([...headersIn("Accept: text/html\n\nX-Team : shop")]).toEqual([
      ["accept", "text/html"],
      ["x-team", "shop"],
    ]);
    for (const line of ["Accept", ": a", "a b: c", "Authorization: Bearer x", "X: a\u0000b"])
      expect(() => headersIn(line)).toThrow(/Not a header/);
  });

  test("says how to forward the port", () => {
    expect(lineOf(forwardWords(ref, 80))).toBe("kubectl port-forward -n shop service/web 8080:80");
    expect(lineOf(forwardWords({ ...ref, resource: "pods" }, 5432))).toBe(
      "kubectl port-forward -n shop pod/web 5432:5432",
    );
  });
});

describe("the list of sandboxes", () => {
  const sandbox = (name: string, more: Partial<ListedSandbox> = {}) =>
    ({ id: `id-${name}`, name, description: "", labels: {}, phase: "Running", owner: "ada", ...more }) as ListedSandbox;
  const all = [
    sandbox("web", { labels: { team: "shop" } }),
    sandbox("db", { owner: "bob", phase: "Pending" }),
    sandbox("pat", { owner: "", lesson: { name: "first", learner: "Pat", class: "7b" } }),
  ];
  const names = (query: object) => matchingSandboxes(all, query).map(({ name }) => name);

  test("D24: is searched by words, labels and learners, and filtered by owner, lesson, class and phase", () => {
    expect(names({})).toEqual(["web", "db", "pat"]);
    expect([names({ q: "team=shop" }), names({ q: "PAT first" }), names({ q: "none" })]).toEqual([
      ["web"],
      ["pat"],
      [],
    ]);
    expect([names({ owner: "bob" }), names({ lesson: "first", class: "7b" }), names({ phase: "Pending" })]).toEqual([
      ["db"],
      ["pat"],
      ["db"],
    ]);
    expect(valuesOf(all, "owner")).toEqual(["ada", "bob"]);
  });

  test("keeps its filters in the address", () => {
    const query = { q: "a b", owner: "ada" };
    expect(queryOf(new URLSearchParams(textOfQuery(query)))).toEqual(query);
    expect(textOfQuery({ q: "" })).toBe("");
  });
});
