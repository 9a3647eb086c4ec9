// Descriptions of Services, Ingresses, their classes, and NetworkPolicies.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { formatLabels } from "../../../shared/k8s/selectors/labels.ts";
import { asError } from "../errors.ts";
import {
  at,
  listAt,
  metadataOf,
  nameOf,
  namespaceOf,
  numberAt,
  objectAt,
  stringAt,
  stringsAt,
  textOf,
} from "../object.ts";
import { type Asking, type Describer, describeEvents, head, listAll, selectorText } from "./describer.ts";
import { type Description, orNone } from "./writer.ts";

const maxAddresses = 3;

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

export const describeService: Describer = async (object, into, asking) => {
  const spec = objectAt(object, "spec");
  const optional = (label: string, value: unknown) => {
    const text = Array.isArray(value) ? value.join(",") : textOf(value);
    if (text) into.line(0, `${label}:\t${text}`);
  };
  head(object, into);
  into.line(0, `Selector:\t${formatLabels(stringsAt(spec, "selector"))}`);
  into.line(0, `Type:\t${textOf(spec.type)}`);
  optional("IP Family Policy", spec.ipFamilyPolicy);
  into.line(0, `IP Families:\t${orNone(texts(spec.ipFamilies).join(","))}`);
  into.line(0, `IP:\t${textOf(spec.clusterIP)}`);
  into.line(0, `IPs:\t${orNone(texts(spec.clusterIPs).join(","))}`);
  optional("External IPs", spec.externalIPs);
  optional("Desired LoadBalancer IP", spec.loadBalancerIP);
  optional("External Name", spec.externalName);
  optional("LoadBalancer Ingress", listAt(object, "status", "loadBalancer", "ingress").map(ingressText).join(", "));
  const slices = await slicesOf(namespaceOf(object), nameOf(object), asking).catch(() => []);
  for (const port of listAt(spec, "ports")) describePort(port, slices, into);
  into.line(0, `Session Affinity:\t${textOf(spec.sessionAffinity)}`);
  optional("External Traffic Policy", spec.externalTrafficPolicy);
  optional("Internal Traffic Policy", spec.internalTrafficPolicy);
  if (numberAt(spec, "healthCheckNodePort"))
    into.line(0, `HealthCheck NodePort:\t${numberAt(spec, "healthCheckNodePort") ?? 0}`);
  optional("LoadBalancer Source Ranges", spec.loadBalancerSourceRanges);
  optional("Traffic Distribution", spec.trafficDistribution);
  await describeEvents(object, into, asking);
};

function ingressText({ ip, ipMode, hostname }: JsonObject): string {
  if (!textOf(ip)) return textOf(hostname);
  return textOf(ipMode) ? `${textOf(ip)} (${textOf(ipMode)})` : textOf(ip);
}

function describePort(port: JsonObject, slices: readonly JsonObject[], into: Description): void {
  const [name, protocol] = [textOf(port.name) || "<unset>", textOf(port.protocol)];
  into.line(0, `Port:\t${name}\t${numberAt(port, "port") ?? 0}/${protocol}`);
  into.line(0, `TargetPort:\t${String((port.targetPort as string | number | undefined) ?? 0)}/${protocol}`);
  if (textOf(port.appProtocol)) into.line(0, `AppProtocol:\t${textOf(port.appProtocol)}`);
  if (numberAt(port, "nodePort")) into.line(0, `NodePort:\t${name}\t${numberAt(port, "nodePort") ?? 0}/${protocol}`);
  into.line(0, `Endpoints:\t${endpointsText(slices, textOf(port.name))}`);
}

