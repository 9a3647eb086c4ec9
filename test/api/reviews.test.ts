// Reviews of access and tokens, impersonation, and bindings.
import { describe, expect, test } from "vitest";
import {
  adminToken,
  core,
  newServer,
  pod,
  refusal,
  refused,
  strangerToken,
  type TestServer,
  viewToken,
} from "./server.ts";

const authorization = "/apis/authorization.k8s.io/v1";

interface Review {
  readonly metadata: object;
  readonly status: {
    readonly allowed?: boolean;
    readonly resourceRules?: readonly { readonly verbs: readonly string[]; readonly resources: readonly string[] }[];
    readonly userInfo?: object;
  };
}

function post({ ask }: TestServer, kind: string, spec: object, token = adminToken, namespace = "") {
  const where = namespace ? `${authorization}/namespaces/${namespace}` : authorization;
  const body = { apiVersion: "authorization.k8s.io/v1", kind, spec };
  return ask<Review>("POST", `${where}/${kind.toLowerCase()}s`, { body, token });
}

async function mayI(server: TestServer, token: string, resourceAttributes: object): Promise<boolean | undefined> {
  return (await post(server, "SelfSubjectAccessReview", { resourceAttributes }, token)).body.status.allowed;
}

describe("access reviews", () => {
  test("return the decision of the real request", async () => {
    const server = newServer({ controllers: [] });
    const requests: [string, string, string, object][] = [
      ["GET", `${core}/pods`, "list", { resource: "pods" }],
      ["GET", `${core}/secrets`, "list", { resource: "secrets" }],
      ["GET", `${core}/pods/p/exec`, "get", { resource: "pods", subresource: "exec" }],
      ["DELETE", `${core}/pods/p`, "delete", { resource: "pods" }],
      ["GET", "/apis/apps/v1/deployments", "list", { group: "apps", resource: "deployments" }],
    ];
    for (const token of [adminToken, viewToken, strangerToken]) {
      for (const [method, path, verb, attributes] of requests) {
        const { code } = await server.ask(method, path, { token });
        expect([token, path, code !== 403]).toEqual([token, path, await mayI(server, token, { verb, ...attributes })]);
      }
    }
    expect(await mayI(server, viewToken, { verb: "get", resource: "pods", subresource: "exec" })).toBe(false);
    expect(await mayI(server, viewToken, { verb: "get", resource: "pods", subresource: "log" })).toBe(true);
  });

  test("keep their spec, and record who created them", async () => {
    const spec = { resourceAttributes: { verb: "get", resource: "pods" }, user: "jane", groups: ["system:masters"] };
    const server = newServer({ controllers: [] });
    const { code, body } = await post(server, "SubjectAccessReview", spec);
    expect(code).toBe(201);
    expect(body).toMatchObject({ spec, status: { allowed: true } });
    expect(Object.keys(body.metadata)).toEqual(["managedFields"]);
    expect(Object.keys(body).slice(0, 2)).toEqual(["kind", "apiVersion"]);
    const nobody = { nonResourceAttributes: { path: "/metrics", verb: "get" }, user: "jane" };
    expect((await post(server, "SubjectAccessReview", nobody)).body.status).toEqual({ allowed: false });
  });

  test("with an invalid spec are refused", async () => {
    const server = newServer({ controllers: [] });
    const invalid = (message: string) => refused(422, "Invalid", message);
    expect(refusal((await post(server, "SelfSubjectAccessReview", {})) as never)).toEqual(
      invalid(
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    );
    const spec = { resourceAttributes: { verb: "get", namespace: "other" }, user: "jane" };
    expect(refusal((await post(server, "LocalSubjectAccessReview", spec, adminToken, "default")) as never)).toEqual(
      invalid(
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
      ),
    );
    expect(refusal((await post(server, "SelfSubjectRulesReview", {})) as never)).toEqual(
      refused(400, "BadRequest", "no namespace on request"),
    );
    expect((await server.ask("GET", `${authorization}/subjectaccessreviews`)).code).toBe(405);
  });

  test("validate selectors, and report unsupported requirements", async () => {
    const server = newServer({ controllers: [] });
    const review = (resourceAttributes: object) =>
      post(server, "SelfSubjectAccessReview", {
        resourceAttributes: { verb: "list", resource: "pods", ...resourceAttributes },
      });
    const messages = async (selectors: object) => refusal((await review(selectors)) as never).message;
    const at = "spec.resourceAttributes";
    expect(await messages({ fieldSelector: { requirements: [{ key: "", operator: "In", values: [] }] } })).toBe(
      `.authorization.k8s.io "" is invalid: [${at}.fieldSelector.requirements[0].key: Required value: must be specified, ${at}.fieldSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn']`,
    );
    expect(await messages({ labelSelector: { requirements: [{ key: "a", operator: "Exists", values: ["b"] }] } })).toBe(
      `.authorization.k8s.io "" is invalid: ${at}.labelSelector.requirements[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
    );
    const statusOf = async (selectors: object) => (await review(selectors)).body.status;
    expect(await statusOf({ labelSelector: { rawSelector: "a in (" } })).toEqual({
      allowed: true,
      evaluationError: `${at}.labelSelector ignored due to parse error`,
    });
    const requirement = { key: "spec.nodeName", operator: "In", values: ["a"] };
    expect(await statusOf({ fieldSelector: { requirements: [requirement, { key: "b", operator: "Later" }] } })).toEqual(
      {
        allowed: true,
        evaluationError: `${at}.fieldSelector partially ignored due to parse error`,
      },
    );
  });

  test("with a refused spec show it in upstream's internal form", async () => {
    const server = newServer({ controllers: [] });
    const spec = { user: "jane", resourceAttributes: {}, nonResourceAttributes: { path: "/x" } };
    expect(refusal((await post(server, "SubjectAccessReview", spec)) as never).message).toBe(
      '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":""}: cannot be specified in combination with resourceAttributes',
    );
  });

  test("list all resources but Secrets for a viewer", async () => {
    const server = newServer({ controllers: [] });
    const { body } = await post(server, "SelfSubjectRulesReview", { namespace: "default" }, viewToken);
    const read = (body.status.resourceRules ?? []).filter(({ verbs }) => verbs.includes("watch"));
    const resources = read.flatMap((rule) => rule.resources);
    expect(resources).toEqual(expect.arrayContaining(["pods", "pods/log", "configmaps", "deployments"]));
    expect(
      resources.filter((resourceName) => /^secrets|\/(exec|attach|portforward|proxy)$|review/.test(resourceName)),
    ).toEqual([]);
  });
});

describe("formats of create-only resources", () => {
  const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const partial = (kind: string) => `application/json;as=${kind};v=v1;g=meta.k8s.io`;
  const accepted =
    "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { resource: "pods", verb: "get" } },
  };
  const path = `${authorization}/selfsubjectaccessreviews`;

  test("a review, a token, a binding and an eviction have no Table, and are 406 if only a Table is acceptable", async () => {
    const { ask } = newServer({ controllers: [] });
    const headers = { accept: table };
    const createdKinds: [string, object][] = [
      [`${core}/serviceaccounts/default/token`, { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" }],
      [`${core}/pods/none/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "none" } }],
      [`${core}/pods/none/binding`, { apiVersion: "v1", kind: "Binding", target: { name: "node-1" } }],
      [`${core}/bindings`, { apiVersion: "v1", kind: "Binding", target: { name: "node-1" } }],
    ];
    for (const [at, body] of [[path, review] as const, ...createdKinds]) {
      expect(refusal(await ask("POST", at, { headers, body }))).toEqual(refused(406, "NotAcceptable", accepted));
    }
  });

  test("a client that also accepts another format, as kubectl does, gets that format", async () => {
    const { ask } = newServer({ controllers: [] });
    const answer = await ask<Review>("POST", path, { headers: { accept: `${table},application/json` }, body: review });
    expect(answer).toMatchObject({ code: 201, body: { kind: "SelfSubjectAccessReview", status: { allowed: true } } });
  });

  test("a review is available as PartialObjectMetadata, and a list of it is not", async () => {
    const { ask } = newServer({ controllers: [] });
    const as = (kind: string) => ask("POST", path, { headers: { accept: partial(kind) }, body: review });
    expect(await as("PartialObjectMetadata")).toMatchObject({
      code: 201,
      body: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" },
    });
    expect((await as("PartialObjectMetadata")).body).not.toHaveProperty("status");
    expect((await as("PartialObjectMetadataList")).code).toBe(406);
  });
});

