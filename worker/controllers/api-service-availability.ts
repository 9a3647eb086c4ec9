// Sets the condition Available of APIServices (upstream: AvailableConditionController). After a success, the server is checked again only
// if its Service changes, its tunnel opens or closes, or a request to it fails. Without such events there are no calls.
import type { APIService, APIServiceCondition } from "../../shared/k8s/api/apiregistration-v1.ts";
import type { Service } from "../../shared/k8s/api/core-v1.ts";
import type { EndpointSlice } from "../../shared/k8s/api/discovery-v1.ts";
import { groupVersion } from "../../shared/k8s/meta.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import { apiServices } from "../kinds/apiregistration/api-service.ts";
import { endpointSlices } from "../kinds/discovery/endpoint-slice.ts";
import { services } from "../kinds/core/service/service.ts";
import type { Client } from "../registry/client.ts";
import { defineController, type ReconcileContext, requestOf, self, watch } from "../runtime/controller.ts";

type Finding = Pick<APIServiceCondition, "status" | "reason" | "message">;

const timeoutMs = 5000;
const passed: Finding = { status: "True", reason: "Passed", message: "all checks passed" };
const local: Finding = { status: "True", reason: "Local", message: "Local APIServices are always available" };

export const availabilityController = defineController({
  name: "available-condition-controller",
  user: "system:apiserver",
  component: "available-condition-controller",
  watches: [
    self(apiServices, (next) => next !== undefined),
    watch(services, (next, previous, client) => behind(client, next ?? previous)),
    watch(endpointSlices, (next, previous, client) => {
      const slice = next ?? previous;
      const name = slice?.metadata.labels?.["kubernetes.io/service-name"];
      return behind(client, name ? { metadata: { ...slice?.metadata, name } } : undefined);
    }),
  ],
  reconcile({ name }, context) {
    const apiService = context.client.get(apiServices, "", name);
    if (!apiService) return undefined;
    const finding = apiService.spec.service ? remote(apiService, context) : local;
    setAvailable(apiService, finding, context);
    // The error makes the request retry with backoff.
    if (finding.reason === "FailedDiscoveryCheck") throw ApiError.internal(finding.message ?? "");
    return undefined;
  },
});

/** Requests the APIServices whose server is behind a Service. */
function* behind(client: Client, service: Pick<Service, "metadata"> | undefined) {
  if (!service) return;
  const { namespace = "", name = "" } = service.metadata;
  for (const apiService of client.byIndexValue(apiServices, `${namespace}/${name}`)) yield requestOf(apiService);
}

function remote(apiService: APIService, { client, ask }: ReconcileContext): Finding {
  const { namespace = "", name = "", port = 443 } = apiService.spec.service ?? {};
  const where = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = client.get(services, namespace, name);
  if (!service) return unavailable("ServiceNotFound", `${where} is not present`);
  const isClusterIp = service.spec.type === "ClusterIP";
  const listening = service.spec.ports?.find((servicePort) => servicePort.port === port);
  if (isClusterIp && !listening) return unavailable("ServicePortError", `${where} is not listening on port ${port}`);
  const call = checkOf(apiService, service, port);
  const [answer] = ask([call]);
  const failure = failureOf(call, answer);
  if (failure === undefined) return passed;
  // A server outside of the cluster needs no endpoints. If there is no such server, missing endpoints are the reason.
  const missing = isClusterIp ? endpointsMissing(client, where, { namespace, name }, listening?.name ?? "") : undefined;
  return missing ?? unavailable("FailedDiscoveryCheck", failure);
}

function checkOf({ metadata, spec }: APIService, { spec: { clusterIP = "" } }: Service, port: number): OutboundCall {
  const path = metadata.name === "v1." ? "/api/v1" : `/apis/${groupVersion(spec.group ?? "", spec.version ?? "")}`;
  const { namespace = "", name = "" } = spec.service ?? {};
  const { caBundle, insecureSkipTLSVerify: insecure } = spec;
  return {
    to: {
      url: `https://${clusterIP}:${port}${path}`,
      service: { namespace, name, port },
      caBundle,
      insecure,
      isAggregated: true,
    },
    method: "GET",
    headers: [
      ["X-Remote-User", "system:kube-aggregator"],
      ["X-Remote-Group", "system:masters"],
    ],
    body: "",
    timeoutMs,
  };
}

function failureOf({ to: { url } }: OutboundCall, answer: OutboundAnswer | undefined): string | undefined {
  const why = (text: string) => `failing or missing response from ${url}: ${text}`;
  if (!answer?.ok) return why(answer?.message ?? "");
  return answer.status >= 200 && answer.status < 300 ? undefined : why(`bad status from ${url}: ${answer.status}`);
}

function endpointsMissing(
  client: Client,
  where: string,
  { namespace, name }: { namespace: string; name: string },
  portName: string,
): Finding | undefined {
  const slices = client
    .list(endpointSlices, { namespace })
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name);
  if (slices.length === 0) return unavailable("EndpointsNotFound", `cannot find endpointslices for ${where}`);
  if (slices.some((slice) => isReady(slice, portName))) return undefined;
  const why = `have no addresses with port name ${JSON.stringify(portName)}`;
  return unavailable("MissingEndpoints", `endpointslices for ${where} ${why}`);
}

function isReady({ endpoints = [], ports = [] }: EndpointSlice, portName: string): boolean {
  return (
    endpoints.some(({ conditions }) => conditions.ready !== false) &&
    ports.some(({ name, port }) => (name ?? "") === portName && port !== undefined)
  );
}

function unavailable(reason: string, message: string): Finding {
  return { status: "False", reason, message };
}

function setAvailable(apiService: APIService, finding: Finding, { client, nowMs }: ReconcileContext): void {
  const conditions = apiService.status.conditions ?? [];
  const old = conditions.find(({ type }) => type === "Available");
  const isSame = old?.status === finding.status && old.reason === finding.reason && old.message === finding.message;
  if (isSame) return;
  const lastTransitionTime = old?.status === finding.status ? old.lastTransitionTime : rfc3339(nowMs);
  const next: APIServiceCondition = { type: "Available", ...finding, lastTransitionTime };
  const nextConditions = old
    ? conditions.map((condition) => (condition === old ? next : condition))
    : [...conditions, next];
  client.updateStatus(apiServices, { ...apiService, status: { ...apiService.status, conditions: nextConditions } });
}
