// The kind Pod.
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import { path } from "../../../../shared/k8s/field.ts";
import { dns1123Label, dns1123Subdomain, unprefixed } from "../../../../shared/k8s/names.ts";
import { type Kind, defineKind } from "../../kind.ts";
import { getWarningsForIp } from "../../common/ip-validation.ts";
import { binding } from "./binding.ts";
import { dropDisabledFields } from "./disabled-fields.ts";
import { eviction } from "./eviction.ts";
import { podColumns, podColumnsBefore135 } from "./printers.ts";
import { defaultPod } from "./defaults.ts";
import {
  checkGracefulDelete,
  prepareEphemeralContainers,
  preparePodForCreate,
  preparePodResize,
  preparePodStatus,
} from "./strategy.ts";
import { validatePodCreate, validatePodMetadataAndSpec } from "./validation/pod.ts";
import { validatePodStatusUpdate } from "./validation/status.ts";
import { validateEphemeralContainersUpdate, validatePodUpdate } from "./validation/update.ts";
import { validatePodResize } from "./validation/resize.ts";
import { warningsForPodSpecAndMeta } from "./warnings.ts";

/** The index value of pods without a node. It is not a valid node name. */
export const noNode = "(none)";

export const pods: Kind<Pod> = defineKind<Pod>("", "v1", "pods", {
  defaults: defaultPod,
  validateName: unprefixed(dns1123Subdomain),
  // A QoS class in the status is kept.
  keepsStatusOnCreate: true,
  prepareForCreate: preparePodForCreate,
  prepareForUpdate: (draft, previous, { features }) => dropDisabledFields(draft.spec, previous.spec, features),
  validate: (pod) => [...validatePodMetadataAndSpec(pod), ...validatePodCreate(pod)],
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...check.objectMeta(),
    ...validatePodMetadataAndSpec(next),
    ...validatePodUpdate(next, previous),
  ],
  // Updates are mostly made by programs, so they return no warnings.
  warnings: (pod, previous) =>
    previous ? [] : [...nameWarnings(pod), ...warningsForPodSpecAndMeta(pod.spec, pod.metadata)],
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  deletion: { gracePeriodSeconds: checkGracefulDelete, returnsObject: true },
  actions: { binding, eviction },
  resetFields: { status: ["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"] },
  subresourceStrategies: {
    status: { prepareForUpdate: preparePodStatus, validateUpdate: validatePodStatusUpdate },
    ephemeralcontainers: {
      prepareForUpdate: prepareEphemeralContainers,
      validateUpdate: validateEphemeralContainersUpdate,
    },
    resize: { prepareForUpdate: preparePodResize, validateUpdate: validatePodResize },
  },
  selectableFields: ({ spec, status }) => ({
    "spec.nodeName": spec.nodeName ?? "",
    "spec.host": spec.nodeName ?? "",
    "spec.restartPolicy": spec.restartPolicy ?? "",
    "spec.schedulerName": spec.schedulerName ?? "",
    "spec.serviceAccountName": spec.serviceAccountName ?? "",
    "spec.hostNetwork": String(spec.hostNetwork ?? false),
    "status.phase": status.phase ?? "",
    "status.podIP": status.podIPs?.[0]?.ip ?? "",
    // Upstream accepts this field but never sets it.
    "status.podIPs": "",
    "status.nominatedNodeName": status.nominatedNodeName ?? "",
  }),
  indexValue: ({ spec }) => spec.nodeName || noNode,
  columns: podColumns,
  inRelease: ({ minor }) => (minor < 35 ? { columns: podColumnsBefore135 } : {}),
});

function nameWarnings({ metadata, spec }: Pod): string[] {
  const wrong = dns1123Label(metadata.name ?? "");
  const advice =
    "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  return [
    ...(wrong.length ? [`metadata.name: ${advice}: [${wrong.join(" ")}]`] : []),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, index) =>
      getWarningsForIp(ip, path("spec", "hostAliases").index(index).child("ip")),
    ),
  ];
}
