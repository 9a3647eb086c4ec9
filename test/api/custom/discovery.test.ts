// Custom kinds are published exactly while they exist: discovery, OpenAPI, paths.
import { beforeAll, describe, expect, test } from "vitest";
import { newServer, refusal, refused, type TestServer } from "../server.ts";
import { definitions, widget, widgetDefinition, widgetVersion, widgets } from "./widgets.ts";

let server: TestServer;

interface Documented {
  readonly components: { readonly schemas: Record<string, { properties: Record<string, { description?: string }> }> };
  readonly info: { readonly title: string };
  readonly paths: Record<string, Partial<Record<"delete" | "get" | "patch" | "post", DocumentedOperation>>>;
  readonly definitions: Record<string, unknown>;
}

interface DocumentedOperation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: object };
}

beforeAll(async () => {
  server = newServer();
  const versions = [
    widgetVersion(),
    widgetVersion({ name: "v1beta1", storage: false, deprecated: true }),
    widgetVersion({ name: "v2", storage: false, served: false }),
  ];
  await server.ask("POST", definitions, { body: widgetDefinition(versions) });
});

describe("discovery", () => {
  test("names the group with its served versions, the newest first", async () => {
    const { body } = await server.ask<{ versions: { version: string }[] }>("GET", "/apis/example.com");
    expect(body.versions.map(({ version }) => version)).toEqual(["v1", "v1beta1"]);
  });

  test("lists the resource with its subresources, verbs in upstream's order", async () => {
    const { body } = await server.ask<{ resources: object[] }>("GET", "/apis/example.com/v1");
    const written = { namespaced: true, singularName: "", verbs: ["get", "patch", "update"] };
    expect(body.resources).toEqual([
      {
        name: "widgets",
        singularName: "widget",
        namespaced: true,
        kind: "Widget",
        verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
        shortNames: ["wd"],
        categories: ["all"],
        storageVersionHash: expect.any(String) as string,
      },
      { name: "widgets/status", kind: "Widget", ...written },
      { name: "widgets/scale", group: "autoscaling", version: "v1", kind: "Scale", ...written },
    ]);
  });

  test("is aggregated as well", async () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const { body } = await server.ask("GET", "/apis", { headers: { accept } });
    const groupDiscovery = body.items.find(({ metadata }) => metadata.name === "example.com");
    expect(JSON.stringify(groupDiscovery)).toContain(
      '"responseKind":{"group":"example.com","version":"v1","kind":"Widget"}',
    );
  });
});

