// Finds APIServices whose server is not this API server. Built-in groups are always served here.
import type { APIService } from "../../../shared/k8s/api/apiregistration-v1.ts";
import type { OutboundCall } from "../../../shared/k8s/outbound-call.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Registry } from "../../registry/registry.ts";

const resource = "apiservices.apiregistration.k8s.io";
const defaultPort = 443;

/** Returns the APIService of a group version (`custom.metrics.k8s.io/v1beta1`), if another server serves it. */
export function remoteOf({ store, catalogue }: Registry, apiVersion: string): APIService | undefined {
  const [group = "", version] = apiVersion.split("/");
  if (version === undefined || catalogue.kinds.some((kind) => isBuiltIn(kind) && kind.apiVersion === apiVersion)) {
    return undefined;
  }
  // The store has APIServices under this name.
  const apiService = store.get({ resource, namespace: "", name: `${version}.${group}` }) as APIService | undefined;
  return apiService?.spec.service ? apiService : undefined;
}

export function* remotes({ store, catalogue }: Registry): Generator<APIService> {
  const builtIn = new Set(catalogue.kinds.filter(isBuiltIn).map(({ apiVersion }) => apiVersion));
  for (const object of store.list({ resource })) {
    const service = object as APIService;
    if (service.spec.service && !builtIn.has(apiVersionOf(service))) yield service;
  }
}

/** Reports whether a kind is built in. Kinds of CustomResourceDefinitions have no type. */
function isBuiltIn(kind: Kind): boolean {
  return kind.custom === undefined;
}

export function apiVersionOf({ spec: { group = "", version = "" } }: APIService): string {
  return `${group}/${version}`;
}

export function isAvailable({ status }: APIService): boolean {
  return status.conditions?.find(({ type }) => type === "Available")?.status === "True";
}

/** Returns the recipient of a request. `path` includes the query. */
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
