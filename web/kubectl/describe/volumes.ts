// Descriptions of the volumes of pods and of their sources.
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import { at, listAt, numberAt, objectAt, stringAt, stringsAt, textOf } from "../object.ts";
import { describeClaim } from "./claim.ts";
import { shortened, type Description } from "./writer.ts";

const maxAttribute = 140;

export function describeVolumes(volumes: readonly JsonObject[], into: Description, space: string): void {
  if (volumes.length === 0) return into.line(0, `${space}Volumes:\t<none>`);
  into.line(0, `${space}Volumes:`);
  for (const volume of volumes) {
    into.line(1, `${space ? " " : ""}${textOf(volume.name)}:`);
    describeSource(volume, into);
  }
}

type Field = readonly [label: string, value: (source: JsonObject) => unknown];

const text = (field: string) => (source: JsonObject) => textOf(source[field]);
const flag = (field: string) => (source: JsonObject) => source[field] === true;
const number = (field: string) => (source: JsonObject) => numberAt(source, field) ?? 0;
const name = (field: string) => (source: JsonObject) => reference(source[field]);

/** Formats a reference as Go prints it: `&LocalObjectReference{Name:x,}`. */
function reference(value: unknown): string {
  return isObject(value) ? `&LocalObjectReference{Name:${textOf(value.name)},}` : "nil";
}

interface Source {
  readonly type: string;
  readonly fields: readonly Field[];
}

const disk: readonly Field[] = [
  ["FSType", text("fsType")],
  ["Partition", number("partition")],
  ["ReadOnly", flag("readOnly")],
];

