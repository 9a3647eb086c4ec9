// The script that a page loads: `<script type="module" src="https://.../embed.js?key=pk_...">`. It defines the elements, once.
import { elementsOf } from "./element.ts";

const { origin, searchParams } = new URL(import.meta.url);

for (const [name, element] of Object.entries(elementsOf({ origin, key: searchParams.get("key") ?? "" }))) {
  if (!customElements.get(name)) customElements.define(name, element);
}
