// Asking outside: posts a question to the webhook that it is for, and never rejects. What cannot be reached says why.
import type { Answer, Question } from "../../shared/k8s/question.ts";

export async function askOutside({ to, body, timeoutMs }: Question): Promise<Answer> {
  if (to.url === undefined)
    return { ok: false, message: "the Services of this cluster have no backends that can be called" };
  try {
    const response = await fetch(to.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, */*" },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { ok: true, status: response.status, body: await response.text() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `Post "${to.url}": ${why}` };
  }
}
