// What a local run's Worker asks outside is asked here, by Node: it can trust the authority that a webhook's configuration names.
import { directQuestion } from "../../shared/contract/tunnel.ts";
import { perform } from "../outside/perform.ts";

export async function askOutside(request: { json(): Promise<unknown> }): Promise<string> {
  const { origin, ...question } = directQuestion.parse(await request.json());
  return JSON.stringify(await perform(question, origin));
}
