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
kubelet=$!
sandbar node serve ${quoted(node)} --folder ${quoted(folder)} --port ${port} &
tunnel=$!
trap 'kill $kubelet $tunnel 2>/dev/null || :; wait' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# A node needs both. If either ends, the script ends the rest.
while kill -0 $kubelet 2>/dev/null && kill -0 $tunnel 2>/dev/null; do sleep 1; done
echo 'the kubelet or its connection to the sandbox has ended' >&2
exit 1
`;
}

/** Quotes a word for a POSIX shell if it needs quotes. */
function quoted(word: string): string {
  return /^[\w./:=@,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
