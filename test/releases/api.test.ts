// The API of each supported release: what it serves, which fields its types have, and what it says.
import { describe, expect, test } from "vitest";
import { type KubernetesVersion, supportedVersions } from "../../shared/k8s/settings/release.ts";
import { newServer } from "../api/server.ts";

interface ApiGroupList {
  readonly groups: readonly { readonly name: string }[];
}

interface ApiResourceList {
  readonly resources: readonly { readonly name: string }[];
}

const podPath = "/api/v1/namespaces/default/pods";

function podWith(spec: object) {
  return { metadata: { name: "web" }, spec: { containers: [{ name: "c", image: "nginx" }], ...spec } };
}

/** Creates a pod. Returns the code, the warnings and the field of its spec. */
async function createPod(version: KubernetesVersion, field: string, value: unknown, query = "") {
  const server = newServer({ version });
  const { code, body, headers } = await server.ask("POST", podPath + query, { body: podWith({ [field]: value }) });
  expect(server.bugs).toEqual([]);
  return { code, message: body.message, warning: headers.get("warning"), value: body.spec?.[field] };
}

describe("the served kinds", () => {
  const firsts: readonly [string, string, KubernetesVersion][] = [
    ["/apis/resource.k8s.io/v1", "resourceclaims", "1.34"],
    ["/apis/storage.k8s.io/v1", "volumeattributesclasses", "1.34"],
    ["/apis/admissionregistration.k8s.io/v1", "mutatingadmissionpolicies", "1.36"],
    ["/apis/networking.k8s.io/v1", "servicecidrs", "1.33"],
  ];
  test.each(firsts)("%s has %s since %s", async (path, name, first) => {
    for (const version of supportedVersions) {
      const server = newServer({ version });
      const { code, body } = await server.ask<ApiResourceList>("GET", path);
      const isThere = code === 200 && body.resources.some((resource) => resource.name === name);
      expect([version, isThere]).toEqual([version, version >= first]);
      expect((await server.ask("GET", `${path}/${name}`)).code).toBe(version >= first ? 200 : 404);
    }
  });

  test("a group without a version is not in discovery, and has no APIService", async () => {
    const { ask } = newServer({ version: "1.33" });
    const { groups } = (await ask<ApiGroupList>("GET", "/apis")).body;
    expect(groups.map(({ name }) => name)).not.toContain("resource.k8s.io");
    expect((await ask("GET", "/apis/apiregistration.k8s.io/v1/apiservices/v1.resource.k8s.io")).code).toBe(404);
    expect((await ask("GET", "/apis/apiregistration.k8s.io/v1/apiservices/v1.storage.k8s.io")).code).toBe(200);
  });
});

describe("a field that a release does not have", () => {
  test("is dropped with a warning, silently, or refused, as the request asks", async () => {
    const unknown = 'unknown field "spec.hostnameOverride"';
    expect(await createPod("1.33", "hostnameOverride", "other")).toMatchObject({
      code: 201,
      warning: `299 - ${JSON.stringify(unknown)}`,
      value: undefined,
    });
    expect(await createPod("1.33", "hostnameOverride", "other", "?fieldValidation=Ignore")).toMatchObject({
      code: 201,
      warning: null,
      value: undefined,
    });
    const strict = await createPod("1.33", "hostnameOverride", "other", "?fieldValidation=Strict");
    expect([strict.code, strict.message]).toEqual([400, expect.stringContaining(`strict decoding error: ${unknown}`)]);
  });

  test("is not declared for server-side apply", async () => {
    const headers = { "content-type": "application/apply-patch+yaml" };
    const body = JSON.stringify({ apiVersion: "v1", kind: "Pod", ...podWith({ hostnameOverride: "other" }) });
    const apply = (version: KubernetesVersion) =>
      newServer({ version }).ask("PATCH", `${podPath}/web?fieldManager=test`, { body, headers });
    const { code, body: refusal } = await apply("1.33");
    expect([code, refusal.message]).toEqual([
      400,
      expect.stringContaining(".spec.hostnameOverride: field not declared in schema"),
    ]);
    expect((await apply("1.36")).body.spec["hostnameOverride"]).toBe("other");
  });
});

describe("a field whose feature gate is off in a release", () => {
  test("is dropped without a warning", async () => {
    expect(await createPod("1.34", "hostnameOverride", "other", "?fieldValidation=Strict")).toMatchObject({
      code: 201,
      warning: null,
      value: undefined,
    });
    expect(await createPod("1.35", "hostnameOverride", "other")).toMatchObject({ code: 201, value: "other" });
  });

  test("is kept where the gate was switched on", async () => {
    const { ask } = newServer({ version: "1.34", featureGates: { HostnameOverride: true } });
    const { body } = await ask("POST", podPath, { body: podWith({ hostnameOverride: "other" }) });
    expect(body.spec["hostnameOverride"]).toBe("other");
  });

  test("is dropped from the items of lists and from templates", async () => {
    const { ask } = newServer({ version: "1.34" });
    const rules = [{ action: "Restart", exitCodes: { operator: "In", values: [1] } }];
    const containers = [{ name: "sidecar", image: "nginx", restartPolicy: "Always", restartPolicyRules: rules }];
    const template = {
      metadata: { labels: { app: "a" } },
      spec: { initContainers: containers, containers: podWith({}).spec.containers },
    };
    const body = { metadata: { name: "a" }, spec: { selector: { matchLabels: { app: "a" } }, template } };
    const created = await ask("POST", "/apis/apps/v1/namespaces/default/deployments", { body });
    expect(created.code).toBe(201);
    const spec = JSON.stringify(created.body.spec);
    expect(spec).toContain('"restartPolicy":"Always"');
    expect(spec).not.toContain("restartPolicyRules");
  });
});

