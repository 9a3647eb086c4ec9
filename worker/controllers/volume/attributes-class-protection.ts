// The protection of volume attributes classes: a deleted class stays while a volume or a claim uses it.
import type { PersistentVolume, PersistentVolumeClaim } from "../../../shared/k8s/api/core-v1.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../kinds/core/persistent-volume/persistent-volume.ts";
import { volumeAttributesClasses } from "../../kinds/storage/volume-attributes-class.ts";
import type { Client } from "../../registry/client.ts";
import { type Request, defineController, self, watch } from "../../runtime/controller.ts";
import { isDeletionCandidate, needToAddFinalizer, withFinalizer, withoutFinalizer } from "../common/finalizers.ts";

const classFinalizer = "kubernetes.io/vac-protection";

export const attributesClassProtection = defineController({
  name: "vac-protection-controller",
  user: "system:serviceaccount:kube-system:volumeattributesclass-protection-controller",
  component: "vac-protection-controller",
  watches: [
    self(volumeAttributesClasses, (next) => next !== undefined),
    watch<PersistentVolume>(persistentVolumes, function* (next, previous): Generator<Request> {
      for (const name of removedClasses(next && classesOfVolume(next), previous && classesOfVolume(previous))) {
        yield { namespace: "", name };
      }
    }),
    watch<PersistentVolumeClaim>(persistentVolumeClaims, function* (next, previous): Generator<Request> {
      for (const name of removedClasses(next && classesOfClaim(next), previous && classesOfClaim(previous))) {
        yield { namespace: "", name };
      }
    }),
  ],
  reconcile({ name }, { client }) {
    const attributesClass = client.get(volumeAttributesClasses, "", name);
    if (!attributesClass) return undefined;
    const { metadata } = attributesClass;
    if (needToAddFinalizer(attributesClass, classFinalizer)) {
      client.update(volumeAttributesClasses, { ...attributesClass, metadata: withFinalizer(metadata, classFinalizer) });
    } else if (isDeletionCandidate(attributesClass, classFinalizer) && !isUsed(name, client)) {
      client.update(volumeAttributesClasses, {
        ...attributesClass,
        metadata: withoutFinalizer(metadata, classFinalizer),
      });
    }
    return undefined;
  },
});

function removedClasses(next: readonly string[] = [], previous: readonly string[] = []): readonly string[] {
  return previous.filter((className) => !next.includes(className));
}

function classesOfVolume({ spec }: PersistentVolume): string[] {
  return spec.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];
}

/** Returns the requested, current and target classes of a claim. */
function classesOfClaim({ spec, status }: PersistentVolumeClaim): string[] {
  const target = status.modifyVolumeStatus?.targetVolumeAttributesClassName;
  const all = [spec.volumeAttributesClassName, status.currentVolumeAttributesClassName, target];
  return [...new Set(all.flatMap((className) => className || []))];
}

function isUsed(name: string, client: Client): boolean {
  return (
    client.list(persistentVolumes).some((volume) => classesOfVolume(volume).includes(name)) ||
    client.list(persistentVolumeClaims).some((claim) => classesOfClaim(claim).includes(name))
  );
}
