// The discovery documents, as kubectl and client-go read them.
import { newestRelease } from "../../shared/k8s/settings/release.ts";
import { versionInfoOf } from "../../worker/api/non-resource/version.ts";
import { describe, expect, test } from "vitest";
import { type DiscoveryRequest, discover } from "../../worker/api/discovery/discovery.ts";
import { compareVersions } from "../../shared/k8s/versions.ts";
import { plainKinds } from "./kinds.ts";

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

async function ask(path: string, more: Partial<DiscoveryRequest> = {}) {
  const answer = await discover(plainKinds, {
    path,
    serverAddress: "10.0.0.1:6443",
    version: versionInfoOf(newestRelease),
    ...more,
  });
  if (!answer) throw new Error(`${path} is not a discovery path`);
  return { ...answer, json: typeof answer.body === "string" ? JSON.parse(answer.body) : undefined };
}

describe("plain discovery", () => {
  test("/api names v1 and the server's address", async () => {
    expect((await ask("/api")).json).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "10.0.0.1:6443" }],
    });
  });

  test("/apis lists groups in upstream's order, each with its preferred version first", async () => {
    const { json } = await ask("/apis/");
    expect(json.groups.map((group: { name: string }) => group.name)).toEqual([
      "apps",
      "events.k8s.io",
      "autoscaling",
      "rbac.authorization.k8s.io",
    ]);
    const v2 = { groupVersion: "autoscaling/v2", version: "v2" };
    const v1 = { groupVersion: "autoscaling/v1", version: "v1" };
    expect(json.groups[2]).toEqual({ name: "autoscaling", versions: [v2, v1], preferredVersion: v2 });
    expect((await ask("/apis/autoscaling")).json).toEqual({ kind: "APIGroup", apiVersion: "v1", ...json.groups[2] });
  });

  test("/api/v1 lists resources with their subresources' own kinds", async () => {
    const { json } = await ask("/api/v1");
    expect(json.apiVersion).toBeUndefined();
    expect(json.groupVersion).toBe("v1");
    const byName = new Map(json.resources.map((resource: { name: string }) => [resource.name, resource]));
    expect([...byName.keys()]).toEqual([...byName.keys()].sort());
    expect(byName.get("pods")).toEqual({
      name: "pods",
      singularName: "pod",
      namespaced: true,
      kind: "Pod",
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      shortNames: ["po"],
      categories: ["all"],
      storageVersionHash: "xPOwRZ+Yhw8=",
    });
    expect(byName.get("pods/eviction")).toEqual({
      name: "pods/eviction",
      singularName: "",
      namespaced: true,
      group: "policy",
      version: "v1",
      kind: "Eviction",
      verbs: ["create"],
    });
    expect(byName.get("pods/exec")).toMatchObject({ kind: "PodExecOptions", verbs: ["create", "get"] });
    expect(byName.get("pods/proxy")).toMatchObject({ verbs: ["create", "delete", "get", "patch", "update"] });
    expect(byName.get("pods/binding")).toMatchObject({ kind: "Binding" });
    expect(byName.get("pods/status")).toMatchObject({ kind: "Pod", verbs: ["get", "patch", "update"] });
    expect(byName.get("serviceaccounts/token")).toMatchObject({ group: "authentication.k8s.io", kind: "TokenRequest" });
  });

  test("/apis/apps/v1 has an apiVersion, and a scale of autoscaling", async () => {
    const { json } = await ask("/apis/apps/v1");
    expect(json).toMatchObject({ kind: "APIResourceList", apiVersion: "v1", groupVersion: "apps/v1" });
    expect(json.resources[1]).toMatchObject({ name: "deployments/scale", group: "autoscaling", kind: "Scale" });
  });

  test("unknown groups and versions are 404, and other paths do not belong to discovery", async () => {
    await expect(ask("/apis/nope")).rejects.toThrow("not a discovery path");
    await expect(ask("/apis/apps/v2")).rejects.toMatchObject({ code: 404 });
    await expect(ask("/apis/apps/v1/deployments")).rejects.toThrow("not a discovery path");
    await expect(ask("/api/v1/pods")).rejects.toThrow("not a discovery path");
  });

  test("/version is Kubernetes 1.36", async () => {
    expect((await ask("/version")).json).toMatchObject({ major: "1", minor: "36", emulationMinor: "36" });
  });

  test("versions are ordered as Kubernetes orders them", () => {
    const versions = ["foo10", "v1alpha1", "v1", "v10", "v1beta2", "v2beta1", "foo1", "v2", "v1beta1"];
    expect(versions.sort(compareVersions)).toEqual([
      "v10",
      "v2",
      "v1",
      "v2beta1",
      "v1beta2",
      "v1beta1",
      "v1alpha1",
      "foo1",
      "foo10",
    ]);
  });
});

describe("aggregated discovery", () => {
  test("has the requested version, with its own content type", async () => {
    const answer = await ask("/apis", { accept: `${aggregated},application/json` });
    expect(answer.headers["Content-Type"]).toBe("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    expect(answer.json).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" });
    const old = await ask("/apis", { accept: aggregated.replace("v=v2", "v=v2beta1") });
    expect(old.json.apiVersion).toBe("apidiscovery.k8s.io/v2beta1");
  });

  test("lists only the core group at /api, and the others at /apis", async () => {
    const core = await ask("/api", { accept: aggregated });
    expect(core.json.items.map((item: { metadata: object }) => item.metadata)).toEqual([{}]);
    const otherGroups = await ask("/apis", { accept: aggregated });
    expect(otherGroups.json.items.map((item: { metadata: { name: string } }) => item.metadata.name)[0]).toBe("apps");
    const [deployments] = otherGroups.json.items[0].versions[0].resources;
    expect(deployments).toEqual({
      resource: "deployments",
      responseKind: { group: "", version: "", kind: "Deployment" },
      scope: "Namespaced",
      singularResource: "deployment",
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      shortNames: ["deploy"],
      categories: ["all"],
      subresources: [
        {
          subresource: "scale",
          responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
          verbs: ["get", "patch", "update"],
        },
        {
          subresource: "status",
          responseKind: { group: "", version: "", kind: "Deployment" },
          verbs: ["get", "patch", "update"],
        },
      ],
    });
  });

  test("is 304 if the client has it", async () => {
    const first = await ask("/apis", { accept: aggregated });
    expect(first.headers).toMatchObject({ Vary: "Accept", "Cache-Control": "public" });
    const again = await ask("/apis", { accept: aggregated, ifNoneMatch: first.headers.ETag ?? "" });
    expect(again).toMatchObject({ status: 304, body: undefined });
    expect((await ask("/apis", { accept: aggregated, ifNoneMatch: '"old"' })).status).toBe(200);
  });
});
