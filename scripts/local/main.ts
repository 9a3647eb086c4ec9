// Runs the service of a checkout, after building it in a process of its own, whose memory is free again when the service starts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Refusal } from "./refusal.ts";
import { runLocally } from "./run.ts";

async function build(): Promise<void> {
  const script = fileURLToPath(new URL("../build.ts", import.meta.url));
  const child = spawn(process.execPath, [script, "--service"], { stdio: "inherit" });
  // Node's documentation gives the event these arguments.
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Refusal("Sandbar could not be built: see the messages above.");
}

await runLocally({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  ...(process.env.SANDBAR_SKIP_BUILD ? {} : { build }),
});
