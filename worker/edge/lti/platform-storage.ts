// A script that stores the login's proof in a platform's page by LTI's window messages, because browsers block cookies in frames.

/**
 * Defines `ask(subject, fields)`, which resolves to the platform's answer or rejects after two seconds. `data.storage` names the frame that
 * stores the proof; `data.origin` is the only accepted origin.
 */
export const storageScript = `
const ask = (subject, fields) => new Promise((resolve, reject) => {
  const outer = window.opener || window.parent;
  const id = crypto.randomUUID();
  let target = outer;
  try { if (data.storage !== "_parent") target = outer.frames[data.storage] || outer; } catch {}
  const timer = setTimeout(() => reject(new Error("no answer")), 2000);
  addEventListener("message", (event) => {
    const answer = event.data;
    if (event.origin !== data.origin || typeof answer !== "object" || answer === null) return;
    if (answer.message_id !== id || answer.subject !== subject + ".response") return;
    clearTimeout(timer);
    if (answer.error) reject(new Error("refused")); else resolve(answer.value);
  });
  target.postMessage({ subject, message_id: id, ...fields }, data.origin);
});
`;
