// `kubectl create configmap` and `kubectl create secret`: data from files, literals and env files.
import { absolute } from "../../../shared/shell/paths.ts";
import { base64OfText } from "../../../shared/base/base64.ts";
import { configMapKey } from "../../../shared/k8s/names.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall } from "../command.ts";
import { type Flag, arrayFlag, boolFlag, stringFlag, stringsFlag } from "../flag.ts";
import { ensureMetadata, nameOf } from "../object.ts";
import { configHash } from "../resources/config-hash.ts";
import type { Creator } from "./creator.ts";

const sourceFlags: readonly Flag[] = [
  stringsFlag("from-file", "Key file can be specified using its file path, or with a key and file path."),
  arrayFlag("from-literal", "Specify a key and literal value to insert (i.e. mykey=somevalue)"),
  stringsFlag("from-env-file", "Specify the path to a file to read lines of key=val pairs."),
];
const hashFlag = boolFlag("append-hash", "Append a hash of the object to its name.");

export const dataCreators: readonly Creator[] = [
  {
    name: "configmap",
    aliases: ["cm"],
    use: "NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none] [options]",
    short: "Create a config map from a local file, directory or literal value",
    flags: [...sourceFlags, hashFlag],
    failure: "failed to create configmap: ",
    build: (call, name) => {
      const data = readSources(call, name, "ConfigMap", ["file", "literal"]);
      const sorted = Object.fromEntries([...data].sort(([a], [b]) => (a < b ? -1 : 1)));
      return hashed(call, {
        apiVersion: "v1",
        kind: "ConfigMap",
        ...(data.size > 0 ? { data: sorted } : {}),
        metadata: { name },
      });
    },
  },
];

export const secretCreators: readonly Creator[] = [
  {
    name: "docker-registry",
    use: "NAME --docker-username=user --docker-password=password --docker-email=email [--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none] [options]",
    short: "Create a secret for use with a Docker registry",
    flags: [
      stringFlag("docker-username", "Username for Docker registry authentication"),
      stringFlag("docker-password", "Password for Docker registry authentication"),
      stringFlag("docker-email", "Email for Docker registry"),
      stringFlag("docker-server", "Server location for Docker registry", { default: "https://index.docker.io/v1/" }),
      ...sourceFlags.slice(0, 1),
      hashFlag,
    ],
    failure: "failed to create secret ",
    build: dockerSecret,
  },
  {
    name: "generic",
    use: "NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none] [options]",
    short: "Create a secret from a local file, directory, or literal value",
    flags: [...sourceFlags, hashFlag, stringFlag("type", "The type of secret to create")],
    failure: "failed to create secret ",
    build: (call, name) =>
      secretOf(call, name, call.flags.text("type"), readSources(call, name, "Secret", ["literal", "file"])),
  },
  {
    name: "tls",
    use: "NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none] [options]",
    short: "Create a TLS secret",
    flags: [
      stringFlag("cert", "Path to PEM encoded public key certificate."),
      stringFlag("key", "Path to private key associated with given certificate."),
      hashFlag,
    ],
    failure: "failed to create secret ",
    build: tlsSecret,
  },
];

function secretOf(call: CommandCall, name: string, type: string, data: ReadonlyMap<string, string>): JsonObject {
  const entries = [...data].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, text]) => [key, base64OfText(text)]);
  const object: JsonObject = { apiVersion: "v1", kind: "Secret", metadata: { name } };
  if (entries.length > 0) object.data = Object.fromEntries(entries) as JsonObject;
  if (type) object.type = type;
  return hashed(call, object);
}

function hashed({ flags }: CommandCall, object: JsonObject): JsonObject {
  if (flags.bool("append-hash")) ensureMetadata(object).name = `${nameOf(object)}-${configHash(object)}`;
  return object;
}

function dockerSecret(call: CommandCall, name: string): JsonObject {
  const { flags } = call;
  const type = "kubernetes.io/dockerconfigjson";
  const [username, password, email, server] = ["username", "password", "email", "server"].map((field) =>
    flags.text(`docker-${field}`),
  );
  const files = flags.list("from-file");
  if (files.length === 0 && (!username || !password || !server)) {
    throw new Error(
      "either --from-file or the combination of --docker-username, --docker-password and --docker-server is required",
    );
  }
  const data = new Map<string, string>();
  for (const file of files)
    addFile(call, data, file.includes("=") ? file : `.dockerconfigjson=${file}`, name, "Secret");
  if (files.length === 0) {
    const entry = { username, password, ...(email ? { email } : {}), auth: base64OfText(`${username}:${password}`) };
    data.set(".dockerconfigjson", JSON.stringify({ auths: { [server ?? ""]: entry } }));
  }
  return secretOf(call, name, type, data);
}

