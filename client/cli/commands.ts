// The table of all commands and their options. Help and completion are generated from it.
import type { ParseArgsConfig } from "node:util";
import { liveCommandTable } from "./live-command-table.ts";
import {
  between,
  type Command,
  common,
  entries,
  fieldOptions,
  flag,
  images,
  json,
  label,
  moment,
  name,
  namespaced,
  noArguments,
  ofSandbox,
  output,
  revision,
  sandbox,
  snapshot,
  text,
  ttl,
} from "./options.ts";

export type { Command } from "./options.ts";
export { common } from "./options.ts";

export const commands: Readonly<Record<string, Command>> = {
  create: {
    ...noArguments,
    help: "makes a sandbox and prints its kubeconfig",
    options: {
      ...fieldOptions,
      ttl,
      nodes: text("n", "how many nodes"),
      "kubernetes-version": text("1.36", "the minor version of Kubernetes: 1.33 to 1.36"),
      file: text(
        "file",
        "manifests to begin with: a file, - for the input, or a folder of files, a kustomization or a chart",
        { short: "f", multiple: true },
      ),
      snapshot: { ...snapshot, help: "begins with a snapshot" },
      template: text("name", "begins with a template: its newest version, or name@version"),
      import: text("file", "begins with what `kubectl get -A -o yaml` printed of another cluster"),
      state: text("file", "begins with a state that `sandbar export --state` wrote, which has its own settings"),
      images,
      seed: text("n", "names, uids, addresses and chance follow from it"),
      "kubelet-speed": text("zero", "real, zero, or a factor"),
      controllers: text("on", "on, off, or names with commas between them"),
      "service-cidr": text("range", "the range of Services: 10.96.0.0/12, or another"),
      "feature-gates": text("gates", "as kube-apiserver has them: WatchList=false,…"),
      "pod-cidr": text("range", "the range of pods: 10.244.0.0/16, or another"),
      wait: flag("waits until the workloads are available; ends with 3 where they are not in time"),
      "wait-seconds": text("60", "how long it waits"),
      "idempotency-key": text("key", "the same command with the same key makes one sandbox"),
      json,
    },
  },
  list: { ...noArguments, help: "lists the sandboxes", options: { name, label, json } },
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
  ...liveCommandTable,
  reset: {
    ...sandbox,
    help: "sets a sandbox back to what it was made of",
    options: { "rotate-token": flag("replaces the administrator's token, too"), json },
  },
  rotate: {
    ...sandbox,
    help: "replaces the token of a sandbox's administrator and prints the new kubeconfig",
    options: { all: flag("revokes the tokens of users, viewers and visitors, too"), json },
  },
  kubeconfig: {
    ...sandbox,
    help: "prints a sandbox's kubeconfig",
    options: { at: { ...moment, help: "of the sandbox as it was then, read-only: a resource version, or a time" } },
  },
  snapshot: {
    ...sandbox,
    help: "keeps the state of a sandbox and prints the snapshot's id",
    options: { name, note: text("text", "what to remember of it"), revision, json },
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
      controllers: text("on", "on, off, or names with commas between them; default: as it has"),
      json,
    },
  },
  restore: { ...sandbox, help: "sets a sandbox back, in place", options: { snapshot, revision, json } },
  undo: {
    ...sandbox,
    help: "takes back the last request of a user, and all that followed",
    options: { "dry-run": flag("only says what would go"), json },
  },
  timeline: {
    ...noArguments,
    help: "shows what happened in a sandbox and why: a tree of changes and what they answer",
    options: {
      sandbox: ofSandbox,
      resource: text("deployments.apps", "only of this resource"),
      namespace: { ...namespaced, help: "only in this namespace" },
      name: text("name", "only of objects of this name"),
      user: text("name", "only what this user asked for"),
      "audit-id": text("id", "only what this request asked for"),
      since: moment,
      until: moment,
      follow: flag("goes on printing what happens, until it is interrupted"),
      json,
    },
  },
  record: {
    help: "writes the requests of a sandbox's users, with their times, as a file that drives another sandbox",
    arguments: "[sandbox]",
    count: [0, 1],
    options: {
      user: text("name", "only this user's requests"),
      since: moment,
      until: moment,
      output,
    },
  },
  capture: {
    ...noArguments,
    help: "writes what a real cluster has and how it changes as a file that a sandbox replays; Secrets without values",
    options: {
      for: text("10m", "how long: 90s, 30m or 12h, a day at most; default: 10m"),
      namespace: { ...namespaced, help: "only this namespace, beside objects without one" },
      kubeconfig: text("file", "the cluster's; default: kubectl's own"),
      context: text("name", "of the kubeconfig"),
      kubectl: text("path", "the kubectl that reads the cluster; default: kubectl"),
      output,
    },
  },
  replay: {
    help: "drives a sandbox with a recording: a new one, whose kubeconfig it prints, or one that is named",
    arguments: "<file>",
    count: [1, 1],
    options: {
      sandbox: { ...ofSandbox, help: "the sandbox; default: a new one" },
      speed: text("10", "the factor, 0.1 to 1000, or max: as fast as can be; default: 1"),
      from: text("time", "leaves out what came before this time of the recording"),
      until: text("time", "stops at this time of the recording, with the clock paused"),
      name,
      ttl,
      verbose: flag("tells each request, and what did not come as it was"),
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
      limit: text("1d", "the most of the sandbox's time that passes; default: a day"),
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
      user: text("name", "who the operator is; default: sandbar-operator"),
      group: text("name", "a group of it; default: system:masters", { multiple: true }),
    },
  },
  "test-operator": {
    help: "tests an operator: runs it without faults, then with a plan of faults after the other, and compares",
    arguments: "-- <command>",
    count: [1, 1000],
    options: {
      crds: text("file", "manifests that each run begins with", { multiple: true }),
      workload: text("step", "a file of manifests, or a shell command", { multiple: true }),
      seed: text("1..200", "which plans; default: all"),
      plan: text("file", "the plan of a finding, in place of all others"),
      mask: text("rule", "values that may differ: 'secrets */* data.*'", { multiple: true }),
      invariant: text("rule", "<resource> <namespace>/<name> <expression>", { multiple: true }),
      speed: text("10", "how fast a sandbox's clock runs, 1 to 1000"),
      quiet: text("2s", "how long a quiet operator requests nothing"),
      limit: text("60s", "how long a step may take to become quiet"),
      "at-once": text("4", "how many runs at once"),
      folder: text("folder", "for logs and plans; default: sandbar-test-operator"),
      verbose: flag("says when operators end and start"),
    },
  },
  diff: {
    ...sandbox,
    help: "compares two states; ends with 1 where they differ",
    options: {
      from: text("state", "a revision, a snapshot or another sandbox"),
      to: text("now", "the same, or now"),
      json,
    },
  },
  export: {
    ...sandbox,
    help: "prints a sandbox as YAML for kubectl apply",
    options: {
      state: flag("writes the whole state, for sandbar create --state"),
      output,
    },
  },
  lesson: {
    help: "checks the folder of a lesson, tries it in a sandbox, publishes it; and runs it for a class",
    arguments: "check|serve|publish <folder>, list, start <lesson> <learner>..., results|reset|delete <lesson>",
    count: [1, 101],
    options: {
      json,
      csv: flag("results: prints CSV, for spreadsheets"),
      learner: text("name", "results: of one learner alone"),
      class: text("id", "results: of one class alone"),
      all: flag("reset: all who are at it; else those who are named"),
      every: text("5s", "serve: how often it is graded, beside whenever a file changes"),
      step: text("n", "serve: begins with this step; those before it are solved"),
    },
  },
  class: {
    help: "makes a link to a lesson for a whole class, reserves seats, and leads the class",
    arguments: "create|list|seats|message|time|pause|resume|compare|delete <lesson> [class...]",
    count: [1, 102],
    options: {
      deadline: text("time", "create: when all runs end, such as 2026-05-01T12:00Z"),
      "team-size": text("n", "create: how many learners share a sandbox"),
      "listed-only": flag("create: only learners with a reserved seat get in"),
      emails: text("file", "create, seats: reserves a seat for each address of the file"),
      text: text("text", "message: what learners read on their page"),
      minutes: text("n", "time: how much is added"),
      learner: text("name", "message, time, pause, resume: one learner alone"),
      title: text("text", "create: what the class is called, for people"),
      seats: text("n", "create: how many learners it may have"),
      ttl: { ...ttl, value: "7d", help: "create: how long its link lets learners in: seconds, or 90s, 30m, 12h, 7d" },
      json,
    },
  },
  tunnel: {
    help: "serves a Service of a sandbox from this machine, until it is interrupted",
    arguments: "[sandbox]",
    count: [0, 1],
    options: {
      service: text("namespace/name", "the Service"),
      to: text("url", "who answers: https://localhost:9443"),
      kubeconfig: text("file", "where no sandbox is named; default: KUBECONFIG"),
      context: text("name", "of the kubeconfig"),
    },
  },
  template: {
    help: "saves (the next version of) a template, lists templates, shows or deletes one",
    arguments: "save|list|show|delete [name]",
    count: [1, 2],
    options: {
      description: text("text", "what it is for"),
      sandbox: text("id", "saves a sandbox as it is"),
      snapshot: { ...snapshot, help: "saves a snapshot" },
      nodes: text("n", "how many nodes"),
      file: text("file", "manifests, as of create", { short: "f", multiple: true }),
      images: { ...images, help: "images, as of create" },
      json,
    },
  },
  image: {
    help: "makes an image for sandboxes of a Dockerfile and prints it as YAML, for create --images",
    arguments: "build <folder>",
    count: [2, 2],
    options: {
      tag: text("name:tag", "the image's name; may come several times, with other tags", {
        short: "t",
        multiple: true,
      }),
      file: text("file", "the Dockerfile; default: the one in the folder", { short: "f" }),
      "build-arg": text("NAME=value", "a value for ARG", { multiple: true }),
      output,
    },
  },
  usage: { ...noArguments, help: "prints what sandboxes used, with a price", options: { ...between, json } },
  limits: { ...noArguments, help: "prints what the plan gives and what is used", options: { json } },
  webhook: {
    help: "has events sent to an address, lists, removes and tries those, prints or repeats what was sent, or replaces a secret",
    arguments: "add|list|remove|test|log|rotate|redeliver [address or webhook] [delivery]",
    count: [1, 3],
    options: { event: text("sandbox.created", "only such events", { multiple: true }), json },
  },
  trial: {
    ...noArguments,
    help: "does the work for a trial sandbox, which needs no key, and prints its kubeconfig",
    options: { template: text("name", "one that is built in"), json },
  },
  admin: {
    help: "is for who runs the service, with its key in SANDBAR_API_KEY",
    arguments:
      "tenants|tenant|create|import|plan|limits|suspend|resume|usage|sandboxes|health|reconcile|metrics|audit|stored|deletion|delete-tenant|delete-sandbox|delete-person [name] [...]",
    count: [1, 50],
    options: {
      ...between,
      name: { ...name, help: "create: the name for people; default: the id" },
      limit: entries,
      json,
    },
  },
  whoami: { ...noArguments, help: "tells whose key it is and what it may do", options: { json } },
  keys: { ...noArguments, help: "lists the API keys", options: { json } },
  "create-key": {
    ...noArguments,
    help: "makes an API key and prints it",
    options: {
      name: { ...name, help: "what it is for" },
      scope: text("sandboxes:read", "what it may do; may come several times, or with commas", { multiple: true }),
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
      origin: text("https://example.org", "pages it may stand in", { multiple: true }),
      template: text("name", "what visitors may have", { multiple: true }),
      lesson: text("name", "which lessons they may do", { multiple: true }),
      ttl: { ...ttl, help: "how long a visitor's sandbox lives" },
      "per-visitor": text("n", "sandboxes of one visitor"),
      "at-once": text("n", "sandboxes at once"),
      "per-hour": text("n", "sandboxes made within an hour"),
      "per-address": text("n", "those of one network address"),
      json,
    },
  },
  lti: {
    help: "tells what a learning management system is told, and registers, lists, shows, changes and removes such platforms",
    arguments: "tool|register|add|list|show|change|remove|scores [platform]",
    count: [1, 2],
    options: {
      name: { ...name, help: "of the platform, for people" },
      issuer: text("url", "add: who the platform says it is"),
      "client-id": text("id", "add: what the platform calls the tool"),
      "authorization-url": text("url", "add: where it says who somebody is"),
      "token-url": text("url", "add: where it gives access tokens"),
      "jwks-url": text("url", "add: its keys"),
      audience: text("text", "add: who tokens are asked of, where that is not the token's address"),
      deployment: text("id", "which deployments may launch", { multiple: true }),
      json,
    },
  },
  members: { ...noArguments, help: "lists who belongs to the organisation", options: { json } },
  invite: {
    ...noArguments,
    help: "prints a link by which one person joins the organisation",
    options: {
      email: text("address", "sends the link there, if the service sends e-mail"),
      role: text("member", "viewer, member or owner"),
      ttl: { ...ttl, value: "7d", help: "how long it is good" },
      json,
    },
  },
  audit: {
    ...noArguments,
    help: "lists who did what",
    options: { limit: entries, json },
  },
  "export-organisation": {
    ...noArguments,
    help: "writes an archive (tar) with everything that is stored of the organisation",
    options: { output },
  },
  dev: {
    ...noArguments,
    help: "runs the service on this machine, from the package @sandbar-dev/local or a checkout",
    options: {},
  },
  completion: { help: "prints what a shell completes commands by", arguments: "bash|zsh", count: [1, 1], options: {} },
  version: { ...noArguments, help: "prints the version", options: {} },
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
