// The command `sandbar-local` of the package. Even an old Node can read this file, and then says which one is needed.
const { engines } = require("./package.json");

const [major, minor] = process.versions.node.split(".").map(Number);
const [neededMajor, neededMinor] = engines.node.replace(">=", "").split(".").map(Number);

if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) import("./main.js");
else {
  console.error(`Sandbar needs Node ${neededMajor}.${neededMinor} or later; this is ${process.version}.`);
  process.exitCode = 1;
}
