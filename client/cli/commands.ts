// The table of all commands and their options. Help and completion are generated from it.
import type { ParseArgsConfig } from "node:util";
import type { SandboxField } from "../../shared/contract/sandbox-fields.ts";

export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: boolean;
  /** The placeholder of the value in the help. */
  readonly value?: string;
  readonly help: string;
}

export interface Command {
  readonly help: string;
  /** The arguments as the help shows them. */
  readonly arguments: string;
  /** The least and the greatest number of arguments. */
  readonly count: readonly [least: number, most: number];
  readonly options: Readonly<Record<string, Option>>;
}

const json: Option = { type: "boolean", help: "prints JSON, for programs" };
const sandbox = { arguments: "<sandbox>", count: [1, 1] as const };
const label: Option = { type: "string", multiple: true, value: "key=value", help: "a label; may come several times" };
const ttl: Option = { type: "string", value: "1h", help: "how long it lives: seconds, or 90s, 30m, 12h, 7d" };
const name: Option = { type: "string", value: "name", help: "what it is called" };
const description: Option = { type: "string", value: "text", help: "a line that says what it is for" };
/** The options that set each field of a new sandbox. */
const optionsOfFields: Readonly<Record<SandboxField, Readonly<Record<string, Option>>>> = {
  name: { name },
  description: { description },
  labels: { label },
};
const fieldOptions: Readonly<Record<string, Option>> = Object.fromEntries(
  Object.values(optionsOfFields).flatMap((options) => Object.entries(options)),
);
const revision: Option = { type: "string", value: "n", help: "a revision that the sandbox's history still holds" };
const ofSandbox: Option = {
  type: "string",
  value: "sandbox",
  help: "which sandbox; default: SANDBAR_SANDBOX, or the only one",
};
const moment: Option = { type: "string", value: "moment", help: "a resource version, or a time" };
const namespaced: Option = { type: "string", short: "n", value: "name", help: "the namespace; default: default" };
const images: Option = {
  type: "string",
  multiple: true,
  value: "file",
  help: "images that it brings along, as `sandbar image build` writes them; or strict, or any",
};
const snapshot: Option = { type: "string", value: "id", help: "a snapshot" };

const between: Readonly<Record<string, Option>> = {
  from: { type: "string", value: "2026-01-01", help: "the first day; default: the first of this month" },
  to: { type: "string", value: "2026-01-31", help: "the last day; default: today" },
  "by-day": { type: "boolean", help: "a line for each day" },
};

export const common: Readonly<Record<string, Option>> = {
  server: { type: "string", value: "url", help: "the service; default: SANDBAR_URL, or http://localhost:8787" },
  help: { type: "boolean", short: "h", help: "prints this" },
};

