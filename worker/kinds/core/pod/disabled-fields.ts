// Drops the fields of pods behind disabled feature gates, unless the previous object had them.
import type { Features } from "../../../../shared/k8s/settings/feature-gates.ts";
import type { Container, EphemeralContainer, PodSpec, PodTemplateSpec } from "../../../../shared/k8s/api/core-v1.ts";

export function dropDisabledFields(spec: PodSpec, previous: PodSpec | undefined, { HostnameOverride }: Features): void {
  if (!HostnameOverride && previous?.hostnameOverride === undefined) delete spec.hostnameOverride;
  if (!previous?.schedulingGroup) delete spec.schedulingGroup;
  if (!previous || !trustBundles(previous).some(Boolean)) {
    for (const volume of spec.volumes ?? []) {
      for (const source of volume.projected?.sources ?? []) delete source.clusterTrustBundle;
    }
  }
  if (previous && allContainers(previous).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined)) return;
  for (const container of allContainers(spec)) {
    if (container.lifecycle?.stopSignal === undefined) continue;
    delete container.lifecycle.stopSignal;
    if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
  }
}

export function dropDisabledOfTemplate(
  template: PodTemplateSpec | undefined,
  previous: PodTemplateSpec | undefined,
  features: Features,
): void {
  if (template) dropDisabledFields(template.spec, previous?.spec, features);
}

function trustBundles({ volumes = [] }: PodSpec) {
  return volumes.flatMap(({ projected }) => (projected?.sources ?? []).map((source) => source.clusterTrustBundle));
}

function allContainers(spec: PodSpec): (Container | EphemeralContainer)[] {
  return [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
}
