// `kubectl rollout`: status, history, undo, restart, pause and resume of workloads.
import { requireResource } from "./rollout-resource.ts";
import { copyJson, type JsonObject } from "../../../shared/schema/json-values.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { CommandCall, Command } from "../command.ts";
import { type Flag, boolFlag, durationFlag, intFlag } from "../flag.ts";
import { asError, throwAll } from "../errors.ts";
import { groupResource } from "../cluster/discovery.ts";
import { at, ensure, type Info, numberAt, stringAt, textOf } from "../object.ts";
import { outputFlags } from "../print/printer.ts";
import { fileFlags, select, selectorFlag } from "../resources/select.ts";
import { changingPrinter, dryRunFlag, dryRunOf, fieldManagerFlag } from "../writes/dry-run.ts";
import { patchBetween, patchObject } from "../writes/send.ts";
import { history, undo } from "./rollout-history.ts";
import { watchUntil } from "./wait.ts";

const common: readonly Flag[] = [...fileFlags, selectorFlag];
const revisionFlag = (usage: string) => intFlag("revision", usage, { default: 0 });

export const rollout: Command = {
  name: "rollout",
  use: "SUBCOMMAND [options]",
  short: "Manage the rollout of a resource",
  helpsOnOut: true,
  commands: [
    {
      name: "history",
      use: "(TYPE NAME | TYPE/NAME) [flags] [options]",
      short: "View rollout history",
      completes: "resources",
      flags: [
        ...outputFlags,
        ...common,
        revisionFlag("See the details, including podTemplate of the revision specified"),
      ],
      run: history,
    },
    changer("pause", "Mark the provided resource as paused", "paused", (info) => pause(info, true)),
    changer("restart", "Restart a resource", "restarted", restart),
    changer("resume", "Resume a paused resource", "resumed", (info) => pause(info, false)),
    {
      name: "status",
      use: "(TYPE NAME | TYPE/NAME) [flags] [options]",
      short: "Show the status of the rollout",
      completes: "resources",
      flags: [
        ...common,
        boolFlag("watch", "Watch the status of the rollout until it's done.", { short: "w", default: true }),
        revisionFlag("Pin to a specific revision for showing its status. Defaults to 0 (last revision)."),
        durationFlag("timeout", "The length of time to wait before ending watch, zero means never.", { default: "0s" }),
      ],
      run: status,
    },
    {
      name: "undo",
      use: "(TYPE NAME | TYPE/NAME) [flags] [options]",
      short: "Undo a previous rollout",
      completes: "resources",
      flags: [
        ...outputFlags,
        ...common,
        dryRunFlag,
        intFlag("to-revision", "The revision to rollback to. Default to 0 (last revision).", { default: 0 }),
      ],
      run: undo,
    },
  ],
};

function changer(
  name: string,
  short: string,
  operation: string,
  change: (info: Info, call: CommandCall) => void,
): Command {
  return {
    name,
    use: "RESOURCE [options]",
    short,
    completes: "resources",
    flags: [...outputFlags, ...common, fieldManagerFlag("kubectl-rollout")],
    run: (call) => changeAll(call, operation, change),
  };
}

async function changeAll(
  call: CommandCall,
  operation: string,
  change: (info: Info, call: CommandCall) => void,
): Promise<void> {
  requireResource(call);
  const { infos, errors } = await select(call, { args: call.args, allowsAll: true, keepsGoing: true });
  const failed = [...errors];
  if (infos.length === 0 && failed.length === 0)
    return call.streams.err(`No resources found in ${call.namespace} namespace.\n`);
  const print = changingPrinter(call, dryRunOf(call.flags));
  for (const info of infos) {
    const before = copyJson(info.object);
    try {
      change(info, call);
    } catch (error) {
      failed.push(
        new Error(`error: ${groupResource(info.mapping)} ${JSON.stringify(info.name)} ${asError(error).message}`),
      );
      continue;
    }
    const { patch, type } = patchBetween(before, info.object);
    if (Object.keys(patch).length === 0) {
      failed.push(
        new Error(
          `failed to create patch for ${info.name}: if restart has already been triggered within the past second, please wait before attempting to trigger another`,
        ),
      );
      continue;
    }
    try {
      info.object = await patchObject(call, info, patch, { type, dryRun: "none" });
      call.streams.out(print(info.object, operation));
    } catch (error) {
      failed.push(new Error(`failed to patch: ${asError(error).message}`));
    }
  }
  throwAll(failed);
}

function pause({ object }: Info, isPaused: boolean): void {
  if (object.kind !== "Deployment")
    throw new Error(isPaused ? "pausing is not supported" : "resuming is not supported");
  const spec = ensure(object, "spec");
  if ((spec.paused === true) === isPaused) throw new Error(isPaused ? "is already paused" : "is not paused");
  if (isPaused) spec.paused = true;
  else delete spec.paused;
}

function restart({ object }: Info, { surroundings }: CommandCall): void {
  if (!["Deployment", "DaemonSet", "StatefulSet"].includes(textOf(object.kind)))
    throw new Error("restarting is not supported");
  if (object.kind === "Deployment" && at(object, "spec", "paused") === true) {
    throw new Error("can't restart paused deployment (run rollout resume first)");
  }
  ensure(object, "spec", "template", "metadata", "annotations")["kubectl.kubernetes.io/restartedAt"] = rfc3339(
    surroundings.clock.nowMs(),
  );
}

