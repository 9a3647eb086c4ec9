// `kubectl logs`: prints the logs of containers, pods and workloads, and follows them on request.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { type CommandCall, type Command, usageError } from "../command.ts";
import { boolFlag, durationFlag, intFlag, stringFlag } from "../flag.ts";
import { asError, isNotFound, StatusError } from "../errors.ts";
import { listAll } from "../describe/describer.ts";
import { listAt, nameOf, namespaceOf, objectAt, textOf } from "../object.ts";
import { allContainers, containerOf, hasContainer, objectNamed, podsOf } from "../resources/pods.ts";
import { selectorFlag } from "../resources/select.ts";

const usage =
  "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command";

interface Source {
  readonly pod: JsonObject;
  readonly container: string;
}

export const logs: Command = {
  name: "logs",
  use: "[-f] [-p] (POD | TYPE/NAME) [-c CONTAINER] [options]",
  short: "Print the logs for a container in a pod",
  completes: "pods",
  flags: [
    selectorFlag,
    stringFlag("container", "Print the logs of this container", { short: "c" }),
    boolFlag("follow", "Specify if the logs should be streamed.", { short: "f" }),
    boolFlag("previous", "If true, print the logs for the previous instance of the container in a pod if it exists.", {
      short: "p",
    }),
    boolFlag("timestamps", "Include timestamps on each line in the log output"),
    durationFlag("since", "Only return logs newer than a relative duration like 5s, 2m, or 3h.", { default: "0s" }),
    stringFlag("since-time", "Only return logs after a specific date (RFC3339)."),
    intFlag(
      "tail",
      "Lines of recent log file to display. Defaults to -1 with no selector, showing all log lines otherwise 10, if a selector is provided.",
      { default: -1 },
    ),
    intFlag("limit-bytes", "Maximum bytes of logs to return. Defaults to no limit.", { default: 0 }),
    boolFlag("all-containers", "Get all containers' logs in the pod(s)."),
    boolFlag("all-pods", "Get logs from all pod(s). Sets prefix to true."),
    boolFlag("prefix", "Prefix each log line with the log source (pod name and container name)"),
    boolFlag("ignore-errors", "If watching / following pod logs, allow for any errors that occur to be non-fatal"),
    intFlag("max-log-requests", "Specify maximum number of concurrent logs to follow when using by a selector.", {
      default: 5,
    }),
    durationFlag("pod-running-timeout", "The length of time to wait until at least one pod is running", {
      default: "20s",
    }),
    boolFlag(
      "insecure-skip-tls-verify-backend",
      "Skip verifying the identity of the kubelet that logs are requested from.",
    ),
  ],
  run: async (call) => {
    const { flags } = call;
    const [argument, inline] = checkArguments(call);
    const container = inline ?? flags.text("container");
    const query = queryFor(call);
    checkFlags(call, container, inline);
    const pods = await choosePods(call, argument);
    if (pods === undefined) return;
    const sources = pods.flatMap((pod) => sourcesOf(call, pod, container));
    const limit = flags.int("max-log-requests");
    const follows = flags.bool("follow");
    if (follows && sources.length > limit) {
      throw new Error(
        `you are attempting to follow ${sources.length} log streams, but maximum allowed concurrency is ${limit}, use --max-log-requests to increase the limit`,
      );
    }
    if (follows) await Promise.all(sources.map((source) => print(call, source, query)));
    else for (const source of sources) await print(call, source, query);
  },
};

function checkArguments(call: CommandCall): [string | undefined, string | undefined] {
  const { args, flags } = call;
  const selector = flags.text("selector");
  if ((args.length === 0 && !selector) || args.length > 2) throw usageError(call, usage);
  if (args.length === 1 && selector) throw usageError(call, "only a selector (-l) or a POD name is allowed");
  return [args[0], args[1]];
}

