// The commands that follow and change live sandboxes.
import { type Command, fieldOptions, json, label, ofSandbox, sandbox, ttl } from "./options.ts";

export const liveCommandTable: Readonly<Record<string, Command>> = {
  events: {
    help: "prints what happens to sandboxes and lessons as it happens, until it is interrupted",
    arguments: "",
    count: [0, 0],
    options: {
      sandbox: { ...ofSandbox, help: "only events of this sandbox; default: of all" },
      type: { type: "string", multiple: true, value: "sandbox.ready", help: "only events of this type" },
      after: { type: "string", value: "id", help: "begins after this event; 0: with all that are recorded" },
      json,
    },
  },
  update: {
    ...sandbox,
    help: "changes a sandbox: its name, its labels, its end, its number of nodes or its Kubernetes version",
    options: {
      ...fieldOptions,
      label: { ...label, value: "key=value", help: "sets a label; key- removes it" },
      ttl: { ...ttl, help: "from now on" },
      nodes: { type: "string", value: "n", help: "new nodes join, and those with the highest numbers are deleted" },
      "kubernetes-version": { type: "string", value: "1.36", help: "upgrades to the next minor version" },
      json,
    },
  },
  wait: {
    ...sandbox,
    help: "waits until a sandbox is ready, or has ended; ends with 3 where it does not happen in time",
    options: {
      for: { type: "string", value: "ready", help: "ready or ended; default: ready" },
      timeout: { type: "string", value: "5m", help: "how long it waits; default: 5m" },
    },
  },
};
