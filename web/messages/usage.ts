// The texts of the pages about usage and limits.
import { ofReader } from "./language.ts";

const en = {
  limitsPage: {
    limits: "Limits",
    thePlanIs: "The plan is",
    whatIsPast:
      "What is past a limit is refused with its name, and nothing is half done. For more, ask who runs this service.",
    ofTheOrganisation: "Of the organisation",
    ofEachSandbox: "Of each sandbox",
  },
  usagePage: {
    usage: "Usage",
    downloadCsv: "Download CSV",
    nothingWasUsed: "Nothing was used in these days.",
    makeASandbox: "Make a sandbox",
    whatItUses: ": what it uses is here within a minute.",
    from: "From",
    to: "To",
    by: "By",
    sandbox: "sandbox",
    day: "day",
  },
  usageReport: {
    byThePlatforms: "By the platform's list prices of",
    withoutWhatAn:
      ", without what an account has for nothing. A sandbox that nobody asks costs its storage alone. Days are of UTC.",
    priceByDay: "Price by day, up to",
    usageBy: (text: string | number) => `Usage by ${text}`,
    hours: "Hours",
    awake: "Awake",
    requests: "Requests",
    rowsRead: "Rows read",
    rowsWritten: "Rows written",
    stored: "Stored",
    price: "Price",
    hoursOfSandboxes: "Hours of sandboxes",
    mostStored: "Most stored",
    day: "Day",
    sandbox: "Sandbox",
  },
  limitNames: {
    sandboxesAtOnce: "Sandboxes at once",
    sandboxesMadeWithin: "Sandboxes made within an hour",
    storedSnapshots: "Stored snapshots",
    versionsOfTemplates: "Versions of templates",
    webhooks: "Webhooks",
    organisations: "Organisations that an owner may have made",
    nodes: "Nodes",
    longestLife: "Longest life",
    objects: "Objects",
    storedObjects: "Stored objects",
    watchesAtOnce: "Watches at once",
    listsBeingRead: "Lists being read at once",
    execAttachPort: "exec, attach, port-forward and followed logs at once",
    tunnelsAtOnce: "Tunnels at once",
    requestsASecond: "Requests a second",
    requestsThatWait: "Requests that wait for an answer at once",
    callsOfAdmission: "Calls of admission webhooks at once",
    asMuchAs: "as much as the service bears",
    theServicesOwn: "the service's own",
  },
};

export const texts = ofReader({ en });
