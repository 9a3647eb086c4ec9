// Validates the sources of PersistentVolumes.
import type {
  PersistentVolumeSpec,
  SecretReference,
  Volume,
  ISCSIPersistentVolumeSource,
} from "../../../../shared/k8s/api/core-v1.ts";
import { utf8Length } from "../../../../shared/base/utf8.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  required,
  tooLong,
} from "../../../../shared/k8s/field.ts";
import { dns1123Label, dns1123Subdomain, inRange } from "../../../../shared/k8s/names.ts";
import { each, requireNonEmpty } from "../../common/checks.ts";
import { pathWithoutBacksteps } from "../pod/validation/paths.ts";
import { remoteSources } from "../pod/validation/volume-remote.ts";
import { validateHostPath, validateNfs } from "../pod/validation/volumes.ts";

const forms: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

export const mountOptionsAnnotation = "volume.beta.kubernetes.io/mount-options";

type Source = keyof PersistentVolumeSpec;
type Check = (spec: PersistentVolumeSpec, path: FieldPath, name: string) => FieldError[];

/** The sources in upstream's order. The first is used; further ones are rejected. */
const sources: readonly (readonly [Source, Check])[] = [
  ["hostPath", validateHostPath],
  ["gcePersistentDisk", asInPods("gcePersistentDisk")],
  ["awsElasticBlockStore", asInPods("awsElasticBlockStore")],
  ["glusterfs", validateGlusterfs],
  ["flocker", asInPods("flocker")],
  ["nfs", validateNfs],
  ["rbd", asInPods("rbd")],
  ["quobyte", asInPods("quobyte")],
  ["cephfs", asInPods("cephfs")],
  ["iscsi", ({ iscsi }, path, name) => (iscsi ? validateIscsi(iscsi, name, path) : [])],
  [
    "cinder",
    ({ cinder }, path) => [
      ...requireNonEmpty(cinder?.volumeID, path.child("volumeID")),
      ...(cinder?.secretRef ? needsBoth(cinder.secretRef, path.child("secretRef")) : []),
    ],
  ],
  ["fc", asInPods("fc")],
  ["flexVolume", validateFlexVolume],
  [
    "azureFile",
    ({ azureFile }, path) => [
      ...asInPods("azureFile")({ azureFile }, path, ""),
      ...(azureFile?.secretNamespace === "" ? [required(path.child("secretNamespace"))] : []),
    ],
  ],
  ["vsphereVolume", asInPods("vsphereVolume")],
  ["photonPersistentDisk", asInPods("photonPersistentDisk")],
  ["portworxVolume", asInPods("portworxVolume")],
  ["azureDisk", asInPods("azureDisk")],
  ["scaleIO", asInPods("scaleIO")],
  ["local", validateLocal],
  ["storageos", validateStorageOs],
  ["csi", validateCsi],
];
/** Fields that upstream's errors name differently: in validation errors, and in rejections of further sources. */
const lookedAt: Readonly<Record<string, string>> = { gcePersistentDisk: "persistentDisk" };
const refusedAt: Readonly<Record<string, string>> = { cephfs: "cephFS" };
const mountable: readonly Source[] = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
];

export const sourceFields: readonly Source[] = sources.map(([field]) => field);

export function validateSource(spec: PersistentVolumeSpec, name: string, at: FieldPath): FieldError[] {
  const presentSources = sources.filter(([field]) => spec[field] !== undefined);
  if (presentSources.length === 0) return [required(at, "must specify a volume type")];
  return presentSources.flatMap(([field, check], index) => {
    // Upstream never rejects this one as a further source.
    if (index > 0 && field !== "flexVolume") {
      return [forbidden(at.child(refusedAt[field] ?? field), "may not specify more than 1 volume type")];
    }
    const errors = check(spec, at.child(lookedAt[field] ?? field), name);
    const needsAffinity = field === "local" && !spec.nodeAffinity;
    const why = "Local volume requires node affinity";
    return needsAffinity ? [...errors, required(at.child("nodeAffinity"), why)] : errors;
  });
}

/** Reports whether the legacy annotation may set mount options. */
export function takesMountOptions(spec: PersistentVolumeSpec): boolean {
  return mountable.some((field) => spec[field] !== undefined);
}

/** Validates a source like a pod's volume. */
function asInPods(field: keyof Volume & Source): Check {
  const check = remoteSources.find(([name]) => name === field)?.[1];
  // Only this source is validated, which has the same fields.
  return (spec, path) => check?.({ name: "", [field]: spec[field] }, path) ?? [];
}

