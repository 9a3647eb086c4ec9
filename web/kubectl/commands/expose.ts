// `kubectl expose`: creates a service for a workload or a pod.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { mergePatch } from "../../../shared/schema/merge-patch.ts";
import { jsonPatch } from "../../../shared/schema/json-patch.ts";
import { strategicMerge } from "../../../shared/schema/strategic/strategic-merge.ts";
import { readYaml } from "../../../shared/schema/yaml/read.ts";
import type { CommandCall, Command } from "../command.ts";
import { type Flag, stringFlag } from "../flag.ts";
import { asError, throwAll } from "../errors.ts";
import { type Info, at, listAt, objectAt, ensureMetadata, stringAt, stringsAt, textOf } from "../object.ts";
import { declaredOrder } from "../print/declared-order.ts";
import { outputFlags } from "../print/printer.ts";
import { fileFlags, select } from "../resources/select.ts";
import { typeNameOf } from "../types.ts";
import { dryRunOf, writePrinter, writeQuery, objectWriteFlags } from "../writes/dry-run.ts";
import { keepLastApplied } from "../writes/last-applied.ts";
import { intOrString } from "./creator.ts";

export const overrideFlags: readonly Flag[] = [
  stringFlag("overrides", "An inline JSON override for the generated object."),
  stringFlag("override-type", "The method used to override the generated object: json, merge, or strategic.", {
    default: "merge",
  }),
];

export const expose: Command = {
  name: "expose",
  use: "(-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--external-ip=external-ip-of-service] [--type=type] [options]",
  short: "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
  completes: "resources",
  flags: [
    ...outputFlags,
    ...fileFlags,
    ...overrideFlags,
    ...objectWriteFlags("kubectl-expose"),
    ...[
      "protocol",
      "port",
      "type",
      "load-balancer-ip",
      "selector",
      "target-port",
      "external-ip",
      "name",
      "session-affinity",
      "cluster-ip",
    ].map((name) => stringFlag(name, `The ${name.replaceAll("-", " ")} of the service.`)),
    stringFlag("labels", "Labels to apply to the service created by this call.", { short: "l" }),
  ],
  run: async (call) => {
    const dryRun = dryRunOf(call.flags);
    const print = writePrinter(call, "exposed", dryRun, dryRun === "client");
    const { infos, errors } = await select(call, { args: call.args, keepsGoing: true });
    const failed = [...errors];
    for (const info of infos) {
      try {
        const service = overridden(call, serviceFor(call, info));
        if (dryRun === "client") {
          if (call.hasNamespace) ensureMetadata(service).namespace = call.namespace;
          call.streams.out(print(service));
          continue;
        }
        keepLastApplied(service, call.flags.bool("save-config"), declaredOrder);
        const path = `/api/v1/namespaces/${call.namespace}/services`;
        call.streams.out(
          print(await call.cluster.json(path, { method: "POST", query: writeQuery(call, dryRun), body: service })),
        );
      } catch (error) {
        failed.push(asError(error));
      }
    }
    throwAll(failed);
  },
};

const exposable = ["Pod", "Service", "ReplicationController", "Deployment", "ReplicaSet"];

function serviceFor(call: CommandCall, { mapping, name, object }: Info): JsonObject {
  const { flags } = call;
  if (!exposable.includes(mapping.kind))
    throw new Error(`cannot expose a ${mapping.kind}${mapping.group ? `.${mapping.group}` : ""}`);
  const selector = flags.text("selector") ? parseLabels(flags.text("selector")) : selectorOf(object);
  const isHeadless = flags.text("cluster-ip") === "None";
  const exposedPorts = portsOf(object);
  const portNumbers = flags.text("port")
    ? [flags.text("port")]
    : [...new Set(exposedPorts.map(({ port }) => String(port)))];
  if (portNumbers.length === 0 && !isHeadless) throw new Error("couldn't find port via --port flag or introspection");
  const labels = flags.text("labels") ? parseLabels(flags.text("labels")) : stringsAt(object, "metadata", "labels");
  const metadata = {
    name: flags.text("name") || name.slice(0, 63),
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
  };
  return serviceWith(flags, metadata, selector, servicePorts(flags, portNumbers, exposedPorts));
}

