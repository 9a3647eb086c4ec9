// Programs for authors who say what a container does: a server with a fixed status, and one that the kernel ends.
import { Stopped } from "../../../../shared/shell/meter.ts";
import { listenAs } from "../listen.ts";
import type { Programs } from "../program.ts";

export const fixedPrograms: Programs = {
  /** `serve 8080 503` */
  serve: (call) => {
    const [port = "8080", status = "200"] = call.args;
    const page = { status: Number(status), contentType: "text/plain; charset=utf-8", body: "" };
    return listenAs(call, { answer: () => page }, [Number(port)]);
  },
  oom: () => {
    throw new Stopped("oom");
  },
};
