// The texts of the pages about templates.
import { ofReader } from "./language.ts";

const en = {
  templateForm: {
    newTemplate: "New template",
    name: "Name",
    nameHint: "If a template has this name, the next version of it is created.",
    description: "What it is for",
    source: "Made of",
    nodes: "Nodes",
    manifests: "Manifests",
    manifestsHint: "Initial YAML of its sandboxes. Optional.",
    makeTemplate: "Create template",
    making: "Creating…",
    sandbox: "Sandbox",
    snapshot: "Snapshot",
    copyHint: "Everything in it, including Secrets, is copied to each sandbox of the template.",
    nodesAndManifests: "Nodes and manifests",
    currentSandbox: "A sandbox as it is now",
    chooseSandbox: "Choose a sandbox",
    chooseSnapshot: "Choose a snapshot",
  },
  templatePage: {
    allTemplates: "All templates",
    use: "Use it",
    delete: "Delete",
    deleteAsk: (deleted: string | number) => `Delete ${deleted}?`,
    deleteTemplate: "Delete template",
    deleting: "Deleting…",
    thatVersion: "That version",
    allItsVersions: "All its versions",
    deleteMeans: "will be deleted. Its sandboxes continue, but cannot be reset to it.",
    versions: "Versions",
    objects: "objects",
    old: "old",
    sourceOf: (ref: string) => `What ${ref} is made of`,
    nodes: (count: number) => (count === 1 ? "1 node" : `${count} nodes`),
    users: (names: readonly string[]) =>
      names.length > 0 ? `users ${names.join(", ")}` : "no users beside the administrator",
    problemCount: (count: number) =>
      count === 0
        ? "nothing is wrong"
        : count === 1
          ? "1 thing is wrong from the beginning"
          : `${count} things are wrong from the beginning`,
    manifests: "Manifests",
    settings: "Settings",
  },
  templatesPage: {
    templates: "Templates",
    newTemplate: "New template",
    none: "No templates of your own yet. A template defines the initial state of sandboxes: nodes, manifests, users and incidents.",
    createFrom: "Create one from manifests, or from the current state of a sandbox",
    creators: "Owners and members create them",
    builtInHint: "; those that are built in can be used at once.",
    own: "Your own",
    builtIn: "Built in",
    name: "Name",
    description: "What it is for",
    version: "Version",
    nodes: "Nodes",
    users: "Users",
    age: "Age",
    actions: "Actions",
    use: "Use",
  },
  useDialog: {
    title: (template: string | number) => `A sandbox of ${template}`,
    name: "Name",
    optional: "Optional.",
    livesFor: "Lives for",
    createSandbox: "Create sandbox",
    creating: "Creating…",
  },
};

export const texts = ofReader({ en });
