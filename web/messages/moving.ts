// The texts of dialogs that import and export sandboxes.
import { ofReader } from "./language.ts";

const en = {
  importDialog: {
    title: "Import a cluster",
    file: "File",
    fileHint: (most: string) =>
      `YAML or JSON of objects as kubectl get -o yaml prints them, up to ${most}, also gzipped; or a state that Export saved.`,
    drop: "Drop a file here, or choose one",
    chosen: (name: string, size: string) => `${name}, ${size}`,
    noFile: "Choose a file first.",
    tooLarge: (size: string, most: string) => `The file has ${size}, and an import at most ${most}.`,
    name: "Name",
    optional: "Optional.",
    livesFor: "Lives for",
    nodes: "Nodes",
    nodesHint: "Simulated ones, beside those in the file.",
    version: "Kubernetes version",
    stateHint: "A state has its own nodes and version.",
    importIt: "Import",
    importing: "Importing…",
    progress: "Sent",
    applying: "All is sent. The objects are being applied…",
    doneTitle: (name: string) => `${name} is imported`,
    problems: (count: number) =>
      count === 1 ? "1 object was left out or changed." : `${count} objects were left out or changed.`,
    problemsListed: (count: number) => `The first ${count} are listed.`,
    object: "Object",
    reason: "Reason",
    open: "Open the sandbox",
  },
  exportDialog: {
    title: (name: string) => `Export ${name}`,
    yamlMeans: "The objects as YAML, for kubectl apply in any cluster.",
    yaml: "Download YAML",
    stateMeans: "The whole state, for a new sandbox of this service: choose the file in Import. Secrets are in it.",
    state: "Download state",
    done: "Done",
  },
};

export const texts = ofReader({ en });
