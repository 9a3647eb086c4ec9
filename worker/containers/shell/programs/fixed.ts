// Programs for authors of manifests: a server with a fixed status, and a program that the kernel kills.
import { Stopped } from "../../../../shared/shell/meter.ts";
import { listenAs } from "../listen.ts";
import type { Programs } from "../program.ts";

export const fixedPrograms: Programs = {
  /** Serves a fixed status: `serve 8080 503`. */
  serve: (call) => {
    const [port = "8080", status = "200"] = call.args;
    const page = { status: Number(status), contentType: "text/plain; charset=utf-8", body: "" };
    return listenAs(call, { answer: () => page }, [Number(port)]);
  },
  oom: () => {
    throw new Stopped("oom");
  },
};
