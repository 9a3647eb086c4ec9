// The APIServices whose server is elsewhere. What is built in is always served from here.
import type { APIService } from "../../../shared/k8s/api/apiregistration-v1.ts";
import type { OutboundCall } from "../../../shared/k8s/outbound-call.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Registry } from "../../registry/registry.ts";

const resource = "apiservices.apiregistration.k8s.io";
const defaultPort = 443;

/** Who answers for a version of a group (`custom.metrics.k8s.io/v1beta1`), if that is someone else. */
export function remoteOf({ store, catalogue }: Registry, apiVersion: string): APIService | undefined {
  const [group = "", version] = apiVersion.split("/");
  if (version === undefined || catalogue.kinds.some((kind) => isBuiltIn(kind) && kind.apiVersion === apiVersion)) {
    return undefined;
  }
  // The store keeps APIServices under this name.
  const found = store.get({ resource, namespace: "", name: `${version}.${group}` }) as APIService | undefined;
  return found?.spec.service ? found : undefined;
}

export function* remotes({ store, catalogue }: Registry): Generator<APIService> {
  const builtIn = new Set(catalogue.kinds.filter(isBuiltIn).map(({ apiVersion }) => apiVersion));
  for (const one of store.list({ resource })) {
    const service = one as APIService;
    if (service.spec.service && !builtIn.has(apiVersionOf(service))) yield service;
  }
}

/** Definitions bring kinds without a type. */
function isBuiltIn(kind: Kind): boolean {
  return kind.custom === undefined;
}

export function apiVersionOf({ spec: { group = "", version = "" } }: APIService): string {
  return `${group}/${version}`;
}

export function isAvailable({ status }: APIService): boolean {
  return status.conditions?.find(({ type }) => type === "Available")?.status === "True";
}

/** `path` with its query. */
export function recipientOf({ spec }: APIService, path: string): OutboundCall["to"] {
  const { namespace = "", name = "", port = defaultPort } = spec.service ?? {};
  return {
    url: `https://${name}.${namespace}.svc:${port}${path}`,
    service: { namespace, name, port },
    caBundle: spec.caBundle,
    insecure: spec.insecureSkipTLSVerify,
    isAggregated: true,
  };
}
