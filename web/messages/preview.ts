// The texts of the preview of a server in a sandbox.
import { ofReader } from "./language.ts";

const en = {
  port: "Port",
  method: "Method",
  path: "Path",
  headers: "Headers",
  headersHint: "One a line: Accept: application/json",
  body: "Body",
  send: "Send",
  sending: "Sending…",
  views: "Parts of the answer",
  page: "Page",
  text: "Body",
  answerHeaders: "Headers",
  answered: (status: number, text: string, ms: number) => `${status}${text ? ` ${text}` : ""} in ${ms} ms`,
  frame: (name: string) => `Page of ${name}`,
  noPorts: "It has no TCP port. Add one to its spec to see what answers there.",
  noPods: "No pod is behind this Service. Check that its selector matches the labels of ready pods.",
  wrongHeader: (line: string) => `Not a header: “${line}”. Write a name, a colon and a value.`,
  forward: "Reach it from your machine",
  isText: "The answer is not a page. Its body is shown as text.",
  tooLong: (most: number) => `Only the first ${most} characters are shown.`,
  empty: "The answer has no body.",
};

export const texts = ofReader({ en });
