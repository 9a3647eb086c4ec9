// Validates the volumes of a pod: each has exactly one valid source.
import type { Volume } from "../../../../../shared/k8s/api/core-v1.ts";
import type { ObjectMeta } from "../../../../../shared/k8s/api/meta-v1.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  forbidden,
  invalid,
  required,
} from "../../../../../shared/k8s/field.ts";
import { dns1123Label, dns1123Subdomain } from "../../../../../shared/k8s/names.ts";
import { parseQuantity } from "../../../../../shared/k8s/quantity.ts";
import { each, requireNonEmpty, oneOf } from "../../../common/checks.ts";
import { validateKeyedFiles, validateDownwardApi, validateProjected } from "./volume-files.ts";
import { remoteSources } from "./volume-remote.ts";
import { localDescendingPath, pathWithoutBacksteps } from "./paths.ts";

export interface CheckedVolumes {
  /** The valid volumes by name. Only these can be mounted. */
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly errors: FieldError[];
}

/** Validates volumes. `meta` is undefined for templates: names of ephemeral claims are derived from it. */
export function validateVolumes(
  list: readonly Volume[],
  meta: ObjectMeta | undefined,
  path: FieldPath,
): CheckedVolumes {
  const volumes = new Map<string, Volume>();
  const errors: FieldError[] = [];
  const ephemeralClaims = list
    .filter((volume) => meta?.name && volume.ephemeral)
    .map(({ name }) => `${meta?.name}-${name}`);
  for (const [index, volume] of list.entries()) {
    const at = path.index(index);
    const { name } = volume;
    const wrong = [...validateSource(volume, at), ...validateClaimName(volume, meta, at)];
    wrong.push(...(name ? each(dns1123Label(name), at.child("name"), name) : [required(at.child("name"))]));
    if (volumes.has(name)) wrong.push(duplicate(at.child("name"), name));
    if (wrong.length === 0) volumes.set(name, volume);
    errors.push(...wrong);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim && ephemeralClaims.includes(claim)) {
      const detail = "must not reference a PVC that gets created for an ephemeral volume";
      errors.push(invalid(at.child("persistentVolumeClaim", "claimName"), claim, detail));
    }
  }
  return { volumes, errors };
}

type Check = (volume: Volume, path: FieldPath) => FieldError[];

/** The sources in upstream's order. The first is used; further ones are rejected. */
const sources: readonly (readonly [keyof Volume, Check])[] = [
  ["emptyDir", validateEmptyDir],
  ["hostPath", validateHostPath],
  [
    "gitRepo",
    ({ gitRepo }, path) => [
      ...requireNonEmpty(gitRepo?.repository, path.child("repository")),
      ...localDescendingPath(gitRepo?.directory ?? "", path.child("directory")),
    ],
  ],
  [
    "secret",
    ({ secret = {} }, path) => [
      ...requireNonEmpty(secret.secretName, path.child("secretName")),
      ...validateKeyedFiles(secret, path),
    ],
  ],
  ["nfs", validateNfs],
  [
    "persistentVolumeClaim",
    ({ persistentVolumeClaim }, path) => requireNonEmpty(persistentVolumeClaim?.claimName, path.child("claimName")),
  ],
  ["downwardAPI", ({ downwardAPI = {} }, path) => validateDownwardApi(downwardAPI, path)],
  [
    "configMap",
    ({ configMap = {} }, path) => [
      ...requireNonEmpty(configMap.name, path.child("name")),
      ...validateKeyedFiles(configMap, path),
    ],
  ],
  ["projected", ({ projected = { sources: [] } }, path) => validateProjected(projected, path)],
  ["ephemeral", validateEphemeral],
  ["image", validateImage],
  ...remoteSources,
];

/** Validates a source. Upstream's errors name a Google disk differently. */
function validateSource(volume: Volume, path: FieldPath): FieldError[] {
  const presentSources = sources.filter(([field]) => volume[field] !== undefined);
  if (presentSources.length === 0) return [required(path, "must specify a volume type")];
  return presentSources.flatMap(([field, check], index) =>
    index === 0
      ? check(volume, path.child(field === "gcePersistentDisk" ? "persistentDisk" : field))
      : [forbidden(path.child(field), "may not specify more than 1 volume type")],
  );
}

function validateEmptyDir({ emptyDir }: Volume, path: FieldPath): FieldError[] {
  const isNegative = (parseQuantity(emptyDir?.sizeLimit ?? "0")?.nanos ?? 0n) < 0n;
  return isNegative ? [forbidden(path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity")] : [];
}

export function validateHostPath({ hostPath }: Pick<Volume, "hostPath">, path: FieldPath): FieldError[] {
  if (!hostPath?.path) return [required(path.child("path"))];
  const types = ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
  return [
    ...pathWithoutBacksteps(hostPath.path, path.child("path")),
    ...oneOf(hostPath.type ?? "", path.child("type"), types),
  ];
}

export function validateNfs({ nfs }: Pick<Volume, "nfs">, path: FieldPath): FieldError[] {
  const exported = nfs?.path ?? "";
  return [
    ...requireNonEmpty(nfs?.server, path.child("server")),
    ...requireNonEmpty(exported, path.child("path")),
    ...(exported.startsWith("/") ? [] : [invalid(path.child("path"), exported, "must be an absolute path")]),
  ];
}

function validateEphemeral({ ephemeral }: Volume, path: FieldPath): FieldError[] {
  const template = ephemeral?.volumeClaimTemplate;
  if (!template) return [required(path.child("volumeClaimTemplate"))];
  const spec = path.child("volumeClaimTemplate", "spec");
  const errors: FieldError[] = [];
  if (!template.spec.accessModes?.length) {
    errors.push(required(spec.child("accessModes"), "at least 1 access mode is required"));
  }
  if (template.spec.resources.requests?.storage === undefined) {
    errors.push(required(spec.child("resources").key("storage")));
  }
  return errors;
}

/** Validates the name of an ephemeral volume's claim. */
function validateClaimName({ name, ephemeral }: Volume, meta: ObjectMeta | undefined, path: FieldPath): FieldError[] {
  if (!ephemeral || !meta?.name || !name) return [];
  const claim = `${meta.name}-${name}`;
  const quoted = JSON.stringify(claim);
  return dns1123Subdomain(claim).map((message) => invalid(path.child("name"), name, `PVC name ${quoted}: ${message}`));
}

function validateImage({ image }: Volume, path: FieldPath): FieldError[] {
  return [
    ...requireNonEmpty(image?.reference, path.child("reference")),
    ...oneOf(image?.pullPolicy ?? "", path.child("pullPolicy"), ["Always", "IfNotPresent", "Never"]),
  ];
}
