// What kube-proxy answers at a Service's `healthCheckNodePort`: how many of its endpoints are on that node, for load balancers.
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
  const found = (port: ServicePort) => backendsOf(client, service, port);
  const here = (service.spec.ports ?? [])
    .flatMap(found)
    .filter((one) => one.node === node && one.sinceMs <= atMs)
    .map((one) => one.address);
  const count = new Set(here).size;
  const told = { service: { namespace, name }, localEndpoints: count, serviceProxyHealthy: true };
  return {
    status: count > 0 ? 200 : 503,
    contentType: "application/json",
    headers: [["X-Load-Balancing-Endpoint-Weight", String(count)]],
    body: JSON.stringify(told, null, "\t"),
  };
}
