// The texts of what a teacher does for learners: messages, time, pauses, seats, comparison, and the terminal.
import { ofReader } from "./language.ts";

interface Reached {
  readonly runs: number;
  readonly failed: readonly string[];
}

const learners = (count: number) => (count === 1 ? "1 run" : `${count} runs`);
const withFailed = (sentence: string, { failed }: Reached) =>
  failed.length === 0 ? sentence : `${sentence} Not reached: ${failed.join(", ")}.`;

const en = {
  everybody: "all learners",
  class: "Class",
  allClasses: "All learners",
  message: "Message",
  messageTo: (title: string) => `Message to ${title}`,
  text: "Text",
  textHint: "It appears on the page of each learner within three seconds.",
  send: "Send",
  sending: "Sending…",
  sent: (done: Reached) => withFailed(`Sent to ${learners(done.runs)}.`, done),
  time: "Extra time",
  timeFor: (title: string) => `Extra time for ${title}`,
  minutes: "Minutes",
  minutesHint: "The cluster and the deadline move by them.",
  addTime: "Add time",
  adding: "Adding…",
  added: (done: Reached, minutes: number) => withFailed(`${learners(done.runs)} got ${minutes} minutes more.`, done),
  pause: "Pause",
  resume: "Continue",
  pauseAsk: (title: string) => `Pause ${title}?`,
  resumeAsk: (title: string) => `Let ${title} continue?`,
  pauseMeans: "Clusters answer no request, nothing runs in them, and the time of learners stands still.",
  resumeMeans: "Clusters run on where they were. Learners keep the time that they had left.",
  pausing: "Pausing…",
  resuming: "Continuing…",
  pausedNow: (done: Reached, paused: boolean) =>
    withFailed(`${learners(done.runs)} ${paused ? "paused" : "continued"}.`, done),
  paused: "paused",
  change: "Change",
  changeOf: (title: string) => `Change ${title}`,
  save: "Save",
  saving: "Saving…",
  seats: "Seats",
  seatsOf: (title: string) => `Seats of ${title}`,
  noSeats: "No seats yet. Enter e-mail addresses to reserve seats, each with a link of its own.",
  emails: "E-mail addresses",
  emailsHint: "One on each line. Each address gets a seat and a link; send the links yourself.",
  reserve: "Reserve seats",
  reserving: "Reserving…",
  copySeats: "Copy all links",
  copyLink: "Copy link",
  compare: "Compare runs",
  compared: (count: number) =>
    `${count} runs were compared by lines and answers that few others have. What two share is a hint to look closer, never a verdict: they may have worked together, or copied from the same page.`,
  noPairs: "No two runs have unusually much in common.",
  similarity: "Similarity",
  shared: "What they share",
  learners: "Learners",
  close: "Close",
  xapi: "Results as xAPI",
  terminal: "Terminal",
  noLines: "No lines yet. They appear here as the learner runs them.",
  live: "Live",
  wholeRecord: "Whole record",
  replay: "Replay",
  moment: "Moment",
  lineOf: (at: number, count: number) => `line ${at} of ${count}`,
  output: "Output",
  changes: (count: number) => (count === 1 ? "1 change in the cluster" : `${count} changes in the cluster`),
  exit: (code: number) => `exit ${code}`,
  play: "Play",
  stop: "Stop",
  join: "Ask to join",
  asked: "Waiting for the learner's consent",
  leave: "Leave the terminal",
  line: "Line for the learner's terminal",
  run: "Run",
  interrupt: "Send Ctrl-C",
  waitingLines: (count: number) => (count === 1 ? "1 line waits for the page" : `${count} lines wait for the page`),
  running: "running",
  full: "The record of this run is full. Later lines are not recorded.",
  addAgain: (learners: string) =>
    `Not reached: ${learners}. Add the time again: the others keep what they have, and get no more.`,
  backTo: "Back to step",
  goBack: "Go back",
  goBackAsk: (learner: string, step: number) => `Take ${learner} back to step ${step}?`,
  goBackMeans:
    "The cluster is set to the beginning of that step. The points of that step and of later ones are deleted.",
  going: "Going back…",
  fork: "Open a copy",
  forking: "Copying…",
  deadline: "Deadline",
  deadlineHint: "All runs of the class end then. Empty: each run ends after the lesson's time limit.",
  teamSize: "Learners of a team",
  teamSizeHint: "1: each learner has a cluster. More: they share one.",
  listedOnly: "Only learners with a reserved seat can join",
  endsAt: "ends at",
};

export const texts = ofReader({ en });
