// The texts of actions on several objects.
import { ofReader } from "./language.ts";

const en = {
  bar: "Selected objects",
  selected: (count: number) => `${count} selected`,
  select: (name: string) => `Select ${name}`,
  selectAll: "Select all",
  clear: "Clear the selection",
  title: (button: string, count: number, kind: string) => `${button} ${count} × ${kind}`,
  more: (count: number) => `and ${count} more`,
  lines: (count: number) => `${count} lines`,
  labels: "Labels",
  labelsHint: "team=shop sets one, team- removes it",
  of: {
    restart: { button: "Restart", doing: "Restarting…" },
    scale: { button: "Scale", doing: "Scaling…" },
    label: { button: "Label", doing: "Labelling…" },
    cordon: { button: "Cordon", doing: "Cordoning…" },
    uncordon: { button: "Uncordon", doing: "Uncordoning…" },
    delete: { button: "Delete", doing: "Deleting…" },
  },
};

export const texts = ofReader({ en });
