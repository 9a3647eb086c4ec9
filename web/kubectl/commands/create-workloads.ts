// `kubectl create deployment`, `job`, `cronjob`, `ingress` and `service`.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall } from "../command.ts";
import { type Flag, arrayFlag, intFlag, stringFlag, stringsFlag } from "../flag.ts";
import { at, metadataOf, objectAt, stringsAt, textOf } from "../object.ts";
import { select } from "../resources/select.ts";
import { type Creator, intOrString } from "./creator.ts";

export const workloadCreators: readonly Creator[] = [
  {
    name: "deployment",
    aliases: ["deploy"],
    use: "NAME --image=image -- [COMMAND] [args...] [options]",
    short: "Create a deployment with the specified name",
    flags: [
      stringsFlag("image", "Image names to run. A deployment can have multiple images set for multi-container pod."),
      intFlag("port", "The containerPort that this deployment exposes.", { default: -1 }),
      intFlag("replicas", "Number of replicas to create. Default is 1.", { short: "r", default: 1 }),
    ],
    required: ["image"],
    failure: "failed to create deployment: ",
    build: deployment,
  },
  {
    name: "job",
    use: "NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...] [options]",
    short: "Create a job with the specified name",
    flags: [
      stringFlag("image", "Image name to run."),
      stringFlag("from", "The name of the resource to create a Job from (only CronJob is supported)."),
    ],
    failure: "failed to create job: ",
    build: job,
  },
  {
    name: "cronjob",
    aliases: ["cj"],
    use: "NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...] [flags] [options]",
    short: "Create a cron job with the specified name",
    flags: [
      stringFlag("image", "Image name to run."),
      stringFlag("schedule", "A schedule in the Cron format the job should be run with."),
      stringFlag("restart", "job's restart policy. supported values: OnFailure, Never"),
    ],
    required: ["image", "schedule"],
    failure: "failed to create cronjob: ",
    build: (call, name) => ({
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name },
      spec: {
        schedule: call.flags.text("schedule"),
        jobTemplate: {
          metadata: { name },
          spec: { template: podTemplate(call, name, call.flags.text("restart") || "OnFailure") },
        },
      },
      status: {},
    }),
  },
  {
    name: "ingress",
    aliases: ["ing"],
    use: "NAME --rule=host/path=service:port[,tls[=secret]]  [options]",
    short: "Create an ingress with the specified name",
    flags: [
      stringFlag("class", "Ingress Class to be used"),
      arrayFlag("rule", "Rule in format host/path=service:port[,tls=secretname]."),
      stringFlag("default-backend", "Default service for backend, in format of svcname:port"),
      arrayFlag("annotation", "Annotation to insert in the ingress object, in the format annotation=value"),
    ],
    failure: "failed to create ingress: ",
    build: ingress,
  },
];

function deployment(call: CommandCall, name: string): JsonObject {
  const { flags, args } = call;
  const images = flags.list("image");
  const command = args.slice(1);
  if (images.length > 1 && command.length > 0) throw new Error("cannot specify multiple --image options and command");
  const labels = { app: name };
  const containers = images.map((image, index): JsonObject => {
    const port = flags.int("port");
    const ports = port >= 0 && index === 0 ? { ports: [{ containerPort: port }] } : {};
    return {
      image,
      name: containerName(call, image),
      ...(command.length > 0 ? { command } : {}),
      ...ports,
      resources: {},
    };
  });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels },
    spec: {
      replicas: flags.int("replicas"),
      selector: { matchLabels: labels },
      strategy: {},
      template: { metadata: { labels }, spec: { containers } },
    },
    status: {},
  };
}

/** Derives a container name from the last segment of the image, without tag and digest. */
function containerName({ surroundings }: CommandCall, image: string): string {
  const name = (image.split("/").at(-1) ?? "").split(":")[0]?.split("@")[0] ?? "";
  if (!/[_.]/.test(name)) return name;
  const letters = "bcdfghjklmnpqrstvwxz2456789";
  const random = Array.from({ length: 5 }, () => letters[Math.floor(surroundings.random.next() * letters.length)]).join(
    "",
  );
  return `${name.replaceAll(/[_.]/g, "-")}-${random}`;
}

