// What volumes of storage systems must be: the required fields of each, as upstream asks for them.
import type { Volume } from "../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, invalid, required } from "../../../shared/k8s/field.ts";
import { dns1123Subdomain, inRange } from "../../../shared/k8s/names.ts";
import { each, needs, oneOf } from "./checks.ts";

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
      ...needs(glusterfs?.endpoints, path.child("endpoints")),
      ...needs(glusterfs?.path, path.child("path")),
    ],
  ],
  ["flocker", validateFlocker],
  [
    "rbd",
    ({ rbd }, path) => [
      ...(rbd?.monitors.length ? [] : [required(path.child("monitors"))]),
      ...needs(rbd?.image, path.child("image")),
    ],
  ],
  [
    "cinder",
    ({ cinder }, path) => [
      ...needs(cinder?.volumeID, path.child("volumeID")),
      ...(cinder?.secretRef ? needs(cinder.secretRef.name, path.child("secretRef", "name")) : []),
    ],
  ],
  ["cephfs", ({ cephfs }, path) => (cephfs?.monitors.length ? [] : [required(path.child("monitors"))])],
  [
    "quobyte",
    ({ quobyte }, path) => [
      ...needs(
        quobyte?.registry,
        path.child("registry"),
        "must be a host:port pair or multiple pairs separated by commas",
      ),
      ...needs(quobyte?.volume, path.child("volume")),
    ],
  ],
  ["fc", validateFibreChannel],
  ["flexVolume", ({ flexVolume }, path) => needs(flexVolume?.driver, path.child("driver"))],
  [
    "azureFile",
    ({ azureFile }, path) => [
      ...needs(azureFile?.secretName, path.child("secretName")),
      ...needs(azureFile?.shareName, path.child("shareName")),
    ],
  ],
  ["vsphereVolume", ({ vsphereVolume }, path) => needs(vsphereVolume?.volumePath, path.child("volumePath"))],
  ["photonPersistentDisk", ({ photonPersistentDisk }, path) => needs(photonPersistentDisk?.pdID, path.child("pdID"))],
  ["portworxVolume", ({ portworxVolume }, path) => needs(portworxVolume?.volumeID, path.child("volumeID"))],
  ["azureDisk", validateAzureDisk],
  ["storageos", ({ storageos }, path) => needs(storageos?.volumeName, path.child("volumeName"))],
  [
    "scaleIO",
    ({ scaleIO }, path) => [
      ...needs(scaleIO?.gateway, path.child("gateway")),
      ...needs(scaleIO?.system, path.child("system")),
      ...needs(scaleIO?.volumeName, path.child("volumeName")),
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
    ...needs(id, path.child(field)),
    ...each(inRange(partition ?? 0, 0, 255), path.child("partition"), partition),
  ];
}

function validateIscsi({ iscsi }: Volume, path: FieldPath): FieldError[] {
  const errors = [...needs(iscsi?.targetPortal, path.child("targetPortal")), ...needs(iscsi?.iqn, path.child("iqn"))];
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

function validateAzureDisk({ azureDisk }: Volume, path: FieldPath): FieldError[] {
  return [
    ...needs(azureDisk?.diskName, path.child("diskName")),
    ...needs(azureDisk?.diskURI, path.child("diskURI")),
    ...oneOf(azureDisk?.cachingMode ?? "None", path.child("cachingMode"), ["None", "ReadOnly", "ReadWrite"]),
    ...oneOf(azureDisk?.kind ?? "Shared", path.child("kind"), ["Dedicated", "Managed", "Shared"]),
  ];
}

function validateCsi({ csi }: Volume, path: FieldPath): FieldError[] {
  const driver = csi?.driver ?? "";
  const secret = csi?.nodePublishSecretRef;
  return [
    ...(driver
      ? each(dns1123Subdomain(driver.toLowerCase()), path.child("driver"), driver)
      : [required(path.child("driver"))]),
    ...(secret ? needs(secret.name, path.child("nodePublishSecretRef", "name")) : []),
  ];
}
