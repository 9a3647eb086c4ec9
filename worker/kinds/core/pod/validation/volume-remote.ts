// Validates volumes of storage systems: their required fields.
import { utf8Length } from "../../../../../shared/base/utf8.ts";
import type { Volume } from "../../../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, invalid, notSupported, required } from "../../../../../shared/k8s/field.ts";
import { dns1123Subdomain, inRange } from "../../../../../shared/k8s/names.ts";
import { each, requireNonEmpty, oneOf } from "../../../common/checks.ts";

const maxTenantBytes = 64;
/** The prefix of a disk's URI, and the format in upstream's message. */
const azureForms = {
  managed: {
    start: "/subscriptions/",
    whole: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
  },
  blob: {
    start: "https://",
    whole: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
  },
};

type Check = (volume: Volume, path: FieldPath) => FieldError[];

export const remoteSources: readonly (readonly [keyof Volume, Check])[] = [
  [
    "gcePersistentDisk",
    ({ gcePersistentDisk: disk }, path) => validateDisk(disk?.pdName, "pdName", disk?.partition, path),
  ],
  [
    "awsElasticBlockStore",
    ({ awsElasticBlockStore: disk }, path) => validateDisk(disk?.volumeID, "volumeID", disk?.partition, path),
  ],
  ["iscsi", validateIscsi],
  [
    "glusterfs",
    ({ glusterfs }, path) => [
      ...requireNonEmpty(glusterfs?.endpoints, path.child("endpoints")),
      ...requireNonEmpty(glusterfs?.path, path.child("path")),
    ],
  ],
  ["flocker", validateFlocker],
  [
    "rbd",
    ({ rbd }, path) => [
      ...(rbd?.monitors.length ? [] : [required(path.child("monitors"))]),
      ...requireNonEmpty(rbd?.image, path.child("image")),
    ],
  ],
  [
    "cinder",
    ({ cinder }, path) => [
      ...requireNonEmpty(cinder?.volumeID, path.child("volumeID")),
      ...(cinder?.secretRef ? requireNonEmpty(cinder.secretRef.name, path.child("secretRef", "name")) : []),
    ],
  ],
  ["cephfs", ({ cephfs }, path) => (cephfs?.monitors.length ? [] : [required(path.child("monitors"))])],
  ["quobyte", validateQuobyte],
  ["fc", validateFibreChannel],
  ["flexVolume", ({ flexVolume }, path) => requireNonEmpty(flexVolume?.driver, path.child("driver"))],
  [
    "azureFile",
    ({ azureFile }, path) => [
      ...requireNonEmpty(azureFile?.secretName, path.child("secretName")),
      ...requireNonEmpty(azureFile?.shareName, path.child("shareName")),
    ],
  ],
  ["vsphereVolume", ({ vsphereVolume }, path) => requireNonEmpty(vsphereVolume?.volumePath, path.child("volumePath"))],
  [
    "photonPersistentDisk",
    ({ photonPersistentDisk }, path) => requireNonEmpty(photonPersistentDisk?.pdID, path.child("pdID")),
  ],
  ["portworxVolume", ({ portworxVolume }, path) => requireNonEmpty(portworxVolume?.volumeID, path.child("volumeID"))],
  ["azureDisk", validateAzureDisk],
  ["storageos", ({ storageos }, path) => requireNonEmpty(storageos?.volumeName, path.child("volumeName"))],
  [
    "scaleIO",
    ({ scaleIO }, path) => [
      ...requireNonEmpty(scaleIO?.gateway, path.child("gateway")),
      ...requireNonEmpty(scaleIO?.system, path.child("system")),
      ...requireNonEmpty(scaleIO?.volumeName, path.child("volumeName")),
    ],
  ],
  ["csi", validateCsi],
];

function validateDisk(
  id: string | undefined,
  field: string,
  partition: number | undefined,
  path: FieldPath,
): FieldError[] {
  return [
    ...requireNonEmpty(id, path.child(field)),
    ...each(inRange(partition ?? 0, 0, 255), path.child("partition"), partition),
  ];
}

