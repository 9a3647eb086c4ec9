// Answers the list of sandboxes, and their deletion, in place of the service.
import type { Page } from "playwright-core";
import type { ListedSandbox, SandboxList } from "../../shared/contract/sandbox.ts";

/** The milliseconds that the service takes for a deletion. */
const deletionMs = 20;

/** Lists `count` sandboxes besides those of the service, with the fields of its first one. */
export async function answerFromMemory(page: Page, count: number, owners: readonly string[]): Promise<void> {
  let sandboxes: readonly ListedSandbox[] | undefined;
  await page.route(/\/v1\/sandboxes\?limit=/, async (route) => {
    const url = new URL(route.request().url());
    if (!sandboxes) {
      const listed = (await (await route.fetch()).json()) as SandboxList;
      sandboxes = [...copiesOf(listed.sandboxes, count, owners), ...listed.sandboxes];
    }
    const from = Number(url.searchParams.get("cursor") ?? 0);
    const to = from + Number(url.searchParams.get("limit"));
    const nextCursor = to < sandboxes.length ? { nextCursor: String(to) } : {};
    await route.fulfill({ json: { sandboxes: sandboxes.slice(from, to), ...nextCursor } });
  });
  await page.route(/\/v1\/sandboxes\/\w+$/, async (route) => {
    if (route.request().method() !== "DELETE") return route.fallback();
    await new Promise((resolve) => setTimeout(resolve, deletionMs));
    const id = new URL(route.request().url()).pathname.split("/").at(-1);
    sandboxes = sandboxes?.filter((sandbox) => sandbox.id !== id);
    await route.fulfill({ status: 204 });
  });
}

function copiesOf([first]: readonly ListedSandbox[], count: number, owners: readonly string[]): ListedSandbox[] {
  if (!first) throw new Error("the service has no sandbox to copy");
  return Array.from({ length: count }, (_, at) => ({
    ...first,
    id: `${first.id.slice(0, -4)}${String(at).padStart(4, "0")}`,
    name: `shop-${String(at).padStart(4, "0")}`,
    owner: owners[at % owners.length] ?? "",
    labels: { team: `team-${at % 20}` },
  }));
}