/** The sources, by the name of the field that holds each. */
const sources: Readonly<Record<string, Source>> = {
  hostPath: {
    type: "HostPath (bare host directory volume)",
    fields: [
      ["Path", text("path")],
      ["HostPathType", ({ type }) => (typeof type === "string" ? type : "<none>")],
    ],
  },
  emptyDir: {
    type: "EmptyDir (a temporary directory that shares a pod's lifetime)",
    fields: [
      ["Medium", text("medium")],
      ["SizeLimit", ({ sizeLimit }) => (sizeLimit && sizeLimit !== "0" ? sizeLimit : "<unset>")],
    ],
  },
  gcePersistentDisk: {
    type: "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
    fields: [["PDName", text("pdName")], ...disk],
  },
  awsElasticBlockStore: {
    type: "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
    fields: [["VolumeID", text("volumeID")], ...disk],
  },
  gitRepo: {
    type: "GitRepo (a volume that is pulled from git when the pod is created)",
    fields: [
      ["Repository", text("repository")],
      ["Revision", text("revision")],
    ],
  },
  secret: {
    type: "Secret (a volume populated by a Secret)",
    fields: [
      ["SecretName", text("secretName")],
      ["Optional", flag("optional")],
    ],
  },
  configMap: {
    type: "ConfigMap (a volume populated by a ConfigMap)",
    fields: [
      ["Name", text("name")],
      ["Optional", flag("optional")],
    ],
  },
  nfs: {
    type: "NFS (an NFS mount that lasts the lifetime of a pod)",
    fields: [
      ["Server", text("server")],
      ["Path", text("path")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  persistentVolumeClaim: {
    type: "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
    fields: [
      ["ClaimName", text("claimName")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  local: {
    type: "LocalVolume (a persistent volume backed by local storage on a node)",
    fields: [["Path", text("path")]],
  },
  image: {
    type: "Image (a container image or OCI artifact)",
    fields: [
      ["Reference", text("reference")],
      ["PullPolicy", text("pullPolicy")],
    ],
  },
  iscsi: {
    type: "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
    fields: [
      ["TargetPortal", text("targetPortal")],
      ["IQN", text("iqn")],
      ["Lun", number("lun")],
      ["ISCSIInterface", text("iscsiInterface")],
      ["FSType", text("fsType")],
      ["ReadOnly", flag("readOnly")],
      ["Portals", ({ portals }) => `[${Array.isArray(portals) ? portals.join(" ") : ""}]`],
      ["DiscoveryCHAPAuth", flag("chapAuthDiscovery")],
      ["SessionCHAPAuth", flag("chapAuthSession")],
      ["SecretRef", name("secretRef")],
      ["InitiatorName", ({ initiatorName }) => textOf(initiatorName) || "<none>"],
    ],
  },
};

/** Describes the source of a volume or persistent volume. */
export function describeSource(volume: JsonObject, into: Description): void {
  const field = Object.keys(sources).find((name) => isObject(volume[name]));
  const describe = field === undefined ? undefined : sources[field];
  if (describe && field !== undefined) {
    const source = objectAt(volume, field);
    into.line(2, `Type:\t${describe.type}`);
    for (const [label, value] of describe.fields) into.line(2, `${label}:\t${String(value(source))}`);
  } else if (isObject(volume.projected)) describeProjected(volume.projected, into);
  else if (isObject(volume.downwardAPI)) describeDownward(volume.downwardAPI, into);
  else if (isObject(volume.csi)) describeDriver(volume.csi, into);
  else if (isObject(volume.ephemeral)) describeEphemeral(volume.ephemeral, into);
  else into.line(1, "<unknown>");
}

function describeProjected(projected: JsonObject, into: Description): void {
  into.line(2, "Type:\tProjected (a volume that contains injected data from multiple sources)");
  for (const source of listAt(projected, "sources")) {
    const optional = (field: string) => into.line(2, `Optional:\t${at(source, field, "optional") === true}`);
    if (isObject(source.secret)) {
      into.line(2, `SecretName:\t${stringAt(source, "secret", "name")}`);
      optional("secret");
    } else if (isObject(source.downwardAPI)) into.line(2, "DownwardAPI:\ttrue");
    else if (isObject(source.configMap)) {
      into.line(2, `ConfigMapName:\t${stringAt(source, "configMap", "name")}`);
      optional("configMap");
    } else if (isObject(source.serviceAccountToken)) {
      into.line(2, `TokenExpirationSeconds:\t${numberAt(source, "serviceAccountToken", "expirationSeconds") ?? 0}`);
    }
  }
}

function describeDownward(source: JsonObject, into: Description): void {
  into.line(2, "Type:\tDownwardAPI (a volume populated by information about the pod)");
  into.line(2, "Items:");
  for (const item of listAt(source, "items")) {
    const field = stringAt(item, "fieldRef", "fieldPath") || stringAt(item, "resourceFieldRef", "resource");
    into.line(3, `${field} -> ${textOf(item.path)}`);
  }
}

function describeDriver(source: JsonObject, into: Description): void {
  into.line(2, "Type:\tCSI (a Container Storage Interface (CSI) volume source)");
  into.line(2, `Driver:\t${textOf(source.driver)}`);
  into.line(2, `FSType:\t${textOf(source.fsType)}`);
  if (source.volumeHandle !== undefined) into.line(2, `VolumeHandle:\t${textOf(source.volumeHandle)}`);
  into.line(2, `ReadOnly:\t${source.readOnly === true}`);
  const attributes = stringsAt(source, "volumeAttributes");
  const lines = Object.keys(attributes)
    .sort()
    .map((key) => shortened(`${key}=${attributes[key] ?? ""}`, maxAttribute));
  if (lines.length === 0) return into.write("    VolumeAttributes:\t<none>\n");
  into.write(
    `    VolumeAttributes:    \t${lines.map((line, at) => (at === 0 ? `${line}\n` : `        \t    ${line}\n`)).join("")}`.replace(
      "VolumeAttributes:    \t",
      "VolumeAttributes:\t    ",
    ),
  );
}

function describeEphemeral(source: JsonObject, into: Description): void {
  into.line(
    2,
    "Type:\tEphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
  );
  const template = source.volumeClaimTemplate;
  if (isObject(template)) describeClaim(template, into, 2, false);
}
