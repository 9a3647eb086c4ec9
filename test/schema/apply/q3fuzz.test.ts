import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { seededRandom } from "../../../shared/base/random.ts";
import { runCase, type ApplyCase, type Outcome } from "./run-case.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
void ApiError;

const oracle = "/tmp/q3/oracle/oracle";
const v3 = "/tmp/helper-n/go/pkg/mod/k8s.io/kubernetes@v1.36.0/api/openapi-spec/v3";

function gen(seed: number): ApplyCase {
  const random = seededRandom(seed);
  const r = () => random.next();
  const pick = <T>(list: readonly T[]): T => list[Math.floor(r() * list.length)] as T;
  const some = <T>(list: readonly T[]): T[] => {
    const o = list.filter(() => r() < 0.5);
    if (r() < 0.3) o.reverse();
    if (r() < 0.3) o.sort(() => r() - 0.5);
    return o;
  };
  const maybe = (o: Record<string, unknown>, k: string, v: () => unknown, p = 0.5) => {
    if (r() < p) o[k] = v();
  };
  const map = () => Object.fromEntries(some(["a", "b", "c"]).map((k) => [k, pick(["1", "2"])]));
  const kind = pick(["Deployment", "Service", "ConfigMap"]);
  const apiVersion = kind === "Deployment" ? "apps/v1" : "v1";
  const container = (name: string, apply: boolean) => {
    const c: Record<string, unknown> = { name };
    maybe(c, "image", () => pick(["i1", "i2"]), 0.7);
    maybe(c, "args", () => some(["x", "y"]));
    maybe(c, "env", () => {
      const e = some(["E", "F", "G"]).map((n) => ({
        name: n,
        ...(r() < 0.8 ? { value: pick(["1", "2"]) } : { valueFrom: { fieldRef: { fieldPath: pick(["a", "b"]) } } }),
      }));
      if (!apply && r() < 0.15 && e[0]) e.push({ name: e[0].name, value: "dup" });
      return e;
    });
    maybe(c, "ports", () =>
      some([80, 81]).map((p) => ({
        containerPort: p,
        ...(r() < 0.5 ? { protocol: "TCP" } : {}),
        ...(r() < 0.3 ? { name: pick(["p", "q"]) } : {}),
      })),
    );
    maybe(c, "resources", () => ({
      ...(r() < 0.5 ? { limits: map() } : {}),
      ...(r() < 0.3 ? { requests: map() } : {}),
    }));
    maybe(
      c,
      "securityContext",
      () => ({
        ...(r() < 0.5 ? { runAsUser: 1 } : {}),
        ...(r() < 0.5 ? { capabilities: { add: some(["A", "B"]) } } : {}),
      }),
      0.2,
    );
    return c;
  };
  const object = (apply: boolean): Record<string, unknown> => {
    const metadata: Record<string, unknown> = { name: "x" };
    maybe(metadata, "labels", map);
    maybe(metadata, "annotations", map, 0.3);
    maybe(metadata, "finalizers", () => some(["f/1", "f/2", "f/3"]), 0.3);
    maybe(
      metadata,
      "ownerReferences",
      () => some(["u1", "u2"]).map((uid) => ({ uid, kind: "K", name: pick(["n", "m"]), apiVersion: "v1" })),
      0.2,
    );
    const o: Record<string, unknown> = { apiVersion, kind, metadata };
    if (kind === "ConfigMap") {
      maybe(o, "data", map, 0.8);
      maybe(o, "binaryData", map, 0.2);
      maybe(o, "immutable", () => r() < 0.5, 0.3);
      return o;
    }
    const spec: Record<string, unknown> = {};
    if (kind === "Service") {
      maybe(
        spec,
        "ports",
        () =>
          some([80, 81, 82]).map((port) => ({
            port,
            ...(r() < 0.6 ? { protocol: pick(["TCP", "UDP"]) } : {}),
            ...(r() < 0.6 ? { targetPort: pick([1, 2, "w"]) } : {}),
          })),
        0.8,
      );
      maybe(spec, "selector", map);
      maybe(spec, "externalIPs", () => some(["1.1.1.1", "2.2.2.2"]), 0.3);
      maybe(spec, "type", () => pick(["ClusterIP", "NodePort"]));
      maybe(
        o,
        "status",
        () => ({
          conditions: some(["A", "B"]).map((type) => ({ type, status: pick(["True", "False"]) })),
          loadBalancer: r() < 0.3 ? { ingress: [{ ip: "1" }] } : {},
        }),
        0.4,
      );
    } else {
      maybe(spec, "replicas", () => pick([1, 2, 3]));
      maybe(spec, "paused", () => r() < 0.5, 0.2);
      maybe(spec, "selector", () => ({ matchLabels: map() }));
      maybe(
        spec,
        "strategy",
        () =>
          pick([{}, { type: "Recreate" }, { type: "RollingUpdate", rollingUpdate: { maxSurge: pick([1, "25%"]) } }]),
        0.3,
      );
      const podSpec: Record<string, unknown> = {};
      maybe(podSpec, "containers", () => some(["a", "b", "c"]).map((n) => container(n, apply)), 0.9);
      maybe(
        podSpec,
        "volumes",
        () =>
          some(["v", "w"]).map((name) => ({
            name,
            ...(r() < 0.5
              ? { emptyDir: {} }
              : { configMap: { name: pick(["c", "d"]), items: some(["k"]).map((key) => ({ key, path: "p" })) } }),
          })),
        0.3,
      );
      maybe(podSpec, "nodeSelector", map, 0.3);
      maybe(podSpec, "tolerations", () => some(["t", "s"]).map((key) => ({ key })), 0.2);
      maybe(podSpec, "imagePullSecrets", () => some(["p1", "p2"]).map((name) => ({ name })), 0.2);
      maybe(
        podSpec,
        "topologySpreadConstraints",
        () =>
          some(["z", "h"]).map((topologyKey) => ({
            topologyKey,
            whenUnsatisfiable: pick(["DoNotSchedule", "ScheduleAnyway"]),
            maxSkew: pick([1, 2]),
          })),
        0.2,
      );
      spec["template"] = { ...(r() < 0.5 ? { metadata: { labels: map() } } : {}), spec: podSpec };
      maybe(
        o,
        "status",
        () => ({
          replicas: pick([1, 2]),
          conditions: some(["A", "B"]).map((type) => ({
            type,
            status: pick(["True", "False"]),
            message: pick(["m", "n"]),
          })),
        }),
        0.4,
      );
    }
    o["spec"] = spec;
    if (apply && r() < 0.1)
      spec[pick(kind === "Service" ? ["ports", "selector"] : ["replicas", "template", "selector"])] = null;
    if (apply && r() < 0.03) spec["wrong"] = 1;
    return o;
  };
  const managers = ["m1", "m2", "kubectl"];
  let last: Record<string, unknown> = object(false);
  const steps = Array.from({ length: 2 + Math.floor(r() * 6) }, () => {
    const op = pick(["apply", "apply", "update"] as const);
    const mutate = (o: Record<string, unknown>) => {
      const p = object(op === "apply");
      const c = structuredClone(o);
      const k = pick(["metadata", "spec", "data", "status"]);
      if (p[k] !== undefined) c[k] = p[k];
      return c;
    };
    const o = r() < 0.6 ? mutate(last) : object(op === "apply");
    if (op === "apply" && JSON.stringify(o).includes("dup")) {
      last = object(true);
    } else last = o;
    if (op === "update" && JSON.stringify(last).includes("wrong")) last = object(false);
    const subresource = kind !== "ConfigMap" && r() < 0.2 ? "status" : "";
    const out = structuredClone(last);
    if (op === "update" && r() < 0.25) {
      (out["metadata"] as Record<string, Record<string, string>>)["annotations"] = {
        "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(object(true)),
      };
    }
    return {
      op,
      manager: op === "update" && r() < 0.1 ? "u" + Math.floor(r() * 20) : pick(managers),
      subresource,
      force: r() < 0.35,
      object: out,
    };
  });
  return {
    apiVersion,
    kind,
    ignore: kind === "ConfigMap" ? {} : { "": [["status"]], status: [["spec"], ["metadata", "labels"]] },
    steps,
  };
}

