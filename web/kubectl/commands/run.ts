// `kubectl run`: creates a pod from an image and attaches to it on request.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { type CommandCall, type Command, usageError } from "../command.ts";
import { arrayFlag, boolFlag, durationFlag, intFlag, stringFlag } from "../flag.ts";
import { Exit, asError } from "../errors.ts";
import { nameOf, numberAt, objectAt, ensureMetadata, stringAt, listAt, textOf } from "../object.ts";
import { declaredOrder } from "../print/declared-order.ts";
import { outputFlags } from "../print/printer.ts";
import { isReady } from "../resources/pods.ts";
import { type DryRun, dryRunOf, writePrinter, writeQuery, objectWriteFlags } from "../writes/dry-run.ts";
import { keepLastApplied } from "../writes/last-applied.ts";
import { attachTo } from "./exec.ts";
import { overridden, overrideFlags, parseLabels, serviceWith } from "./expose.ts";
import { requireFlag } from "./scale.ts";
import { watchUntil } from "./wait.ts";

export const run: Command = {
  name: "run",
  use: 'NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...] [options]',
  short: "Run a particular image on the cluster",
  completes: "none",
  flags: [
    ...outputFlags,
    ...overrideFlags.map((flag) => (flag.name === "override-type" ? { ...flag, default: "merge" } : flag)),
    ...objectWriteFlags("kubectl-run"),
    stringFlag("image", "The image for the container to run."),
    stringFlag("image-pull-policy", "The image pull policy for the container."),
    stringFlag("port", "The port that this container exposes."),
    stringFlag("labels", "Comma separated labels to apply to the pod.", { short: "l" }),
    stringFlag("restart", "The restart policy for this Pod. Legal values [Always, OnFailure, Never].", {
      default: "Always",
    }),
    arrayFlag("env", "Environment variables to set in the container."),
    arrayFlag("annotations", "Annotations to apply to the pod."),
    boolFlag("rm", "If true, delete the pod after it exits."),
    boolFlag("stdin", "Keep stdin open on the container in the pod, even if nothing is attached.", { short: "i" }),
    boolFlag("tty", "Allocate a TTY for the container in the pod.", { short: "t" }),
    boolFlag("attach", "If true, wait for the Pod to start running, and then attach to the Pod."),
    boolFlag(
      "leave-stdin-open",
      "If the pod is started in interactive mode or with stdin, leave stdin open after the first attach completes.",
    ),
    boolFlag("command", "If true and extra arguments are present, use them as the 'command' field in the container."),
    boolFlag("expose", "If true, create a ClusterIP service associated with the pod. Requires `--port`."),
    boolFlag("quiet", "If true, suppress prompt messages.", { short: "q" }),
    boolFlag("privileged", "If true, run the container in privileged mode."),
    boolFlag("force", "If true, immediately remove resources from API and bypass graceful deletion."),
    boolFlag("wait", "If true, wait for resources to be gone before returning."),
    intFlag("grace-period", "Period of time in seconds given to the resource to terminate gracefully.", {
      default: -1,
    }),
    durationFlag("timeout", "The length of time to wait before giving up on a delete.", { default: "0s" }),
    stringFlag("cascade", 'Must be "background", "orphan", or "foreground".', {
      default: "background",
      bare: "background",
    }),
    durationFlag("pod-running-timeout", "The length of time to wait until at least one pod is running", {
      default: "1m0s",
    }),
  ],
  run: async (call) => {
    const { flags, args, dash } = call;
    requireFlag(call, "image");
    const dryRun = dryRunOf(flags);
    const print = writePrinter(call, "created", dryRun, dryRun === "client");
    if (args.length === 0 || dash === 0) throw usageError(call, "NAME is required for run");
    const attaches = flags.changed("attach") ? flags.bool("attach") : flags.bool("stdin");
    check(call, attaches, dryRun);
    const pod = overridden(call, podFor(call));
    const created = await send(call, "pods", pod, dryRun);
    if (flags.bool("expose")) {
      const service = serviceFor(call);
      call.streams.out(print(await send(call, "services", service, dryRun)));
      if (flags.text("output") === "yaml") call.streams.out("---\n");
    }
    if (!attaches) return call.streams.out(print(created));
    try {
      await follow(call, nameOf(created));
    } finally {
      if (flags.bool("rm")) await remove(call, nameOf(created));
    }
  },
};

const imagePattern = /^[\w][\w.-]*(:\d+)?(\/[\w.-]+)*(:[\w][\w.-]{0,127})?(@[A-Za-z][\w.+-]*:[\da-fA-F]{32,})?$/;

function check(call: CommandCall, attaches: boolean, dryRun: DryRun): void {
  const { flags } = call;
  const image = flags.text("image");
  if (!image) throw new Error("--image is required");
  if (!imagePattern.test(image))
    throw new Error(`Invalid image name ${JSON.stringify(image)}: invalid reference format`);
  if (flags.bool("tty") && !flags.bool("stdin"))
    throw usageError(call, "-i/--stdin is required for containers with -t/--tty=true");
  if (flags.bool("expose") && !flags.text("port")) throw usageError(call, "--port must be set when exposing a service");
  if (!["", "Always", "OnFailure", "Never"].includes(flags.text("restart")))
    throw usageError(call, `invalid restart policy: ${flags.text("restart")}`);
  if (!attaches && flags.bool("rm")) throw usageError(call, "--rm should only be used for attached containers");
  if (attaches && dryRun !== "none") {
    throw usageError(
      call,
      "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)",
    );
  }
  if (!["", "Always", "IfNotPresent", "Never"].includes(flags.text("image-pull-policy"))) {
    throw usageError(call, `invalid image pull policy: ${flags.text("image-pull-policy")}`);
  }
}

