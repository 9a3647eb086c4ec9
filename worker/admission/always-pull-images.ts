// AlwaysPullImages (off by default): forces the pull policy Always, so that only users with access to an image can use it.
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { writtenObject } from "./common/handled.ts";

export const alwaysPullImages: AdmissionPlugin = {
  name: "AlwaysPullImages",
  mutate(request) {
    const write = writtenObject(pods, request, "CREATE", "UPDATE");
    if (!write || (write.previous && !bringsImages(write.object, write.previous))) return;
    for (const container of containersOf(write.object)) container.imagePullPolicy = "Always";
    for (const { image } of write.object.spec.volumes ?? []) if (image) image.pullPolicy = "Always";
  },
};

function bringsImages(next: Pod, previous: Pod): boolean {
  const previousImages = new Set(containersOf(previous).map(({ image }) => image));
  return containersOf(next).some(({ image }) => !previousImages.has(image));
}

function containersOf({ spec }: Pod): Pick<Container, "image" | "imagePullPolicy">[] {
  return [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
}
