// What a container finds of its node's own files, where it mounts them: enough to tell where it is.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import { stableHex, stableUuid } from "../../../shared/base/stable.ts";
import type { Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";

/** Of Debian's. */
const release = `PRETTY_NAME="Debian GNU/Linux 13 (trixie)"
NAME="Debian GNU/Linux"
VERSION_ID="13"
VERSION="13 (trixie)"
VERSION_CODENAME=trixie
ID=debian
HOME_URL="https://www.debian.org/"
`;

/** By path within the volume: below a folder that is mounted, or under no name where the path is that of a file. */
export function hostFiles({ spec, status }: Pod, { hostPath }: Volume): Readonly<Record<string, string>> | undefined {
  if (!hostPath) return undefined;
  const node = spec.nodeName ?? "";
  const files: Readonly<Record<string, string>> = {
    "/etc/hostname": `${node}\n`,
    "/etc/hosts": `127.0.0.1\tlocalhost\n${status.hostIP ?? ""}\t${node}\n`,
    "/etc/machine-id": `${stableHex(`machine/${node}`, 32)}\n`,
    "/etc/os-release": release,
    "/etc/kubernetes/kubelet.conf": "",
    "/proc/sys/kernel/random/boot_id": `${stableUuid(`boot/${node}`)}\n`,
    "/var/lib/kubelet/config.yaml": "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n",
  };
  const root = trimmedEnd(hostPath.path, "/");
  const single = files[root];
  if (single !== undefined) return { "": single };
  const within = Object.entries(files).filter(([path]) => path.startsWith(`${root}/`));
  return Object.fromEntries(within.map(([path, text]) => [path.slice(root.length + 1), text]));
}
