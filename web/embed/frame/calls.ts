// Handles the calls of the page around a frame: a command line, YAML to apply, a reset, a check. Each call is answered once.
import { embedLimits } from "../../../shared/base/embed-limits.ts";
import type { ToFrame } from "../../../shared/contract/hosted/embed-messages.ts";
import { ControlFailure, messageOf } from "../../api/control-failure.ts";
import type { FrameState, Opened } from "./model.ts";

type PageCall = Extract<ToFrame, { type: "call" }>;

export interface Calls {
  /** Never throws. */
  take(call: PageCall): Promise<void>;
}

/** The result of a command line or of applied YAML. */
interface CommandResult {
  readonly exitCode: number;
  /** Absent if a terminal shows the output. */
  readonly output?: string;
}

export function newCalls(frame: FrameState): Calls {
  let underWay = 0;
  return {
    take: async (call) => {
      const { id } = call;
      if (underWay >= embedLimits.embedCalls) {
        const error = { code: "busy", message: `${embedLimits.embedCalls} calls are under way` };
        return frame.link.send({ type: "answer", id, error });
      }
      underWay += 1;
      try {
        frame.link.send({ type: "answer", id, value: await answerTo(call, frame) });
      } catch (error) {
        const code = error instanceof ControlFailure ? error.code : "failed";
        frame.link.send({ type: "answer", id, error: { code, message: messageOf(error) } });
      } finally {
        underWay -= 1;
      }
    },
  };
}

async function answerTo({ method, text }: PageCall, frame: FrameState): Promise<unknown> {
  const opened = await untilOpen(frame);
  switch (method) {
    case "run":
      return ran(text, opened, frame);
    case "apply":
      return (await kubectlFor(opened, frame)).run("kubectl apply -f -", text);
    case "reset":
      return frame.reset();
    case "check": {
      const { step, points, maxPoints, state, steps } = await frame.check();
      return { step, points, maxPoints, isFinished: state === "finished", steps };
    }
  }
}

/** Runs the line in the visible terminal, if there is one. */
async function ran(line: string, opened: Opened, frame: FrameState): Promise<CommandResult> {
  const terminal = frame.terminal.value;
  if (terminal) return { exitCode: await terminal.run(line) };
  const result = await (await kubectlFor(opened, frame)).run(line);
  frame.link.send({ type: "command", line, exitCode: result.exitCode });
  return result;
}

async function kubectlFor({ access, session }: Opened, { settings }: FrameState) {
  // Loaded on demand because most frames do not need it.
  const { commandLine } = await import("./command-line.ts");
  return commandLine(access, { namespace: settings.namespace, user: session.current().user });
}

function untilOpen({ phase }: FrameState): Promise<Opened> {
  const { promise, resolve, reject } = Promise.withResolvers<Opened>();
  const { value } = phase;
  if (value.is === "open") return Promise.resolve(value);
  const stop = phase.subscribe((now) => {
    if (now.is === "opening") return;
    queueMicrotask(() => stop());
    if (now.is === "open") resolve(now);
    else if (now.is === "expired")
      reject(new ControlFailure(410, { code: "expired", message: "the sandbox has expired" }));
    else reject(new ControlFailure(now.status, now));
  });
  return promise;
}
