// The reasons why Services, Ingresses, claims and namespaces wait, and any other object, by its conditions and events.
import type { Namespace, PersistentVolumeClaim, Service } from "../../../../../shared/k8s/api/core-v1.ts";
import type { EndpointSlice } from "../../../../../shared/k8s/api/discovery-v1.ts";
import type { Ingress } from "../../../../../shared/k8s/api/networking-v1.ts";
import type { Reason } from "../../../../../shared/contract/cluster/past.ts";
import type { KubeObject } from "../../../../../shared/k8s/meta.ts";
import { selectorFromSet } from "../../../../../shared/k8s/selectors/labels.ts";
import { pods } from "../../../../kinds/core/pod/pod.ts";
import { services } from "../../../../kinds/core/service/service.ts";
import { endpointSlices } from "../../../../kinds/discovery/endpoint-slice.ts";
import { ingressClasses } from "../../../../kinds/networking/ingress-class.ts";
import { storageClasses } from "../../../../kinds/storage/storage-class.ts";
import { type Condition, type Explain, textOf, troublesOf, warningsOf } from "./context.ts";

export const whyService: Explain<Service> = (object, context) => {
  const { spec, metadata } = object;
  const { namespace = "", name = "" } = metadata;
  if (spec.type === "ExternalName") return { state: "fine", because: `it is another name of ${spec.externalName}` };
  const slices = context.client
    .list<EndpointSlice>(endpointSlices, { namespace })
    .filter(({ metadata: { labels = {} } }) => labels["kubernetes.io/service-name"] === name);
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
  const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false).length;
  const see = `kubectl get endpointslices -n ${namespace} -l kubernetes.io/service-name=${name}`;
  if (ready > 0) return { state: "fine", because: `${ready} of ${endpoints.length} endpoints are ready`, see };
  const selector = spec.selector ?? {};
  if (Object.keys(selector).length === 0)
    return { state: "waits", because: "it has no selector, and nobody has written endpoints for it", see };
  const labels = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const matching = context.client.list(pods, { namespace, labels: selectorFromSet(selector) });
  if (matching.length === 0)
    return {
      state: "fails",
      because: `it has no endpoints: no pod in ${namespace} has the labels ${labels}`,
      see: `kubectl get pods -n ${namespace} --show-labels`,
    };
  const reasons = troublesOf(context, pods, matching);
  return {
    state: "waits",
    because: `it has no ready endpoint: none of its ${matching.length} pods is ready`,
    see,
    reasons,
  };
};

export const whyIngress: Explain<Ingress> = (object, context) => {
  const { spec, metadata, status } = object;
  const namespace = metadata.namespace ?? "";
  const named = [
    spec.defaultBackend?.service?.name,
    ...(spec.rules ?? []).flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend.service?.name)),
  ];
  const reasons: Reason[] = [];
  const className = spec.ingressClassName;
  if (!className || !context.client.get(ingressClasses, "", className)) {
    const because = className
      ? `there is no ingress class ${className}`
      : "it names no ingress class, and none is the default";
    reasons.push({ what: "ingress class", state: "fails", because, see: "kubectl get ingressclasses" });
  }
  for (const name of new Set(named.filter((name) => name !== undefined))) {
    const service = context.client.get(services, namespace, name);
    const missing: Reason = {
      what: `Service ${namespace}/${name}`,
      state: "fails",
      because: "it does not exist",
      see: `kubectl get services -n ${namespace}`,
    };
    const reason = service ? context.of(services, service) : missing;
    if (reason.state !== "fine") reasons.push(reason);
  }
  if (reasons.length > 0)
    return {
      state: reasons.some(({ state }) => state === "fails") ? "fails" : "waits",
      because: "not all that it names can serve",
      reasons,
    };
  const isServed = (status?.loadBalancer?.ingress ?? []).length > 0;
  return isServed
    ? { state: "fine", because: "it has an address, and its Services have ready endpoints" }
    : { state: "waits", because: "no ingress controller has given it an address" };
};

