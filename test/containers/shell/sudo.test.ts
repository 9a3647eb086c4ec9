// `sudo` and `su` on a node.
import { expect, test } from "vitest";
import { newCluster } from "../../cluster.ts";
import { onNode } from "../../cluster/on-node.ts";

const cluster = newCluster({ base: "layered", systemPods: true });
cluster.step(60_000);

test.each([
  ["cd /tmp; sudo pwd; sudo -u root -E A=1 B=2 sh -c 'echo $A$B'; echo [$A]", "/tmp\n12\n[]\n"],
  ["cd /tmp; sudo -i pwd; pwd", "/root\n/tmp\n"],
  ["cd /tmp; sudo -iu root 'echo $HOME; exit 3'; echo $?", "/root\n3\n"],
  ["sudo -s 'echo $USER'; sudo --user=root -- echo -n x", "root\nx"],
  ["echo 'pwd; whoami' | sudo -i", "/root\nroot\n"],
  ["cd /tmp; su -c pwd; su - -c pwd; su - root -c 'echo $LOGNAME'", "/tmp\n/root\nroot\n"],
  ["sudo -v; sudo -l", "User root may run the following commands on node-1:\n    (ALL : ALL) ALL\n"],
  ["sudo -u ann ls", /^sudo: unknown user ann\n[^]*\[1\]$/],
  ["sudo -u", /^sudo: option requires an argument -- 'u'\nusage: [^]*\[1\]$/],
  ["sudo --nope ls", /^sudo: unrecognized option '--nope'\n[^]*\[1\]$/],
  ["sudo -z ls", /^sudo: invalid option -- 'z'\n[^]*\[1\]$/],
  ["sudo", /^usage: sudo[^]*\[1\]$/],
  ["su ann", /^su: user ann does not exist [^]*\[1\]$/],
])("sudo and su run %s as root, or say what is wrong", async (script, output) => {
  const printed = await onNode(cluster, "node-1", script);
  if (typeof output === "string") expect(printed).toBe(output);
  else expect(printed).toMatch(output);
});
