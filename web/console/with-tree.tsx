// A sandbox's page with the tree of workloads at its left, whose width is remembered.
import type { ComponentChildren } from "preact";
import { texts } from "../messages/tree.ts";
import { isNumber, remembered } from "../parts/remembered.ts";
import { Splitter } from "../parts/splitter.tsx";
import { treeFolded, WorkloadTree } from "../view/workload-tree.tsx";

const initialShare = 0.77;
const leastShare = 0.5;
const mostShare = 0.88;
/** The share of the page beside the tree. */
const share = remembered("tree-share", initialShare, isNumber);

export function WithTree({ children }: { readonly children: ComponentChildren }) {
  const isFolded = treeFolded.value.value;
  const width = 1 - Math.min(mostShare, Math.max(leastShare, share.value.value));
  return (
    <div class={isFolded ? "with-tree folded" : "with-tree"} style={{ "--tree": `${width * 100}%` }}>
      <WorkloadTree />
      {!isFolded && (
        <Splitter
          label={texts.width}
          direction="row"
          share={share}
          initial={initialShare}
          least={leastShare}
          most={mostShare}
        />
      )}
      <div class="middle">{children}</div>
    </div>
  );
}