export function serviceWith(
  flags: CommandCall["flags"],
  metadata: JsonObject,
  selector: JsonObject,
  ports: readonly JsonObject[],
): JsonObject {
  const affinity = flags.text("session-affinity");
  if (affinity && affinity !== "None" && affinity !== "ClientIP")
    throw new Error(`unknown session affinity: ${affinity}`);
  const type = flags.text("type");
  const balancer = flags.text("load-balancer-ip");
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: {
      ...(flags.text("cluster-ip") ? { clusterIP: flags.text("cluster-ip") } : {}),
      ...(flags.text("external-ip") ? { externalIPs: [flags.text("external-ip")] } : {}),
      ...(type === "LoadBalancer" && balancer ? { loadBalancerIP: balancer } : {}),
      ...(ports.length > 0 ? { ports } : {}),
      selector,
      ...(affinity ? { sessionAffinity: affinity } : {}),
      ...(type ? { type } : {}),
    },
    status: { loadBalancer: {} },
  };
}

interface Port {
  readonly port: number;
  readonly protocol: string;
}

function servicePorts(
  flags: CommandCall["flags"],
  portNumbers: readonly string[],
  exposedPorts: readonly Port[],
): JsonObject[] {
  const target = flags.text("target-port");
  return portNumbers.flatMap((text, index): JsonObject[] => {
    if (!/^[+-]?\d+$/.test(text)) throw new Error(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
    const port = Number(text);
    const targetPort = target ? intOrString(target) : port;
    const protocols = [
      ...new Set(exposedPorts.filter((port) => String(port.port) === text).map(({ protocol }) => protocol)),
    ];
    const named = portNumbers.length > 1 ? { name: `port-${index + 1}` } : {};
    if (flags.text("protocol") || protocols.length < 2) {
      return [{ ...named, port, protocol: flags.text("protocol") || protocols[0] || "TCP", targetPort }];
    }
    return protocols.map((protocol) => ({
      name: `port-${index + 1}-${protocol.toLowerCase()}`,
      port,
      protocol,
      targetPort,
    }));
  });
}

function portsOf(object: JsonObject): Port[] {
  if (object.kind === "Service") {
    return listAt(object, "spec", "ports").map(({ port, protocol }) => ({
      port: Number(port),
      protocol: textOf(protocol) || "TCP",
    }));
  }
  const spec = object.kind === "Pod" ? objectAt(object, "spec") : objectAt(object, "spec", "template", "spec");
  return listAt(spec, "containers").flatMap((container) =>
    listAt(container, "ports").map(({ containerPort, protocol }) => ({
      port: Number(containerPort),
      protocol: textOf(protocol) || "TCP",
    })),
  );
}

function selectorOf(object: JsonObject): JsonObject {
  const failure = (text: string) =>
    new Error(`couldn't retrieve selectors via --selector flag or introspection: ${text}`);
  switch (object.kind) {
    case "Pod": {
      const labels = stringsAt(object, "metadata", "labels");
      if (Object.keys(labels).length === 0) throw failure("the pod has no labels and cannot be exposed");
      return labels;
    }
    case "Service": {
      const selector = stringsAt(object, "spec", "selector");
      if (Object.keys(selector).length === 0) throw failure("the service has no pod selector set");
      return selector;
    }
    case "ReplicationController":
      return stringsAt(object, "spec", "selector");
    default: {
      const expressions = at(object, "spec", "selector", "matchExpressions");
      if (Array.isArray(expressions) && expressions.length > 0)
        throw failure(`couldn't convert expressions - "${JSON.stringify(expressions)}" to map-based selector format`);
      const labels = stringsAt(object, "spec", "selector", "matchLabels");
      if (Object.keys(labels).length === 0)
        throw failure(`invalid ${stringAt(object, "kind").toLowerCase()}: no selectors, therefore cannot be exposed`);
      return labels;
    }
  }
}

export function parseLabels(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const [key = "", value, more] = pair.split("=");
      if (value === undefined || more !== undefined) throw new Error(`unexpected label spec: ${pair}`);
      if (!key) throw new Error("unexpected empty label key");
      return [key, value];
    }),
  );
}

/** Applies `--overrides` to the object. */
export function overridden({ flags }: CommandCall, object: JsonObject): JsonObject {
  const text = flags.text("overrides");
  if (!text) return object;
  const { value } = readYaml(text);
  const type = flags.text("override-type");
  if (type === "json") return jsonPatch(object, value) as JsonObject;
  if (!isObject(value)) throw new Error(`invalid override: ${text}`);
  if (type === "strategic")
    return strategicMerge(
      typeNameOf(textOf(object.apiVersion), textOf(object.kind)) ?? "",
      object,
      value,
    ) as JsonObject;
  if (type !== "merge") throw new Error(`invalid merge type: ${type}`);
  return mergePatch(object, value) as JsonObject;
}
