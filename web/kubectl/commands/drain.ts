// `kubectl cordon`, `uncordon` and `drain`.
import { copyJson, type JsonObject } from "../../../shared/schema/json-values.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { parseSelector } from "../../../shared/k8s/selectors/labels.ts";
import { type CommandCall, type Command, usageError } from "../command.ts";
import { boolFlag, durationFlag, intFlag, stringFlag } from "../flag.ts";
import { Errors, StatusError, asError, isNotFound, throwAll } from "../errors.ts";
import { listAll } from "../describe/describer.ts";
import { ensure, type Info, listAt, metadataOf, nameOf, namespaceOf, stringAt, stringsAt, textOf } from "../object.ts";
import { outputFlags } from "../print/printer.ts";
import { chunkFlag, select, selectorFlag } from "../resources/select.ts";
import { changingPrinter, dryRunFlag, dryRunOf } from "../writes/dry-run.ts";
import { patchObject } from "../writes/send.ts";

const flags = [...outputFlags, dryRunFlag, selectorFlag];

export const cordon: Command = {
  name: "cordon",
  use: "NODE [options]",
  short: "Mark node as unschedulable",
  completes: "nodes",
  flags,
  run: async (call) => mark(call, await nodesOf(call), true),
};

export const uncordon: Command = {
  name: "uncordon",
  use: "NODE [options]",
  short: "Mark node as schedulable",
  completes: "nodes",
  flags,
  run: async (call) => mark(call, await nodesOf(call), false),
};

export const drain: Command = {
  name: "drain",
  use: "NODE [options]",
  short: "Drain node in preparation for maintenance",
  completes: "nodes",
  flags: [
    ...flags,
    chunkFlag,
    boolFlag("force", "Continue even if there are pods that do not declare a controller."),
    boolFlag("ignore-daemonsets", "Ignore DaemonSet-managed pods."),
    boolFlag("delete-emptydir-data", "Continue even if there are pods using emptyDir."),
    boolFlag("disable-eviction", "Force drain to use delete, even if eviction is supported."),
    intFlag("grace-period", "Period of time in seconds given to each pod to terminate gracefully.", { default: -1 }),
    durationFlag("timeout", "The length of time to wait before giving up, zero means infinite", { default: "0s" }),
    stringFlag("pod-selector", "Label selector to filter pods on the node"),
    intFlag(
      "skip-wait-for-delete-timeout",
      "If pod DeletionTimestamp older than N seconds, skip waiting for the pod.",
      { default: 0 },
    ),
  ],
  run: async (call) => {
    const nodes = await nodesOf(call);
    await mark(call, nodes, true);
    const print = changingPrinter(call, dryRunOf(call.flags));
    const failed: { name: string; error: Error }[] = [];
    for (const node of nodes) {
      try {
        await drainOne(call, node.name);
        call.streams.out(print(node.object, "drained"));
      } catch (error) {
        const { message } = asError(error);
        call.streams.err(
          `error: unable to drain node ${JSON.stringify(node.name)} due to error: ${error instanceof Errors || message.startsWith("[") ? message : message}, continuing command...\n`,
        );
        failed.push({ name: node.name, error: asError(error) });
      }
    }
    if (failed.length > 0)
      call.streams.err(`There are pending nodes to be drained:\n${failed.map(({ name }) => ` ${name}\n`).join("")}`);
    throwAll(failed.map(({ error }) => error));
  },
};

async function nodesOf(call: CommandCall): Promise<Info[]> {
  const { args } = call;
  const selector = call.flags.text("selector");
  if (args.length === 0 && !call.flags.changed("selector"))
    throw usageError(call, `USAGE: ${call.command.name} NODE [flags]`);
  if (args.length > 0 && selector)
    throw usageError(call, "error: cannot specify both a node name and a --selector option");
  if (call.flags.text("pod-selector")) {
    try {
      parseSelector(call.flags.text("pod-selector"));
    } catch {
      throw new Error("--pod-selector=<pod_selector> must be a valid label selector");
    }
  }
  const named = args.map((arg) => (arg.includes("/") ? arg : `nodes/${arg}`));
  const { infos, errors } = await select(call, { args: args.length > 0 ? named : ["nodes"] });
  throwAll(errors);
  const notNode = infos.find(({ mapping }) => mapping.resource !== "nodes");
  if (notNode)
    throw new Error(
      `error: expected resource of type node, got "/${notNode.mapping.version}, Resource=${notNode.mapping.resource}"`,
    );
  return infos;
}

