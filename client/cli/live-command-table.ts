// The commands that follow and change live sandboxes.
import { type Command, fieldOptions, flag, json, label, ofSandbox, sandbox, text, ttl } from "./options.ts";

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
  node: {
    help: "makes a machine with a kubelet a node of a sandbox: prints a script for it, or runs it here",
    arguments: "join <sandbox> [-- <kubelet's argument>...] | serve <node>",
    count: [2, 100],
    options: {
      name: text("name", "join: the name of the node"),
      folder: text(
        "folder",
        "the machine's folder for its files; default: /var/lib/sandbar/<name>, sandbar-node-<name> with --run",
      ),
      run: flag("join: writes the files here, and runs the kubelet and the tunnel until it is interrupted"),
      kubelet: text("path", "join --run: the kubelet; default: kubelet"),
      token: flag("join: the kubelet has a token in place of a certificate, for services without client certificates"),
      "serving-certificate": flag("join: the kubelet requests its serving certificate, which kubectl approves"),
      label: { ...label, help: "join: a label of the node" },
      taint: text("key=value:effect", "join: a taint of the node", { multiple: true }),
      port: text("10250", "the port of the kubelet's API"),
      runtime: text("socket", "join: the container runtime; default: unix:///run/containerd/containerd.sock"),
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
