// The target of an outbound call, or the reason why it has none.
import { expect, test } from "vitest";
import type { Recipient } from "../../../shared/k8s/outbound-call.ts";
import { readsOf } from "../../../worker/registry/registry.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { routeOf } from "../../../worker/cluster/outside/route.ts";
import { newCluster } from "../../cluster.ts";

function fixture({ isLocal = false, tunnel = false, backend = "" } = {}) {
  const cluster = newCluster({ nodes: 0, controllers: [] });
  const annotations = backend ? { "sandbar.dev/backend": backend } : {};
  const spec = { ports: [{ port: 443 }] };
  cluster.apply(services, { metadata: { namespace: "default", name: "hook", annotations }, spec });
  const options = { reads: readsOf(cluster.registry), isLocal, hasTunnel: () => tunnel };
  return (to: Recipient) => routeOf(to, options);
}

const service = { namespace: "default", name: "hook", port: 443 };
const url = "https://hook.default.svc:443/p?timeout=5s";

test("a URL is called over https, and only if it is public or on the user's own machine", () => {
  const route = fixture();
  const at = { origin: "https://example.com:8443", path: "/x?y", serverName: "example.com" };
  expect(route({ url: "https://example.com:8443/x?y" })).toEqual(at);
  expect(route({ url: "http://example.com/" })).toEqual({ failure: "only https is called" });
  expect(route({ url: "https://u:p@example.com/" })).toHaveProperty("failure");
  expect(route({ url: "https://169.254.169.254/" })).toMatchObject({
    failure: expect.stringContaining("dial tcp 169.254.169.254: the address is not public"),
  });
  expect(fixture({ isLocal: true })({ url: "https://localhost:9443/" })).toHaveProperty("origin");
});

test("a Service is called at the address of its annotation, otherwise through its tunnel, otherwise not at all", () => {
  const path = "/p?timeout=5s";
  const backend = "https://hooks.example.com";
  const annotated = fixture({ backend, tunnel: true });
  expect(annotated({ url, service })).toEqual({ origin: backend, path, serverName: "hooks.example.com" });
  expect(annotated({ url, service, caBundle: "QQ==" })).toMatchObject({ serverName: "hook.default.svc" });
  expect(fixture({ backend: "https://10.0.0.1" })({ url, service })).toMatchObject({
    failure: expect.stringContaining("annotation sandbar.dev/backend of service hook: dial tcp 10.0.0.1"),
  });
  expect(fixture({ tunnel: true })({ url, service })).toEqual({
    tunnel: service,
    path,
    serverName: "hook.default.svc",
  });
  const route = fixture();
  expect(route({ url, service })).toEqual({ failure: 'no endpoints available for service "hook"' });
  expect(route({ url, service: { ...service, name: "x" } })).toEqual({ failure: 'service "x" not found' });
  const noPort = 'no service port 8443 found for service "hook"';
  expect(route({ url, service: { ...service, port: 8443 } })).toEqual({ failure: noPort });
});