async function mark(call: CommandCall, nodes: readonly Info[], isCordoned: boolean): Promise<void> {
  const dryRun = dryRunOf(call.flags);
  const print = changingPrinter(call, dryRun);
  const word = isCordoned ? "cordoned" : "uncordoned";
  for (const node of nodes) {
    const before = copyJson(node.object);
    if ((ensure(before, "spec").unschedulable === true) === isCordoned) {
      call.streams.out(print(node.object, `already ${word}`));
      continue;
    }
    try {
      const patch = { spec: { unschedulable: isCordoned ? true : null } };
      if (dryRun !== "client") await patchObject(call, node, patch, { type: "strategic", dryRun });
      call.streams.out(print(node.object, word));
    } catch (error) {
      call.streams.err(
        `error: unable to ${isCordoned ? "cordon" : "uncordon"} node ${JSON.stringify(node.name)}: ${asError(error).message}\n`,
      );
    }
  }
}

type Verdict = {
  readonly deletes: boolean;
  readonly kind: "okay" | "skip" | "warning" | "error";
  readonly message: string;
};

const okay: Verdict = { deletes: true, kind: "okay", message: "" };
const texts = {
  daemonFatal: "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)",
  daemonWarning: "ignoring DaemonSet-managed Pods",
  localFatal: "Pods with local storage (use --delete-emptydir-data to override)",
  localWarning: "deleting Pods with local storage",
  lonelyFatal: "Pods that declare no controller (use --force to override)",
  lonelyWarning: "deleting Pods that declare no controller",
};

async function drainOne(call: CommandCall, node: string): Promise<void> {
  const { streams } = call;
  const fieldSelector = `spec.nodeName=${node}`;
  const pods = await listAll(call, "/api/v1/pods", {
    fieldSelector,
    labelSelector: call.flags.text("pod-selector"),
    limit: call.flags.text("chunk-size"),
  });
  const judged = await Promise.all(pods.map(async (pod) => ({ pod, verdict: await judge(call, pod) })));
  const grouped = (kind: Verdict["kind"]) => {
    const messages = new Map<string, string[]>();
    for (const { pod, verdict } of judged.filter((entry) => entry.verdict.kind === kind)) {
      messages.set(verdict.message, [...(messages.get(verdict.message) ?? []), `${namespaceOf(pod)}/${nameOf(pod)}`]);
    }
    return [...messages].map(([message, names]) => `${message}: ${names.join(", ")}`);
  };
  throwAll(grouped("error").map((text) => new Error(`cannot delete ${text}`)));
  const warnings = grouped("warning").join("; ");
  if (warnings) streams.err(`Warning: ${warnings}\n`);
  const going = judged.filter(({ verdict }) => verdict.deletes).map(({ pod }) => pod);
  if (dryRunOf(call.flags) === "client") {
    for (const pod of going) streams.out(`evicting pod ${namespaceOf(pod)}/${nameOf(pod)} (dry run)\n`);
    return;
  }
  const timeoutMs = call.flags.durationMs("timeout");
  const endMs = timeoutMs > 0 ? call.surroundings.clock.nowMs() + timeoutMs : Number.MAX_SAFE_INTEGER;
  const ended = await Promise.allSettled(going.map((pod) => evict(call, pod, endMs)));
  throwAll(ended.flatMap((result) => (result.status === "rejected" ? [asError(result.reason)] : [])));
}