describe("impersonation", () => {
  const whoAmI = async ({ ask }: TestServer, headers: Record<string, string>, token = adminToken) =>
    ask<Review>("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      headers,
      token,
    });

  test("sets user, groups, uid and extras", async () => {
    const server = newServer({ controllers: [] });
    const { body } = await whoAmI(server, {
      "impersonate-user": "jane",
      "impersonate-group": "developers, admins",
      "impersonate-uid": "7",
      "impersonate-extra-scopes%2fa": "view",
    });
    expect(body.status.userInfo).toEqual({
      username: "jane",
      uid: "7",
      groups: ["developers", "admins", "system:authenticated"],
      extra: { "scopes/a": ["view"] },
    });
  });

  test("as a service account adds its groups and its permissions", async () => {
    const server = newServer({ controllers: [] });
    const headers = { "impersonate-user": "system:serviceaccount:default:default" };
    expect((await whoAmI(server, headers)).body.status.userInfo).toMatchObject({
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
    expect((await server.ask("GET", `${core}/pods`, { headers })).code).toBe(403);
  });

  test("must be granted", async () => {
    const server = newServer({ controllers: [] });
    for (const token of [viewToken, strangerToken]) {
      const answer = await whoAmI(server, { "impersonate-user": "kubernetes-admin" }, token);
      expect(refusal(answer as never).message).toMatch(
        /^selfsubjectreviews.authentication.k8s.io is forbidden: User ".*" cannot impersonate-on:user-info:create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope$/,
      );
    }
    expect((await whoAmI(server, { "impersonate-group": "system:masters" }, strangerToken)).code).toBe(400);
  });
});

describe("bindings", () => {
  test("a binding posted to its own resource binds the pod", async () => {
    const server = newServer({ controllers: [] });
    await server.ask("POST", `${core}/serviceaccounts`, {
      body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } },
    });
    expect((await server.ask("POST", `${core}/pods`, { body: pod("p") })).code).toBe(201);
    const [node] = (await server.ask("GET", "/api/v1/nodes")).body.items;
    const target = { apiVersion: "v1", kind: "Node", name: node?.metadata.name };
    const body = { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target };
    const { code, body: status } = await server.ask("POST", `${core}/bindings`, { body });
    expect([code, status.kind, status.status]).toEqual([201, "Status", "Success"]);
    expect((await server.ask("GET", `${core}/pods/p`)).body.spec.nodeName).toBe(node?.metadata.name);
    expect((await server.ask("POST", `${core}/bindings`, { body })).code).toBe(409);
  });
});