export const commands: Readonly<Record<string, Command>> = {
  create: {
    help: "makes a sandbox and prints its kubeconfig",
    arguments: "",
    count: [0, 0],
    options: {
      ...fieldOptions,
      ttl,
      nodes: { type: "string", value: "n", help: "how many nodes" },
      file: {
        type: "string",
        short: "f",
        multiple: true,
        value: "file",
        help: "manifests to begin with: a file, - for the input, or a folder of files, a kustomization or a chart",
      },
      snapshot: { ...snapshot, help: "begins with a snapshot" },
      template: { type: "string", value: "name", help: "begins with a template: its newest version, or name@version" },
      import: {
        type: "string",
        value: "file",
        help: "begins with what `kubectl get -A -o yaml` printed of another cluster",
      },
      state: { type: "string", value: "file", help: "begins with a state that `sandbar export --state` wrote" },
      images,
      seed: { type: "string", value: "n", help: "names, uids, addresses and chance follow from it" },
      "kubelet-speed": { type: "string", value: "zero", help: "real, zero, or a factor" },
      controllers: { type: "string", value: "on", help: "on, off, or names with commas between them" },
      "service-cidr": { type: "string", value: "range", help: "the range of Services: 10.96.0.0/12, or another" },
      "feature-gates": { type: "string", value: "gates", help: "as kube-apiserver has them: WatchList=false,…" },
      "pod-cidr": { type: "string", value: "range", help: "the range of pods: 10.244.0.0/16, or another" },
      wait: {
        type: "boolean",
        help: "waits until the workloads are available; ends with 3 where they are not in time",
      },
      "wait-seconds": { type: "string", value: "60", help: "how long it waits" },
      "idempotency-key": { type: "string", value: "key", help: "the same command with the same key makes one sandbox" },
      json,
    },
  },
  list: { help: "lists the sandboxes", arguments: "", count: [0, 0], options: { name, label, json } },
  get: { ...sandbox, help: "shows a sandbox", options: { json } },
  delete: {
    help: "deletes sandboxes: those that are named, or those that have all labels",
    arguments: "[sandbox...]",
    count: [0, 1000],
    options: { label },
  },
  extend: {
    ...sandbox,
    help: "lets a sandbox end later, or sooner",
    options: { ttl: { ...ttl, help: "from now on" }, json },
  },
  reset: {
    ...sandbox,
    help: "sets a sandbox back to what it was made of",
    options: { "rotate-token": { type: "boolean", help: "replaces the administrator's token, too" }, json },
  },
  rotate: {
    ...sandbox,
    help: "replaces the token of a sandbox's administrator and prints the new kubeconfig",
    options: { all: { type: "boolean", help: "revokes the tokens of users, viewers and visitors, too" }, json },
  },
  kubeconfig: {
    ...sandbox,
    help: "prints a sandbox's kubeconfig",
    options: { at: { ...moment, help: "of the sandbox as it was then, read-only: a resource version, or a time" } },
  },
  snapshot: {
    ...sandbox,
    help: "keeps the state of a sandbox and prints the snapshot's id",
    options: { name, note: { type: "string", value: "text", help: "what to remember of it" }, revision, json },
  },
  snapshots: { help: "lists snapshots, of a sandbox or all", arguments: "[sandbox]", count: [0, 1], options: { json } },
  fork: {
    ...sandbox,
    help: "makes a sandbox of another's state and prints its kubeconfig",
    options: {
      ...fieldOptions,
      ttl,
      snapshot,
      revision,
      controllers: {
        type: "string",
        value: "on",
        help: "on, off, or names with commas between them; default: as it has",
      },
      json,
    },
  },
  restore: { ...sandbox, help: "sets a sandbox back, in place", options: { snapshot, revision, json } },
  undo: {
    ...sandbox,
    help: "takes back the last request of a user, and all that followed",
    options: { "dry-run": { type: "boolean", help: "only says what would go" }, json },
  },
  timeline: {
    help: "shows what happened in a sandbox and why: a tree of changes and what they answer",
    arguments: "",
    count: [0, 0],
    options: {
      sandbox: ofSandbox,
      resource: { type: "string", value: "deployments.apps", help: "only of this resource" },
      namespace: { ...namespaced, help: "only in this namespace" },
      name: { type: "string", value: "name", help: "only of objects of this name" },
      user: { type: "string", value: "name", help: "only what this user asked for" },
      "audit-id": { type: "string", value: "id", help: "only what this request asked for" },
      since: moment,
      until: moment,
      follow: { type: "boolean", help: "goes on printing what happens, until it is interrupted" },
      json,
    },
  },
  record: {
    help: "writes the requests of a sandbox's users, with their times, as a file that drives another sandbox",
    arguments: "[sandbox]",
    count: [0, 1],
    options: {
      user: { type: "string", value: "name", help: "only this user's requests" },
      since: moment,
      until: moment,
      output: { type: "string", short: "o", value: "file", help: "where to; default: the output" },
    },
  },
  capture: {
    help: "writes what a real cluster has and how it changes as a file that a sandbox replays; Secrets without values",
    arguments: "",
    count: [0, 0],
    options: {
      for: { type: "string", value: "10m", help: "how long: 90s, 30m or 12h, a day at most; default: 10m" },
      namespace: { ...namespaced, help: "only this namespace, beside objects without one" },
      kubeconfig: { type: "string", value: "file", help: "the cluster's; default: kubectl's own" },
      context: { type: "string", value: "name", help: "of the kubeconfig" },
      kubectl: { type: "string", value: "path", help: "the kubectl that reads the cluster; default: kubectl" },
      output: { type: "string", short: "o", value: "file", help: "where to; default: the output" },
    },
  },
  replay: {
    help: "drives a sandbox with a recording: a new one, whose kubeconfig it prints, or one that is named",
    arguments: "<file>",
    count: [1, 1],
    options: {
      sandbox: { ...ofSandbox, help: "the sandbox; default: a new one" },
      speed: { type: "string", value: "10", help: "the factor, 0.1 to 1000, or max: as fast as can be; default: 1" },
      from: { type: "string", value: "time", help: "leaves out what came before this time of the recording" },
      until: { type: "string", value: "time", help: "stops at this time of the recording, with the clock paused" },
      name,
      ttl,
      verbose: { type: "boolean", help: "tells each request, and what did not come as it was" },
    },
  },
  why: {
    help: "says what an object waits for, and which commands show it",
    arguments: "<resource>/<name>",
    count: [1, 2],
    options: { sandbox: ofSandbox, namespace: namespaced, json },
  },
  clock: {
    help: "shows a sandbox's clock, pauses it, sets its speed, or runs it forward as fast as can be",
    arguments: "show|pause|run|speed <factor>|advance <duration>|until quiet|<time>|<resource>/<name> <expression>",
    count: [1, 3],
    options: {
      sandbox: ofSandbox,
      namespace: { ...namespaced, help: "the namespace of the object that is waited for; default: default" },
      limit: { type: "string", value: "1d", help: "the most of the sandbox's time that passes; default: a day" },
      json,
    },
  },
  faults: {
    help: "shows the faults that are injected into a sandbox, sets them, ends one or all",
    arguments: "show|set <file>|end <name>|clear",
    count: [1, 2],
    options: { sandbox: ofSandbox, json },
  },
  "run-operator": {
    help: "runs an operator of this machine in a sandbox, kills it where a fault disconnects it, and starts it again",
    arguments: "-- <command>",
    count: [1, 1000],
    options: {
      sandbox: ofSandbox,
      user: { type: "string", value: "name", help: "who the operator is; default: sandbar-operator" },
      group: { type: "string", multiple: true, value: "name", help: "a group of it; default: system:masters" },
    },
  },
  "test-operator": {
    help: "tests an operator: runs it without faults, then with a plan of faults after the other, and compares",
    arguments: "-- <command>",
    count: [1, 1000],
    options: {
      crds: { type: "string", multiple: true, value: "file", help: "manifests that each run begins with" },
      workload: { type: "string", multiple: true, value: "step", help: "a file of manifests, or a shell command" },
      seed: { type: "string", value: "1..200", help: "which plans; default: all" },
      plan: { type: "string", value: "file", help: "the plan of a finding, in place of all others" },
      mask: { type: "string", multiple: true, value: "rule", help: "values that may differ: 'secrets */* data.*'" },
      invariant: { type: "string", multiple: true, value: "rule", help: "<resource> <namespace>/<name> <expression>" },
      speed: { type: "string", value: "10", help: "how fast a sandbox's clock runs, 1 to 1000" },
      quiet: { type: "string", value: "2s", help: "how long a quiet operator requests nothing" },
      limit: { type: "string", value: "60s", help: "how long a step may take to become quiet" },
      "at-once": { type: "string", value: "4", help: "how many runs at once" },
      folder: { type: "string", value: "folder", help: "for logs and plans; default: sandbar-test-operator" },
      verbose: { type: "boolean", help: "says when operators end and start" },
    },
  },
  diff: {
    ...sandbox,
    help: "compares two states; ends with 1 where they differ",
    options: {
      from: { type: "string", value: "state", help: "a revision, a snapshot or another sandbox" },
      to: { type: "string", value: "now", help: "the same, or now" },
      json,
    },
  },
  export: {
    ...sandbox,
    help: "prints a sandbox as YAML for kubectl apply",
    options: {
      state: { type: "boolean", help: "writes the whole state, for sandbar create --state" },
      output: { type: "string", short: "o", value: "file", help: "where to; default: the output" },
    },
  },
  lesson: {
    help: "checks the folder of a lesson, tries it in a sandbox, publishes it; and runs it for a class",
    arguments: "check|serve|publish <folder>, list, start <lesson> <learner>..., results|reset|delete <lesson>",
    count: [1, 101],
    options: {
      json,
      csv: { type: "boolean", help: "results: prints CSV, for spreadsheets" },
      learner: { type: "string", value: "name", help: "results: of one learner alone" },
      all: { type: "boolean", help: "reset: all who are at it; else those who are named" },
      every: { type: "string", value: "5s", help: "serve: how often it is graded, beside whenever a file changes" },
      step: { type: "string", value: "n", help: "serve: begins with this step; those before it are solved" },
    },
  },
  class: {
    help: "makes a link to a lesson for a whole class and prints it, lists those, or deletes some",
    arguments: "create|list|delete <lesson> [class...]",
    count: [1, 102],
    options: {
      title: { type: "string", value: "text", help: "create: what the class is called, for people" },
      seats: { type: "string", value: "n", help: "create: how many learners it may have" },
      ttl: { ...ttl, value: "7d", help: "create: how long its link lets learners in: seconds, or 90s, 30m, 12h, 7d" },
      json,
    },
  },
  tunnel: {
    help: "serves a Service of a sandbox from this machine, until it is interrupted",
    arguments: "[sandbox]",
    count: [0, 1],
    options: {
      service: { type: "string", value: "namespace/name", help: "the Service" },
      to: { type: "string", value: "url", help: "who answers: https://localhost:9443" },
      kubeconfig: { type: "string", value: "file", help: "where no sandbox is named; default: KUBECONFIG" },
      context: { type: "string", value: "name", help: "of the kubeconfig" },
    },
  },
  template: {
    help: "saves (the next version of) a template, lists templates, shows or deletes one",
    arguments: "save|list|show|delete [name]",
    count: [1, 2],
    options: {
      description: { type: "string", value: "text", help: "what it is for" },
      sandbox: { type: "string", value: "id", help: "saves a sandbox as it is" },
      snapshot: { ...snapshot, help: "saves a snapshot" },
      nodes: { type: "string", value: "n", help: "how many nodes" },
      file: { type: "string", short: "f", multiple: true, value: "file", help: "manifests, as of create" },
      images: { ...images, help: "images, as of create" },
      json,
    },
  },
  image: {
    help: "makes an image for sandboxes of a Dockerfile and prints it as YAML, for create --images",
    arguments: "build <folder>",
    count: [2, 2],
    options: {
      tag: {
        type: "string",
        short: "t",
        multiple: true,
        value: "name:tag",
        help: "the image's name; may come several times, with other tags",
      },
      file: { type: "string", short: "f", value: "file", help: "the Dockerfile; default: the one in the folder" },
      "build-arg": { type: "string", multiple: true, value: "NAME=value", help: "a value for ARG" },
      output: { type: "string", short: "o", value: "file", help: "where to; default: the output" },
    },
  },
  usage: {
    help: "prints what sandboxes used, with a price",
    arguments: "",
    count: [0, 0],
    options: { ...between, json },
  },
  limits: { help: "prints what the plan gives and what is used", arguments: "", count: [0, 0], options: { json } },
  webhook: {
    help: "has events sent to an address, lists, removes and tries those, or prints what was sent",
    arguments: "add|list|remove|test|log [address or webhook]",
    count: [1, 2],
    options: { event: { type: "string", multiple: true, value: "sandbox.created", help: "only such events" }, json },
  },
  trial: {
    help: "does the work for a trial sandbox, which needs no key, and prints its kubeconfig",
    arguments: "",
    count: [0, 0],
    options: { template: { type: "string", value: "name", help: "one that is built in" }, json },
  },
  admin: {
    help: "is for who runs the service, with its key in SANDBAR_API_KEY",
    arguments:
      "tenants|tenant|plan|limits|suspend|resume|usage|sandboxes|health|reconcile|metrics|audit|delete-person [name] [...]",
    count: [1, 50],
    options: { ...between, json },
  },
  whoami: { help: "tells whose key it is and what it may do", arguments: "", count: [0, 0], options: { json } },
  keys: { help: "lists the API keys", arguments: "", count: [0, 0], options: { json } },
  "create-key": {
    help: "makes an API key and prints it",
    arguments: "",
    count: [0, 0],
    options: {
      name: { ...name, help: "what it is for" },
      scope: {
        type: "string",
        multiple: true,
        value: "sandboxes:read",
        help: "what it may do; may come several times, or with commas",
      },
      ttl: { ...ttl, help: "how long it is good; default: until it is revoked" },
      json,
    },
  },
  "revoke-key": { help: "revokes API keys", arguments: "<key id>...", count: [1, 100], options: {} },
  "publishable-key": {
    help: "makes a key that may stand in a page, lists those, or revokes some",
    arguments: "create|list|revoke [key...]",
    count: [1, 101],
    options: {
      name: { ...name, help: "what it is for" },
      origin: { type: "string", multiple: true, value: "https://example.org", help: "pages it may stand in" },
      template: { type: "string", multiple: true, value: "name", help: "what visitors may have" },
      lesson: { type: "string", multiple: true, value: "name", help: "which lessons they may do" },
      ttl: { ...ttl, help: "how long a visitor's sandbox lives" },
      "per-visitor": { type: "string", value: "n", help: "sandboxes of one visitor" },
      "at-once": { type: "string", value: "n", help: "sandboxes at once" },
      "per-hour": { type: "string", value: "n", help: "sandboxes made within an hour" },
      "per-address": { type: "string", value: "n", help: "those of one network address" },
      json,
    },
  },
  lti: {
    help: "tells what a learning management system is told, and registers, lists, shows, changes and removes such platforms",
    arguments: "tool|register|add|list|show|change|remove|scores [platform]",
    count: [1, 2],
    options: {
      name: { ...name, help: "of the platform, for people" },
      issuer: { type: "string", value: "url", help: "add: who the platform says it is" },
      "client-id": { type: "string", value: "id", help: "add: what the platform calls the tool" },
      "authorization-url": { type: "string", value: "url", help: "add: where it says who somebody is" },
      "token-url": { type: "string", value: "url", help: "add: where it gives access tokens" },
      "jwks-url": { type: "string", value: "url", help: "add: its keys" },
      audience: {
        type: "string",
        value: "text",
        help: "add: who tokens are asked of, where that is not the token's address",
      },
      deployment: { type: "string", multiple: true, value: "id", help: "which deployments may launch" },
      json,
    },
  },
  members: { help: "lists who belongs to the organisation", arguments: "", count: [0, 0], options: { json } },
  invite: {
    help: "prints a link by which one person joins the organisation",
    arguments: "",
    count: [0, 0],
    options: {
      role: { type: "string", value: "member", help: "viewer, member or owner" },
      ttl: { ...ttl, value: "7d", help: "how long it is good" },
      json,
    },
  },
  audit: {
    help: "lists who did what",
    arguments: "",
    count: [0, 0],
    options: { limit: { type: "string", value: "100", help: "how many entries at most" }, json },
  },
  dev: {
    help: "runs the service on this machine, from the package @sandbar-dev/local or a checkout",
    arguments: "",
    count: [0, 0],
    options: {},
  },
  completion: { help: "prints what a shell completes commands by", arguments: "bash|zsh", count: [1, 1], options: {} },
  version: { help: "prints the version", arguments: "", count: [0, 0], options: {} },
};