async function status(call: CommandCall): Promise<void> {
  const { flags, streams, surroundings } = call;
  requireResource(call);
  const revision = flags.int("revision");
  if (revision < 0) throw new Error(`revision must be a positive integer: ${revision}`);
  const { infos, errors } = await select(call, { args: call.args, allowsAll: true, keepsGoing: true });
  const failed = [...errors];
  for (const info of infos) {
    try {
      const view = viewers[info.mapping.kind];
      if (!view)
        throw new Error(
          `no status viewer has been implemented for ${info.mapping.kind}${info.mapping.group ? `.${info.mapping.group}` : ""}`,
        );
      const timeoutMs = flags.durationMs("timeout");
      const endMs = timeoutMs > 0 ? surroundings.clock.nowMs() + timeoutMs : Number.MAX_SAFE_INTEGER;
      await watchUntil(
        call,
        info,
        endMs,
        (event, object) => {
          if (event === "DELETED") throw new Error("object has been deleted");
          const { text, isDone } = view(object, revision);
          streams.out(text);
          return isDone || !flags.bool("watch");
        },
        () => info.object,
      ).catch((error: unknown) => {
        throw /^timed out waiting for the condition/.test(asError(error).message)
          ? new Error("timed out waiting for the condition")
          : error;
      });
    } catch (error) {
      failed.push(asError(error));
    }
  }
  throwAll(failed);
  if (infos.length === 0) streams.err(`No resources found in ${call.namespace} namespace.\n`);
}

type Viewer = (object: JsonObject, revision: number) => { text: string; isDone: boolean };

const waiting = (text: string) => ({ text: `${text}\n`, isDone: false });
const done = (text: string) => ({ text: `${text}\n`, isDone: true });

/** Returns a number of the status, or 0 if it is absent. */
function counted(object: JsonObject, field: string): number {
  return numberAt(object, "status", field) ?? 0;
}

function isObserved(object: JsonObject): boolean {
  return (numberAt(object, "metadata", "generation") ?? 0) <= counted(object, "observedGeneration");
}

const viewers: Readonly<Record<string, Viewer>> = {
  Deployment: (object, revision) => {
    const name = JSON.stringify(stringAt(object, "metadata", "name"));
    const running = Number(stringAt(object, "metadata", "annotations", "deployment.kubernetes.io/revision"));
    if (revision > 0 && running !== revision) {
      throw new Error(`desired revision (${revision}) is different from the running revision (${running})`);
    }
    if (!isObserved(object)) return waiting("Waiting for deployment spec update to be observed...");
    const conditions = at(object, "status", "conditions");
    const progress = Array.isArray(conditions)
      ? (conditions as JsonObject[]).find(({ type }) => type === "Progressing")
      : undefined;
    if (progress?.reason === "ProgressDeadlineExceeded")
      throw new Error(`deployment ${name} exceeded its progress deadline`);
    const desired = numberAt(object, "spec", "replicas");
    const [updated, all, available] = [
      counted(object, "updatedReplicas"),
      counted(object, "replicas"),
      counted(object, "availableReplicas"),
    ];
    const start = `Waiting for deployment ${name} rollout to finish: `;
    if (desired !== undefined && updated < desired)
      return waiting(`${start}${updated} out of ${desired} new replicas have been updated...`);
    if (all > updated) return waiting(`${start}${all - updated} old replicas are pending termination...`);
    if (available < updated) return waiting(`${start}${available} of ${updated} updated replicas are available...`);
    return done(`deployment ${name} successfully rolled out`);
  },
  DaemonSet: (object) => {
    const name = JSON.stringify(stringAt(object, "metadata", "name"));
    requireRolling(object);
    if (!isObserved(object)) return waiting("Waiting for daemon set spec update to be observed...");
    const [updated, desired, available] = [
      counted(object, "updatedNumberScheduled"),
      counted(object, "desiredNumberScheduled"),
      counted(object, "numberAvailable"),
    ];
    const start = `Waiting for daemon set ${name} rollout to finish: `;
    if (updated < desired) return waiting(`${start}${updated} out of ${desired} new pods have been updated...`);
    if (available < desired) return waiting(`${start}${available} of ${desired} updated pods are available...`);
    return done(`daemon set ${name} successfully rolled out`);
  },
  StatefulSet: (object) => {
    requireRolling(object);
    if (counted(object, "observedGeneration") === 0 || !isObserved(object))
      return waiting("Waiting for statefulset spec update to be observed...");
    const desired = numberAt(object, "spec", "replicas") ?? 0;
    const [ready, updated] = [counted(object, "readyReplicas"), counted(object, "updatedReplicas")];
    if (ready < desired) return waiting(`Waiting for ${desired - ready} pods to be ready...`);
    const partition = numberAt(object, "spec", "updateStrategy", "rollingUpdate", "partition");
    if (at(object, "spec", "updateStrategy", "rollingUpdate")) {
      const due = desired - (partition ?? 0);
      if (partition !== undefined && updated < due) {
        return waiting(
          `Waiting for partitioned roll out to finish: ${updated} out of ${due} new pods have been updated...`,
        );
      }
      return done(`partitioned roll out complete: ${updated} new pods have been updated...`);
    }
    const [current, next] = [
      stringAt(object, "status", "currentRevision"),
      stringAt(object, "status", "updateRevision"),
    ];
    if (current !== next)
      return waiting(`waiting for statefulset rolling update to complete ${updated} pods at revision ${next}...`);
    return done(
      `statefulset rolling update complete ${counted(object, "currentReplicas")} pods at revision ${current}...`,
    );
  },
};

function requireRolling(object: JsonObject): void {
  if (stringAt(object, "spec", "updateStrategy", "type") !== "RollingUpdate") {
    throw new Error("rollout status is only available for RollingUpdate strategy type");
  }
}
