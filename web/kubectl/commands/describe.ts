// `kubectl describe`.
import { isObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { boolFlag } from "../flag.ts";
import { asError, isNotFound, throwAll } from "../errors.ts";
import { describerOf } from "../describe/catalogue.ts";
import { Description } from "../describe/writer.ts";
import { pathOf } from "../cluster/discovery.ts";
import { type Info, nameOf } from "../object.ts";
import { allNamespacesFlag, chunkFlag, fetchObject, fileFlags, select, selectorFlag } from "../resources/select.ts";

export const describe: Command = {
  name: "describe",
  use: "(-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME) [options]",
  short: "Show details of a specific resource or group of resources",
  completes: "resources",
  flags: [
    ...fileFlags,
    selectorFlag,
    allNamespacesFlag,
    chunkFlag,
    boolFlag("show-events", "If true, display events related to the described object.", { default: true }),
  ],
  run: async (call) => {
    const { args, flags } = call;
    if (args.length === 0 && flags.list("filename").length === 0 && !flags.text("kustomize")) {
      throw new Error(
        'You must specify the type of resource to describe. Use "kubectl api-resources" for a complete list of supported resources.',
      );
    }
    const chunk = flags.int("chunk-size");
    const selection = await select(call, {
      args,
      allowsAll: true,
      keepsGoing: true,
      allNamespaces: flags.bool("all-namespaces"),
      chunk,
    });
    const [type = "", prefix] = args;
    if (
      selection.infos.length === 0 &&
      selection.errors.length > 0 &&
      args.length === 2 &&
      !type.includes("/") &&
      selection.errors.every(isNotFound)
    ) {
      const matching = await byPrefix(call, type, prefix ?? "", chunk);
      if (matching.length > 0) return describeAll(call, matching, [], chunk, true);
    }
    await describeAll(call, selection.infos, selection.errors, chunk);
    if (selection.infos.length > 0 || selection.errors.length > 0) return;
    call.streams.err(
      flags.bool("all-namespaces") ? "No resources found\n" : `No resources found in ${call.namespace} namespace.\n`,
    );
  },
};

/** Selects the objects whose names begin with the argument, if no object has exactly this name. */
async function byPrefix(call: CommandCall, type: string, prefix: string, chunk: number): Promise<Info[]> {
  const mapping = await call.cluster.resource(type);
  const namespace = mapping.namespaced ? call.namespace : "";
  const list = await call.cluster.json(pathOf(mapping, namespace), { query: { limit: String(chunk) } });
  const items = Array.isArray(list.items) ? list.items.filter(isObject) : [];
  return items
    .filter((item) => nameOf(item).startsWith(prefix))
    .map(
      (item): Info => ({
        mapping,
        namespace,
        name: nameOf(item),
        source: "",
        object: { apiVersion: list.apiVersion, kind: mapping.kind, ...item },
      }),
    );
}

/** Describes all objects. Two empty lines separate named objects; one empty line ends each prefix match. */
async function describeAll(
  call: CommandCall,
  infos: readonly Info[],
  errors: readonly Error[],
  chunk: number,
  isByPrefix = false,
): Promise<void> {
  const failed = [...errors];
  let isFirst = true;
  for (const info of infos) {
    try {
      const object =
        info.mapping.kind === "HorizontalPodAutoscaler" && info.mapping.version !== "v2"
          ? await fetchObject(call, {
              ...info,
              mapping: await call.cluster.resource("horizontalpodautoscalers.v2.autoscaling"),
            })
          : info.object;
      const into = new Description();
      await describerOf(info.mapping)(object, into, { call, showsEvents: call.flags.bool("show-events"), chunk });
      call.streams.out(isByPrefix ? `${into.text()}\n` : `${isFirst ? "" : "\n\n"}${into.text()}`);
      isFirst = false;
    } catch (error) {
      failed.push(asError(error));
    }
  }
  throwAll(failed);
}
