// The API server's configuration of encryption at rest (upstream: apiserver/pkg/server/options/encryptionconfig).
import { bytesOfBase64 } from "../../../shared/base/base64.ts";
import {
  checkConfig,
  fieldsOf,
  listOf,
  parseConfig,
  type StructType,
  textsOf,
  unregistered,
} from "../../../shared/schema/yaml/config-file.ts";
import type { EncryptionKey } from "./encryption-at-rest.ts";
import { aggregateText, type FieldError, type FieldPath, invalid, path, required } from "../../../shared/k8s/field.ts";

/** The maximum characters of a configuration and the maximum of its entries and of the resources of one entry. */
const mostCharacters = 100_000;
const mostEntries = 200;

/** The resources of an entry, and the providers that can read them. The first one encrypts. */
export interface EncryptedResources {
  /** `secrets`, `deployments.apps`, `*.apps`, `*.*`. */
  readonly resources: readonly string[];
  /** The key that encrypts: the first one of the first provider. Undefined: the values are not encrypted. */
  readonly key?: EncryptionKey;
}

type Fields = Readonly<Record<string, unknown>>;

const aes = [16, 24, 32];
const keyLengths: Readonly<Record<string, readonly number[]>> = { aescbc: aes, aesgcm: aes, secretbox: [32] };
const providersWithKeys = ["aesgcm", "aescbc", "secretbox"] as const;
const providerNames = ["aesgcm", "aescbc", "secretbox", "identity", "kms"];

const textField = { goType: "string" };
const keyType: StructType = { name: "Key", fields: { name: textField, secret: textField } };
const keysOf = (name: string) => ({
  goType: `v1.${name}`,
  struct: { name, fields: { keys: { goType: "[]v1.Key", struct: keyType } } },
});
const kmsType: StructType = {
  name: "KMSConfiguration",
  fields: {
    apiVersion: textField,
    name: textField,
    cachesize: { goType: "int32" },
    endpoint: textField,
    timeout: textField,
  },
};
const providerType: StructType = {
  name: "ProviderConfiguration",
  fields: {
    aesgcm: keysOf("AESConfiguration"),
    aescbc: keysOf("AESConfiguration"),
    secretbox: keysOf("SecretboxConfiguration"),
    identity: { goType: "v1.IdentityConfiguration", struct: { name: "IdentityConfiguration", fields: {} } },
    kms: { goType: "v1.KMSConfiguration", struct: kmsType },
  },
};
const entryType: StructType = {
  name: "ResourceConfiguration",
  fields: {
    resources: { goType: "[]string" },
    providers: { goType: "[]v1.ProviderConfiguration", struct: providerType },
  },
};
const configurationType: StructType = {
  name: "EncryptionConfiguration",
  fields: {
    apiVersion: textField,
    kind: textField,
    resources: { goType: "[]v1.ResourceConfiguration", struct: entryType },
  },
};

/** Returns the error of a configuration that cannot be read. */
export function missingEncryptionConfig(file: string): string {
  return `error while parsing file: error while loading file: error reading encryption provider configuration file ${JSON.stringify(file)}: open ${file}: no such file or directory`;
}

/** Returns the entries of a configuration, or the error with which the API server ends. */
export function readEncryptionConfig(content: string, file: string): readonly EncryptedResources[] | string {
  const failed = (why: string) => `error while parsing file: ${why}`;
  if (content === "")
    return failed(`error while loading file: encryption provider configuration file ${JSON.stringify(file)} is empty`);
  if (content.length > mostCharacters) return failed(`the file is longer than ${mostCharacters} characters`);
  const resources = decoded(content);
  if (typeof resources === "string")
    return failed(`error decoding encryption provider configuration file ${JSON.stringify(file)}: ${resources}`);
  const entries = resources.map(fieldsOf);
  if (entries.length > mostEntries) return failed(`the file has more than ${mostEntries} entries`);
  const root = path("resources");
  const errors =
    entries.length === 0
      ? [required(root, "at least one resources is required")]
      : entries.flatMap((entry, at) => entryProblems(entry, root.index(at)));
  if (errors.length > 0) return failed(aggregateText(errors));
  const masked = maskedProblem(entries.map((entry) => textsOf(entry["resources"])));
  if (masked !== undefined) return `error while building transformers: ${masked}`;
  return entries.map((entry) => {
    const key = keyOf(fieldsOf(listOf(entry["providers"])[0]));
    return { resources: textsOf(entry["resources"]), ...(key ? { key } : {}) };
  });
}