function podTemplate({ flags, args }: CommandCall, name: string, restartPolicy: string): JsonObject {
  const command = args.slice(1);
  const container = { image: flags.text("image"), name, ...(command.length > 0 ? { command } : {}), resources: {} };
  return { metadata: {}, spec: { containers: [container], restartPolicy } };
}

async function job(call: CommandCall, name: string): Promise<JsonObject> {
  const { flags, args } = call;
  const from = flags.text("from");
  if ((flags.text("image") === "") === (from === "")) throw new Error("either --image or --from must be specified");
  if (from && args.length > 1) throw new Error("cannot specify --from and command");
  const base = { apiVersion: "batch/v1", kind: "Job" };
  if (!from) return { ...base, metadata: { name }, spec: { template: podTemplate(call, name, "Never") }, status: {} };
  const { infos } = await select(call, { args: [from] });
  const [source] = infos;
  if (infos.length !== 1 || !source) throw new Error("from must be an existing cronjob");
  if (source.object.kind !== "CronJob") throw new Error(`unknown object type *v1.${textOf(source.object.kind)}`);
  const template = objectAt(source.object, "spec", "jobTemplate");
  const labels = stringsAt(template, "metadata", "labels");
  const owner = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    name: source.name,
    uid: metadataOf(source.object).uid,
    controller: true,
  };
  return {
    ...base,
    metadata: {
      name,
      annotations: { "cronjob.kubernetes.io/instantiate": "manual", ...stringsAt(template, "metadata", "annotations") },
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      ownerReferences: [owner],
    },
    spec: at(template, "spec"),
    status: {},
  };
}

const rulePattern = /^[\w*\-.]*\/.*=[\w-]+:[\w-]+(,tls=?[\w-]*)?/;

function ingress({ flags }: CommandCall, name: string): JsonObject {
  const rules = flags.list("rule");
  const backend = flags.text("default-backend");
  const annotations = flags.list("annotation");
  if (!backend && rules.length === 0) {
    throw new Error(
      "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)",
    );
  }
  const wrong = rules.find((rule) => !rulePattern.test(rule));
  if (wrong !== undefined)
    throw new Error(`rule ${wrong} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]`);
  for (const annotation of annotations)
    if (!annotation.includes("="))
      throw new Error(`annotation ${annotation} is invalid and should be in format key=[value]`);
  if (backend && backend.split(":").length !== 2)
    throw new Error("default-backend should be in format servicename:serviceport");
  const pairs = annotations.map(
    (annotation) =>
      [annotation.slice(0, annotation.indexOf("=")), annotation.slice(annotation.indexOf("=") + 1)] as const,
  );
  const tls = ingressTls(rules);
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name, ...(pairs.length > 0 ? { annotations: Object.fromEntries(pairs) } : {}) },
    spec: {
      ...(flags.text("class") ? { ingressClassName: flags.text("class") } : {}),
      ...(backend ? { defaultBackend: serviceBackend(backend) } : {}),
      ...(tls.length > 0 ? { tls } : {}),
      ...(rules.length > 0 ? { rules: ingressRules(rules) } : {}),
    },
    status: { loadBalancer: {} },
  };
}

function serviceBackend(text: string): JsonObject {
  const [name = "", port = ""] = text.split(":");
  const value = intOrString(port);
  return { service: { name, port: typeof value === "number" ? { number: value } : { name: value } } };
}

function ingressTls(rules: readonly string[]): JsonObject[] {
  const entries: { hosts?: string[]; secretName?: string }[] = [];
  const seenHosts = new Set<string>();
  for (const rule of rules) {
    const pieces = rule.split(",");
    const host = rule.split("/")[0] ?? "";
    if (pieces.length !== 2 || seenHosts.has(host)) continue;
    seenHosts.add(host);
    const secretName = pieces[1]?.split("=")[1] ?? "";
    const same = entries.find((entry) => (entry.secretName ?? "") === secretName);
    if (same) same.hosts = [...(same.hosts ?? []), host];
    else if (host || secretName)
      entries.push({ ...(host ? { hosts: [host] } : {}), ...(secretName ? { secretName } : {}) });
  }
  return entries.map((entry) => ({ ...entry }));
}

