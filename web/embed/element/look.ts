// How the page around an element looks: what its frame is told of theme, language and custom properties.
import { embedStyles, type Look } from "../../../shared/contract/hosted/embed-messages.ts";

/** `theme` and `language` of an element's attributes come before what the page says. */
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
  const wanted = element.getAttribute("theme") || colorScheme;
  if (wanted === "light" || wanted === "dark") return wanted;
  return "auto";
}

export function languageOf(element: Element): string {
  const around = element.closest("[lang]")?.getAttribute("lang");
  return element.getAttribute("language") || around || navigator.language;
}

/** Calls where the page may look otherwise from now on: its root or body says so by an attribute, or the system does. Returns what ends it. */
export function onLookChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  for (const one of [document.documentElement, document.body]) observer.observe(one, { attributes: true });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", changed);
  };
}
