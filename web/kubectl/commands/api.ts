// `kubectl api-resources`, `api-versions`, `version` and `cluster-info`.
import { type CommandCall, type Command, usageError } from "../command.ts";
import { boolFlag, stringFlag, stringsFlag } from "../flag.ts";
import { type Mapping, groupVersionOf } from "../cluster/discovery.ts";
import { listAt, nameOf, namespaceOf, stringAt, stringsAt, textOf } from "../object.ts";
import { indented } from "../print/json.ts";
import { goYaml } from "../print/yaml.ts";
import { newTabWriter, wideColumns } from "../print/tab-writer.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";

/** The version of kubectl that this implementation follows. */
const clientVersion = { major: "1", minor: "36", gitVersion: "v1.36.1", platform: "browser/js" };
const kustomizeVersion = "v5.8.1";

export const apiResources: Command = {
  name: "api-resources",
  use: "[options]",
  short: "Print the supported API resources on the server",
  completes: "none",
  flags: [
    stringFlag("output", "Output format. One of: (json, yaml, name, wide).", { short: "o" }),
    boolFlag("no-headers", "When using the default or custom-column output format, don't print headers."),
    boolFlag(
      "namespaced",
      "If false, non-namespaced resources will be returned, otherwise returning namespaced resources by default.",
      { default: true },
    ),
    stringFlag("api-group", "Limit to resources in the specified API group."),
    stringsFlag("verbs", "Limit to resources that support the specified verbs."),
    stringsFlag("categories", "Limit to resources that belong to the specified categories."),
    stringFlag(
      "sort-by",
      "If non-empty, sort list of resources using specified field. The field can be either 'name' or 'kind'.",
    ),
    boolFlag("cached", "Use the cached list of resources if available."),
  ],
  run: async (call) => {
    const { flags, args, streams } = call;
    if (args.length > 0) throw usageError(call, `unexpected arguments: [${args.join(" ")}]`);
    const output = flags.text("output");
    if (!["", "name", "wide", "json", "yaml"].includes(output)) {
      throw new Error(
        `unable to match a printer suitable for the output format ${JSON.stringify(output)}, allowed formats are: json,kyaml,name,wide,yaml`,
      );
    }
    if (!["", "name", "kind"].includes(flags.text("sort-by"))) throw new Error("--sort-by accepts only name or kind");
    if (!flags.bool("cached")) call.cluster.forget();
    const mappings = (await call.cluster.discovery()).resources
      .filter((mapping) => isSelected(call, mapping))
      .sort(compareBy(flags.text("sort-by")));
    if (output === "json" || output === "yaml") {
      const list: JsonObject = {
        kind: "APIResourceList",
        apiVersion: "v1",
        groupVersion: "",
        resources: mappings.map(toApiResource),
      };
      return streams.out(output === "json" ? `${indented(list)}\n` : goYaml(list));
    }
    if (output === "name")
      return streams.out(
        mappings
          .map((mapping) => `${mapping.group ? `${mapping.resource}.${mapping.group}` : mapping.resource}\n`)
          .join(""),
      );
    const isWide = output === "wide";
    const lines = mappings.map((mapping) => {
      const cells = [
        mapping.resource,
        mapping.shortNames.join(","),
        groupVersionOf(mapping),
        String(mapping.namespaced),
        mapping.kind,
      ];
      return [...cells, ...(isWide ? [[...mapping.verbs].sort().join(","), mapping.categories.join(",")] : [])].join(
        "\t",
      );
    });
    if (!flags.bool("no-headers"))
      lines.unshift(
        ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", ...(isWide ? ["VERBS", "CATEGORIES"] : [])].join(
          "\t",
        ),
      );
    streams.out(newTabWriter(wideColumns).align(lines.map((line) => `${line}\n`).join("")));
  },
};

