// Errors for unauthorized and unusual requests: messages and headers.
import { describe, expect, test } from "vitest";
import { core, newServer, refusal, refused, strangerToken } from "./server.ts";

const forbidden = (message: string) => refused(403, "Forbidden", message);

describe("a forbidden request", () => {
  test("is answered with its verb, its resource, and the name in its selector", async () => {
    const { ask } = newServer({ controllers: [] });
    const errorOf = async (method: string, path: string) => refusal(await ask(method, path, { token: strangerToken }));
    expect(await errorOf("OPTIONS", "/api/v1/pods")).toEqual(
      forbidden('pods is forbidden: User "jane" cannot  resource "pods" in API group "" at the cluster scope'),
    );
    expect(await errorOf("GET", "/api/v1/pods?watch=true&fieldSelector=metadata.name%3Dz")).toEqual(
      forbidden('pods "z" is forbidden: User "jane" cannot watch resource "pods" in API group "" at the cluster scope'),
    );
    expect(await errorOf("DELETE", `${core}/pods?fieldSelector=metadata.name%3Dz`)).toEqual(
      forbidden(
        'pods is forbidden: User "jane" cannot deletecollection resource "pods" in API group "" in the namespace "default"',
      ),
    );
    expect(await errorOf("POST", "/api/v1/watch/pods")).toEqual(
      forbidden('pods is forbidden: User "jane" cannot watch resource "pods" in API group "" at the cluster scope'),
    );
    expect(await errorOf("GET", "/api/v1//pods")).toMatchObject({ status: 403 });
    expect(await errorOf("PUT", "/nope")).toEqual(forbidden('forbidden: User "jane" cannot put path "/nope"'));
  });

  test("has nosniff, and a permitted request does not", async () => {
    const { ask } = newServer({ controllers: [] });
    const sniffing = async (path: string, token: string) =>
      (await ask("GET", path, { token })).headers.get("x-content-type-options");
    expect(await sniffing(`${core}/pods`, strangerToken)).toBe("nosniff");
    expect(await sniffing(`${core}/pods/none`, "admin-token")).toBeNull();
  });
});

describe("paths and methods", () => {
  test("an empty segment is part of a path, except for an empty namespace", async () => {
    const { ask } = newServer({ controllers: [] });
    expect((await ask("GET", "/api/v1//pods")).code).toBe(404);
    expect((await ask("GET", "/api/v1/namespaces//pods")).body.kind).toBe("PodList");
    expect((await ask("GET", `${core}/pods/`)).body.kind).toBe("PodList");
  });

  test("routes accept only GET, and other pages accept any method", async () => {
    const { ask } = newServer({ controllers: [] });
    const notAllowed = refused(
      405,
      "MethodNotAllowed",
      "the server does not allow this method on the requested resource",
    );
    for (const path of ["/version", "/api", "/api/v1", "/apis/apps/v1", "/openid/v1/jwks"]) {
      const headers = { accept: "*/*" };
      expect([path, refusal(await ask("POST", path, { headers }))]).toEqual([path, notAllowed]);
    }
    for (const path of ["/", "/apis", "/apis/apps", "/healthz", "/livez/etcd", "/metrics"]) {
      expect([path, (await ask("POST", path)).code]).toEqual([path, 200]);
    }
    expect(refusal(await ask("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews/x"))).toMatchObject({
      status: 404,
    });
  });

  test("an invalid timeout is refused for every request, except for long-running ones", async () => {
    const { ask } = newServer({ controllers: [] });
    const timeoutError = 'invalid timeout specified in the request URL - time: invalid duration "soon"';
    for (const path of ["/version", `${core}/pods`]) {
      const answer = refusal(await ask("GET", `${path}?timeout=soon`, { token: null }));
      expect([path, answer]).toEqual([path, refused(400, "BadRequest", timeoutError)]);
    }
    for (const timeout of ["0s", "3m", "10ms"]) {
      expect([timeout, (await ask("GET", `${core}/pods?timeout=${timeout}`)).code]).toEqual([timeout, 200]);
    }
    expect((await ask("GET", `${core}/pods?watch=1&timeout=soon`)).code).toBe(200);
    expect((await ask("GET", `${core}/pods/none/log?timeout=soon`)).code).toBe(404);
  });

  test("the issuer's keys have their own media type", async () => {
    const { ask } = newServer({ controllers: [] });
    expect(refusal(await ask("GET", "/openid/v1/jwks", { headers: { accept: "application/json" } }))).toEqual(
      refused(406, "NotAcceptable", "406: Not Acceptable\n\nAvailable representations: application/jwk-set+json"),
    );
  });

  test("health checks that cannot be excluded are named", async () => {
    const { ask } = newServer({ controllers: [] });
    const { text } = await ask("GET", "/readyz?verbose&exclude=etcd&exclude=nope");
    expect(text).toContain("[+]etcd excluded: ok\n");
    expect(text).toContain('warn: some health checks cannot be excluded: no matches for "nope"\n');
    expect((await ask("GET", "/healthz/")).code).toBe(404);
  });
});
