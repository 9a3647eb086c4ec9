// `kubectl set`: changes images, variables, resources, selectors and service accounts of objects with a pod template.
import { formatQuantity, parseQuantity } from "../../../shared/k8s/quantity.ts";
import { parseRequirements } from "../../../shared/k8s/selectors/label-query.ts";
import { type JsonObject, copyJson } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { type Flag, boolFlag, stringFlag } from "../flag.ts";
import { asError, throwAll } from "../errors.ts";
import { ensure, type Info, listAt, textOf } from "../object.ts";
import { outputFlags } from "../print/printer.ts";
import { isNamed, podSpecOf } from "../resources/pod-spec.ts";
import { allFlag, fileFlags, select, selectorFlag } from "../resources/select.ts";
import { dryRunFlag, dryRunOf, fieldManagerFlag, recordFlag, writePrinter } from "../writes/dry-run.ts";
import { patchBetween, patchObject } from "../writes/send.ts";
import { resourcesAndPairs } from "./label.ts";
import { setEnv } from "./set-env.ts";
import { setSubject } from "./set-subject.ts";

export const setFlags: readonly Flag[] = [
  ...outputFlags,
  ...fileFlags,
  dryRunFlag,
  recordFlag,
  fieldManagerFlag("kubectl-set"),
  allFlag,
  boolFlag("local", "If true, this will NOT contact api-server but run locally."),
];
const containersFlag = stringFlag(
  "containers",
  "The names of containers in the selected pod templates to change - may use wildcards",
  { short: "c", default: "*" },
);

export const set: Command = {
  name: "set",
  use: "SUBCOMMAND [options]",
  short: "Set specific features on objects",
  commands: [
    setEnv(setFlags, containersFlag),
    {
      name: "image",
      use: "(-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N [options]",
      short: "Update the image of a pod template",
      completes: "resources",
      flags: [...setFlags, selectorFlag],
      run: setImage,
    },
    {
      name: "resources",
      use: "(-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS] [options]",
      short: "Update resource requests/limits on objects with pod templates",
      completes: "resources",
      flags: [
        ...setFlags,
        selectorFlag,
        containersFlag,
        stringFlag(
          "limits",
          "The resource requirement limits for this container. For example, 'cpu=100m,memory=256Mi'.",
        ),
        stringFlag(
          "requests",
          "The resource requirement requests for this container. For example, 'cpu=100m,memory=256Mi'.",
        ),
      ],
      run: setResources,
    },
    {
      name: "selector",
      use: "(-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version] [options]",
      short: "Set the selector on a resource",
      completes: "resources",
      flags: [
        ...setFlags,
        stringFlag(
          "resource-version",
          "The update will only succeed if this is the current resource-version for the object.",
        ),
      ],
      run: setSelector,
    },
    {
      name: "serviceaccount",
      aliases: ["sa"],
      use: "(-f FILENAME | TYPE NAME) SERVICE_ACCOUNT [options]",
      short: "Update the service account of a resource",
      completes: "resources",
      flags: setFlags,
      run: setServiceAccount,
    },
    setSubject(setFlags),
  ],
};

export function selectForSet(call: CommandCall, args: readonly string[]) {
  if (call.flags.bool("local") && args.length > 0) {
    throw new Error(
      "error: you can only use local files by -f rsrc.yaml or --filename=rsrc.json when --local=true is set",
    );
  }
  return select(call, {
    args,
    allowsAll: call.flags.bool("all"),
    isDetached: call.flags.bool("local"),
    keepsGoing: true,
  });
}

/** Changes each object, sends those that differ, and prints them. `failure` is the prefix of the server's refusals. */
export async function changeEach(
  call: CommandCall,
  infos: readonly Info[],
  failed: Error[],
  operation: string,
  failure: string,
  change: (info: Info) => void,
): Promise<void> {
  const dryRun = dryRunOf(call.flags);
  const print = writePrinter(call, operation, dryRun);
  for (const info of infos) {
    const before = copyJson(info.object);
    try {
      change(info);
    } catch (error) {
      failed.push(new Error(`error: ${info.mapping.resource}/${info.name} ${asError(error).message}\n`));
      continue;
    }
    const { patch, type } = patchBetween(before, info.object);
    if (Object.keys(patch).length === 0) continue;
    if (call.flags.bool("local") || dryRun === "client") {
      call.streams.out(print(info.object));
      continue;
    }
    try {
      call.streams.out(print(await patchObject(call, info, patch, { type, dryRun })));
    } catch (error) {
      failed.push(failure ? new Error(`${failure}${asError(error).message}`) : asError(error));
    }
  }
  throwAll(failed);
}

/** Throws if the object has no pod spec. */
export function mustHavePodSpec(info: Info): JsonObject {
  const spec = podSpecOf(info.object);
  if (spec) return spec;
  throw new Error(`the object is not a pod or does not have a pod template: *v1.${textOf(info.object.kind)}`);
}

export function containersOf(spec: JsonObject, namePattern: string): JsonObject[] {
  return [...listAt(spec, "containers"), ...listAt(spec, "initContainers")].filter(({ name }) =>
    isNamed(textOf(name), namePattern),
  );
}