describe("OpenAPI", () => {
  test("has a document of the group version in version 3, which the index links", async () => {
    const { text } = await server.ask("GET", "/openapi/v3");
    const index = JSON.parse(text) as { paths: Record<string, { serverRelativeURL: string }> };
    expect(Object.keys(index.paths).filter((name) => name.includes("example.com"))).toEqual([
      "apis/example.com/v1",
      "apis/example.com/v1beta1",
    ]);
    const url = index.paths["apis/example.com/v1"]?.serverRelativeURL ?? "";
    const { code, body } = await server.ask<Documented>("GET", url);
    expect(code).toBe(200);
    const schema = body.components.schemas["com.example.v1.Widget"];
    expect(schema?.properties["metadata"]).toHaveProperty("allOf");
    expect(schema?.properties["metadata"]).toHaveProperty("description");
    expect(Object.keys(body.paths).filter((path) => path.endsWith("/"))).toEqual([]);
    expect(body.components.schemas["com.example.v1.WidgetList"]?.properties).toHaveProperty("items");
    expect(body.components.schemas).toHaveProperty(["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"]);
  });

  test("documents the parameters of operations: clients look for fieldValidation in any patch of the kind", async () => {
    const { body } = await server.ask<Documented>("GET", "/openapi/v3/apis/example.com/v1");
    const item = "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}";
    for (const path of [item, `${item}/status`, `${item}/scale`]) {
      const { patch } = body.paths[path] ?? {};
      expect(patch?.parameters?.map(({ name }) => name)).toContain("fieldValidation");
      expect(Object.keys(patch?.requestBody?.content ?? {})).toEqual([
        "application/apply-patch+yaml",
        "application/json-patch+json",
        "application/merge-patch+json",
      ]);
    }
  });

  test("documents that a collection is deleted by a list's selectors, with bodies in JSON and YAML", async () => {
    const { body } = await server.ask<Documented>("GET", "/openapi/v3/apis/example.com/v1");
    const collection = body.paths["/apis/example.com/v1/namespaces/{namespace}/widgets"];
    const { delete: all, get: list, post } = collection ?? {};
    expect(all?.parameters).toEqual(list?.parameters);
    expect(all).not.toHaveProperty("requestBody");
    expect(Object.keys(post?.requestBody?.content ?? {})).toEqual(["application/json", "application/yaml"]);
    expect(body.info.title).toBe("Kubernetes CRD Swagger");
  });

  test("has the kind in version 2 without unsupported keywords", async () => {
    const { body } = await server.ask<Documented>("GET", "/openapi/v2");
    const schema = JSON.stringify(body.definitions["com.example.v1.Widget"]);
    expect(schema).not.toContain("nullable");
    expect(schema).not.toContain("anyOf");
    expect(schema).not.toContain("default");
    expect(schema).toContain("#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  });
});

describe("versions", () => {
  test("show the same objects under their own names, and a deprecated version warns", async () => {
    await server.ask("POST", widgets, { body: widget("one") });
    const { body, headers } = await server.ask("GET", widgets.replace("v1", "v1beta1") + "/one");
    expect(body.apiVersion).toBe("example.com/v1beta1");
    expect(headers.get("warning")).toBe('299 - "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"');
    const listed = await server.ask("GET", widgets.replace("v1", "v1beta1"));
    expect(listed.body.items.map(({ apiVersion }) => apiVersion)).toEqual(["example.com/v1beta1"]);
  });

  test("are 404 if they are not served, and so are paths outside of the kind's scope", async () => {
    const missing = [404, "404 page not found\n"];
    const unserved = await server.ask("GET", widgets.replace("v1", "v2"));
    expect([unserved.code, unserved.text]).toEqual(missing);
    const nowhere = await server.ask("POST", "/apis/example.com/v1/widgets", { body: widget("two") });
    expect([nowhere.code, nowhere.text]).toEqual(missing);
  });

  test("apply pruning and defaults of the stored version to a dry run", async () => {
    const path = widgets.replace("v1", "v1beta1");
    const body = { ...widget("dry", { size: 1, unknown: 1 }), apiVersion: "example.com/v1beta1" };
    const dry = await server.ask("POST", `${path}?dryRun=All`, { body });
    expect([dry.code, dry.body.spec]).toEqual([201, { color: "red", size: 1 }]);
  });
});

describe("the deletion of a definition", () => {
  test("deletes the objects first, then the kind", async () => {
    const path = `${widgets}/held`;
    await server.ask("POST", widgets, { body: widget("held", { size: 1 }, { finalizers: ["example.com/hold"] }) });
    await server.ask("DELETE", `${definitions}/widgets.example.com`);
    expect((await server.ask("GET", `${widgets}/one`)).code).toBe(404);
    const held = await server.ask("GET", path);
    expect(held.body.metadata.deletionTimestamp).toBeDefined();
    expect(refusal(await server.ask("POST", widgets, { body: widget("late") }))).toEqual(
      refused(
        403,
        "Forbidden",
        'widgets.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
      ),
    );
    const free = { metadata: { finalizers: null } };
    await server.ask("PATCH", path, { body: free, headers: { "content-type": "application/merge-patch+json" } });
    expect((await server.ask("GET", `${definitions}/widgets.example.com`)).code).toBe(404);
    expect((await server.ask("GET", widgets)).code).toBe(404);
    expect((await server.ask("GET", "/apis/example.com")).code).toBe(404);
    expect(server.bugs).toEqual([]);
  });
});
