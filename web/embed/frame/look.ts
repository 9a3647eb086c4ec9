// Applies the look that the surrounding page sends.
import { embedStyles, type Look } from "../../../shared/contract/hosted/embed-messages.ts";

export function wear({ theme, language, style }: Look): void {
  const { documentElement: root } = document;
  root.lang = /^de\b/i.test(language) ? "de" : "en";
  root.style.colorScheme = theme === "auto" ? "" : theme;
  for (const [name, property] of Object.entries(embedStyles)) {
    const value = style[name];
    if (value) root.style.setProperty(property, value);
    else root.style.removeProperty(property);
  }
}
