// The command `sandbar-local` of the package: on this Node, or on the one that the package brought.
const { inOwnNode } = require("../own-node.cjs");

const own = `node-${process.platform}-${process.arch}`;

inOwnNode({
  begin: () => import("./main.js"),
  node: resolved(`${own}/bin/node`),
  file: __filename,
  missing: `Sandbar needs Node 24 or later on this machine (there is no package ${own}); this is ${process.version}.`,
});

function resolved(name) {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}
