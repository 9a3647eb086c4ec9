// The texts of components that all pages share.
import { ofReader } from "./language.ts";

const en = {
  commandLine: {
    copy: "Copy",
    fromAShell: "From a shell",
  },
  confirmDialog: {
    keepIt: "Keep it",
  },
  dialog: {
    close: "Close",
  },
  durationField: {
    unit: (label: string | number) => `${label}: unit`,
  },
  table: {
    sortBy: (column: string) => `Sort by ${column}`,
  },
  formEnd: {
    cancel: "Cancel",
  },
  meter: {
    andAsMany: ", and as many as the service bears",
    of: "of",
  },
  moreButton: {
    showMore: "Show more",
  },
  copyButton: {
    copied: "Copied",
  },
  saveFile: {
    savedAsAFile: "Saved as a file",
  },
};

export const texts = ofReader({ en });
