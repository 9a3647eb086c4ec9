// A script that has a platform's page keep something for ours, by LTI's messages between windows, where browsers keep no cookies in frames.

/**
 * `ask(subject, fields)` gives the platform's answer, or rejects after two seconds. `data.storage` is the frame that keeps it, beside ours or
 * the one around it; `data.origin` the only origin that is told and heard.
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