function validateIscsi({ iscsi }: Volume, path: FieldPath): FieldError[] {
  const errors = [
    ...requireNonEmpty(iscsi?.targetPortal, path.child("targetPortal")),
    ...requireNonEmpty(iscsi?.iqn, path.child("iqn")),
  ];
  if (iscsi?.iqn && !/^(iqn|eui|naa)/.test(iscsi.iqn)) {
    errors.push(invalid(path.child("iqn"), iscsi.iqn, "must be valid format starting with iqn, eui, or naa"));
  }
  errors.push(...each(inRange(iscsi?.lun ?? 0, 0, 255), path.child("lun"), iscsi?.lun));
  const needsSecret = (iscsi?.chapAuthDiscovery || iscsi?.chapAuthSession) && !iscsi.secretRef;
  return [...errors, ...(needsSecret ? [required(path.child("secretRef"))] : [])];
}

function validateFlocker({ flocker }: Volume, path: FieldPath): FieldError[] {
  const { datasetName, datasetUUID } = flocker ?? {};
  if (!datasetName && !datasetUUID) return [required(path, "one of datasetName and datasetUUID is required")];
  if (!datasetName || !datasetUUID) return [];
  return [invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously")];
}

function validateFibreChannel({ fc }: Volume, path: FieldPath): FieldError[] {
  const { targetWWNs = [], wwids = [], lun } = fc ?? {};
  const names = path.child("targetWWNs");
  if (targetWWNs.length === 0 && wwids.length === 0) {
    return [required(names, "must specify either targetWWNs or wwids, but not both")];
  }
  const errors: FieldError[] = [];
  if (targetWWNs.length > 0 && wwids.length > 0) {
    errors.push(invalid(names, targetWWNs, "targetWWNs and wwids can not be specified simultaneously"));
  }
  if (targetWWNs.length === 0) return errors;
  if (lun === undefined) return [...errors, required(path.child("lun"), "lun is required if targetWWNs is specified")];
  return [...errors, ...each(inRange(lun, 0, 255), path.child("lun"), lun)];
}

function validateQuobyte({ quobyte }: Volume, path: FieldPath): FieldError[] {
  const { registry = "", tenant = "", volume } = quobyte ?? {};
  const where = path.child("registry");
  const pairs = "must be a host:port pair or multiple pairs separated by commas";
  const noVolume = requireNonEmpty(volume, path.child("volume"));
  if (!registry) return [required(where, pairs), ...noVolume];
  if (utf8Length(tenant) > maxTenantBytes) {
    const why = `must be a UUID and may not exceed a length of ${maxTenantBytes} characters`;
    return [required(path.child("tenant"), why), ...noVolume];
  }
  const wrong = registry.split(",").filter((pair) => !isHostPort(pair));
  return [...wrong.map(() => invalid(where, registry, pairs)), ...noVolume];
}

/** Parses as Go's `net.SplitHostPort`: both parts may be empty, and a host with colons is in brackets. */
function isHostPort(text: string): boolean {
  return /^(?:\[[^[\]]*\]|[^[\]:]*):[^[\]:]*$/.test(text);
}

function validateAzureDisk({ azureDisk }: Volume, path: FieldPath): FieldError[] {
  const { diskURI = "", kind = "" } = azureDisk ?? {};
  const form = kind === "Managed" ? azureForms.managed : azureForms.blob;
  const isOther = kind !== "" && !diskURI.startsWith(form.start);
  return [
    ...requireNonEmpty(azureDisk?.diskName, path.child("diskName")),
    ...requireNonEmpty(azureDisk?.diskURI, path.child("diskURI")),
    ...oneOf(azureDisk?.cachingMode ?? "None", path.child("cachingMode"), ["None", "ReadOnly", "ReadWrite"]),
    ...oneOf(azureDisk?.kind ?? "Shared", path.child("kind"), ["Dedicated", "Managed", "Shared"]),
    ...(isOther ? [notSupported(path.child("diskURI"), diskURI, [form.whole])] : []),
  ];
}

function validateCsi({ csi }: Volume, path: FieldPath): FieldError[] {
  const driver = csi?.driver ?? "";
  const secret = csi?.nodePublishSecretRef;
  return [
    ...(driver
      ? each(dns1123Subdomain(driver.toLowerCase()), path.child("driver"), driver)
      : [required(path.child("driver"))]),
    ...(secret ? requireNonEmpty(secret.name, path.child("nodePublishSecretRef", "name")) : []),
  ];
}