/** Returns the items of `resources`, or the error of decoding them. */
function decoded(content: string): readonly unknown[] | string {
  const fields = parseConfig(content);
  if (typeof fields === "string") return fields;
  const { apiVersion, kind } = fields;
  if (!kind) return `Object 'Kind' is missing in '${content}'`;
  if (!apiVersion) return `Object 'apiVersion' is missing in '${content}'`;
  if (kind !== "EncryptionConfiguration" || apiVersion !== "apiserver.config.k8s.io/v1")
    return unregistered({ apiVersion, kind }, "pkg/server/options/encryptionconfig/config.go:142");
  const config = checkConfig(fields, configurationType);
  if (typeof config === "string") return config;
  if (config.unknown.length === 0) return listOf(config.fields["resources"]);
  return `strict decoding error: ${config.unknown.map((field) => `unknown field ${JSON.stringify(field)}`).join(", ")}`;
}

/** Returns the error of a resource that an earlier entry with a wildcard hides. */
function maskedProblem(entries: readonly (readonly string[])[]): string | undefined {
  const wildcards = new Set<string>();
  for (const resource of entries.flat()) {
    const { group } = groupResourceOf(resource);
    const mask = [`*.${group}`, "*.*"].find((wildcard) => wildcards.has(wildcard));
    if (mask !== undefined)
      return `resource ${JSON.stringify(resource)} is masked by earlier rule ${JSON.stringify(mask)}`;
    if (resource.startsWith("*.")) wildcards.add(resource);
  }
  return undefined;
}

/** Splits a resource like upstream's `ParseGroupResource`. */
function groupResourceOf(text: string): { readonly resource: string; readonly group: string } {
  const dot = text.indexOf(".");
  return dot < 0 ? { resource: text, group: "" } : { resource: text.slice(0, dot), group: text.slice(dot + 1) };
}

function entryProblems(entry: Fields, at: FieldPath): FieldError[] {
  const [resources, providers] = [at.child("resources"), at.child("providers")];
  return [
    ...(listOf(entry["resources"]).length === 0
      ? [required(resources, `at least one ${resources.toString()} is required`)]
      : []),
    ...overlapProblems(textsOf(entry["resources"]), resources),
    ...textsOf(entry["resources"]).flatMap((name, index) => nameProblems(name, resources.index(index))),
    ...(listOf(entry["providers"]).length === 0
      ? [required(providers, `at least one ${providers.toString()} is required`)]
      : []),
    ...listOf(entry["providers"]).flatMap((provider, index) =>
      providerProblems(fieldsOf(provider), providers.index(index)),
    ),
  ];
}

function nameProblems(name: string, at: FieldPath): FieldError[] {
  const { resource, group } = groupResourceOf(name);
  if (/\p{Lu}/u.test(name)) return [invalid(at, name, "resource name should not contain capital letters")];
  if (name === "*")
    return [
      invalid(at, name, "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"),
    ];
  if (["apiserveripinfo", "serviceipallocations", "servicenodeportallocations"].includes(name))
    return [invalid(at, name, "resources which do not have REST API/s cannot be encrypted")];
  if (group === "events.k8s.io")
    return [
      invalid(
        at,
        name,
        "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file",
      ),
    ];
  if (group === "extensions")
    return [invalid(at, name, "'extensions' group has been removed and cannot be used for encryption")];
  if (group === "*" && resource !== "*")
    return [invalid(at, name, "encrypting the same resource across groups is not supported")];
  return [];
}

/** Returns the errors of resources that are in the list twice, or that a wildcard of the same list covers. */
function overlapProblems(names: readonly string[], at: FieldPath): FieldError[] {
  const groupResources = names.map(groupResourceOf);
  const counts = new Map<string, number>();
  for (const { group } of groupResources) counts.set(group, (counts.get(group) ?? 0) + 1);
  const isOverlapped = groupResources.some(
    ({ resource, group }) => resource === "*" && (group === "*" ? names.length : (counts.get(group) ?? 0)) > 1,
  );
  return [
    ...(new Set(names).size < names.length
      ? [invalid(at, names, "the same resource cannot be specified multiple times")]
      : []),
    ...(isOverlapped
      ? [
          invalid(
            at,
            names,
            "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
          ),
        ]
      : []),
  ];
}