function queryFor({ flags }: CommandCall): Record<string, string> {
  const tail = flags.text("selector") && !flags.changed("tail") ? 10 : flags.int("tail");
  const since = Math.round(flags.durationMs("since") / 1000);
  const sinceTime = flags.text("since-time");
  if (sinceTime && Number.isNaN(parseTime(sinceTime))) {
    throw new Error(
      `parsing time ${JSON.stringify(sinceTime)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(sinceTime)} as "2006"`,
    );
  }
  return {
    ...(flags.bool("follow") ? { follow: "true" } : {}),
    ...(flags.bool("previous") ? { previous: "true" } : {}),
    ...(flags.bool("timestamps") ? { timestamps: "true" } : {}),
    ...(sinceTime ? { sinceTime } : {}),
    ...(since !== 0 ? { sinceSeconds: String(since) } : {}),
    ...(flags.int("limit-bytes") !== 0 ? { limitBytes: flags.text("limit-bytes") } : {}),
    ...(tail !== -1 ? { tailLines: String(tail) } : {}),
  };
}

function checkFlags({ flags }: CommandCall, container: string, inline: string | undefined): void {
  if (flags.text("since-time") && flags.durationMs("since") !== 0)
    throw new Error("at most one of `sinceTime` or `sinceSeconds` may be specified");
  if (flags.bool("all-containers") && container)
    throw new Error(`--all-containers=true should not be specified with container name ${container}`);
  if (flags.changed("container") && inline !== undefined)
    throw new Error("only one of -c or an inline [CONTAINER] arg is allowed");
  if (flags.int("limit-bytes") < 0) throw new Error("--limit-bytes must be greater than 0");
  if (flags.durationMs("since") < 0) throw new Error("--since must be greater than 0");
  if (flags.int("tail") < -1) throw new Error("--tail must be greater than or equal to -1");
}

/** Returns undefined after printing a message if the selector matches no pods. */
async function choosePods(call: CommandCall, argument: string | undefined): Promise<JsonObject[] | undefined> {
  const { flags, streams, namespace } = call;
  if (argument === undefined) {
    const pods = await listAll(call, `/api/v1/namespaces/${namespace}/pods`, { labelSelector: flags.text("selector") });
    if (pods.length === 0) streams.err(`No resources found in ${namespace} namespace.\n`);
    return pods.length > 0 ? pods : undefined;
  }
  let object: JsonObject;
  try {
    object = await objectNamed(call, argument);
  } catch (error) {
    if (isNotFound(error))
      throw new Error(
        `error from server (NotFound): ${asError(error).message} in namespace ${JSON.stringify(namespace)}`,
      );
    throw error;
  }
  const pods = await podsOf(call, object, "logs").catch((error: unknown) => {
    throw new Error(`cannot get the logs from *v1.${textOf(object.kind)}: ${asError(error).message}`);
  });
  const [first] = pods;
  if (!first) throw new Error("timed out waiting for the condition");
  if (pods.length > 1 && flags.bool("all-pods")) return pods;
  if (pods.length > 1) streams.err(`Found ${pods.length} pods, using pod/${nameOf(first)}\n`);
  return [first];
}

function sourcesOf(call: CommandCall, pod: JsonObject, container: string): Source[] {
  const { flags } = call;
  if (flags.bool("all-containers")) {
    const spec = objectAt(pod, "spec");
    return ["initContainers", "containers", "ephemeralContainers"].flatMap((field) =>
      listAt(spec, field).map(({ name }) => ({ pod, container: textOf(name) })),
    );
  }
  if (container && !hasContainer(pod, container)) {
    throw new Error(`container ${container} is not valid for pod ${nameOf(pod)} out of: ${allContainers(pod)}`);
  }
  return [{ pod, container: containerOf(call, pod, container, flags.bool("all-pods")) }];
}

async function print(call: CommandCall, { pod, container }: Source, query: Record<string, string>): Promise<void> {
  const { cluster, flags, streams } = call;
  const prefix = flags.bool("prefix") || flags.bool("all-pods") ? `[pod/${nameOf(pod)}/${container}] ` : "";
  const path = `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}/log`;
  const ask = { query: { ...query, container }, accept: "*/*" };
  try {
    if (!flags.bool("follow")) {
      const text = await cluster.text(path, ask);
      return streams.out(prefix ? text.replaceAll(/^(?=.)/gm, prefix) : text);
    }
    for await (const line of cluster.lines(path, ask)) streams.out(`${prefix}${line}\n`);
  } catch (error) {
    if (streams.signal.aborted) return;
    if (!flags.bool("ignore-errors")) throw error;
    streams.out(`error: ${error instanceof StatusError ? error.message : asError(error).message}\n`);
  }
}
