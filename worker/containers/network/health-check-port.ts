// kube-proxy's answer at a Service's `healthCheckNodePort`: the number of endpoints on the node, for load balancers.
import type { ServicePort, Service } from "../../../shared/k8s/api/core-v1.ts";
import type { ServerAnswer } from "../../../shared/k8s/port-request.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { backendsOf } from "./backends.ts";

export function healthCheckAnswer(
  client: ReconcileContext["client"],
  service: Service,
  node: string,
  atMs: number,
): ServerAnswer {
  const { namespace = "", name = "" } = service.metadata;
  const backendsAt = (port: ServicePort) => backendsOf(client, service, port);
  const here = (service.spec.ports ?? [])
    .flatMap(backendsAt)
    .filter((backend) => backend.node === node && backend.sinceMs <= atMs)
    .map((backend) => backend.address);
  const count = new Set(here).size;
  const report = { service: { namespace, name }, localEndpoints: count, serviceProxyHealthy: true };
  return {
    status: count > 0 ? 200 : 503,
    contentType: "application/json",
    headers: [["X-Load-Balancing-Endpoint-Weight", String(count)]],
    body: JSON.stringify(report, null, "\t"),
  };
}
