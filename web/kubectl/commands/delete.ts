// `kubectl delete`.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { type Flag, boolFlag, durationFlag, intFlag, stringFlag } from "../flag.ts";
import { asError, isNotFound, StatusError, throwAll, withSource } from "../errors.ts";
import { pathOf } from "../cluster/discovery.ts";
import { type Info, stringAt } from "../object.ts";
import { allFlag, allNamespacesFlag, fieldSelectorFlag, fileFlags, select, selectorFlag } from "../resources/select.ts";
import { type DryRun, dryRunFlag, dryRunOf } from "../writes/dry-run.ts";
import { untilGone } from "./wait.ts";

export const deletionFlags: readonly Flag[] = [
  ...fileFlags,
  stringFlag("cascade", 'Must be "background", "orphan", or "foreground".', {
    default: "background",
    bare: "background",
  }),
  intFlag(
    "grace-period",
    "Period of time in seconds given to the resource to terminate gracefully. Ignored if negative.",
    { default: -1 },
  ),
  boolFlag("force", "If true, immediately remove resources from API and bypass graceful deletion."),
  durationFlag(
    "timeout",
    "The length of time to wait before giving up on a delete, zero means determine a timeout from the size of the object",
    { default: "0s" },
  ),
  boolFlag("wait", "If true, wait for resources to be gone before returning. This waits for finalizers.", {
    default: true,
  }),
];

const weekMs = 168 * 3_600_000;

export const deleteCommand: Command = {
  name: "delete",
  use: "([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)]) [options]",
  short: "Delete resources by file names, stdin, resources and names, or by resources and label selector",
  completes: "resources",
  flags: [
    ...deletionFlags,
    dryRunFlag,
    selectorFlag,
    fieldSelectorFlag,
    allFlag,
    allNamespacesFlag,
    boolFlag("now", "If true, resources are signaled for immediate shutdown (same as --grace-period=1)."),
    boolFlag(
      "ignore-not-found",
      'Treat "resource not found" as a successful delete. Defaults to "true" when --all is specified.',
    ),
    stringFlag("output", 'Output mode. Use "-o name" for shorter output (resource/name).', { short: "o" }),
    stringFlag("raw", "Raw URI to DELETE to the server."),
    boolFlag("interactive", "If true, delete resource only when user confirms.", { short: "i" }),
  ],
  run: async (call) => {
    const { flags, streams, args } = call;
    const graceSeconds = gracePeriod(call);
    const dryRun = dryRunOf(flags);
    const output = flags.text("output");
    if (flags.text("raw")) return streams.out(await call.cluster.text(flags.text("raw"), { method: "DELETE" }));
    const isBulk = flags.bool("all") || flags.text("selector") !== "" || flags.text("field-selector") !== "";
    if (output && output !== "name") throw new Error(`unexpected -o output mode: ${output}. We only support '-o name'`);
    const allNamespaces = flags.bool("all-namespaces");
    const selection = await select(call, {
      args,
      keepsGoing: true,
      isNameOnly: true,
      allNamespaces,
      selectsAll: flags.bool("all"),
    });
    if (graceSeconds === 0) warnOfForce(call);
    const ignoresNotFound = flags.changed("ignore-not-found") ? flags.bool("ignore-not-found") : isBulk;
    if (flags.bool("interactive") && !(await isConfirmed(call, selection.infos))) return;
    await deleteAll(call, selection.infos, selection.errors, {
      graceSeconds,
      dryRun,
      ignoresNotFound,
      waitsUntilGone: flags.bool("wait"),
      isNameOutput: output === "name",
      isQuiet: false,
      warnsOfClusterScope: call.hasNamespace && !allNamespaces,
    });
  },
};

export function warnOfForce({ streams }: CommandCall): void {
  streams.err(
    "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\n",
  );
}

function gracePeriod({ flags }: CommandCall): number {
  let seconds = flags.int("grace-period");
  if (flags.bool("now")) {
    if (seconds !== -1) throw new Error("--now and --grace-period cannot be specified together");
    seconds = 1;
  }
  const isForced = flags.bool("force");
  if (seconds === 0 && !isForced) seconds = 1;
  if (isForced && seconds < 0) seconds = 0;
  if (isForced && seconds > 0)
    throw new Error("--force and --grace-period greater than 0 cannot be specified together");
  return seconds;
}

async function isConfirmed({ streams }: CommandCall, infos: readonly Info[]): Promise<boolean> {
  if (infos.length === 0) {
    streams.out("No resources found\n");
    return false;
  }
  streams.out(`You are about to delete the following ${infos.length} resource(s):\n`);
  for (const info of infos) streams.out(`${kindText(info)}/${info.name}\n`);
  streams.out("Do you want to continue? (y/N): ");
  const answer = await streams.input();
  if (answer.trim().toLowerCase() === "y") return true;
  streams.out("deletion is cancelled\n");
  return false;
}

