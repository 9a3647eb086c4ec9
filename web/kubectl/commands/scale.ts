// `kubectl scale` and `kubectl autoscale`.
import { parseQuantity } from "../../../shared/k8s/quantity.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { durationFlag, intFlag, stringFlag } from "../flag.ts";
import { asError, Exit, throwAll } from "../errors.ts";
import { type Mapping, groupVersionOf, pathOf } from "../cluster/discovery.ts";
import { ensure, metadataOf, numberAt, textOf } from "../object.ts";
import { declaredOrder } from "../print/declared-order.ts";
import { outputFlags } from "../print/printer.ts";
import { allFlag, fileFlags, select, selectorFlag } from "../resources/select.ts";
import { dryRunFlag, dryRunOf, recordFlag, writePrinter, objectWriteFlags } from "../writes/dry-run.ts";
import { keepLastApplied } from "../writes/last-applied.ts";

export const scale: Command = {
  name: "scale",
  use: "[--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME) [options]",
  short: "Set a new size for a deployment, replica set, or replication controller",
  completes: "resources",
  flags: [
    ...outputFlags,
    ...fileFlags,
    allFlag,
    selectorFlag,
    dryRunFlag,
    recordFlag,
    intFlag("replicas", "The new desired number of replicas. Required.", { default: 0 }),
    intFlag("current-replicas", "Precondition for current size. -1 (default) for no condition.", { default: -1 }),
    stringFlag("resource-version", "Precondition for resource version."),
    durationFlag(
      "timeout",
      "The length of time to wait before giving up on a scale operation, zero means don't wait.",
      { default: "0s" },
    ),
  ],
  run: async (call) => {
    const { flags, streams } = call;
    requireFlag(call, "replicas");
    const [replicas, current] = [flags.int("replicas"), flags.int("current-replicas")];
    const dryRun = dryRunOf(flags);
    const print = writePrinter(call, "scaled", dryRun);
    if (replicas < 0)
      throw new Error("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0");
    if (current < -1) throw new Error("The --current-replicas must specify an integer of -1 or greater");
    const { infos, errors } = await select(call, { args: call.args, keepsGoing: true, allowsAll: flags.bool("all") });
    if (flags.text("resource-version") && infos.length > 1)
      throw new Error("cannot use --resource-version with multiple resources");
    if (infos.length === 0) {
      throwAll(errors);
      throw new Error("no objects passed to scale");
    }
    for (const { mapping, namespace, name, object } of infos) {
      if (dryRun !== "client")
        await scaleOne(call, mapping, namespace, name, { replicas, current, isDry: dryRun === "server" });
      if (mapping.group === "apps" || mapping.group === "") ensure(object, "spec").replicas = replicas;
      streams.out(print(object));
    }
    throwAll(errors);
  },
};

/** Throws Cobra's error if a required flag is absent. */
export function requireFlag({ flags }: CommandCall, ...names: readonly string[]): void {
  const missing = names.filter((name) => !flags.changed(name));
  if (missing.length > 0)
    throw new Exit(1, `error: required flag(s) ${missing.map((name) => JSON.stringify(name)).join(", ")} not set`);
}

interface ScaleChange {
  readonly replicas: number;
  readonly current: number;
  readonly isDry: boolean;
}

async function scaleOne(
  call: CommandCall,
  mapping: Mapping,
  namespace: string,
  name: string,
  { replicas, current, isDry }: ScaleChange,
): Promise<void> {
  const { cluster, flags, surroundings, streams } = call;
  const path = pathOf(mapping, namespace, name, "scale");
  const version = flags.text("resource-version");
  const query = isDry ? { dryRun: "All" } : {};
  if (current === -1 && !version) {
    const patch = { spec: { replicas } };
    await cluster.json(path, { method: "PATCH", query, contentType: "application/merge-patch+json", body: patch });
  } else {
    const now = await cluster.json(path);
    const size = numberAt(now, "spec", "replicas") ?? 0;
    if (current !== -1 && size !== current) throw new Error(`Expected replicas to be ${current}, was ${size}`);
    const currentVersion = textOf(metadataOf(now).resourceVersion);
    if (version && currentVersion !== version)
      throw new Error(`Expected resource version to be ${version}, was ${currentVersion}`);
    ensure(now, "spec").replicas = replicas;
    await cluster.json(path, { method: "PUT", query, body: now });
  }
  const timeoutMs = flags.durationMs("timeout");
  if (timeoutMs === 0 || isDry) return;
  const endMs = surroundings.clock.nowMs() + timeoutMs;
  for (;;) {
    const now = await cluster.json(path);
    if (numberAt(now, "status", "replicas") === replicas) return;
    if (surroundings.clock.nowMs() >= endMs) throw new Error("timed out waiting for the condition");
    await surroundings.wait(Math.min(1000, timeoutMs), streams.signal);
  }
}