function tlsSecret(call: CommandCall, name: string): JsonObject {
  const [cert, key] = [call.flags.text("cert"), call.flags.text("key")];
  if (!key || !cert) throw new Error("key and cert must be specified");
  const read = (path: string) => {
    const text = call.surroundings.files.read(absolute(path, call.surroundings.files.folder));
    if (text === undefined) throw new Error(`Cannot read file ${path}, open ${path}: no such file or directory`);
    return text;
  };
  const data = new Map([
    ["tls.crt", read(cert)],
    ["tls.key", read(key)],
  ]);
  if (!/-----BEGIN CERTIFICATE-----/.test(data.get("tls.crt") ?? "")) {
    throw new Error("tls: failed to find any PEM data in certificate input");
  }
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(data.get("tls.key") ?? "")) {
    throw new Error("tls: failed to find any PEM data in key input");
  }
  return secretOf(call, name, "kubernetes.io/tls", data);
}

type Kind = "ConfigMap" | "Secret";

function readSources(
  call: CommandCall,
  name: string,
  kind: Kind,
  order: readonly ("file" | "literal")[],
): Map<string, string> {
  const { flags } = call;
  const [files, literals, variables] = [
    flags.list("from-file"),
    flags.list("from-literal"),
    flags.list("from-env-file"),
  ];
  if (variables.length > 0 && (files.length > 0 || literals.length > 0)) {
    throw new Error("from-env-file cannot be combined with from-file or from-literal");
  }
  const data = new Map<string, string>();
  for (const form of order) {
    if (form === "file") for (const file of files) addFile(call, data, file, name, kind);
    else for (const literal of literals) addLiteral(data, literal, name, kind);
  }
  for (const path of variables) addVariables(call, data, path, name, kind);
  return data;
}

function addLiteral(data: Map<string, string>, literal: string, name: string, kind: Kind): void {
  const equals = literal.indexOf("=");
  if (equals <= 0) throw new Error(`invalid literal source ${literal}, expected key=value`);
  add(data, literal.slice(0, equals), literal.slice(equals + 1), name, kind);
}

function addFile(
  { surroundings: { files } }: CommandCall,
  data: Map<string, string>,
  source: string,
  name: string,
  kind: Kind,
): void {
  const { key, path } = parseFileSource(source);
  const full = absolute(path, files.folder);
  const text = files.read(full);
  if (text !== undefined) return add(data, key, text, name, kind);
  const entries = files.list(full);
  if (!entries) throw new Error(`error reading ${path}: no such file or directory`);
  if (source.includes("=")) throw new Error("cannot give a key name for a directory path");
  for (const entry of entries) {
    const inner = files.read(`${full}/${entry}`);
    if (inner !== undefined) add(data, entry, inner, name, kind);
  }
}

function parseFileSource(source: string): { key: string; path: string } {
  const pieces = source.split("=");
  const [first = "", second = ""] = pieces;
  if (pieces.length === 1) return { key: source.split("/").at(-1) ?? source, path: source };
  if (pieces.length > 2) throw new Error("key names or file paths cannot contain '='");
  if (first === "") throw new Error(`key name for file path ${second} missing`);
  if (second === "") throw new Error(`file path for key name ${first} missing`);
  return { key: first, path: second };
}

function addVariables(
  { surroundings: { files } }: CommandCall,
  data: Map<string, string>,
  path: string,
  name: string,
  kind: Kind,
): void {
  const text = files.read(absolute(path, files.folder));
  if (text === undefined) throw new Error(`error reading ${path}: no such file or directory`);
  for (const line of text.split("\n")) {
    const trimmed = line.trimStart();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const equals = trimmed.indexOf("=");
    const key = equals < 0 ? trimmed : trimmed.slice(0, equals);
    if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(key)) {
      throw new Error(
        `${JSON.stringify(key)} is not a valid key name: a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')`,
      );
    }
    add(data, key, equals < 0 ? "" : trimmed.slice(equals + 1), name, kind);
  }
}

function add(data: Map<string, string>, key: string, text: string, name: string, kind: Kind): void {
  const wrong = configMapKey(key);
  if (wrong.length > 0) {
    const quotedKey = JSON.stringify(key);
    throw new Error(
      kind === "Secret"
        ? `${quotedKey} is not valid key name for a Secret ${wrong.join(";")}`
        : `${quotedKey} is not a valid key name for a ConfigMap: ${wrong.join(",")}`,
    );
  }
  if (data.has(key)) {
    throw new Error(
      kind === "Secret"
        ? `cannot add key ${key}, another key by that name already exists`
        : `cannot add key ${JSON.stringify(key)}, another key by that name already exists in Data for ConfigMap ${JSON.stringify(name)}`,
    );
  }
  data.set(key, text);
}