function toApiResource(mapping: Mapping): JsonObject {
  return {
    name: mapping.resource,
    singularName: mapping.singular,
    namespaced: mapping.namespaced,
    ...(mapping.group ? { group: mapping.group } : {}),
    version: mapping.version,
    kind: mapping.kind,
    verbs: [...mapping.verbs].sort(),
    ...(mapping.shortNames.length > 0 ? { shortNames: mapping.shortNames } : {}),
    ...(mapping.categories.length > 0 ? { categories: mapping.categories } : {}),
  };
}

function isSelected({ flags }: CommandCall, mapping: Mapping): boolean {
  if (mapping.verbs.length === 0 || !mapping.isPreferred) return false;
  if (flags.changed("api-group") && flags.text("api-group") !== mapping.group) return false;
  if (flags.changed("namespaced") && flags.bool("namespaced") !== mapping.namespaced) return false;
  return (
    flags.list("verbs").every((verb) => mapping.verbs.includes(verb)) &&
    flags.list("categories").every((category) => mapping.categories.includes(category))
  );
}

function compareBy(field: string): (a: Mapping, b: Mapping) => number {
  const key = (mapping: Mapping) =>
    field === "name" ? mapping.resource : field === "kind" ? mapping.kind : mapping.group;
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return (a, b) => compare(key(a), key(b)) || compare(a.resource, b.resource);
}

export const apiVersions: Command = {
  name: "api-versions",
  use: "",
  short: 'Print the supported API versions on the server, in the form of "group/version"',
  completes: "none",
  run: async (call) => {
    if (call.args.length > 0) throw usageError(call, `unexpected arguments: [${call.args.join(" ")}]`);
    call.cluster.forget();
    const { groups } = await call.cluster.discovery();
    const all = groups.flatMap(({ group, versions }) => versions.map((version) => groupVersionOf({ group, version })));
    call.streams.out(
      all
        .sort()
        .map((groupVersion) => `${groupVersion}\n`)
        .join(""),
    );
  },
};

export const version: Command = {
  name: "version",
  use: "[flags] [options]",
  short: "Print the client and server version information",
  completes: "none",
  flags: [
    boolFlag("client", "If true, shows client version only (no server required)."),
    stringFlag("output", "One of 'yaml' or 'json'.", { short: "o" }),
  ],
  run: async (call) => {
    const { flags, args, streams } = call;
    if (args.length > 0) throw new Error(`extra arguments: [${args.join(" ")}]`);
    const output = flags.text("output");
    if (!["", "yaml", "json"].includes(output)) throw new Error("--output must be 'yaml' or 'json'");
    const info: JsonObject = { clientVersion, kustomizeVersion };
    if (!flags.bool("client")) info.serverVersion = await call.cluster.json("/version");
    if (output === "json") return streams.out(`${JSON.stringify(info, null, 2)}\n`);
    if (output === "yaml") return streams.out(goYaml(info));
    streams.out(`Client Version: ${clientVersion.gitVersion}\nKustomize Version: ${kustomizeVersion}\n`);
    if (info.serverVersion) streams.out(`Server Version: ${stringAt(info, "serverVersion", "gitVersion")}\n`);
  },
};

export const clusterInfo: Command = {
  name: "cluster-info",
  use: "[flags] [options]",
  short: "Display cluster information",
  completes: "none",
  run: async ({ cluster, surroundings, streams }) => {
    const { server } = surroundings.context;
    const list = await cluster.json("/api/v1/namespaces/kube-system/services", {
      query: { labelSelector: "kubernetes.io/cluster-service=true" },
    });
    streams.out(`Kubernetes control plane is running at ${server}\n`);
    for (const service of Array.isArray(list.items) ? list.items.filter(isObject) : []) {
      const labels = stringsAt(service, "metadata", "labels");
      const [port] = listAt(service, "spec", "ports");
      const name = labels["kubernetes.io/name"] ?? nameOf(service);
      const target = textOf(port?.name) ? `${nameOf(service)}:${textOf(port?.name)}` : nameOf(service);
      streams.out(
        `${name} is running at ${server}/api/v1/namespaces/${namespaceOf(service)}/services/${target}/proxy\n`,
      );
    }
    streams.out("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n");
  },
};