function checkCommon({ flags }: CommandCall): void {
  if (flags.bool("local") && dryRunOf(flags) === "server") {
    throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  if (flags.bool("all") && flags.text("selector")) throw new Error("cannot set --all and --selector at the same time");
}

async function setImage(call: CommandCall): Promise<void> {
  const { flags } = call;
  const { resources, pairs } = resourcesAndPairs(call.args, "image");
  const images = new Map(
    pairs.map((pair) => {
      const equals = pair.indexOf("=");
      if (equals <= 0) throw new Error(`invalid image format: ${pair}`);
      return [pair.slice(0, equals), pair.slice(equals + 1)] as const;
    }),
  );
  const hasFiles = flags.list("filename").length > 0 || flags.text("kustomize") !== "";
  const selection = await selectForSet(call, resources);
  throwAll(selection.errors);
  const wrong: Error[] = [];
  if (flags.bool("all") && flags.text("selector"))
    wrong.push(new Error("cannot set --all and --selector at the same time"));
  if (resources.length === 0 && !hasFiles)
    wrong.push(new Error("one or more resources must be specified as <resource> <name> or <resource>/<name>"));
  if (images.size === 0) wrong.push(new Error("at least one image update is required"));
  else if (images.size > 1 && images.has("*")) {
    wrong.push(
      new Error(
        "all containers are already specified by *, but saw more than one container_name=container_image pairs",
      ),
    );
  }
  throwAll(wrong);
  checkCommon(call);
  const failed: Error[] = [];
  await changeEach(
    call,
    selection.infos,
    failed,
    "image updated",
    "failed to patch image update to pod template: ",
    (info) => {
      const spec = mustHavePodSpec(info);
      for (const [name, image] of images) {
        const containers = [...listAt(spec, "containers"), ...listAt(spec, "initContainers")].filter(
          (change) => name === "*" || change.name === name,
        );
        for (const container of containers) container.image = image;
        if (containers.length === 0)
          failed.push(new Error(`error: unable to find container named ${JSON.stringify(name)}`));
      }
    },
  );
}

async function setResources(call: CommandCall): Promise<void> {
  const { flags } = call;
  const selection = await selectForSet(call, call.args);
  throwAll(selection.errors);
  checkCommon(call);
  if (!flags.text("limits") && !flags.text("requests")) {
    throw new Error("you must specify an update to requests or limits (in the form of --requests/--limits)");
  }
  const amounts = { limits: amountsOf(flags.text("limits")), requests: amountsOf(flags.text("requests")) };
  const failed: Error[] = [];
  await changeEach(
    call,
    selection.infos,
    failed,
    "resource requirements updated",
    "failed to patch resources update to pod template ",
    (info) => {
      const containers = containersOf(mustHavePodSpec(info), flags.text("containers"));
      if (containers.length === 0)
        failed.push(new Error(`error: unable to find container named ${flags.text("containers")}`));
      for (const container of containers) {
        for (const form of ["limits", "requests"] as const) {
          if (Object.keys(amounts[form]).length > 0) Object.assign(ensure(container, "resources", form), amounts[form]);
        }
      }
    },
  );
}

function amountsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(",")
      .filter(Boolean)
      .map((pair) => {
        const [name = "", amount, more] = pair.split("=");
        if (amount === undefined || more !== undefined)
          throw new Error(`Invalid argument syntax ${pair}, expected <resource>=<value>`);
        const quantity = parseQuantity(amount);
        if (!quantity)
          throw new Error(
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
          );
        return [name, formatQuantity(quantity)];
      }),
  );
}

async function setSelector(call: CommandCall): Promise<void> {
  const { args, flags } = call;
  if (args.length === 0) throw new Error("one selector is required");
  const requirements = parseRequirements(args.at(-1) ?? "");
  const { infos, errors } = await selectForSet(call, args.slice(0, -1));
  throwAll(errors);
  const dryRun = dryRunOf(flags);
  const print = writePrinter(call, "selector updated", dryRun);
  for (const info of infos) {
    const before = copyJson(info.object);
    if (info.object.kind !== "Service") throw new Error("setting a selector is only supported for Services");
    ensure(info.object, "spec").selector = Object.fromEntries(
      requirements.map(({ key, values }) => [key, values[0] ?? ""]),
    );
    const { patch, type } = patchBetween(before, info.object);
    const isLocal = flags.bool("local") || dryRun === "client";
    call.streams.out(print(isLocal ? info.object : await patchObject(call, info, patch, { type, dryRun })));
  }
}

async function setServiceAccount(call: CommandCall): Promise<void> {
  const { args } = call;
  if (args.length === 0) throw new Error("serviceaccount is required");
  checkCommon(call);
  const { infos, errors } = await selectForSet(call, args.slice(0, -1));
  throwAll(errors);
  const dryRun = dryRunOf(call.flags);
  const print = writePrinter(call, "serviceaccount updated", dryRun);
  const failed: Error[] = [];
  for (const info of infos) {
    try {
      const before = copyJson(info.object);
      mustHavePodSpec(info).serviceAccountName = args.at(-1);
      const { patch, type } = patchBetween(before, info.object);
      const isLocal = call.flags.bool("local") || dryRun === "client";
      const after = isLocal
        ? info.object
        : await patchObject(call, info, patch, { type, dryRun }).catch((error: unknown) => {
            throw new Error(`failed to patch ServiceAccountName ${asError(error).message}`);
          });
      call.streams.out(print(after));
    } catch (error) {
      failed.push(asError(error));
    }
  }
  throwAll(failed);
}
