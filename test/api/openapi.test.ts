// The OpenAPI documents: schemas, operations and cache headers, as kubectl's explain and validation read them.
import { readFileSync } from "node:fs";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { describe, expect, test } from "vitest";
import { generateDescriptions } from "../../scripts/generate-descriptions.ts";
import { loadDescriptions } from "../../shared/schema/openapi/descriptions.ts";
import { hasSchema, schemaOf, schemasOf } from "../../shared/schema/openapi/schemas.ts";
import type { OpenApiDocument } from "../../worker/api/openapi/document.ts";
import { gnosticV3Document } from "../../worker/api/openapi/gnostic-v3.ts";
import { type OpenApiRequest, serveOpenApi } from "../../worker/api/openapi/openapi.ts";
import type { Operation } from "../../worker/api/openapi/operations.ts";
import { pathsOf } from "../../worker/api/openapi/paths.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import { plainDeployments, plainKinds, plainPods } from "./kinds.ts";

const text = await loadDescriptions();
const core = "io.k8s.api.core.v1";
const v2Protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

async function ask(path: string, more: Partial<OpenApiRequest> = {}) {
  const answer = await serveOpenApi(plainKinds, { path, nowMs: Date.UTC(2026, 0, 1), ...more });
  if (!answer) throw new Error(`${path} is not an OpenAPI path`);
  return { ...answer, json: () => JSON.parse(String(answer.body)) };
}

describe("OpenAPI schemas", () => {
  test("a struct by value refers in allOf with a default, a pointer without", () => {
    const { properties } = schemaOf("io.k8s.api.apps.v1.Deployment", text);
    expect(properties?.spec).toMatchObject({
      allOf: [{ $ref: "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec" }],
      default: {},
    });
    const strategy = schemaOf("io.k8s.api.apps.v1.DeploymentStrategy", text);
    expect(strategy.properties?.rollingUpdate).not.toHaveProperty("default");
    expect(strategy.properties?.rollingUpdate?.description).toMatch(/rolling update/);
  });

  test("lists have their keys and merge strategies", () => {
    expect(schemaOf(`${core}.Container`, text).properties?.ports).toMatchObject({
      type: "array",
      items: { allOf: [{ $ref: `#/components/schemas/${core}.ContainerPort` }], default: {} },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
      "x-kubernetes-patch-merge-key": "containerPort",
      "x-kubernetes-patch-strategy": "merge",
    });
  });

  test("required scalars default to zero, declared defaults are kept, optional ones have none", () => {
    expect(schemaOf("io.k8s.api.flowcontrol.v1.Subject", text)["x-kubernetes-unions"]).toEqual([
      {
        discriminator: "kind",
        "fields-to-discriminateBy": { group: "Group", serviceAccount: "ServiceAccount", user: "User" },
      },
    ]);
    // Fields that Go always encodes have their zero value as default, required or not.
    expect(schemaOf("io.k8s.api.apps.v1.StatefulSetSpec", text).properties?.serviceName?.default).toBe("");
    expect(schemaOf(`${core}.ContainerRestartRule`, text).properties?.action).not.toHaveProperty("default");
    const { properties, required } = schemaOf(`${core}.ContainerPort`, text);
    expect(required).toEqual(["containerPort"]);
    expect(properties?.containerPort).toMatchObject({ type: "integer", format: "int32", default: 0 });
    expect(properties?.protocol).toMatchObject({ type: "string", default: "TCP", enum: ["SCTP", "TCP", "UDP"] });
    expect(properties?.hostPort).not.toHaveProperty("default");
  });

  test("inlined structs and special formats match upstream", () => {
    const volume = schemaOf(`${core}.Volume`, text).properties;
    expect(volume?.configMap?.allOf).toEqual([{ $ref: `#/components/schemas/${core}.ConfigMapVolumeSource` }]);
    const limits = schemaOf(`${core}.ResourceRequirements`, text).properties?.limits;
    expect(limits?.additionalProperties).toEqual({
      $ref: "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity",
    });
    expect(schemaOf("io.k8s.apimachinery.pkg.util.intstr.IntOrString", text)).toMatchObject({
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }],
    });
    expect(schemaOf(`${core}.Secret`, text).properties?.data?.additionalProperties).toEqual({
      type: "string",
      format: "byte",
    });
    expect(schemaOf("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector", text)["x-kubernetes-map-type"]).toBe(
      "atomic",
    );
  });

  test("kinds have names and descriptions of the API, and every reference resolves", () => {
    const schemas = schemasOf([`${core}.Pod`], text);
    expect(schemas[`${core}.Pod`]?.["x-kubernetes-group-version-kind"]).toEqual([
      { group: "", version: "v1", kind: "Pod" },
    ]);
    expect(schemas[`${core}.PodSpec`]?.properties?.nodeName?.description).toMatch(/^NodeName indicates/);
    const references = [...JSON.stringify(schemas).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name,
    );
    expect(references.length).toBeGreaterThan(150);
    expect(references.filter((name) => !schemas[String(name)])).toEqual([]);
    expect(hasSchema("io.k8s.api.core.v1.Nope")).toBe(false);
  });

  test("the descriptions match the installed client (npm run generate)", () => {
    const root = new URL("../../", import.meta.url);
    const current = readFileSync(new URL("shared/schema/facts/descriptions.json", root), "utf8");
    expect(generateDescriptions(root) === current).toBe(true);
  });
});

