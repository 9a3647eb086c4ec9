// Buttons that copy the commands of a documentation page.
import { texts } from "../messages/docs.ts";

const shownMs = 2500;

/** Adds a button to each block of code. */
export function addCopyButtons(page: Document): void {
  for (const block of page.querySelectorAll<HTMLElement>(".code-block")) {
    const button = page.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = texts.copy;
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", () => void copy(block, button));
    block.append(button);
  }
}

async function copy(block: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const text = block.querySelector("code")?.textContent ?? "";
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = texts.copied;
  } catch {
    button.textContent = texts.notCopied;
  }
  setTimeout(() => void (button.textContent = texts.copy), shownMs);
}
