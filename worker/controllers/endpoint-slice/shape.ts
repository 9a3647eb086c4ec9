// The metadata of EndpointSlices: labels, owner, and whether a slice belongs to this controller.
import type { Service } from "../../../shared/k8s/api/core-v1.ts";
import type { EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { services } from "../../kinds/core/service/service.ts";
import { newControllerRef } from "../common/controller-ref.ts";
import type { AddressType } from "../common/endpoints/endpoint-of-pod.ts";
import { isHeadless } from "../common/endpoints/service-pods.ts";

const controllerName = "endpointslice-controller.k8s.io";
const labels = {
  managedBy: "endpointslice.kubernetes.io/managed-by",
  serviceName: "kubernetes.io/service-name",
  headless: "service.kubernetes.io/headless",
} as const;
const reservedLabels: ReadonlySet<string> = new Set(Object.values(labels));

/** Returns the labels by which the slices of a Service are found. */
export function sliceLabelsOf(serviceName: string): Record<string, string> {
  return { [labels.serviceName]: serviceName, [labels.managedBy]: controllerName };
}

/** Returns the name of the Service of a slice of this controller. */
export function serviceNameOf(slice: EndpointSlice): string | undefined {
  return isOurs(slice) ? slice.metadata.labels?.[labels.serviceName] : undefined;
}

export function newSlice(service: Service, addressType: AddressType): Draft<EndpointSlice> {
  const { namespace = "", name = "" } = service.metadata;
  return {
    metadata: {
      namespace,
      generateName: `${name}-`,
      labels: labelsFor(service),
      ownerReferences: [newControllerRef(service, services)],
    },
    addressType,
  };
}

export function labelsFor(service: Service): Record<string, string> {
  return {
    ...ownLabels(service.metadata.labels),
    ...(isHeadless(service) ? { [labels.headless]: "" } : {}),
    [labels.serviceName]: service.metadata.name ?? "",
    [labels.managedBy]: controllerName,
  };
}

/** Compares the labels other than the reserved ones, whose changes alone cause no write, as upstream. */
export function sameOwnLabels(slice: EndpointSlice, desiredLabels: Record<string, string>): boolean {
  return semanticEqual(ownLabels(slice.metadata.labels), ownLabels(desiredLabels));
}

function ownLabels(all: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => !reservedLabels.has(key)));
}

export function sameLabels(a: EndpointSlice, b: EndpointSlice): boolean {
  return semanticEqual(a.metadata.labels, b.metadata.labels);
}

function isOurs({ metadata }: EndpointSlice): boolean {
  return metadata.labels?.[labels.managedBy] === controllerName;
}

export function isOwnedBy({ metadata }: EndpointSlice, service: Service): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ uid, kind, apiVersion }) => uid === service.metadata.uid && kind === "Service" && apiVersion === "v1",
  );
}

export function addressTypes({ spec }: Service): AddressType[] {
  return (spec.ipFamilies ?? ["IPv4"]).filter((family) => family === "IPv4" || family === "IPv6");
}