function comparable(results: readonly Outcome[]) {
  return results.map(({ object, error, causes }) => {
    if (error !== undefined) {
      return {
        error: error
          .replace(/^failed to create typed patch object [^)]*\): /, "")
          .split("\n")
          .sort()
          .join("\n"),
        causes: [...(causes ?? [])].map((c) => `${c.field} ${c.message}`).sort(),
      };
    }
    return { object: tidyNulls(object) };
  });
}
function tidyNulls(v: unknown): unknown {
  if (Array.isArray(v)) return v.map(tidyNulls);
  if (typeof v !== "object" || v === null) return v;
  const mf = (v as { managedFields?: { manager: string }[] }).managedFields;
  if (mf)
    mf.sort((a, b) =>
      JSON.stringify(a, ["operation", "manager", "subresource"]) <
      JSON.stringify(b, ["operation", "manager", "subresource"])
        ? -1
        : 1,
    );
  return Object.fromEntries(
    Object.entries(v)
      .filter(([, x]) => x !== null && x !== undefined)
      .map(([k, x]) => [k, tidyNulls(x)]),
  );
}

test("fuzz", () => {
  const from = Number(process.env.FROM ?? 1),
    n = Number(process.env.N ?? 400);
  const cases = Array.from({ length: n }, (_, i) => gen(from + i));
  writeFileSync("/tmp/q3/fuzz/in.jsonl", cases.map((c) => JSON.stringify(c)).join("\n") + "\n");
  const out = execFileSync(
    oracle,
    [`${v3}/api__v1_openapi.json`, `${v3}/apis__apps__v1_openapi.json`, `${v3}/apis__autoscaling__v2_openapi.json`],
    { input: cases.map((c) => JSON.stringify(c)).join("\n") + "\n", maxBuffer: 1 << 29 },
  )
    .toString()
    .trim()
    .split("\n")
    .map((l) => JSON.parse(l) as Outcome[]);
  let bad = 0,
    steps = 0,
    errs = 0;
  cases.forEach((one, i) => {
    const ours = comparable(runCase(one)),
      theirs = comparable(out[i] ?? []);
    for (const [at, step] of theirs.entries()) {
      steps++;
      if (step.error) errs++;
      try {
        expect(ours[at]).toEqual(step);
      } catch (e) {
        bad++;
        if (bad <= Number(process.env.SHOW ?? 3))
          console.log(
            `seed ${from + i} step ${at} ${JSON.stringify(one.steps[at])}\nlive: ${JSON.stringify(theirs[at - 1])}\nours:   ${JSON.stringify(ours[at])}\ntheirs: ${JSON.stringify(step)}\n${String((e as Error).message).slice(0, 1500)}`,
          );
        break;
      }
    }
  });
  console.log({ n, bad, steps, errs });
  expect(bad).toBe(0);
}, 120000);