describe("a release", () => {
  test.each(supportedVersions)(
    "%s is the version of the API server, of its OpenAPI documents and of its nodes",
    async (version) => {
      const { ask } = newServer({ version, systemPods: true });
      const { body } = await ask<{ gitVersion: string; minor: string; minCompatibilityMinor: string }>(
        "GET",
        "/version",
      );
      const [, minor] = version.split(".");
      expect(body).toMatchObject({
        gitVersion: `v${version}.0+sandbar`,
        minor,
        minCompatibilityMinor: `${Number(minor) - 1}`,
      });
      const openApi = await ask<{ info: { version: string } }>("GET", "/openapi/v3/apis/apps/v1");
      expect(openApi.body.info.version).toBe(`v${version}.0+sandbar`);
      expect(openApi.text).not.toContain(`@${version}`);
      const { text } = await ask("GET", "/api/v1/nodes");
      expect(text).toContain(`"kubeletVersion":"v${version}.0"`);
      const { text: pods } = await ask("GET", "/api/v1/namespaces/kube-system/pods");
      expect(pods).toContain(`registry.k8s.io/kube-apiserver:v${version}.0`);
      expect(pods).toContain(`registry.k8s.io/kube-proxy:v${version}.0`);
    },
  );

  test("has the fields of its types in OpenAPI", async () => {
    for (const [version, isThere] of [
      ["1.33", false],
      ["1.34", true],
    ] as const) {
      const { ask } = newServer({ version });
      const { body } = await ask<{ components: { schemas: Record<string, { properties: object }> } }>(
        "GET",
        "/openapi/v3/api/v1",
      );
      const { properties } = body.components.schemas["io.k8s.api.core.v1.PodSpec"] ?? { properties: {} };
      expect(Object.hasOwn(properties, "hostnameOverride")).toBe(isThere);
      const v2 = await ask<{ definitions: Record<string, { properties: object }> }>("GET", "/openapi/v2");
      expect(
        Object.hasOwn(v2.body.definitions["io.k8s.api.core.v1.PodSpec"]?.properties ?? {}, "hostnameOverride"),
      ).toBe(isThere);
    }
  });

  test("has the texts of its fields", async () => {
    const textIn = async (version: KubernetesVersion) => {
      const { text } = await newServer({ version }).ask("GET", "/openapi/v3/api/v1");
      return text;
    };
    const removed = "If this option is set, the ports that will be used must be specified. Default to false.";
    expect(await textIn("1.33")).toContain(removed);
    expect(await textIn("1.36")).not.toContain(removed);
  });

  test("shows the secrets of service accounts before 1.35", async () => {
    const columns = async (version: KubernetesVersion) => {
      const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
      const { body } = await newServer({ version }).ask("GET", "/api/v1/namespaces/default/serviceaccounts", {
        headers,
      });
      return body.columnDefinitions.map(({ name }) => name);
    };
    expect(await columns("1.34")).toEqual(["Name", "Secrets", "Age"]);
    expect(await columns("1.35")).toEqual(["Name", "Age"]);
  });

  test("has the bootstrap roles of its API server", async () => {
    const rulesOf = async (version: KubernetesVersion) =>
      (
        await newServer({ version }).ask(
          "GET",
          "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:aggregate-to-view",
        )
      ).text;
    expect(await rulesOf("1.33")).not.toContain("resourceclaims");
    expect(await rulesOf("1.36")).toContain("resourceclaims");
  });

  test("prints unset times of nested metadata before 1.34", async () => {
    const template = { metadata: { labels: { app: "a" } }, spec: podWith({}).spec };
    const body = { metadata: { name: "a" }, spec: { selector: { matchLabels: { app: "a" } }, template } };
    const metadataOf = async (version: KubernetesVersion) => {
      const { ask } = newServer({ version });
      await ask("POST", "/apis/apps/v1/namespaces/default/deployments", { body });
      const { text } = await ask("GET", "/apis/apps/v1/namespaces/default/deployments/a");
      return text.includes('"template":{"metadata":{"creationTimestamp":null,"labels":{"app":"a"}}');
    };
    expect([await metadataOf("1.33"), await metadataOf("1.34")]).toEqual([true, false]);
  });
});

describe("a namespace with the latest baseline of pod security", () => {
  test("admits hosts of probes before 1.34, whose latest baseline is an older one", async () => {
    const handler = { httpGet: { host: "10.0.0.1", port: 80 } };
    const containers = [{ name: "c", image: "nginx", livenessProbe: handler }];
    const codes = supportedVersions.map(async (version) => {
      const { ask } = newServer({ version });
      const labels = { "pod-security.kubernetes.io/enforce": "baseline" };
      await ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "safe", labels } } });
      const body = { metadata: { name: "web" }, spec: { serviceAccountName: "none", containers } };
      const serviceAccount = { metadata: { name: "none" } };
      await ask("POST", "/api/v1/namespaces/safe/serviceaccounts", { body: serviceAccount });
      return (await ask("POST", "/api/v1/namespaces/safe/pods", { body })).code;
    });
    expect(await Promise.all(codes)).toEqual([201, 403, 403, 403]);
  });
});
