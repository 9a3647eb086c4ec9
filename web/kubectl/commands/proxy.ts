// `kubectl proxy`: the cluster's API at a local port of the terminal.
import type { Command } from "../command.ts";
import { intFlag, stringFlag } from "../flag.ts";

/** The ports from which port 0 takes one. */
const ephemeral = { first: 32768, count: 28232 };

export const proxy: Command = {
  name: "proxy",
  use: "[--port=PORT] [options]",
  short: "Run a proxy to the Kubernetes API server",
  completes: "none",
  examples: ["kubectl proxy --port=8001 &", "curl localhost:8001/api/v1/namespaces"],
  flags: [
    stringFlag("address", "The IP address on which to serve on.", { default: "127.0.0.1" }),
    intFlag("port", "The port on which to run the proxy. Set to 0 to pick a random port.", {
      short: "p",
      default: 8001,
    }),
  ],
  run: async ({ surroundings, flags, streams }) => {
    if (!surroundings.forward) throw new Error("this page has no local ports");
    const port = flags.int("port") || ephemeral.first + Math.floor(surroundings.random.next() * ephemeral.count);
    const serving = surroundings.forward({ local: port, path: "" }, streams.signal);
    streams.out(`Starting to serve on ${flags.text("address")}:${port}\n`);
    await serving;
  },
};