export const whyClaim: Explain<PersistentVolumeClaim> = (object, context) => {
  const { spec, status, metadata } = object;
  if (status.phase === "Bound") return { state: "fine", because: `it is bound to ${spec.volumeName}` };
  const reasons = warningsOf(context, object);
  const className = spec.storageClassName;
  const storageClass = className ? context.client.get(storageClasses, "", className) : undefined;
  if (spec.volumeName)
    return {
      state: "waits",
      because: `it waits for the volume ${spec.volumeName}`,
      see: `kubectl get pv ${spec.volumeName}`,
      reasons,
    };
  if (className && !storageClass)
    return {
      state: "fails",
      because: `there is no storage class ${className}`,
      see: "kubectl get storageclasses",
      reasons,
    };
  if (storageClass?.volumeBindingMode === "WaitForFirstConsumer") {
    const users = context.client
      .list(pods, { namespace: metadata.namespace })
      .filter(({ spec: of }) =>
        (of.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === metadata.name),
      );
    if (users.length === 0)
      return {
        state: "waits",
        because: "it is provisioned when a pod that uses it is scheduled, and none does",
        reasons,
      };
    const waiting = troublesOf(context, pods, users);
    return {
      state: "waits",
      because: `it waits for its pod to be scheduled`,
      reasons: [...reasons, ...waiting],
    };
  }
  const because = className ? `no volume was provisioned for it yet` : "no volume without a class fits it";
  return { state: reasons.length > 0 ? "fails" : "waits", because: reasons[0]?.because ?? because, reasons };
};

export const whyNamespace: Explain<Namespace> = ({ status, metadata }) => {
  if (status.phase !== "Terminating") return { state: "fine", because: "it is active" };
  const conditions: readonly Condition[] = status.conditions ?? [];
  const failingConditions = conditions.filter(
    (condition) => condition.status === "True" && condition.type !== "NamespaceDeletionDiscoveryFailure",
  );
  const reasons = failingConditions.map(
    (condition): Reason => ({ what: `condition ${condition.type}`, state: "waits", because: textOf(condition) }),
  );
  const see = `kubectl api-resources --namespaced --verbs=list -o name | xargs -n1 kubectl get --ignore-not-found --show-kind -n ${metadata.name}`;
  const finalizers = reasons.find(({ what }) => what === "condition NamespaceFinalizersRemaining") ?? reasons[0];
  return { state: "waits", because: `it is being deleted${finalizers ? `: ${finalizers.because}` : ""}`, see, reasons };
};

/** Any object: by its conditions that say that something is wrong, and by its warnings. */
export const whyObject: Explain = (object, context) => {
  const { status } = object as KubeObject & { readonly status?: unknown };
  const listed =
    typeof status === "object" && status !== null && "conditions" in status ? status.conditions : undefined;
  const conditions = (Array.isArray(listed) ? listed : []).filter(isCondition);
  const bad = conditions.filter((condition) => condition.status !== (isBadIfTrue(condition.type) ? "False" : "True"));
  const reasons = [
    ...bad.map(
      (condition): Reason => ({
        what: `condition ${condition.type}`,
        state: condition.status === "Unknown" ? "waits" : "fails",
        because: textOf(condition),
      }),
    ),
    ...warningsOf(context, object),
  ];
  const [first] = reasons;
  if (first) return { state: first.state, because: `${first.what}: ${first.because}`, reasons };
  return {
    state: "fine",
    because: conditions.length > 0 ? "its conditions are as they should be" : "nothing says that it waits for anything",
  };
};

function isBadIfTrue(type: string): boolean {
  return /Pressure$|Failed$|Failure$|Unavailable$|Degraded$|Stalled$|Terminating$|^Disrupted/.test(type);
}

function isCondition(value: unknown): value is Condition {
  if (typeof value !== "object" || value === null || !("type" in value) || !("status" in value)) return false;
  return typeof value.type === "string" && typeof value.status === "string";
}

/** Returns what keeps an object that is being deleted; undefined if it is not. */
export function whyDeleted({ metadata }: KubeObject): Pick<Reason, "state" | "because"> | undefined {
  if (!metadata.deletionTimestamp) return undefined;
  const finalizers = metadata.finalizers ?? [];
  if (finalizers.length > 0)
    return {
      state: "waits",
      because: `it is being deleted, and stays until its finalizers are taken away: ${finalizers.join(", ")}`,
    };
  return { state: "waits", because: `it is being deleted, at the latest at ${metadata.deletionTimestamp}` };
}