export const autoscale: Command = {
  name: "autoscale",
  use: "(-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU] [--memory=MEMORY] [options]",
  short: "Auto-scale a deployment, replica set, stateful set, or replication controller",
  completes: "resources",
  flags: [
    ...outputFlags,
    ...fileFlags,
    ...objectWriteFlags("kubectl-autoscale"),
    intFlag("min", "The lower limit for the number of pods that can be set by the autoscaler.", { default: -1 }),
    intFlag("max", "The upper limit for the number of pods that can be set by the autoscaler. Required.", {
      default: -1,
    }),
    intFlag("cpu-percent", "The target average CPU utilization over all the pods.", { default: -1, hidden: true }),
    stringFlag("cpu", "Target CPU utilization over all the pods: a percentage or a quantity."),
    stringFlag("memory", "Target memory utilization over all the pods: a percentage or a quantity."),
    stringFlag("name", "The name for the newly created object."),
  ],
  run: async (call) => {
    const { flags, streams, cluster } = call;
    if (flags.changed("cpu-percent")) {
      streams.err(
        "Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).\n",
      );
    }
    requireFlag(call, "max");
    const [min, max] = [flags.int("min"), flags.int("max")];
    if (max < 1) throw new Error(`--max=MAXPODS is required and must be at least 1, max: ${max}`);
    if (max < min) throw new Error(`--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${min}`);
    if (flags.int("cpu-percent") > 0 && flags.text("cpu"))
      throw new Error("--cpu-percent and --cpu are mutually exclusive");
    const metrics = metricsOf(call);
    const dryRun = dryRunOf(flags);
    const print = writePrinter(call, dryRun === "client" ? "created" : "autoscaled", dryRun, dryRun === "client");
    const { infos, errors } = await select(call, { args: call.args, keepsGoing: true });
    const failed = [...errors];
    for (const { mapping, name } of infos) {
      try {
        if (!mapping.subresources.includes("scale")) {
          throw new Error(
            `cannot autoscale a ${mapping.kind}: could not find scale subresource for ${mapping.group}/${mapping.version}, Resource=${mapping.resource} in discovery information`,
          );
        }
        const object: JsonObject = {
          apiVersion: "autoscaling/v2",
          kind: "HorizontalPodAutoscaler",
          metadata: { name: flags.text("name") || name, ...(call.hasNamespace ? { namespace: call.namespace } : {}) },
          spec: {
            maxReplicas: max,
            ...(metrics.length > 0 ? { metrics } : {}),
            ...(min > 0 ? { minReplicas: min } : {}),
            scaleTargetRef: { apiVersion: groupVersionOf(mapping), kind: mapping.kind, name },
          },
          status: { currentMetrics: null, desiredReplicas: 0 },
        };
        if (dryRun === "client") {
          streams.out(print(object));
          continue;
        }
        delete object.status;
        keepLastApplied(object, flags.bool("save-config"), declaredOrder);
        const hpas = await cluster.resource("horizontalpodautoscalers.v2.autoscaling");
        const query = { fieldManager: flags.text("field-manager"), ...(dryRun === "server" ? { dryRun: "All" } : {}) };
        streams.out(print(await cluster.json(pathOf(hpas, call.namespace), { method: "POST", query, body: object })));
      } catch (error) {
        failed.push(asError(error));
      }
    }
    throwAll(failed);
    if (infos.length === 0) throw new Error("no objects passed to autoscale");
  },
};

function metricsOf({ flags }: CommandCall): JsonObject[] {
  const metrics: JsonObject[] = [];
  const add = (name: string, target: JsonObject) => metrics.push({ resource: { name, target }, type: "Resource" });
  const percent = flags.int("cpu-percent");
  if (percent > 0) add("cpu", { averageUtilization: percent, type: "Utilization" });
  for (const name of ["cpu", "memory"] as const) {
    const text = flags.text(name);
    if (!text) continue;
    if (text.endsWith("%")) {
      const share = Number(text.slice(0, -1));
      if (!Number.isInteger(share)) throw new Error(`invalid ${name} percentage value: ${text}`);
      add(name, { averageUtilization: share, type: "Utilization" });
      continue;
    }
    const quantity = /^\d+$/.test(text) ? `${text}${name === "cpu" ? "m" : "Mi"}` : text;
    if (!parseQuantity(quantity)) throw new Error(`invalid ${name} quantity: ${text}`);
    add(name, { averageValue: quantity, type: "AverageValue" });
  }
  return metrics;
}