function podFor({ flags, args }: CommandCall): JsonObject {
  const [name = "", ...words] = args;
  const labels = flags.text("labels") ? parseLabels(flags.text("labels")) : { run: name };
  const env = flags.list("env").map((pair): JsonObject => {
    const equals = pair.indexOf("=");
    if (equals <= 0) throw new Error(`invalid env: ${pair}`);
    return { name: pair.slice(0, equals), ...(pair.slice(equals + 1) ? { value: pair.slice(equals + 1) } : {}) };
  });
  const annotations = Object.fromEntries(
    flags.list("annotations").map((pair) => {
      const equals = pair.indexOf("=");
      if (equals <= 0) throw new Error(`Malformed annotations option, must be in format 'key=value': ${pair}`);
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
  const port = flags.text("port");
  if (port && !/^\d+$/.test(port)) throw new Error(`strconv.Atoi: parsing ${JSON.stringify(port)}: invalid syntax`);
  const container: JsonObject = {
    ...(words.length > 0 ? { [flags.bool("command") ? "command" : "args"]: words } : {}),
    ...(env.length > 0 ? { env } : {}),
    image: flags.text("image"),
    ...(flags.text("image-pull-policy") ? { imagePullPolicy: flags.text("image-pull-policy") } : {}),
    name,
    ...(port ? { ports: [{ containerPort: Number(port) }] } : {}),
    resources: {},
    ...(flags.bool("privileged") ? { securityContext: { privileged: true } } : {}),
    ...(flags.bool("stdin") ? { stdin: true, ...(flags.bool("leave-stdin-open") ? {} : { stdinOnce: true }) } : {}),
    ...(flags.bool("tty") ? { tty: true } : {}),
  };
  const restartPolicy = flags.text("restart") || (flags.bool("stdin") ? "OnFailure" : "Always");
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...(Object.keys(annotations).length > 0 ? { annotations } : {}), labels, name },
    spec: { containers: [container], dnsPolicy: "ClusterFirst", restartPolicy },
    status: {},
  };
}

function serviceFor({ flags, args }: CommandCall): JsonObject {
  const [name = ""] = args;
  const labels = flags.text("labels") ? parseLabels(flags.text("labels")) : undefined;
  const port = Number(flags.text("port"));
  return serviceWith(flags, { name, ...(labels ? { labels } : {}) }, labels ?? { run: name }, [
    { port, protocol: "TCP", targetPort: port },
  ]);
}

async function send(call: CommandCall, plural: string, object: JsonObject, dryRun: DryRun): Promise<JsonObject> {
  if (dryRun === "client") {
    if (call.hasNamespace) ensureMetadata(object).namespace = call.namespace;
    return object;
  }
  keepLastApplied(object, call.flags.bool("save-config"), declaredOrder);
  return call.cluster.json(`/api/v1/namespaces/${call.namespace}/${plural}`, {
    method: "POST",
    query: writeQuery(call, dryRun),
    body: object,
  });
}

/** Attaches once the pod runs, and ends with the exit code of its command. */
async function follow(call: CommandCall, name: string): Promise<void> {
  const { flags, surroundings, streams, namespace } = call;
  const mapping = await call.cluster.resource("pods");
  const info = { mapping, namespace, name };
  const missing = () => {
    throw new Error(`pods ${JSON.stringify(name)} not found`);
  };
  const isOver = (pod: JsonObject) => ["Succeeded", "Failed"].includes(stringAt(pod, "status", "phase"));
  const timeoutMs = flags.durationMs("pod-running-timeout");
  const started = await watchUntil(
    call,
    info,
    surroundings.clock.nowMs() + timeoutMs,
    (_, pod) => isOver(pod) || (stringAt(pod, "status", "phase") === "Running" && isReady(pod)),
    missing,
  );
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/log`;
  if (isOver(started)) streams.out(await call.cluster.text(path, { accept: "*/*" }));
  else {
    streams.out(await call.cluster.text(path, { accept: "*/*" }).catch(() => ""));
    try {
      await attachTo(call, started, {
        stdin: flags.bool("stdin"),
        tty: flags.bool("tty"),
        quiet: flags.bool("quiet"),
        container: "",
      });
    } catch (error) {
      streams.err(
        `warning: couldn't attach to pod/${name}, falling back to streaming logs: ${asError(error).message}\n`,
      );
      streams.out(await call.cluster.text(path, { accept: "*/*" }).catch(() => ""));
    }
  }
  const restart = stringAt(started, "spec", "restartPolicy");
  if (flags.bool("leave-stdin-open") || restart === "Always" || streams.signal.aborted) return;
  const ended = await watchUntil(call, info, surroundings.clock.nowMs() + timeoutMs, (_, pod) => isOver(pod), missing);
  if (stringAt(ended, "status", "phase") === "Succeeded") return;
  const [status] = listAt(ended, "status", "containerStatuses");
  const terminated = isObject(status) ? objectAt(status, "state", "terminated") : {};
  const code = numberAt(terminated, "exitCode") ?? 0;
  if (code === 0) throw new Error(`pod ${namespace}/${name} failed with unknown exit code`);
  throw new Exit(
    code,
    `pod ${namespace}/${name} terminated (${textOf(terminated.reason)})\n${textOf(terminated.message)}`,
  );
}

async function remove(call: CommandCall, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${call.namespace}/pods/${name}`;
  await call.cluster
    .json(path, {
      method: "DELETE",
      body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" },
    })
    .catch(() => undefined);
  if (!call.flags.bool("quiet")) call.streams.out(`pod "${name}" deleted from ${call.namespace} namespace\n`);
}
