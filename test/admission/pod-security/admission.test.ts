// PodSecurity in the API: labels of namespaces, rejected pods, and warnings about workloads and existing pods.
import { describe, expect, test } from "vitest";
import { newServer } from "../../api/server.ts";

const container = { name: "c", image: "nginx" };
const pod = (name: string, spec = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [container], ...spec },
});

async function fixture(labels: Record<string, string> = {}) {
  const { ask, cluster } = newServer({ nodes: 1 });
  const metadata = { name: "team", labels };
  const namespaceResponse = await ask("POST", "/api/v1/namespaces", {
    body: { apiVersion: "v1", kind: "Namespace", metadata },
  });
  cluster.runUntilQuiet();
  const post = (body: object, path = "/api/v1/namespaces/team/pods") =>
    ask<{ message: string }>("POST", path, { body });
  const label = (next: Record<string, string>) =>
    ask<{ message: string }>("PATCH", "/api/v1/namespaces/team", {
      body: { metadata: { labels: next } },
      headers: { "content-type": "application/merge-patch+json" },
    });
  return { made: namespaceResponse, post, label };
}

const enforce = "pod-security.kubernetes.io/enforce";

describe("PodSecurity", () => {
  test("allows everything in a namespace without labels", async () => {
    const { post } = await fixture();
    const { code, headers } = await post(pod("a", { hostNetwork: true }));
    expect([code, headers.get("warning")]).toEqual([201, null]);
  });

  test("rejects pods that violate the enforced level, and warns about workloads", async () => {
    const { post } = await fixture({ [enforce]: "baseline", [`${enforce}-version`]: "v1.30" });
    const { code, body } = await post(pod("a", { hostNetwork: true }));
    expect([code, body?.message]).toEqual([
      403,
      'pods "a" is forbidden: violates PodSecurity "baseline:v1.30": host namespaces (hostNetwork=true)',
    ]);
    expect((await post(pod("b"))).code).toBe(201);
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [container], hostPID: true } };
    const spec = { selector: { matchLabels: { a: "b" } }, template };
    const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec };
    const deploymentResponse = await post(deployment, "/apis/apps/v1/namespaces/team/deployments");
    expect([deploymentResponse.code, deploymentResponse.headers.get("warning")]).toEqual([
      201,
      String.raw`299 - "would violate PodSecurity \"baseline:v1.30\": host namespaces (hostPID=true)"`,
    ]);
  });

  test("warns without rejecting if only the warn level is set", async () => {
    const { post } = await fixture({ "pod-security.kubernetes.io/warn": "baseline" });
    const { code, headers } = await post(pod("a", { hostIPC: true }));
    expect(code).toBe(201);
    expect(headers.get("warning")).toContain(String.raw`would violate PodSecurity \"baseline:latest\"`);
  });

  test("rejects invalid labels", async () => {
    const { made: namespaceResponse } = await fixture({ [enforce]: "strict" });
    expect(namespaceResponse.code).toBe(422);
    const { label } = await fixture();
    const { body } = await label({ [`${enforce}-version`]: "1.30" });
    expect(body?.message).toBe(
      `Namespace "team" is invalid: metadata.labels[${enforce}-version]: Invalid value: "1.30": must be "latest" or "v1.x"`,
    );
  });

  test("reports existing pods that violate a stricter level, without changing them", async () => {
    const { post, label } = await fixture();
    for (const name of ["a", "b"]) await post(pod(name, { hostNetwork: true }));
    const { code, headers } = await label({ [enforce]: "baseline" });
    expect(code).toBe(200);
    expect(headers.get("warning")).toBe(
      [
        String.raw`299 - "existing pods in namespace \"team\" violate the new PodSecurity enforce level \"baseline:latest\""`,
        String.raw`299 - "a (and 1 other pod): host namespaces"`,
      ].join(", "),
    );
  });
});
