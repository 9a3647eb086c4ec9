// Builds the allocation in the status of a claim: devices, their configuration, and where they can be used.
import type { NodeSelector, NodeSelectorRequirement } from "../../../../shared/k8s/api/core-v1.ts";
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from "../../../../shared/k8s/api/resource-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import type { TakenDevice } from "./allocate.ts";
import { type ClassedRequest, resultName } from "./requests.ts";

/** Builds the allocation. `shareId` returns a new id for each share of a device. */
export function allocationResult(
  claim: ResourceClaim,
  taken: readonly TakenDevice[],
  nodeName: string,
  shareId: () => string,
): AllocationResult {
  const results = taken.map((takenDevice) => resultOf(takenDevice, shareId));
  const config = [...classConfigs(claim, taken), ...claimConfigs(claim, taken)];
  const nodeSelector = selectorOf(taken, nodeName);
  return {
    devices: { results, ...(config.length > 0 ? { config } : {}) },
    ...(nodeSelector ? { nodeSelector } : {}),
  };
}

function resultOf(
  { request, driver, pool, device, consumed }: TakenDevice,
  shareId: () => string,
): DeviceRequestAllocationResult {
  const { bindingConditions, bindingFailureConditions } = device;
  return {
    request: resultName(request),
    driver,
    pool,
    device: device.name,
    ...(request.isAdmin ? { adminAccess: true } : {}),
    ...(request.tolerations.length > 0 ? { tolerations: [...request.tolerations] } : {}),
    ...(bindingConditions ? { bindingConditions: [...bindingConditions] } : {}),
    ...(bindingFailureConditions ? { bindingFailureConditions: [...bindingFailureConditions] } : {}),
    ...(consumed ? { shareID: shareId() } : {}),
    ...(consumed && Object.keys(consumed).length > 0 ? { consumedCapacity: { ...consumed } } : {}),
  };
}

/** Returns the configuration of each class once, for all requests of the class. */
function classConfigs(claim: ResourceClaim, taken: readonly TakenDevice[]): DeviceAllocationConfiguration[] {
  const requests = chosenRequests(claim, taken);
  const names = [...new Set(requests.map(({ className }) => className))];
  return names.flatMap((name) => {
    const classRequests = requests.filter(({ className }) => className === name);
    return (classRequests[0]?.class.spec.config ?? []).map(
      (config): DeviceAllocationConfiguration => ({
        source: "FromClass",
        requests: classRequests.map(resultName),
        ...config,
      }),
    );
  });
}

function claimConfigs(claim: ResourceClaim, taken: readonly TakenDevice[]): DeviceAllocationConfiguration[] {
  const chosen = chosenRequests(claim, taken);
  return (claim.spec.devices.config ?? []).flatMap((config) => {
    const named = config.requests ?? [];
    const matching = chosen.filter(
      (chosenRequest) =>
        named.includes(chosenRequest.parent ?? chosenRequest.name) || named.includes(resultName(chosenRequest)),
    );
    const times = named.length === 0 ? 1 : matching.length;
    return Array.from({ length: times }, (): DeviceAllocationConfiguration => ({ source: "FromClaim", ...config }));
  });
}

/** Returns the chosen requests in the order of the claim's requests. */
function chosenRequests(claim: ResourceClaim, taken: readonly TakenDevice[]): readonly ClassedRequest[] {
  return claim.spec.devices.requests.flatMap(
    ({ name }) => taken.find(({ request }) => (request.parent ?? request.name) === name)?.request ?? [],
  );
}

/** Returns the node selector. One device that is bound to a node binds all of them. */
function selectorOf(taken: readonly TakenDevice[], nodeName: string): NodeSelector | undefined {
  const matchFields: NodeSelectorRequirement[] = [];
  const matchExpressions: NodeSelectorRequirement[] = [];
  for (const { slice, device } of taken) {
    const where = slice.spec.perDeviceNodeSelection ? device : slice.spec;
    if (where.nodeName !== undefined || device.bindsToNode) {
      return { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [nodeName] }] }] };
    }
    const term = where.nodeSelector?.nodeSelectorTerms[0];
    addNew(matchFields, term?.matchFields);
    addNew(matchExpressions, term?.matchExpressions);
  }
  if (matchFields.length + matchExpressions.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      {
        ...(matchExpressions.length > 0 ? { matchExpressions } : {}),
        ...(matchFields.length > 0 ? { matchFields } : {}),
      },
    ],
  };
}

function addNew(all: NodeSelectorRequirement[], more: readonly NodeSelectorRequirement[] = []): void {
  for (const term of more) {
    const isKnown = all.some(
      ({ key, operator, values = [] }) =>
        key === term.key &&
        operator === term.operator &&
        semanticEqual([...values].sort(), [...(term.values ?? [])].sort()),
    );
    if (!isKnown) all.push({ ...term });
  }
}
