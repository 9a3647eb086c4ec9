// The endpoint slice mirroring controller: Endpoints that users write for Services without a selector appear as slices too.
import type { Endpoints, Service } from "../../shared/k8s/api/core-v1.ts";
import type { EndpointSlice } from "../../shared/k8s/api/discovery-v1.ts";
import { selectorFromSet } from "../../shared/k8s/labels.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { endpointSlices } from "../kinds/discovery/endpoint-slice.ts";
import { endpoints as endpointsKind } from "../kinds/core/endpoints.ts";
import { services } from "../kinds/core/service/service.ts";
import { type ReconcileContext, type Request, defineController, self, watch } from "../runtime/controller.ts";
import { portsKey } from "./parts/endpoint-of-pod.ts";
import {
  isMirrored,
  managedByLabel,
  maxPerSubset,
  mirrorSlice,
  mirroringName,
  mirrorsOf,
  serviceNameLabel,
} from "./parts/mirrored-slices.ts";
import { isNamespaceTerminating } from "./parts/namespace-terminating.ts";

export const endpointSliceMirroring = defineController({
  name: "endpointslicemirroring-controller",
  component: "endpoint-slice-mirroring-controller",
  watches: [
    self(endpointsKind),
    self<Service>(services, (next, previous) => !next || !previous || isSelecting(next) !== isSelecting(previous)),
    watch<EndpointSlice>(endpointSlices, function* (next, previous): Generator<Request> {
      for (const slice of [next, previous]) {
        const { labels, namespace = "" } = slice?.metadata ?? {};
        if (labels?.[managedByLabel] !== mirroringName) continue;
        yield { namespace, name: labels[serviceNameLabel] ?? "" };
      }
    }),
  ],
  reconcile({ namespace, name }, context) {
    const labels = selectorFromSet({ [serviceNameLabel]: name, [managedByLabel]: mirroringName });
    const existing = context.client.list(endpointSlices, { namespace, labels });
    const endpoints = context.client.get(endpointsKind, namespace, name);
    const service = context.client.get(services, namespace, name);
    if (endpoints && service && !isSelecting(service) && isMirrored(endpoints)) write(endpoints, existing, context);
    else for (const slice of existing) remove(slice, context);
    return undefined;
  },
});

function isSelecting({ spec }: Service): boolean {
  return spec.selector !== undefined;
}

function write(endpoints: Endpoints, existing: readonly EndpointSlice[], context: ReconcileContext): void {
  const { mirrors, skipped } = mirrorsOf(endpoints);
  if (skipped > 0) {
    const message = `A max of ${maxPerSubset} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
    context.event(endpoints, "Warning", "TooManyAddressesToMirror", message);
  }
  const left = new Set(existing);
  const take = (matches: (slice: EndpointSlice) => boolean) => {
    const found = [...left].find(matches);
    if (found) left.delete(found);
    return found;
  };
  const kept = mirrors.map((mirror) => ({
    mirror,
    slice: take(({ addressType, ports }) => `${addressType}-${portsKey(ports)}` === mirror.key),
  }));
  for (const { mirror, slice } of kept) {
    // What would be deleted takes the place of what would be made: one write instead of two.
    const place = slice ?? take(({ addressType }) => addressType === mirror.addressType);
    const draft = mirrorSlice(endpoints, mirror, place);
    if (place) context.client.update(endpointSlices, draft);
    else if (!endpoints.metadata.deletionTimestamp) create(draft, context);
  }
  for (const slice of left) remove(slice, context);
}

function create(draft: ReturnType<typeof mirrorSlice>, { client }: ReconcileContext): void {
  try {
    client.create(endpointSlices, draft);
  } catch (error) {
    if (!(error instanceof ApiError && isNamespaceTerminating(error))) throw error;
  }
}

function remove({ metadata }: EndpointSlice, { client }: ReconcileContext): void {
  client.tryDelete(endpointSlices, metadata.namespace ?? "", metadata.name ?? "");
}
