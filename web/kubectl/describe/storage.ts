// Descriptions of volumes, claims and storage classes.
import { formatLabels } from "../../../shared/k8s/selectors/labels.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { at, listAt, metadataOf, nameOf, namespaceOf, objectAt, stringAt, stringsAt, textOf } from "../object.ts";
import { amount } from "./amount.ts";
import { accessModes, describeClaim, statusText, usedBy } from "./claim.ts";
import { type Describer, describeEvents, listAll } from "./describer.ts";
import { describeSource } from "./volumes.ts";
import { type Description, longTime, trueOrFalse } from "./writer.ts";

export const describePersistentVolume: Describer = async (object, into, asking) => {
  const spec = objectAt(object, "spec");
  const claim = objectAt(spec, "claimRef");
  into.line(0, `Name:\t${nameOf(object)}`);
  into.labels("Labels", stringsAt(object, "metadata", "labels"));
  into.annotations("Annotations", stringsAt(object, "metadata", "annotations"));
  into.line(0, `Finalizers:\t[${((metadataOf(object).finalizers as string[] | undefined) ?? []).join(" ")}]`);
  const beta = stringsAt(object, "metadata", "annotations")["volume.beta.kubernetes.io/storage-class"];
  into.line(0, `StorageClass:\t${beta ?? textOf(spec.storageClassName)}`);
  into.line(0, `Status:\t${statusText(object, asking.call.surroundings.clock.nowMs())}`);
  into.line(0, `Claim:\t${claim.name ? `${textOf(claim.namespace)}/${textOf(claim.name)}` : ""}`);
  into.line(0, `Reclaim Policy:\t${textOf(spec.persistentVolumeReclaimPolicy)}`);
  into.line(0, `Access Modes:\t${accessModes(spec.accessModes)}`);
  if (spec.volumeMode) into.line(0, `VolumeMode:\t${textOf(spec.volumeMode)}`);
  into.line(0, `Capacity:\t${amount(at(spec, "capacity", "storage") ?? "0")}`);
  describeAffinity(spec, into);
  into.line(0, `Message:\t${stringAt(object, "status", "message")}`);
  into.line(0, "Source:");
  describeSource(spec, into);
  await describeEvents(object, into, asking);
};

function describeAffinity(spec: JsonObject, into: Description): void {
  const required = at(spec, "nodeAffinity", "required");
  if (!isObject(required)) return into.line(0, "Node Affinity:\t<none>");
  into.line(0, "Node Affinity:\t");
  const terms = listAt(required, "nodeSelectorTerms");
  into.line(1, `Required Terms:\t${terms.length === 0 ? "<none>" : ""}`);
  for (const [index, term] of terms.entries()) {
    const lines = listAt(term, "matchExpressions").map(({ key, operator, values }) => {
      const list = Array.isArray(values) && values.length > 0 ? ` [${values.join(", ")}]` : "";
      return `${textOf(key)} ${textOf(operator).toLowerCase()}${list}`;
    });
    into.list(`    Term ${index}`, lines, "", "\t    ".slice(0, 1));
  }
}

export const describePersistentVolumeClaim: Describer = async (object, into, asking) => {
  describeClaim(object, into, 0, true, asking.call.surroundings.clock.nowMs());
  const pods = await listAll(asking.call, `/api/v1/namespaces/${namespaceOf(object)}/pods`, {
    limit: String(asking.chunk),
  });
  into.list("Used By", usedBy(object, pods));
  const conditions = listAt(object, "status", "conditions");
  if (conditions.length > 0) {
    into.line(0, "Conditions:");
    into.line(1, "Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage");
    into.line(1, "----\t------\t-----------------\t------------------\t------\t-------");
    for (const condition of conditions) {
      into.line(
        1,
        `${textOf(condition.type)} \t${textOf(condition.status)} \t${longTime(condition.lastProbeTime)} \t${longTime(condition.lastTransitionTime)} \t${textOf(condition.reason)} \t${textOf(condition.message)}`,
      );
    }
  }
  await describeEvents(object, into, asking);
};

export const describeStorageClass: Describer = async (object, into, asking) => {
  const annotations = stringsAt(object, "metadata", "annotations");
  const isDefault = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  ].some((key) => annotations[key] === "true");
  into.line(0, `Name:\t${nameOf(object)}`);
  into.line(0, `IsDefaultClass:\t${isDefault ? "Yes" : "No"}`);
  into.line(0, `Annotations:\t${formatLabels(annotations)}`);
  into.line(0, `Provisioner:\t${textOf(object.provisioner)}`);
  into.line(0, `Parameters:\t${formatLabels(stringsAt(object, "parameters"))}`);
  const expands = object.allowVolumeExpansion;
  into.line(0, `AllowVolumeExpansion:\t${typeof expands === "boolean" ? trueOrFalse(expands) : "<unset>"}`);
  const options = Array.isArray(object.mountOptions) ? object.mountOptions.map(String) : [];
  into.line(0, options.length === 0 ? "MountOptions:\t<none>" : "MountOptions:");
  for (const option of options) into.line(1, option);
  if (object.reclaimPolicy) into.line(0, `ReclaimPolicy:\t${textOf(object.reclaimPolicy)}`);
  if (object.volumeBindingMode) into.line(0, `VolumeBindingMode:\t${textOf(object.volumeBindingMode)}`);
  await describeEvents(object, into, asking);
};
