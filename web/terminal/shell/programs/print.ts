// Programs that print: `echo`, `printf`, `yes` and checksums.
import { bytesOfText } from "../../../../shared/base/byte-text.ts";
import { echoed } from "../../../../shared/shell/text/print.ts";
import { formatted } from "../../../../shared/shell/printf.ts";
import { type ProgramCall, eachInput, pause, type Programs } from "../program.ts";
import { setVariable } from "../../../../shared/shell/evaluate/shell.ts";
import { Failure } from "../failure.ts";
import { readAll } from "../streams.ts";

export const printPrograms: Programs = {
  echo: ({ args, out }) => (out.write(echoed(args, false)), 0),
  printf: ({ args, shell, process, out, err }) => {
    const isNamed = args[0] === "-v";
    const [format, ...values] = isNamed ? args.slice(2) : args[0] === "--" ? args.slice(1) : args;
    if (format === undefined) throw new Failure("usage: printf [-v var] format [arguments]", 2);
    let code = 0;
    const onMalformedNumber = (value: string) => {
      code = 1;
      err.write(`bash: printf: ${value}: invalid number\n`);
    };
    const nowMs = () => shell.machine.kubectl.surroundings.clock.nowMs();
    const text = formatted({ process, nowMs, onMalformedNumber }, format, values);
    if (isNamed) setVariable(shell, args[1] ?? "", text);
    else out.write(text);
    return code;
  },
  yes: async (call) => {
    const text = `${call.args.join(" ") || "y"}\n`.repeat(100);
    for (;;) {
      call.out.write(text);
      await pause(call);
    }
  },
  sha256sum: (call) => sums(call, "SHA-256"),
  sha1sum: (call) => sums(call, "SHA-1"),
  uname: ({ args, out }) => {
    out.write(
      args.includes("-a") ? "Linux sandbar 6.12.0 x86_64 GNU/Linux\n" : args.includes("-m") ? "x86_64\n" : "Linux\n",
    );
    return 0;
  },
  whoami: ({ out }) => (out.write("user\n"), 0),
  hostname: ({ out }) => (out.write("sandbar\n"), 0),
};

async function sums(call: ProgramCall, algorithm: string): Promise<number> {
  return eachInput(
    call,
    call.args.filter((argument) => !argument.startsWith("-") || argument === "-"),
    async (source, name) => {
      const digest = await crypto.subtle.digest(algorithm, bytesOfText(await readAll(source, call.signal)));
      const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      call.out.write(`${hex}  ${name}\n`);
    },
  );
}
