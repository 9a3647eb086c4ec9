// The texts of how objects and their containers are.
import { ofReader } from "./language.ts";

const en = {
  status: {
    paused: "Paused",
    stalled: "Stalled",
    rollingOut: "Rolling out",
    scaledToZero: "Scaled to zero",
    starting: "Starting",
    scalingDown: "Scaling down",
    scalingUp: "Scaling up",
    onNoNode: "On no node",
  },
  containers: {
    init: "init",
    running: "Running",
    runningNotReady: "Running, not ready",
    terminated: "Terminated",
    waiting: "Waiting",
  },
  problems: {
    notAnObject: "This is not an object: it has no fields.",
  },
};

export const texts = ofReader({ en });