function validateGlusterfs({ glusterfs }: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const errors = [
    ...requireNonEmpty(glusterfs?.endpoints, path.child("endpoints")),
    ...requireNonEmpty(glusterfs?.path, path.child("path")),
  ];
  const namespace = glusterfs?.endpointsNamespace;
  if (namespace === undefined) return errors;
  const at = path.child("endpointsNamespace");
  const why = "if the endpointnamespace is set, it must be a valid namespace name";
  return [...errors, ...(namespace ? each(dns1123Label(namespace), at, namespace) : [invalid(at, namespace, why)])];
}

function validateFlexVolume({ flexVolume }: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const errors = requireNonEmpty(flexVolume?.driver, path.child("driver"));
  for (const key of Object.keys(flexVolume?.options ?? {})) {
    const [domain = ""] = key.split("/");
    if (!/\.(kubernetes|k8s)\.io$/.test(`.${domain.toLowerCase()}`)) continue;
    const why = "kubernetes.io and k8s.io namespaces are reserved";
    errors.push(invalid(path.child("options").key(key), key, why));
  }
  return errors;
}

function validateLocal({ local }: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  return local?.path ? pathWithoutBacksteps(local.path, path.child("path")) : [required(path.child("path"))];
}

function validateStorageOs({ storageos }: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const { volumeName, volumeNamespace, secretRef } = storageos ?? {};
  const [nameAt, namespaceAt] = [path.child("volumeName"), path.child("volumeNamespace")];
  return [
    ...(volumeName ? each(dns1123Label(volumeName), nameAt, volumeName) : [required(nameAt)]),
    ...(volumeNamespace ? each(dns1123Label(volumeNamespace), namespaceAt, volumeNamespace) : []),
    ...(secretRef ? needsBoth(secretRef, path.child("secretRef")) : []),
  ];
}

function validateCsi({ csi }: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const driver = csi?.driver ?? "";
  const at = path.child("driver");
  const errors = driver ? each(dns1123Subdomain(driver.toLowerCase()), at, driver) : [required(at)];
  if (utf8Length(driver) > 63) errors.unshift(tooLong(at, 63));
  errors.push(...requireNonEmpty(csi?.volumeHandle, path.child("volumeHandle")));
  const references = [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
  ] as const;
  for (const field of references) {
    const reference = csi?.[field];
    if (reference) errors.push(...validateSecretReference(reference, path.child(field)));
  }
  return errors;
}

function validateSecretReference({ name, namespace }: SecretReference, path: FieldPath): FieldError[] {
  const [nameAt, namespaceAt] = [path.child("name"), path.child("namespace")];
  return [
    ...(name ? each(dns1123Subdomain(name), nameAt, name) : [required(nameAt)]),
    ...(namespace ? each(dns1123Label(namespace), namespaceAt, namespace) : [required(namespaceAt)]),
  ];
}

function needsBoth({ name, namespace }: { name?: string; namespace?: string }, path: FieldPath): FieldError[] {
  return [...requireNonEmpty(name, path.child("name")), ...requireNonEmpty(namespace, path.child("namespace"))];
}

function validateIscsi(iscsi: ISCSIPersistentVolumeSource, name: string, path: FieldPath): FieldError[] {
  const { targetPortal, iqn, initiatorName, lun, secretRef } = iscsi;
  const errors = requireNonEmpty(targetPortal, path.child("targetPortal"));
  if (initiatorName !== undefined && utf8Length(`${name}:${targetPortal}`) > 64) {
    const why =
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
    errors.push(invalid(path.child("targetportal"), targetPortal, why));
  }
  errors.push(...(iqn ? validateForm(iqn, path.child("iqn")) : [required(path.child("iqn"))]));
  errors.push(...each(inRange(lun, 0, 255), path.child("lun"), lun));
  if ((iscsi.chapAuthDiscovery || iscsi.chapAuthSession) && !secretRef) errors.push(required(path.child("secretRef")));
  if (secretRef) errors.push(...requireNonEmpty(secretRef.name, path.child("secretRef", "name")));
  if (initiatorName !== undefined) errors.push(...validateForm(initiatorName, path.child("initiatorname")));
  return errors;
}

function validateForm(value: string, at: FieldPath): FieldError[] {
  const form = forms[value.slice(0, 3)];
  return form?.test(value) ? [] : [invalid(at, value, "must be valid format")];
}
