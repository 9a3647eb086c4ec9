// The variables by which containers find Services: how many there may be.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { serviceVariables } from "../../worker/containers/run/service-links.ts";
import { emptyView, type ServiceLink } from "../../worker/containers/run/world.ts";
import { container, podOf } from "../kubelet/pod-run.ts";

function link(name: string, ports: number): ServiceLink {
  const all = Array.from({ length: ports }, (_, at) => ({ name: `p${at}`, port: at + 1, protocol: "TCP" }));
  return { name, address: "10.96.0.9", sinceMs: 0, ports: all };
}

test("N1: a Service with thousands of ports has no variables, and the other Services have theirs", () => {
  const links = [link("wide", 10 * limits.serviceLinkPorts), link("web", 1)];
  const view = { ...emptyView, links: (namespace: string) => (namespace === "default" ? links : []) };
  const variables = serviceVariables(podOf({ containers: [container("busybox", {})] }), view, 1);
  expect(variables).toMatchObject({ WEB_SERVICE_HOST: "10.96.0.9", KUBERNETES_SERVICE_PORT: "443" });
  expect(Object.keys(variables).length).toBeLessThan(50);
});
