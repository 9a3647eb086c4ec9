// The kubectl of the page and the real one, given the same command lines, write the same.
import { describe, expect, test } from "vitest";
import { findKubectls } from "../binaries.ts";
import { newSandbox } from "../sandbox.ts";
import { play } from "./play.ts";
import { scenes } from "./scenes/all.ts";

/** What older ones write otherwise is not written down in the scenes. */
const wantedMinor = 33;
const real = findKubectls().find(({ minor }) => minor === wantedMinor);

if (!real)
  console.warn(
    `NOT TESTED: the kubectl of the page, because there is no kubectl 1.${wantedMinor} on PATH or beside PATH's kubectl.`,
  );

describe.skipIf(!real)("K6: the kubectl of the page writes what kubectl writes", () => {
  for (const scene of scenes) {
    test.concurrent(`K6: ${scene.name}`, async () => {
      // One each: some scenes read what is in the whole cluster.
      const sandbox = await newSandbox();
      expect(await play(scene, { sandbox, kubectlPath: real?.path ?? "" })).toEqual([]);
    });
  }
});