async function judge(call: CommandCall, pod: JsonObject): Promise<Verdict> {
  const { flags } = call;
  const isOver = ["Succeeded", "Failed"].includes(stringAt(pod, "status", "phase"));
  const owner = listAt(pod, "metadata", "ownerReferences").find(({ controller }) => controller === true);
  const skipSeconds = flags.int("skip-wait-for-delete-timeout");
  const deleted = textOf(metadataOf(pod).deletionTimestamp);
  if (skipSeconds > 0 && deleted && call.surroundings.clock.nowMs() - parseTime(deleted) > skipSeconds * 1000)
    return { deletes: false, kind: "skip", message: "" };
  if (owner?.kind === "DaemonSet" && !isOver) {
    const missing = await call.cluster
      .json(`/apis/apps/v1/namespaces/${namespaceOf(pod)}/daemonsets/${textOf(owner.name)}`)
      .then(() => undefined, asError);
    if (missing)
      return {
        deletes: isNotFound(missing) && flags.bool("force"),
        kind: isNotFound(missing) && flags.bool("force") ? "warning" : "error",
        message: missing.message,
      };
    return flags.bool("ignore-daemonsets")
      ? { deletes: false, kind: "warning", message: texts.daemonWarning }
      : { deletes: false, kind: "error", message: texts.daemonFatal };
  }
  if (stringsAt(pod, "metadata", "annotations")["kubernetes.io/config.mirror"] !== undefined)
    return { deletes: false, kind: "skip", message: "" };
  let verdict = okay;
  if (listAt(pod, "spec", "volumes").some(({ emptyDir }) => emptyDir !== undefined) && !isOver) {
    if (!flags.bool("delete-emptydir-data")) return { deletes: false, kind: "error", message: texts.localFatal };
    verdict = { deletes: true, kind: "warning", message: texts.localWarning };
  }
  if (owner || isOver) return verdict;
  return flags.bool("force")
    ? { deletes: true, kind: "warning", message: texts.lonelyWarning }
    : { deletes: false, kind: "error", message: texts.lonelyFatal };
}

const retryMs = 5000;

async function evict(call: CommandCall, pod: JsonObject, endMs: number): Promise<void> {
  const { streams, surroundings, cluster, flags } = call;
  const [namespace, name] = [namespaceOf(pod), nameOf(pod)];
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const isDry = dryRunOf(flags) === "server";
  const seconds = flags.int("grace-period");
  const deleteOptions = {
    ...(seconds >= 0 ? { gracePeriodSeconds: seconds } : {}),
    ...(isDry ? { dryRun: ["All"] } : {}),
  };
  const where = `pods/${JSON.stringify(name)} -n ${JSON.stringify(namespace)}`;
  const timedOut = () => new Error(`error when evicting ${where}: global timeout reached: ${flags.text("timeout")}`);
  for (;;) {
    streams.out(`evicting pod ${namespace}/${name}${isDry ? " (server dry run)" : ""}\n`);
    if (surroundings.clock.nowMs() >= endMs) throw timedOut();
    try {
      if (flags.bool("disable-eviction"))
        await cluster.json(path, {
          method: "DELETE",
          body: { kind: "DeleteOptions", apiVersion: "v1", ...deleteOptions },
        });
      else
        await cluster.json(`${path}/eviction`, {
          method: "POST",
          body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace }, deleteOptions },
        });
      break;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!(error instanceof StatusError) || error.status.reason !== "TooManyRequests")
        throw new Error(`error when evicting ${where}: ${asError(error).message}`);
      streams.err(`error when evicting ${where} (will retry after 5s): ${error.message}\n`);
      await surroundings.wait(Math.max(0, Math.min(retryMs, endMs - surroundings.clock.nowMs())), streams.signal);
      if (streams.signal.aborted) return;
    }
  }
  if (isDry) return;
  const uid = stringAt(pod, "metadata", "uid");
  for (;;) {
    const now = await cluster.json(path).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (!now || stringAt(now, "metadata", "uid") !== uid)
      return streams.out(`pod/${name} ${flags.bool("disable-eviction") ? "deleted" : "evicted"}\n`);
    if (surroundings.clock.nowMs() >= endMs)
      throw new Error(
        `error when waiting for pod ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace)} to terminate: global timeout reached: ${flags.text("timeout")}`,
      );
    await surroundings.wait(1000, streams.signal);
    if (streams.signal.aborted) return;
  }
}
