// All scenes.
import type { Scene } from "../play.ts";
import { getScenes } from "./get.ts";

export const scenes: readonly Scene[] = [...getScenes];