async function slicesOf(namespace: string, service: string, { call }: Asking): Promise<JsonObject[]> {
  return listAll(call, `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, {
    labelSelector: `kubernetes.io/service-name=${service}`,
  });
}

function endpointsText(slices: readonly JsonObject[], portName: string): string {
  if (slices.length === 0) return "<none>";
  const endpointAddresses = slices.flatMap((slice) => {
    const ready = listAt(slice, "endpoints").filter((endpoint) => at(endpoint, "conditions", "ready") !== false);
    const addresses = ready.map((endpoint) => texts(endpoint.addresses)[0] ?? "");
    const ports = listAt(slice, "ports");
    if (ports.length === 0) return addresses;
    const matchingPorts = ports.filter(({ name }) => textOf(name) === portName);
    return matchingPorts.flatMap(({ port }) =>
      addresses.map((address) => `${address.includes(":") ? `[${address}]` : address}:${String(port as number)}`),
    );
  });
  const listed = endpointAddresses.slice(0, maxAddresses).join(",");
  return endpointAddresses.length > maxAddresses
    ? `${listed} + ${endpointAddresses.length - maxAddresses} more...`
    : listed;
}

export const describeIngress: Describer = async (object, into, asking) => {
  const [spec, namespace] = [objectAt(object, "spec"), namespaceOf(object)];
  into.line(0, `Name:\t${nameOf(object)}`);
  into.labels("Labels", stringsAt(object, "metadata", "labels"));
  into.line(0, `Namespace:\t${namespace}`);
  const addresses = listAt(object, "status", "loadBalancer", "ingress").map(
    ({ ip, hostname }) => textOf(ip) || textOf(hostname),
  );
  into.line(0, `Address:\t${[...new Set(addresses.filter(Boolean))].sort().join(",")}`);
  into.line(0, `Ingress Class:\t${orNone(textOf(spec.ingressClassName))}`);
  const fallback = isObject(spec.defaultBackend)
    ? await backendText(spec.defaultBackend, namespace, asking)
    : "<default>";
  into.line(0, `Default backend:\t${fallback}`);
  const tls = listAt(spec, "tls");
  if (tls.length > 0) into.line(0, "TLS:");
  for (const { secretName, hosts } of tls) {
    const list = texts(hosts).join(",");
    into.line(1, textOf(secretName) ? `${textOf(secretName)} terminates ${list}` : `SNI routes ${list}`);
  }
  into.line(0, "Rules:");
  into.line(1, "Host\tPath\tBackends");
  into.line(1, "----\t----\t--------");
  const rules = listAt(spec, "rules").filter(({ http }) => isObject(http));
  for (const rule of rules) {
    into.line(1, `${textOf(rule.host) || "*"}\t`);
    for (const path of listAt(rule, "http", "paths")) {
      into.line(2, `\t${textOf(path.path)} \t${await backendText(objectAt(path, "backend"), namespace, asking)}`);
    }
  }
  if (rules.length === 0) into.line(1, `*\t*\t${fallback}`);
  into.annotations("Annotations", stringsAt(object, "metadata", "annotations"));
  await describeEvents(object, into, asking);
};

async function backendText(backend: JsonObject, namespace: string, asking: Asking): Promise<string> {
  const { service, resource } = backend;
  if (isObject(resource)) {
    return `APIGroup: ${textOf(resource.apiGroup) || "<none>"}, Kind: ${textOf(resource.kind)}, Name: ${textOf(resource.name)}`;
  }
  if (!isObject(service)) return "";
  const [name, number, portName] = [
    textOf(service.name),
    numberAt(service, "port", "number"),
    stringAt(service, "port", "name"),
  ];
  const backendName = `${name}:${number ?? portName}`;
  try {
    const slices = await slicesOf(namespace, name, asking);
    const serviceObject = await asking.call.cluster.json(`/api/v1/namespaces/${namespace}/services/${name}`);
    const port = listAt(serviceObject, "spec", "ports").find((servicePort) =>
      number ? servicePort.port === number : servicePort.name === portName,
    );
    return `${backendName} (${endpointsText(slices, textOf(port?.name))})`;
  } catch (error) {
    return `${backendName} (<error: ${asError(error).message}>)`;
  }
}

export const describeIngressClass: Describer = async (object, into, asking) => {
  head(object, into);
  into.line(0, `Controller:\t${stringAt(object, "spec", "controller")}`);
  const parameters = at(object, "spec", "parameters");
  if (isObject(parameters)) {
    into.line(0, "Parameters:");
    if (parameters.apiGroup) into.line(1, `APIGroup:\t${textOf(parameters.apiGroup)}`);
    into.line(1, `Kind:\t${textOf(parameters.kind)}`);
    into.line(1, `Name:\t${textOf(parameters.name)}`);
  }
  await describeEvents(object, into, asking);
};

export const describeNetworkPolicy: Describer = (object, into) => {
  const spec = objectAt(object, "spec");
  const created = new Date(textOf(metadataOf(object).creationTimestamp));
  const stamp = Number.isNaN(created.getTime()) ? "" : created.toISOString();
  head(object, into, [`Created on:\t${stamp.slice(0, 10)} ${stamp.slice(11, 19)} +0000 UTC`]);
  into.line(0, "Spec:");
  const selector = selectorText(spec.podSelector);
  into.line(
    1,
    `PodSelector:     ${selector === "<none>" ? "<none> (Allowing the specific traffic to all pods in this namespace)" : selector}`,
  );
  const types = texts(spec.policyTypes);
  for (const [type, field] of [
    ["Ingress", "ingress"],
    ["Egress", "egress"],
  ] as const) {
    if (!types.includes(type)) into.line(1, `Not affecting ${field} traffic`);
    else {
      into.line(1, `Allowing ${field} traffic:`);
      describeRules(listAt(spec, field), type, into);
    }
  }
  into.line(1, `Policy Types: ${orNone(types.join(", "))}`);
};

function describeRules(rules: readonly JsonObject[], type: "Ingress" | "Egress", into: Description): void {
  const [way, field, what] = type === "Ingress" ? ["From", "from", "source"] : ["To", "to", "destination"];
  if (rules.length === 0)
    return into.line(2, `<none> (Selected pods are isolated for ${type.toLowerCase()} connectivity)`);
  for (const [index, rule] of rules.entries()) {
    const ports = listAt(rule, "ports");
    if (ports.length === 0) into.line(2, "To Port: <any> (traffic allowed to all ports)");
    for (const { port, protocol, endPort } of ports) {
      const number = String((port as string | number | undefined) ?? "<nil>");
      const range = typeof endPort === "number" ? `To Port Range: ${number}-${endPort}` : `To Port: ${number}`;
      into.line(2, `${range}/${textOf(protocol) || "TCP"}`);
    }
    const peers = listAt(rule, field);
    if (peers.length === 0) into.line(2, `${way}: <any> (traffic not restricted by ${what})`);
    for (const peer of peers) {
      into.line(2, `${way}:`);
      describePeer(peer, into);
    }
    if (index < rules.length - 1) into.line(2, "----------");
  }
}

function describePeer({ podSelector, namespaceSelector, ipBlock }: JsonObject, into: Description): void {
  if (isObject(namespaceSelector)) into.line(3, `NamespaceSelector: ${selectorText(namespaceSelector)}`);
  if (isObject(podSelector)) into.line(3, `PodSelector: ${selectorText(podSelector)}`);
  if (podSelector || namespaceSelector || !isObject(ipBlock)) return;
  into.line(3, "IPBlock:");
  into.line(4, `CIDR: ${textOf(ipBlock.cidr)}`);
  into.line(4, `Except: ${texts(ipBlock.except).join(", ")}`);
}
