// Turns that follow a container's program, as the kubelet and `kubectl exec` do.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../../shared/base/limits.ts";
import { inImage } from "../containers/shell/in-image.ts";
import type { Turn } from "./verdict.ts";

/** The groups of inputs that containers run: the name of a file of the corpus. */
const groups = ["jq", "awk", "sed", "text", "shell", "programs", "interpreters", "databases", "nginx"] as const;

const folder = join(import.meta.dirname, "corpus");

/** Each line of a file is a script. `@image <name>` sets the image of the scripts below it; `#` begins a comment. */
export function containerTurns(): Turn[] {
  return groups.flatMap((group) => {
    let image = "my/app";
    return readFileSync(join(folder, `${group}.txt`), "utf8")
      .split("\n")
      .flatMap((line) => {
        if (line.startsWith("@image ")) image = line.slice("@image ".length);
        else if (line !== "" && !line.startsWith("#")) return [turnOf(group, image, line)];
        return [];
      });
  });
}

function turnOf(group: string, image: string, script: string): Turn {
  return {
    name: `${group}: ${script}`,
    run: () => {
      const { run } = inImage(image, ["sh", "-c", script], { files, work: limits.containerPrintWork });
      return run.work;
    },
  };
}

const count = 2_000;
const range = Array.from({ length: count }, (_, at) => at);
const objects = range.map((at) => ({
  name: `pod-${(at * 7919) % count}`,
  labels: { app: `app-${at % 17}`, tier: at % 2 ? "front" : "back" },
  cpu: at % 100,
  ready: at % 3 === 0,
  containers: [{ image: `registry.example.com/team/app:${at % 40}` }],
}));
const wide = Object.fromEntries(range.map((at) => [`key-${at}`, at]));

/** The files that the scripts read, so that a script charges only for the program itself. */
const files: Readonly<Record<string, string>> = {
  "/d/numbers": range.map((at) => `${(at * 7919) % 100_003}\n`).join(""),
  "/d/words": range.map((at) => `word${at % 97} ${at} ${"x".repeat(at % 13)} end\n`).join(""),
  "/d/log": range
    .map((at) => `10.0.${at % 7}.${at % 251} - - "GET /page/${at % 50}?q=${at}" 200 ${at * 13}\n`)
    .join(""),
  "/d/line": "abc ".repeat(50_000),
  "/d/letters": "a".repeat(300_000),
  "/d/zeros": "0".repeat(100_000),
  "/d/blank": "\n".repeat(50_000),
  "/d/objects.json": JSON.stringify(objects),
  "/d/lines.json": objects.map((object) => `${JSON.stringify(object)}\n`).join(""),
  "/d/wide.json": JSON.stringify(wide),
  "/d/deep.json": `${"[".repeat(200)}${"]".repeat(200)}`,
  "/d/list.json": JSON.stringify(range.map((at) => (at * 7919) % 100_003)),
  "/d/texts.json": JSON.stringify(range.map((at) => `text-${(at * 7919) % count}`)),
};
