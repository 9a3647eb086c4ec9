// All scenes.
import type { Scene } from "../play.ts";
import { applyScenes } from "./apply.ts";
import { changeScenes } from "./change.ts";
import { createScenes } from "./create.ts";
import { clusterScenes } from "./cluster.ts";
import { describeScenes } from "./describe.ts";
import { examScenes } from "./exam.ts";
import { getScenes } from "./get.ts";
import { nodeScenes, podScenes } from "./pods.ts";

export const scenes: readonly Scene[] = [
  ...getScenes,
  ...createScenes,
  ...changeScenes,
  ...applyScenes,
  ...describeScenes,
  ...podScenes,
  ...nodeScenes,
  ...clusterScenes,
  ...examScenes,
];
