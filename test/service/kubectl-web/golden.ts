// The recorded outputs of the real kubectl: `golden/<scene>.jsonl`, one step a line, as `[line, code, stdout, stderr]`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Outcome, type Scene, slugOf, stepsOf } from "./play.ts";

type Row = readonly [line: string, code: number | null, stdout: string, stderr: string];

/** Returns the recorded outcome of each step. Throws if the scene has other steps than the ones that were recorded. */
export function readGolden(scene: Scene): Outcome[] {
  const path = fileOf(scene);
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  // The file is written by `writeGolden`.
  const rows = text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
  const recorded = JSON.stringify(rows.map(([line]) => line));
  if (recorded !== JSON.stringify(stepsOf(scene).map(({ line }) => line)))
    throw new Error(`${scene.name}: the steps are not the recorded ones; record them again with SANDBAR_RECORD=1`);
  return rows.map(([, code, stdout, stderr]) => ({ code, stdout, stderr }));
}

export function writeGolden(scene: Scene, outcomes: readonly Outcome[]): void {
  const lines = stepsOf(scene).map(({ line }, at) => {
    const { code = null, stdout = "", stderr = "" } = outcomes[at] ?? {};
    const row: Row = [line, code, stdout, stderr];
    return `${JSON.stringify(row)}\n`;
  });
  mkdirSync(dirname(fileOf(scene)), { recursive: true });
  writeFileSync(fileOf(scene), lines.join(""));
}

function fileOf(scene: Scene): string {
  return join(import.meta.dirname, "golden", `${slugOf(scene)}.jsonl`);
}
