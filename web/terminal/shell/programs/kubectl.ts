// `kubectl` in the terminal. It limits kubectl's output, and connects kubectl to the terminal's input and keyboard.
import type { Streams } from "../../../kubectl/surroundings.ts";
import type { ProgramCall, Programs } from "../program.ts";
import { Interrupted, readAll } from "../streams.ts";

export const kubectlPrograms: Programs = {
  kubectl: async (call) => {
    const { shell, args, input, out, err, signal } = call;
    const { kubectl } = shell.machine;
    if (args[0] === "completion") {
      out.write("# Tab completes in this terminal without more.\n");
      return 0;
    }
    // If the reader has closed the pipe, or the output exceeds its limit, the write throws, and kubectl is aborted as by SIGPIPE.
    const failed = new AbortController();
    const failure: { error?: Error } = {};
    const write = (text: string) => {
      try {
        out.write(text);
      } catch (error) {
        failure.error ??= error instanceof Error ? error : new Error(String(error));
        failed.abort();
      }
    };
    const streams: Streams = {
      out: write,
      err: (text) => err.write(text),
      input: () => (input.isTerminal && asksYesOrNo(call) ? firstLine(call) : readAll(input, signal)),
      ...(input.isTerminal && out.isTerminal && shell.machine.keyboard ? { keyboard: shell.machine.keyboard } : {}),
      signal: AbortSignal.any([signal, failed.signal]),
    };
    const code = await kubectl.run(args, streams);
    if (failure.error) throw failure.error;
    // After Ctrl-C, `kubectl logs -f` and watches return normally, so the interrupt is reported here.
    if (signal.aborted) throw new Interrupted();
    await out.settled(signal);
    return code;
  },
};

/** `kubectl delete -i` reads one line. */
function asksYesOrNo({ args }: ProgramCall): boolean {
  return args[0] === "delete" && !args.includes("-");
}

async function firstLine({ input, signal }: ProgramCall): Promise<string> {
  return (await input.read(signal)) ?? "";
}