/** Returns a provider as Go prints the internal type. */
function printed(provider: Fields): Fields {
  const keys = (name: string) =>
    isSet(provider, name)
      ? { Keys: listOf(fieldsOf(provider[name])["keys"]).map((key) => printedKey(fieldsOf(key))) }
      : null;
  return {
    AESGCM: keys("aesgcm"),
    AESCBC: keys("aescbc"),
    Secretbox: keys("secretbox"),
    Identity: isSet(provider, "identity") ? {} : null,
    KMS: null,
  };
}

function printedKey({ name = "", secret = "" }: Fields): Fields {
  return { Name: name, Secret: secret };
}

function isSet(provider: Fields, name: string): boolean {
  return provider[name] !== undefined && provider[name] !== null;
}

function providerProblems(provider: Fields, at: FieldPath): FieldError[] {
  const names = providerNames.filter((name) => isSet(provider, name));
  const [name = ""] = names;
  if (names.length === 0)
    return [
      invalid(
        at,
        printed(provider),
        "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity",
      ),
    ];
  if (names.includes("kms")) return [invalid(at.child("kms"), {}, "KMS providers are not simulated")];
  if (names.length > 1) {
    const hint = "more than one provider specified in a single element, should split into different list elements";
    return [invalid(at, printed(provider), hint)];
  }
  const lengths = keyLengths[name];
  if (!lengths) return [];
  const keys = listOf(fieldsOf(provider[name])["keys"]);
  const keysAt = at.child(name, "keys");
  if (keys.length === 0) return [required(keysAt, "at least one keys is required")];
  return keys.flatMap((key, index) => keyProblems(fieldsOf(key), keysAt.index(index), lengths));
}

function keyProblems({ name, secret }: Fields, at: FieldPath, lengths: readonly number[]): FieldError[] {
  const mandatory = (field: string) => required(at.child(field), `${field} is a mandatory field for a key`);
  const unnamed = typeof name === "string" && name !== "" ? [] : [mandatory("name")];
  if (typeof secret !== "string" || secret === "") return [...unnamed, mandatory("secret")];
  const length = lengthOfBase64(secret);
  const secretAt = at.child("secret");
  if (length === undefined) return [...unnamed, invalid(secretAt, "REDACTED", "secrets must be base64 encoded")];
  if (lengths.includes(length)) return unnamed;
  const expected = `secret is not of the expected length, got ${length}, expected one of [${lengths.join(" ")}]`;
  return [...unnamed, invalid(secretAt, "REDACTED", expected)];
}

function lengthOfBase64(text: string): number | undefined {
  if (!/^[A-Za-z0-9+/\r\n]*(?:={1,2}[\r\n]*)?$/.test(text)) return undefined;
  const bare = text.replace(/[\r\n]/g, "");
  return bare.length % 4 === 0 ? bytesOfBase64(bare).length : undefined;
}

/** Returns the first key of a provider; undefined for `identity`. */
function keyOf(provider: Fields): EncryptionKey | undefined {
  const providerName = providersWithKeys.find((candidate) => isSet(provider, candidate));
  if (providerName === undefined) return undefined;
  // `keyProblems` has checked the fields.
  const { name, secret } = fieldsOf(listOf(fieldsOf(provider[providerName])["keys"])[0]) as EncryptionKey & Fields;
  return { provider: providerName, name, secret };
}

/** Returns the key that encrypts an object: that of the first entry that has its resource. Undefined: it is not encrypted. */
export function encryptionKeyOf(
  entries: readonly EncryptedResources[],
  group: string,
  plural: string,
): EncryptionKey | undefined {
  const names = [group === "" ? plural : `${plural}.${group}`, `*.${group}`, "*.*"];
  return entries.find(({ resources }) => resources.some((resource) => names.includes(resource)))?.key;
}
