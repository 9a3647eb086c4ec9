// Converts values to the form in which upstream prints structs: its internal structs have no JSON names and omit no fields.
import { type Field, type TypeNode, typeOf } from "../../../shared/schema/graph.ts";

const core = "io.k8s.api.core.v1.";

/** Go field names that are not the capitalized JSON name. */
const goNames: Readonly<Record<string, string>> = {
  apiVersion: "APIVersion",
  awsElasticBlockStore: "AWSElasticBlockStore",
  cephfs: "CephFS",
  chapAuthDiscovery: "DiscoveryCHAPAuth",
  chapAuthSession: "SessionCHAPAuth",
  csi: "CSI",
  diskURI: "DataDiskURI",
  dnsConfig: "DNSConfig",
  dnsPolicy: "DNSPolicy",
  fc: "FC",
  fsGroup: "FSGroup",
  fsGroupChangePolicy: "FSGroupChangePolicy",
  fsType: "FSType",
  gcePersistentDisk: "GCEPersistentDisk",
  gmsaCredentialSpec: "GMSACredentialSpec",
  gmsaCredentialSpecName: "GMSACredentialSpecName",
  grpc: "GRPC",
  httpGet: "HTTPGet",
  httpHeaders: "HTTPHeaders",
  ip: "IP",
  iqn: "IQN",
  iscsi: "ISCSI",
  iscsiInterface: "ISCSIInterface",
  nfs: "NFS",
  os: "OS",
  pdName: "PDName",
  rbd: "RBD",
  seLinuxChangePolicy: "SELinuxChangePolicy",
  seLinuxOptions: "SELinuxOptions",
  sslEnabled: "SSLEnabled",
  storageos: "StorageOS",
  tcpSocket: "TCPSocket",
  tty: "TTY",
  wwids: "WWIDs",
  apiGroup: "APIGroup",
  apiGroups: "APIGroups",
  $ref: "Ref",
  $schema: "Schema",
  id: "ID",
  "x-kubernetes-embedded-resource": "XEmbeddedResource",
  "x-kubernetes-int-or-string": "XIntOrString",
  "x-kubernetes-list-map-keys": "XListMapKeys",
  "x-kubernetes-list-type": "XListType",
  "x-kubernetes-map-type": "XMapType",
  "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields",
  "x-kubernetes-validations": "XValidations",
  bool: "BoolValue",
  bools: "BoolValues",
  cel: "CEL",
  int: "IntValue",
  ints: "IntValues",
  string: "StringValue",
  strings: "StringValues",
  uid: "UID",
  version: "VersionValue",
  versions: "VersionValues",
};
/** Go field names of single types. */
const ownNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [`${core}GlusterfsVolumeSource`]: { endpoints: "EndpointsName" },
  [`${core}RBDVolumeSource`]: { monitors: "CephMonitors", image: "RBDImage", pool: "RBDPool", user: "RadosUser" },
};
/** Fields at another position: after the given field. */
const moved: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [`${core}PodSecurityContext`]: { fsGroupChangePolicy: "fsGroup" },
  [`${core}PodSpec`]: { setHostnameAsFQDN: "subdomain", preemptionPolicy: "priority", overhead: "runtimeClassName" },
  [`${core}Volume`]: { quobyte: "rbd" },
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps": { nullable: "type" },
};
const podSpec = `${core}PodSpec`;
/** The fields of a pod spec that are in the internal security context. */
const hostFields = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];
const numbers = ["int32", "int64", "uint8", "uint32", "uint64", "float32", "float64"];
/** The types that have JSON names internally too. */
const shared = "io.k8s.apimachinery.";

/** Returns a decoded value of a graph type in the form of its internal struct. */
export function internalForm(type: string, value: unknown): unknown {
  const node = type.startsWith(shared) ? undefined : typeOf(type);
  if (!node || typeof value !== "object" || value === null) return value ?? null;
  // Decoding a struct returns a plain object.
  const record = value as Readonly<Record<string, unknown>>;
  const entries = inOrder(node).flatMap((field): [string, unknown][] => {
    if (type === podSpec && (hostFields.includes(field.json) || field.json === "serviceAccount")) return [];
    if (type === podSpec && field.json === "securityContext") return [["SecurityContext", securityForm(node, record)]];
    // Upstream's structs embed the metadata of a template.
    if (field.json === "metadata" && field.type.startsWith(shared)) return Object.entries(record["metadata"] ?? {});
    return [[goName(type, field.json), fieldForm(field, record[field.json])]];
  });
  return Object.fromEntries(entries);
}

function securityForm({ byJson }: TypeNode, spec: Readonly<Record<string, unknown>>): unknown {
  const fields = hostFields.flatMap((name) => byJson.get(name) ?? []);
  const host = fields.map((field): [string, unknown] => {
    return [goName(podSpec, field.json), fieldForm(field, spec[field.json])];
  });
  return Object.assign(
    Object.fromEntries(host),
    internalForm(`${core}PodSecurityContext`, spec["securityContext"] ?? {}),
  );
}

function inOrder({ name, fields }: TypeNode): readonly Field[] {
  const moves = moved[name];
  if (!moves) return fields;
  const followers = (json: string) => fields.filter((field) => moves[field.json] === json);
  return fields.flatMap((field) => (moves[field.json] ? [] : [field, ...followers(field.json)]));
}

/** Returns the name of a field in its internal struct. */
export function goName(type: string, json: string): string {
  const explicitName = ownNames[type]?.[json] ?? (Object.hasOwn(goNames, json) ? goNames[json] : undefined);
  return explicitName ?? `${json.slice(0, 1).toUpperCase()}${json.slice(1)}`;
}

function fieldForm(field: Field, value: unknown): unknown {
  if (value === undefined || value === null) return zeroOf(field);
  if (field.form !== "struct") return value;
  if (Array.isArray(value) && value.length === 0) return null;
  if (Array.isArray(value)) return value.map((item: unknown) => internalForm(field.type, item));
  if (field.shape !== "map") return internalForm(field.type, value);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, internalForm(field.type, entry)]));
}

function zeroOf({ shape, isPointer, form, type }: Field): unknown {
  if (shape !== "one" || isPointer) return null;
  if (form === "struct") return internalForm(type, {});
  if (form === "bool") return false;
  if (numbers.includes(form)) return 0;
  return form === "string" ? "" : null;
}
