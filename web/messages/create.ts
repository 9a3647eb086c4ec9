// The texts of creating objects from YAML.
import { ofReader } from "./language.ts";

const en = {
  create: "Create",
  title: "Create objects",
  lead: "Paste or write manifests, or drop files here. Several documents are separated by ---.",
  text: "Manifests",
  chooseFiles: "Choose files",
  namespace: "Namespace",
  check: "Check",
  checking: "Checking…",
  takeOver: "Take over fields",
  apply: "Apply",
  applying: "Applying…",
  back: "Back to the text",
  changes: "What changes",
  nothing: "Nothing changes: the cluster has all of it already.",
  problems: "What is wrong",
  created: "created",
  configured: "configured",
  unchanged: "unchanged",
  later: "not checked: an earlier document creates its namespace or kind",
  done: (count: number) => (count === 1 ? "1 object applied." : `${count} objects applied.`),
  example: "Begin with an example",
  tooLarge: "The files are larger than 1 MB together. Apply them with kubectl.",
  tooMany: (most: number) => `There are more than ${most} objects. Apply them in parts, or with kubectl.`,
  empty: "The text has no objects. An object begins with apiVersion, kind and metadata.name.",
  noObject: "This document is not an object. An object begins with apiVersion, kind and metadata.name.",
  missing: (fields: string) => `${fields} must be set`,
  notServed: (kind: string, apiVersion: string) =>
    `The cluster serves no kind ${kind} of ${apiVersion}. Check the spelling, or create its definition first.`,
  dropHere: "Drop YAML files to create their objects",
};

export const texts = ofReader({ en });
