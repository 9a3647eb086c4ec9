// A client that openapi-typescript generated from /v1/openapi.json creates, lists, changes and deletes a sandbox. The compiler checks that
// the document has these paths, fields and errors.
import createClient from "openapi-fetch";
import type { paths } from "./schema.d.ts";

// Some answers are also YAML, so the client names the media types of JSON.
const client = createClient<paths, "application/json" | "application/problem+json">({
  baseUrl: process.env["SANDBAR_URL"] ?? "",
  headers: { authorization: `Bearer ${process.env["SANDBAR_API_KEY"]}` },
});

function check(name: string, isRight: boolean, ...values: unknown[]): void {
  console.log(isRight ? "✓" : "✗", name, ...(isRight ? [] : values));
  if (!isRight) process.exit(1);
}

const labels = { by: "generated-typescript" };
const refused = await client.POST("/v1/sandboxes", { body: { nodes: -1 } });
check("a refusal has its type", refused.error?.error.code === "invalid_field", refused);
const { data: created } = await client.POST("/v1/sandboxes", {
  body: { nodes: 1, ttlSeconds: 600, kubeletSpeed: "zero", labels },
});
if (created === undefined) throw new Error("no sandbox");
const path = { id: created.id };
check("a sandbox is created with a token", created.token.startsWith("sba_") && created.nodes === 1, created);
const { data: listed } = await client.GET("/v1/sandboxes", {
  params: { query: { label: ["by=generated-typescript"] } },
});
check("it is listed by its label", listed?.sandboxes.some(({ id }) => id === created.id) === true, listed);
const { data: changed } = await client.PATCH("/v1/sandboxes/{id}", {
  params: { path },
  body: { name: "renamed", nodes: 2 },
});
check("it is changed", changed?.name === "renamed" && changed.nodes === 2, changed);
const { data: read } = await client.GET("/v1/sandboxes/{id}", { params: { path } });
check("it is read", read?.labels["by"] === labels.by && read.name === "renamed", read);
const { response } = await client.DELETE("/v1/sandboxes/{id}", { params: { path } });
check("it is deleted", response.status === 204, response);
const gone = await client.GET("/v1/sandboxes/{id}", { params: { path } });
check("then it is not found", gone.error?.error.code === "not_found", gone);
