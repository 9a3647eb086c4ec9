// The look of the page around an element, which is sent to the frame: theme, language and custom properties.
import { embedStyles, type Look } from "../../../shared/contract/hosted/embed-messages.ts";

/** Returns the look. The element's `theme` and `language` attributes override those of the page. */
export function lookOf(element: HTMLElement): Look {
  const styles = getComputedStyle(element);
  const style = Object.fromEntries(
    Object.keys(embedStyles)
      .map((name) => [name, styles.getPropertyValue(name).trim()] as const)
      .filter(([, value]) => value !== ""),
  );
  return { theme: themeOf(element, styles), language: languageOf(element), style };
}

export function themeOf(element: Element, { colorScheme }: Pick<CSSStyleDeclaration, "colorScheme">): Look["theme"] {
  const theme = element.getAttribute("theme") || colorScheme;
  if (theme === "light" || theme === "dark") return theme;
  return "auto";
}

export function languageOf(element: Element): string {
  const around = element.closest("[lang]")?.getAttribute("lang");
  return element.getAttribute("language") || around || navigator.language;
}

/**
 * Calls `changed` when the look may have changed: an attribute of the root or body, or the system's theme. Returns a function that stops
 * it.
 */
export function onLookChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  for (const element of [document.documentElement, document.body]) observer.observe(element, { attributes: true });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", changed);
  };
}