export function parseOptions({ options }: Command): NonNullable<ParseArgsConfig["options"]> {
  const all = Object.entries({ ...options, ...common });
  return Object.fromEntries(
    all.map(([word, { type, short, multiple }]) => [
      word,
      { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) },
    ]),
  );
}

export function usage(): string {
  const width = Math.max(...Object.entries(commands).map(([word, command]) => `${word} ${command.arguments}`.length));
  const lines = Object.entries(commands).map(
    ([word, command]) => `  ${`${word} ${command.arguments}`.padEnd(width)}  ${command.help}`,
  );
  return [
    "Usage: sandbar <command> [options]",
    "",
    ...lines,
    "",
    "A sandbox is named by its id, or by its name where only one has it. The API key is read from SANDBAR_API_KEY, or from",
    ".sandbar/api-key in this folder or one above it. `sandbar <command> --help` tells of a command's options.",
    "Ends with 1 where the service refuses or cannot be reached, with 2 where the command is wrong.",
  ].join("\n");
}

export function usageOf(word: string, { help, arguments: argumentsText, options }: Command): string {
  const written = Object.entries({ ...options, ...common }).map(([name, option]) => {
    const short = option.short ? `-${option.short}, ` : "";
    return [`${short}--${name}${option.type === "string" ? ` <${option.value}>` : ""}`, option.help] as const;
  });
  const width = Math.max(...written.map(([left]) => left.length));
  const lines = written.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
  return [`Usage: sandbar ${word} ${argumentsText}`.trimEnd(), "", `It ${help}.`, "", ...lines].join("\n");
}
