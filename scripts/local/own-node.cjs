// Goes on in this Node, or in the one that came along where this one is too old. Plain JavaScript that even an old Node reads.

/** What the local service is written for. */
const needed = 24;

/**
 * `begin`: imports what is to run, in this process. `node`: path of the Node that came along; undefined where there is none, and then
 * `missing` is said. `file`: what that Node is to run, with the words of this process.
 */
exports.inOwnNode = function inOwnNode({ begin, node, file, missing }) {
  const major = Number(process.versions.node.split(".")[0]);
  if (major >= needed) return begin();
  if (major < 20) return refuse(`Sandbar needs Node 20 or later; this is ${process.version}.`);
  if (node === undefined) return refuse(missing);
  // The channel closes when this process is killed: see `parent.ts`.
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  const child = require("node:child_process").spawn(node, [file, ...process.argv.slice(2)], { stdio });
  child.on("error", () => refuse(missing));
  child.on("exit", (code) => process.exit(code === null ? 1 : code));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
};

function refuse(why) {
  console.error(why);
  process.exit(1);
}