export interface Deletion {
  /** The grace period, or a negative number to use the one of the object. */
  readonly graceSeconds: number;
  readonly dryRun: DryRun;
  readonly ignoresNotFound: boolean;
  readonly waitsUntilGone: boolean;
  readonly isNameOutput: boolean;
  readonly isQuiet: boolean;
  /** True to warn if a cluster-scoped object is deleted although a namespace was given. */
  readonly warnsOfClusterScope: boolean;
}

export async function deleteAll(
  call: CommandCall,
  infos: readonly Info[],
  errors: readonly Error[],
  deletion: Deletion,
): Promise<void> {
  const propagationPolicy = cascade(call);
  const failed: Error[] = [...errors];
  const deletedInfos: { info: Info; uid: string }[] = [];
  let { warnsOfClusterScope: warns } = deletion;
  for (const info of infos) {
    if (warns && !info.mapping.namespaced) {
      call.streams.err("Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n");
      warns = false;
    }
    try {
      const uid = deletion.dryRun === "client" ? "" : await deleteOne(call, info, deletion, propagationPolicy);
      deletedInfos.push({ info, uid });
      if (!deletion.isQuiet) call.streams.out(deletedText(info, deletion));
    } catch (error) {
      failed.push(asError(error));
    }
  }
  throwAll(deletion.ignoresNotFound ? failed.filter((error) => !isNotFound(error)) : failed);
  if (infos.length === 0) call.streams.out("No resources found\n");
  if (!deletion.waitsUntilGone || deletion.dryRun !== "none") return;
  const timeoutMs = call.flags.durationMs("timeout") || weekMs;
  const endMs = call.surroundings.clock.nowMs() + timeoutMs;
  for (const { info, uid } of deletedInfos) {
    try {
      await untilGone(call, info, endMs, false, uid || undefined);
    } catch (error) {
      const reason = error instanceof StatusError ? error.status.reason : "";
      if (reason !== "Forbidden" && reason !== "MethodNotAllowed") throw error;
    }
  }
}

async function deleteOne(
  call: CommandCall,
  info: Info,
  { graceSeconds, dryRun }: Deletion,
  propagationPolicy: string,
): Promise<string> {
  const body = {
    kind: "DeleteOptions",
    apiVersion: "v1",
    propagationPolicy,
    ...(graceSeconds >= 0 ? { gracePeriodSeconds: graceSeconds } : {}),
    ...(dryRun === "server" ? { dryRun: ["All"] } : {}),
  };
  let answer: JsonObject;
  try {
    answer = await call.cluster.json(pathOf(info.mapping, info.namespace, info.name), { method: "DELETE", body });
  } catch (error) {
    throw info.source ? withSource("deleting", info.source, error) : error;
  }
  return answer.kind === "Status" ? stringAt(answer, "details", "uid") : stringAt(answer, "metadata", "uid");
}

function cascade({ flags, streams }: CommandCall): string {
  const cascade = flags.text("cascade");
  const propagationPolicies: Readonly<Record<string, string>> = {
    background: "Background",
    orphan: "Orphan",
    foreground: "Foreground",
  };
  if (propagationPolicies[cascade]) return propagationPolicies[cascade];
  const isTrue = /^(1|t|T|TRUE|true|True)$/.test(cascade);
  if (!isTrue && !/^(0|f|F|FALSE|false|False)$/.test(cascade)) {
    throw new Error(`invalid cascade value (${cascade}). Must be "background", "foreground", or "orphan"`);
  }
  const instead = isTrue ? "background" : "orphan";
  streams.err(
    `warning: --cascade=${cascade} is deprecated (boolean value) and can be replaced with --cascade=${instead}.\n`,
  );
  return propagationPolicies[instead] ?? "";
}

function kindText({ mapping }: Info): string {
  const kind = mapping.kind.toLowerCase();
  return mapping.group ? `${kind}.${mapping.group}` : kind;
}

function deletedText(info: Info, { graceSeconds, dryRun, isNameOutput }: Deletion): string {
  if (isNameOutput) return `${kindText(info)}/${info.name}\n`;
  const place = info.mapping.namespaced ? ` from ${info.namespace} namespace` : "";
  const dryRunText = { none: "", client: " (dry run)", server: " (server dry run)" }[dryRun];
  return `${kindText(info)} "${info.name}" ${graceSeconds === 0 ? "force deleted" : "deleted"}${place}${dryRunText}\n`;
}
