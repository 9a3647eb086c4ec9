// Tests the messages of older releases, and their acceptance of input that the newest one refuses. The texts are those of the real API servers.
import { expect, test } from "vitest";
import type { KubernetesVersion } from "../../shared/k8s/settings/release.ts";
import { wordedFor } from "../../shared/schema/facts/releases/wording.ts";
import { newServer, strangerToken } from "../api/server.ts";

const services = "/api/v1/namespaces/default/services";
const configMaps = "/api/v1/namespaces/default/configmaps";
const autoscalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";

async function messageOf(version: KubernetesVersion, path: string, body: object): Promise<string> {
  const { code, body: answer } = await newServer({ version }).ask("POST", path, { body });
  return code === 201 ? "" : answer.message;
}

test("a bad label key is told of in the words of the release", async () => {
  const body = { metadata: { name: "b", labels: { "a/b/c": "d" } } };
  expect(await messageOf("1.33", configMaps, body)).toContain('"a/b/c": a qualified name must consist of');
  expect(await messageOf("1.35", configMaps, body)).toContain('"a/b/c": a valid label key must consist of');
});

test("a Service's name may begin with a digit since 1.36", async () => {
  const body = { metadata: { name: "1web" }, spec: { ports: [{ port: 80 }] } };
  expect(await messageOf("1.35", services, body)).toContain("a DNS-1035 label must consist of");
  expect(await messageOf("1.36", services, body)).toBe("");
});

test("a Service's fields are deprecated since the release that deprecated them", async () => {
  const spec = { ports: [{ port: 80 }], externalIPs: ["1.2.3.4"], trafficDistribution: "PreferClose" };
  const warningsIn = async (version: KubernetesVersion) => {
    const { headers } = await newServer({ version }).ask("POST", services, {
      body: { metadata: { name: "web" }, spec },
    });
    const text = headers.get("warning") ?? "";
    return [text.includes("trafficDistribution"), text.includes("externalIPs")];
  };
  expect(await warningsIn("1.34")).toEqual([false, false]);
  expect(await warningsIn("1.35")).toEqual([true, false]);
  expect(await warningsIn("1.36")).toEqual([true, true]);
});

test("an autoscaler's target needs an API group since 1.34", async () => {
  const spec = { maxReplicas: 2, scaleTargetRef: { kind: "Deployment", name: "web" } };
  const body = { metadata: { name: "a" }, spec };
  expect(await messageOf("1.33", autoscalers, body)).toBe("");
  expect(await messageOf("1.34", autoscalers, body)).toContain("apiVersion must specify API group");
});

test("impersonation has its constrained modes since 1.36", async () => {
  const headers = { "impersonate-user": "anna" };
  const refusalIn = async (version: KubernetesVersion) =>
    (await newServer({ version }).ask("GET", configMaps, { token: strangerToken, headers })).body.message;
  expect(await refusalIn("1.35")).toContain('cannot impersonate resource "users"');
  expect(await refusalIn("1.36")).toContain("cannot impersonate-on:user-info:list");
});

test("lists of texts and nulls are printed in Go's syntax before 1.34", () => {
  const list = 'dryRun: Unsupported value: ["Some","a\\"b"]: supported values: "All"';
  expect(wordedFor("1.33", list)).toBe('dryRun: Unsupported value: []string{"Some", "a\\"b"}: supported values: "All"');
  expect(wordedFor("1.33", "<nil>: Invalid value: null: some validation rules")).toBe(
    '<nil>: Invalid value: "null": some validation rules',
  );
  expect(wordedFor("1.34", list)).toBe(list);
  // The bound of a list keeps the expression linear.
  const long = `value: ["${"a".repeat(100_000)}`;
  expect(wordedFor("1.33", long)).toBe(long);
});
