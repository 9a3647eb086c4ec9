// The kind Secret: types and the keys they demand, stringData, size, immutability.
import type { Secret } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, forbidden, invalid, path, required, tooLong } from "../../../shared/k8s/field.ts";
import { configMapKey } from "../../../shared/k8s/names.ts";
import { validateImmutable } from "../../../shared/k8s/validate-meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { base64Bytes, maxSecretSize } from "./data-size.ts";
import { defineKind } from "../kind.ts";
import { base64OfText, textOfBase64 } from "../../../shared/base/base64.ts";
import { pemBlocksOfBase64 } from "../../../shared/x509/pem.ts";

export const secrets = defineKind<Secret>("", "v1", "secrets", {
  defaults(draft) {
    mergeStringData(draft);
    draft.type ||= "Opaque";
  },
  validate: (secret) => [...validateData(secret), ...validateType(secret)],
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...validateUpdate(next, previous),
    ...check.objectMeta(),
    ...check.validate(),
  ],
  warnings: ({ type, data }) => {
    const problem =
      type === "kubernetes.io/tls" ? keyPairProblem(data?.["tls.crt"] ?? "", data?.["tls.key"] ?? "") : undefined;
    return problem === undefined ? [] : [problem];
  },
  selectableFields: (secret) => ({ type: secret.type ?? "" }),
  columns: [
    nameColumn,
    {
      name: "Type",
      type: "string",
      description: "What the secret is for, which decides the keys it must have.",
      cell: (secret) => secret.type ?? "",
    },
    {
      name: "Data",
      type: "string",
      description: "How many keys the object holds.",
      cell: (secret) => Object.keys(secret.data ?? {}).length,
    },
    ageColumn,
  ],
});

/** Merges the write-only stringData into data. */
function mergeStringData(draft: Secret): void {
  const { stringData } = draft;
  if (!stringData) return;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, base64OfText(text)] as const);
  const merged = { ...draft.data, ...Object.fromEntries(encoded) };
  draft.data = Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1)));
  delete draft.stringData;
}

function validateData({ data = {} }: Secret): FieldError[] {
  const errors = Object.keys(data).flatMap((key) =>
    configMapKey(key).map((message) => invalid(path("data").key(key), key, message)),
  );
  const bytes = Object.values(data).reduce((sum, value) => sum + base64Bytes(value), 0);
  if (bytes > maxSecretSize) errors.push(tooLong(path("data"), maxSecretSize));
  return errors;
}

function validateType(secret: Secret): FieldError[] {
  const { data = {} } = secret;
  const missing = (...keys: string[]) =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(path("data").key(key)));
  switch (secret.type) {
    case "kubernetes.io/service-account-token": {
      const annotation = "kubernetes.io/service-account.name";
      if (secret.metadata.annotations?.[annotation]) return [];
      return [required(path("metadata", "annotations").key(annotation))];
    }
    case "kubernetes.io/dockercfg":
      return validateJson(data, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return validateJson(data, ".dockerconfigjson");
    case "kubernetes.io/basic-auth": {
      const absent = missing("username", "password");
      return absent.length === 2 ? absent : [];
    }
    case "kubernetes.io/ssh-auth":
      return data["ssh-privatekey"] ? [] : [required(path("data").key("ssh-privatekey"))];
    case "kubernetes.io/tls":
      return missing("tls.crt", "tls.key");
    default:
      return [];
  }
}

function validateJson(data: Record<string, string>, key: string): FieldError[] {
  const at = path("data").key(key);
  const value = data[key];
  if (value === undefined) return [required(at)];
  const problem = jsonProblem(textOfBase64(value));
  return problem ? [invalid(at, "<secret contents redacted>", problem)] : [];
}

/** Returns the error of Go's JSON decoder for a text that is not an object. */
function jsonProblem(text: string): string | undefined {
  const first = text.trimStart()[0];
  if (first === undefined) return "unexpected end of JSON input";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const startsValue = /[{[\]"\-0-9tfn]/.test(first);
    return startsValue ? "unexpected end of JSON input" : `invalid character '${first}' looking for beginning of value`;
  }
  if (value === null || (typeof value === "object" && !Array.isArray(value))) return undefined;
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}

function validateUpdate(next: Secret, previous: Secret): FieldError[] {
  const errors = validateImmutable(next.type ?? "", previous.type ?? "", path("type"));
  if (!previous.immutable) return errors;
  const why = "field is immutable when `immutable` is set";
  if (!next.immutable) errors.push(forbidden(path("immutable"), why));
  if (!semanticEqual(next.data ?? {}, previous.data ?? {})) errors.push(forbidden(path("data"), why));
  return errors;
}

/** Checks a certificate and a key, both base64 of PEM. */
function keyPairProblem(certificate: string, key: string): string | undefined {
  return ofCertificate(typesOf(certificate)) ?? ofKey(typesOf(key));
}

function typesOf(base64: string): string[] {
  return pemBlocksOfBase64(base64).map(({ type }) => type);
}

function ofCertificate(types: readonly string[]): string | undefined {
  if (types.includes("CERTIFICATE")) return undefined;
  const [first] = types;
  if (first === undefined) return "tls: failed to find any PEM data in certificate input";
  if (types.length === 1 && first.endsWith("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(" ")}]`;
}

function ofKey(types: readonly string[]): string | undefined {
  if (types.some((type) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"))) return undefined;
  const [first] = types;
  if (first === undefined) return "tls: failed to find any PEM data in key input";
  if (types.length === 1 && first === "CERTIFICATE") {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(" ")}]`;
}