describe("OpenAPI operations", () => {
  test("a patch names its kind and has fieldValidation, so that kubectl validates on the server", () => {
    const item = pathsOf(plainDeployments)["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"];
    expect(item?.patch).toMatchObject({
      operationId: "patchAppsV1NamespacedDeployment",
      "x-kubernetes-action": "patch",
      "x-kubernetes-group-version-kind": { group: "apps", version: "v1", kind: "Deployment" },
      parameters: [{ name: "dryRun" }, { name: "fieldManager" }, { name: "fieldValidation" }, { name: "force" }],
    });
    expect(item?.parameters?.map((parameter) => parameter.name)).toEqual(["name", "namespace", "pretty"]);
  });

  test("a deletion returns a Status, or the object if the kind does, and its body is required", () => {
    const answerOf = (kind: Kind) => {
      const item =
        pathsOf(kind)[
          `/${kind.group ? "apis" : "api"}/${kind.apiVersion}/namespaces/{namespace}/${kind.plural}/{name}`
        ];
      return (item?.delete as Operation | undefined)?.responses["200"]?.content?.["application/json"]?.schema.$ref;
    };
    expect(answerOf(plainDeployments)).toBe("#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Status");
    expect(answerOf({ ...plainPods, deletion: { returnsObject: true } })).toBe(`#/components/schemas/${core}.Pod`);
    const item = pathsOf(plainDeployments)["/apis/apps/v1/namespaces/{namespace}/deployments"];
    expect(item?.post).toMatchObject({ requestBody: { required: true } });
    expect((item?.delete as Operation | undefined)?.requestBody).not.toHaveProperty("required");
  });

  test("operation ids match upstream", () => {
    const ids = Object.values(pathsOf(plainPods)).flatMap((item) =>
      Object.values(item).flatMap((operation) =>
        operation && "operationId" in operation ? [operation.operationId] : [],
      ),
    );
    expect(ids).toEqual(
      expect.arrayContaining([
        "listCoreV1PodForAllNamespaces",
        "deleteCoreV1CollectionNamespacedPod",
        "watchCoreV1NamespacedPodList",
        "watchCoreV1PodListForAllNamespaces",
        "connectCoreV1PostNamespacedPodExec",
        "connectCoreV1GetNamespacedPodProxyWithPath",
        "createCoreV1NamespacedPodEviction",
        "replaceCoreV1NamespacedPodStatus",
        "readCoreV1NamespacedPodLog",
      ]),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("served OpenAPI documents", () => {
  test("are listed in the index with the hash of their text", async () => {
    const { paths } = (await ask("/openapi/v3")).json();
    expect(Object.keys(paths)).toContain("apis/apps/v1");
    const url = new URL(paths["apis/apps/v1"].serverRelativeURL, "http://x");
    const document = await ask(url.pathname, { hash: url.searchParams.get("hash") });
    expect(document.status).toBe(200);
    expect(document.headers).toMatchObject({
      "Content-Type": "application/json",
      "Cache-Control": "public, immutable",
      Expires: "Fri, 01 Jan 2027 00:00:00 GMT",
      ETag: `"${url.searchParams.get("hash")}"`,
      Vary: "Accept",
    });
    expect(document.json().components.schemas).toHaveProperty(["io.k8s.api.apps.v1.DeploymentSpec"]);
  });

  test("exist for paths without resources", async () => {
    const { paths } = (await ask("/openapi/v3")).json();
    const plainDocuments = Object.keys(paths).filter((name) => !/\/v\d+$/.test(name));
    expect(plainDocuments).toEqual([
      ...[".well-known/openid-configuration", "api", "apis", "apis/apps", "apis/autoscaling", "apis/events.k8s.io"],
      ...["apis/rbac.authorization.k8s.io", "openid/v1/jwks", "version"],
    ]);
    const group = (await ask("/openapi/v3/apis/rbac.authorization.k8s.io")).json();
    expect(group.paths["/apis/rbac.authorization.k8s.io/"].get).toMatchObject({
      operationId: "getRbacAuthorizationAPIGroup",
      tags: ["rbacAuthorization"],
    });
    expect(Object.keys(group.components.schemas)).toContain("io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup");
    const version = await ask("/openapi/v3/version", {
      hash: new URL(paths.version.serverRelativeURL, "http://x").searchParams.get("hash"),
    });
    expect([version.status, version.json().paths["/version/"].get.operationId]).toEqual([200, "getCodeVersion"]);
    expect(Object.keys((await ask("/openapi/v2")).json().paths)).toEqual(
      expect.arrayContaining(["/api/", "/apis/", "/apis/apps/", "/version/", "/openid/v1/jwks/"]),
    );
  });

  test("name the kinds of their own group version for shared types", async () => {
    const kinds = "x-kubernetes-group-version-kind";
    const options = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
    const schemasAt = async (name: string) => (await ask(`/openapi/v3/${name}`)).json().components.schemas;
    expect((await schemasAt("apis/apps/v1"))[options][kinds]).toEqual([
      { group: "", version: "v1", kind: "DeleteOptions" },
      { group: "apps", version: "v1", kind: "DeleteOptions" },
    ]);
    expect((await schemasAt("api/v1"))[options][kinds]).toHaveLength(1);
    expect((await ask("/openapi/v2")).json().definitions[options][kinds].length).toBeGreaterThan(20);
  });

  test("redirect an old hash, and are not cacheable without a hash", async () => {
    const moved = await ask("/openapi/v3/apis/apps/v1", { hash: "00" });
    expect(moved.status).toBe(301);
    expect(moved.headers.Location).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
    expect((await ask("/openapi/v3/apis/apps/v1")).headers).not.toHaveProperty("Cache-Control");
  });

  test("are 304 if the client has them", async () => {
    for (const path of ["/openapi/v3/api/v1", "/openapi/v2"]) {
      const first = await ask(path);
      expect((await ask(path, { ifNoneMatch: first.headers.ETag ?? "" })).status).toBe(304);
      expect((await ask(path, { ifNoneMatch: '"else"' })).status).toBe(200);
    }
  });

  test("are 406 in other formats, and 404 at other paths", async () => {
    expect((await ask("/openapi/v3/api/v1", { accept: "text/plain" })).status).toBe(406);
    for (const path of ["/openapi/v3/apis/nope/v1", "/openapi/v3/"]) {
      expect(await ask(path)).toMatchObject({ status: 404, body: undefined });
    }
    await expect(ask("/openapi")).rejects.toThrow("not an OpenAPI path");
  });

  test("have neither defaults nor oneOf in version 2, and references with siblings", async () => {
    const { definitions, paths, swagger } = (await ask("/openapi/v2")).json();
    expect(swagger).toBe("2.0");
    expect(definitions["io.k8s.api.apps.v1.Deployment"].properties.spec).toEqual({
      description: expect.any(String),
      $ref: "#/definitions/io.k8s.api.apps.v1.DeploymentSpec",
    });
    expect(definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toMatchObject({
      type: "string",
      format: "int-or-string",
    });
    const all = JSON.stringify(definitions);
    expect(all).not.toContain('"oneOf"');
    expect(all).not.toContain("#/components/");
    const post = paths["/api/v1/namespaces/{namespace}/pods"].post;
    expect(post.parameters[0]).toMatchObject({ in: "body", schema: { $ref: `#/definitions/${core}.Pod` } });
    expect(post.responses["201"].schema).toEqual({ $ref: `#/definitions/${core}.Pod` });
  });

  test("are gnostic's protobuf in version 3 under its current and its previous name", async () => {
    const named = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";
    const plain = await ask("/openapi/v3/apis/apps/v1");
    for (const accept of [
      named,
      "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
      `text/plain, ${named}`,
    ]) {
      const answer = await ask("/openapi/v3/apis/apps/v1", { accept });
      expect(answer).toMatchObject({ status: 200, headers: { ...plain.headers, "Content-Type": named } });
      expect((answer.body as Uint8Array).slice(0, 7)).toEqual(Uint8Array.of(10, 5, ...Buffer.from("3.0.0")));
    }
    expect((await ask("/openapi/v3/apis/apps/v1", { accept: "*/*" })).headers["Content-Type"]).toBe("application/json");
    expect((await ask("/openapi/v3/apis/apps/v1", { accept: v2Protobuf })).status).toBe(406);
  });

  test("match gnostic's output in version 3, except for the format of its YAML", () => {
    const file = readFileSync(new URL("openapi/gnostic-v3.json", import.meta.url), "utf8");
    const { document, protobuf } = JSON.parse(file) as { document: OpenApiDocument; protobuf: string };
    expect(Buffer.from(gnosticV3Document(document)).toString("base64")).toBe(protobuf);
    const schema = { enum: ["a", 1], example: {}, "x-kubernetes-group-version-kind": [{ kind: "A" }], maxLength: 1.5 };
    const written = gnosticV3Document({ ...document, paths: {}, components: { schemas: { A: schema as never } } });
    const texts = ['"a"', "1", "{}", '[{"kind":"A"}]'];
    const decodedDocuments = texts.map((documentText) =>
      Buffer.from(written).indexOf(Buffer.from([0x12, documentText.length, ...Buffer.from(documentText)])),
    );
    expect(decodedDocuments.map((at) => at > 0)).toEqual(texts.map(() => true));
  });

  test("are gnostic's protobuf in version 2, which kubectl requests", async () => {
    const answer = await ask("/openapi/v2", { accept: v2Protobuf });
    expect(answer.headers["Content-Type"]).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    const reader = new BinaryReader(answer.body as Uint8Array);
    const fields: number[] = [];
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag();
      fields.push(field);
      if (field === 1) expect(reader.string()).toBe("2.0");
      else reader.skip(wireType, field);
    }
    // The fields swagger, info, paths, definitions, security definitions.
    expect(fields).toEqual([1, 2, 8, 9, 13]);
  });
});
