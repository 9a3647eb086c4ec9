// The texts of components that all pages share.
import { ofReader } from "./language.ts";

const en = {
  commandLine: {
    copy: "Copy",
    title: "From a shell",
  },
  confirmDialog: {
    cancel: "Keep it",
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
    unlimited: ", and as many as the service bears",
    of: "of",
  },
  moreButton: {
    showMore: "Show more",
  },
  copyButton: {
    copied: "Copied",
  },
  download: {
    stop: (received: string) => `${received} so far. Stop`,
    brokeOff: "The download broke off. Try again.",
  },
  saveFile: {
    saved: "Saved as a file",
  },
};

export const texts = ofReader({ en });
