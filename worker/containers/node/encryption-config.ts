// The API server's configuration of encryption at rest (upstream: apiserver/pkg/server/options/encryptionconfig).
import { readYaml } from "../../../shared/schema/yaml/read.ts";
import { YamlError } from "../../../shared/schema/yaml/errors.ts";
import { bytesOfBase64 } from "../../../shared/base/base64.ts";
import { aggregateText, type FieldError, type FieldPath, invalid, path, required } from "../../../shared/k8s/field.ts";

const mostCharacters = 100_000;
const mostResources = 200;

/** The resources of an entry, and the providers that can read them. The first one encrypts. */
export interface EncryptedResources {
  /** `secrets`, `deployments.apps`, `*.apps`, `*.*`. */
  readonly resources: readonly string[];
  /** The text before the ciphertext of each provider, as `k8s:enc:aescbc:v1:key1:`; "" for `identity`. */
  readonly prefixes: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const aes = [16, 24, 32];
const keyLengths: Readonly<Record<string, readonly number[]>> = { aescbc: aes, aesgcm: aes, secretbox: [32] };
const providerNames = ["aesgcm", "aescbc", "secretbox", "identity", "kms"];

/** Returns the entries of a configuration, or the error with which the API server ends. */
export function readEncryptionConfig(text: string, file: string): readonly EncryptedResources[] | string {
  const failed = (why: string) => `error while parsing file: ${why}`;
  if (text === "") return failed(`encryption provider configuration file ${JSON.stringify(file)} is empty`);
  if (text.length > mostCharacters) return failed(`the file is longer than ${mostCharacters} characters`);
  let value: unknown;
  try {
    ({ value } = readYaml(text));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return failed(`couldn't get version/kind; json parse error: ${error.message}`);
  }
  const { apiVersion, kind, resources } = fieldsOf(value);
  if (typeof kind !== "string" || kind === "") return failed(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
  if (kind !== "EncryptionConfiguration" || apiVersion !== "apiserver.config.k8s.io/v1")
    return failed(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion ?? "v1")} in scheme "pkg/runtime/scheme.go:110"`,
    );
  const entries = listOf(resources).map(fieldsOf);
  if (entries.length > mostResources) return failed(`the file has more than ${mostResources} entries`);
  const root = path("resources");
  const errors =
    entries.length === 0
      ? [required(root, "at least one resources is required")]
      : entries.flatMap((entry, at) => entryProblems(entry, root.index(at)));
  if (errors.length > 0) return failed(aggregateText(errors));
  return entries.map((entry) => ({
    resources: textsOf(entry["resources"]),
    prefixes: listOf(entry["providers"]).flatMap((provider) => prefixesOf(fieldsOf(provider))),
  }));
}

function entryProblems(entry: Fields, at: FieldPath): FieldError[] {
  const [resources, providers] = [at.child("resources"), at.child("providers")];
  return [
    ...(listOf(entry["resources"]).length === 0
      ? [required(resources, `at least one ${resources.toString()} is required`)]
      : []),
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
  if (name !== name.toLowerCase()) return [invalid(at, name, "resource name should not contain capital letters")];
  if (name !== "*") return [];
  const hint = "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  return [invalid(at, name, hint)];
}

function providerProblems(provider: Fields, at: FieldPath): FieldError[] {
  const names = providerNames.filter((name) => provider[name] !== undefined && provider[name] !== null);
  const [name = ""] = names;
  if (names.length === 0)
    return [
      invalid(
        at,
        {},
        "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity",
      ),
    ];
  if (names.length > 1) {
    const hint = "more than one provider specified in a single element, should split into different list elements";
    return [invalid(at, {}, hint)];
  }
  if (name === "kms") return [invalid(at.child("kms"), {}, "KMS providers are not simulated")];
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

function prefixesOf(provider: Fields): string[] {
  const name = providerNames.find((candidate) => provider[candidate] !== undefined && provider[candidate] !== null);
  if (name === undefined || name === "identity") return [""];
  return listOf(fieldsOf(provider[name])["keys"]).map((key) => {
    const keyName = fieldsOf(key)["name"];
    return `k8s:enc:${name}:v1:${typeof keyName === "string" ? keyName : ""}:`;
  });
}

/** Returns the prefix under which an object is written: that of the first provider of the first entry that has its resource. */
export function writtenPrefix(entries: readonly EncryptedResources[], group: string, plural: string): string {
  const names = [group === "" ? plural : `${plural}.${group}`, `*.${group}`, "*.*"];
  const entry = entries.find(({ resources }) => resources.some((resource) => names.includes(resource)));
  return entry?.prefixes[0] ?? "";
}

function fieldsOf(value: unknown): Fields {
  // A mapping of YAML.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item): item is string => typeof item === "string");
}
