// The texts of the page of an exam in English. Another language is another object of the same shape.

export const messages = {
  tasks: "Tasks",
  task: (number: number, count: number) => `Task ${number} of ${count}`,
  weight: (percent: number) => `${percent} %`,
  flag: "Flag for later",
  unflag: "Remove the flag",
  flagged: "flagged",
  previous: "Previous task",
  next: "Next task",
  finish: "Finish the exam",
  finishAsk: "Finish the exam?",
  finishMeans: (flagged: number) =>
    `All tasks are graded, and the exam ends. ${flagged === 0 ? "No task is flagged." : flagged === 1 ? "One task is flagged." : `${flagged} tasks are flagged.`}`,
  grading: "Grading…",
  goOn: "Go on with the exam",
  over: "The time was over, and the exam was graded.",
  timeLeft: "Time left",
  endMoved: (time: string) => `The exam now ends at ${time}.`,
  useContext: (name: string) =>
    `This task is in the cluster \`${name}\`:\n\n\`\`\`sh\nkubectl config use-context ${name}\n\`\`\``,
  ended: "The exam expired before it was graded.",
  passed: "Passed",
  failed: "Not passed",
  result: (percent: number, passPercent: number) => `${percent} % of the points; ${passPercent} % are needed`,
  domains: "Result by domain",
  domain: "Domain",
  points: "Points",
  of: (points: number, most: number) => `${points} of ${most}`,
};
