// The texts of the dock below a sandbox's page.
import { ofReader } from "./language.ts";

const en = {
  dock: "Dock",
  tabs: "Tabs of the dock",
  height: "Height of the dock",
  detailWidth: "Width of the details",
  events: "Events",
  terminal: (number: number) => `Terminal ${number}`,
  logs: (name: string) => `Logs: ${name}`,
  logsInDock: "Show in the dock",
  newTerminal: "New terminal",
  closeTab: (title: string) => `Close ${title}`,
  split: "Two tabs side by side",
  besideSize: "Size of the second tab",
  fullHeight: "Full height",
  lessHigh: "Part of the height",
  open: "Open the dock",
  close: "Close the dock",
  notOpened: "The terminal could not be opened.",
};

export const texts = ofReader({ en });
