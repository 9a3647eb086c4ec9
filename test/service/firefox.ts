// Firefox as the browser of the tests, by WebDriver BiDi.
import { type Browser, firefox } from "playwright-core";
import { ws } from "playwright-core/lib/utilsBundle";
import { findFirefox } from "./binaries.ts";

const firefoxPath = findFirefox();
/** True if the tests are asked to use Firefox, and it is there. */
export const usesFirefox = process.env.SANDBAR_TEST_FIREFOX === "1" && firefoxPath !== undefined;

/** A command that every new context sends, and that released versions of Firefox do not have. Pages then have the colours of the system. */
const unknownCommand = "emulation.setMediaFeaturesOverride";

export async function launchFirefox(): Promise<Browser> {
  answerUnknownCommand();
  return firefox.launch({ channel: "moz-firefox", executablePath: firefoxPath ?? "" });
}

let isAnswered = false;

/** Answers the command in place of Firefox. */
function answerUnknownCommand(): void {
  if (isAnswered) return;
  isAnswered = true;
  const { prototype } = ws;
  const { send } = prototype;
  prototype.send = function (data, ...more) {
    const { id, method } = JSON.parse(data) as { readonly id: number; readonly method: string };
    if (method !== unknownCommand) return send.call(this, data, ...more);
    const answer = JSON.stringify({ type: "success", id, result: {} });
    return void setImmediate(() => this.emit("message", Buffer.from(answer), false));
  };
}
