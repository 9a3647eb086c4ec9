// A shell script that makes a machine a node of a sandbox.
import type { JoinPlan } from "./plan.ts";

const end = "END_OF_FILE";

export interface ScriptOptions extends JoinPlan {
  readonly sandbox: string;
  readonly node: string;
  readonly folder: string;
  readonly port: number;
}

export function joinScript({ sandbox, node, folder, port, files, kubelet }: ScriptOptions): string {
  const written = Object.entries(files).map(
    ([name, text]) => `cat > ${quoted(`${folder}/${name}`)} <<'${end}'\n${text.trimEnd()}\n${end}\n`,
  );
  return `#!/bin/sh
# Makes this machine the node ${node} of the sandbox ${sandbox}. Needs root, a kubelet, a container runtime and the command sandbar.
# The script contains secrets: whoever has it can be this node.
set -eu
umask 077
mkdir -p ${quoted(folder)}
${written.join("")}kubelet ${kubelet.map(quoted).join(" ")} &
trap 'kill $!' EXIT
sandbar node serve ${quoted(node)} --folder ${quoted(folder)} --port ${port}
`;
}

/** Quotes a word for a POSIX shell if it needs quotes. */
function quoted(word: string): string {
  return /^[\w./:=@,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
