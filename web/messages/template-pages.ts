// The texts of the pages about templates.
import { ofReader } from "./language.ts";

const en = {
  templateForm: {
    newTemplate: "New template",
    name: "Name",
    ofOneThat: "If a template has this name, the next version of it is created.",
    whatItIsFor: "What it is for",
    madeOf: "Made of",
    nodes: "Nodes",
    manifests: "Manifests",
    yamlThatEvery: "Initial YAML of its sandboxes. Optional.",
    makeTemplate: "Create template",
    making: "Creating…",
    sandbox: "Sandbox",
    snapshot: "Snapshot",
    allThatIs: "Everything in it, including Secrets, is copied to each sandbox of the template.",
    nodesAndManifests: "Nodes and manifests",
    aSandboxAs: "A sandbox as it is now",
    chooseASandbox: "Choose a sandbox",
    chooseASnapshot: "Choose a snapshot",
  },
  templatePage: {
    allTemplates: "All templates",
    useIt: "Use it",
    delete: "Delete",
    deleteAsk: (deleted: string | number) => `Delete ${deleted}?`,
    deleteTemplate: "Delete template",
    deleting: "Deleting…",
    thatVersion: "That version",
    allItsVersions: "All its versions",
    willBeGone: "will be deleted. Its sandboxes continue, but cannot be reset to it.",
    versions: "Versions",
    objects: "objects",
    old: "old",
    madeOf: (ref: string) => `What ${ref} is made of`,
    nodes: (count: number) => (count === 1 ? "1 node" : `${count} nodes`),
    users: (names: readonly string[]) =>
      names.length > 0 ? `users ${names.join(", ")}` : "no users beside the administrator",
    wrong: (count: number) =>
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
    noTemplateOf:
      "No templates of your own yet. A template defines the initial state of sandboxes: nodes, manifests, users and incidents.",
    makeOneOf: "Create one from manifests, or from the current state of a sandbox",
    anOwnerOr: "Owners and members create them",
    thoseThatAre: "; those that are built in can be used at once.",
    yourOwn: "Your own",
    builtIn: "Built in",
    name: "Name",
    whatItIsFor: "What it is for",
    version: "Version",
    nodes: "Nodes",
    users: "Users",
    age: "Age",
    actions: "Actions",
    use: "Use",
  },
  useDialog: {
    aSandboxOf: (template: string | number) => `A sandbox of ${template}`,
    name: "Name",
    mayBeLeftOut: "Optional.",
    livesFor: "Lives for",
    createSandbox: "Create sandbox",
    creating: "Creating…",
  },
};

export const texts = ofReader({ en });
