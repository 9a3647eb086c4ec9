"""A client that openapi-python-client generated from /v1/openapi.json creates, lists, changes and deletes a sandbox."""

import os

from sandbar_client import AuthenticatedClient
from sandbar_client.api.sandboxes import change_sandbox, create_sandbox, delete_sandbox, get_sandbox, list_sandboxes
from sandbar_client.models import CreateSandbox, InvalidFieldError, NotFoundError, ChangeSandboxBody

client = AuthenticatedClient(os.environ["SANDBAR_URL"], os.environ["SANDBAR_API_KEY"], raise_on_unexpected_status=True)
labels = {"by": "generated-python"}


def check(name: str, is_right: bool, *seen: object) -> None:
    print("✓" if is_right else "✗", name, *([] if is_right else seen))
    if not is_right:
        raise SystemExit(1)


refused = create_sandbox.sync(client=client, body=CreateSandbox.from_dict({"nodes": -1}))
check("a refusal has its type", isinstance(refused, InvalidFieldError) and refused.error.field == "nodes", refused)
body = CreateSandbox.from_dict({"nodes": 1, "ttlSeconds": 600, "kubeletSpeed": "zero", "labels": labels})
created = create_sandbox.sync(client=client, body=body)
check("a sandbox is created with a token", created.token.startswith("sba_") and created.nodes == 1, created)
listed = list_sandboxes.sync(client=client, label=["by=generated-python"])
check("it is listed by its label", created.id in [sandbox.id for sandbox in listed.sandboxes], listed)
changed = change_sandbox.sync(created.id, client=client, body=ChangeSandboxBody.from_dict({"name": "renamed", "nodes": 2}))
check("it is changed", (changed.name, changed.nodes) == ("renamed", 2), changed)
read = get_sandbox.sync(created.id, client=client)
check("it is read", read.labels.to_dict() == labels and read.name == "renamed", read)
check("it is deleted", delete_sandbox.sync_detailed(created.id, client=client).status_code == 204)
check("then it is not found", isinstance(get_sandbox.sync(created.id, client=client), NotFoundError))
