// The page's kubectl writes what the real one wrote: each scene is played and compared with what is recorded in `golden/`.
// `SANDBAR_RECORD=1` plays the scenes with the real kubectl first and records them again; without a change of the scenes or of the cluster,
// the files stay as they are.
import { describe, expect, test } from "vitest";
import { findKubectls } from "../binaries.ts";
import { newSandbox } from "../sandbox.ts";
import { readGolden, writeGolden } from "./golden.ts";
import { type Outcome, playOurs, playReal, stepsOf } from "./play.ts";
import { scenes } from "./scenes/all.ts";

/** The version of the recorded kubectl. Scenes contain the differences of 1.36 from this version only. */
const recordedMinor = 33;
const isRecording = process.env.SANDBAR_RECORD !== undefined;

describe("K6: the console's kubectl and the real kubectl", () => {
  for (const scene of scenes) {
    test.concurrent(`K6: ${scene.name}`, async () => {
      if (isRecording) writeGolden(scene, await playReal(scene, await newSandbox(), recordingKubectl()));
      const recorded = readGolden(scene);
      // One sandbox each: some scenes read what is in the whole cluster.
      const outcomes = await playOurs(scene, await newSandbox());
      const steps = stepsOf(scene);
      const transcript = (all: readonly Outcome[]) =>
        steps.map(({ line, as = (text) => text }, at) => {
          const { code, stdout, stderr } = all[at] ?? { code: null, stdout: "", stderr: "" };
          return { line, code, stdout: as(stdout), stderr: as(stderr) };
        });
      expect(transcript(outcomes)).toEqual(transcript(recorded));
    });
  }
});

function recordingKubectl(): string {
  const real = findKubectls().find(({ minor }) => minor === recordedMinor);
  if (!real) throw new Error(`recording needs kubectl 1.${recordedMinor} on PATH or beside PATH's kubectl`);
  return real.path;
}