function ingressRules(rules: readonly string[]): JsonObject[] {
  const hosts: { host: string; paths: JsonObject[] }[] = [];
  for (const rule of rules) {
    const [plain = ""] = rule.split(",");
    const slash = plain.indexOf("/");
    const host = plain.slice(0, slash);
    const [pathText = "", service = ""] = plain.slice(slash).split("=");
    const isPrefix = pathText.endsWith("*");
    const path = {
      path: isPrefix ? pathText.slice(0, -1) : pathText,
      pathType: isPrefix ? "Prefix" : "Exact",
      backend: serviceBackend(service),
    };
    const same = hosts.find((entry) => entry.host === host);
    if (same) same.paths.push(path);
    else hosts.push({ host, paths: [path] });
  }
  return hosts.map(({ host, paths }) => ({ ...(host ? { host } : {}), http: { paths } }));
}

const tcpFlag = stringsFlag("tcp", "Port pairs can be specified as '<port>:<targetPort>'.");

function serviceCreator(
  name: string,
  type: string,
  use: string,
  short: string,
  flags: readonly Flag[],
  required: readonly string[] = [],
): Creator {
  return {
    name,
    use: `NAME ${use} [--dry-run=server|client|none] [options]`,
    short,
    flags: [tcpFlag, ...flags],
    required,
    failure: `failed to create ${type} service: `,
    build: (call, of) => service(call, of, type),
  };
}

export const serviceCreators: readonly Creator[] = [
  serviceCreator("clusterip", "ClusterIP", "[--tcp=<port>:<targetPort>]", "Create a ClusterIP service", [
    stringFlag("clusterip", "Assign your own ClusterIP or set to 'None' for a 'headless' service (no loadbalancing)."),
  ]),
  serviceCreator(
    "externalname",
    "ExternalName",
    "--external-name external.name",
    "Create an ExternalName service",
    [stringFlag("external-name", "External name of service")],
    ["external-name"],
  ),
  serviceCreator("loadbalancer", "LoadBalancer", "[--tcp=port:targetPort]", "Create a LoadBalancer service", []),
  serviceCreator("nodeport", "NodePort", "[--tcp=port:targetPort]", "Create a NodePort service", [
    intFlag("node-port", "Port used to expose the service on each node in a cluster.", { default: 0 }),
  ]),
];

function service({ flags }: CommandCall, name: string, type: string): JsonObject {
  const [clusterIP, nodePort, tcp] = [flags.text("clusterip"), flags.int("node-port"), flags.list("tcp")];
  if (clusterIP !== "None" && tcp.length === 0 && type !== "ExternalName")
    throw new Error("at least one tcp port specifier must be provided");
  const labels = { app: name };
  const ports = tcp.map((text): JsonObject => {
    const { port, targetPort } = parsePorts(text);
    return { name: text.replaceAll(":", "-"), port, targetPort, protocol: "TCP", ...(nodePort ? { nodePort } : {}) };
  });
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, labels },
    spec: {
      type,
      selector: labels,
      ...(ports.length > 0 ? { ports } : {}),
      ...(flags.text("external-name") ? { externalName: flags.text("external-name") } : {}),
      ...(clusterIP ? { clusterIP } : {}),
    },
    status: { loadBalancer: {} },
  };
}

function parsePorts(text: string): { port: number; targetPort: number | string } {
  const [first = "", second] = text.split(":");
  if (!/^\d+$/.test(first)) throw new Error(`strconv.ParseUint: parsing ${JSON.stringify(first)}: invalid syntax`);
  const port = Number(first);
  if (port > 65_535) throw new Error(`strconv.ParseUint: parsing ${JSON.stringify(first)}: value out of range`);
  if (second === undefined) return { port, targetPort: port };
  const targetPort = intOrString(second);
  if (typeof targetPort === "number" && (targetPort < 1 || targetPort > 65_535))
    throw new Error("must be between 1 and 65535, inclusive");
  return { port, targetPort };
}
