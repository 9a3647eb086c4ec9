// The texts of the tree of workloads.
import { ofReader } from "./language.ts";

const en = {
  tree: "Tree of workloads",
  width: "Width of the tree",
  search: "Search the tree",
  searchHint: "Name",
  fold: "Hide the tree of workloads",
  unfold: "Show the tree of workloads",
  noneMatches: "No workload has this name.",
  more: (count: number) => `${count} more. Search for a name, or choose a namespace.`,
  namespace: "Namespace",
};

export const texts = ofReader({ en });
