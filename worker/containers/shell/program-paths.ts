// The paths of an image's programs.
import { folderOf } from "../products/programs.ts";
import type { Files } from "./files.ts";
import type { Process } from "./process.ts";

/** Programs that busybox images have outside `/bin`. */
const inSbin = new Set(
  "ifconfig ip route sysctl arp ipaddr iplink iproute fdisk mkswap modprobe nologin syslogd udhcpc reboot halt poweroff init".split(
    " ",
  ),
);
const inUsrBin = new Set(
  "[ [[ awk basename bc cal clear cmp comm crontab cut dc diff dirname dos2unix du env expand expr factor find fold free fuser getent groups hd head hexdump hostid id install less logger lsof md5sum mkfifo nc nl nohup nproc nslookup od openssl passwd paste pgrep pkill printf readlink realpath renice reset seq sha1sum sha256sum sha512sum shuf sort split strings sum tail tee test time timeout top tr traceroute truncate tty unexpand uniq unlink unzip uptime vi w wc wget which who whoami xargs xxd yes".split(
    " ",
  ),
);
const inUsrSbin = new Set(
  "adduser addgroup useradd groupadd chroot crond ip6tables iptables update-ca-certificates locale-gen".split(" "),
);
const inUsrLocal = new Set("python python3 pip pip3 node nodejs npm npx".split(" "));

/** Returns the path of a script in one of the folders of `PATH`; undefined if there is none of that name. */
export function scriptInPath(files: Files, folders: string | undefined, name: string): string | undefined {
  if (name === "" || name.includes("/")) return undefined;
  // Files that a package manager installed have no text, because the simulator has their programs.
  const paths = (folders ?? "").split(":", mostFolders).map((folder) => `${folder}/${name}`);
  return paths.find((path) => path.startsWith("/") && (files.get(path)?.text ?? "") !== "");
}

const mostFolders = 100;

/** Returns the path of an existing program. */
export function pathOf({ programs, files }: Pick<Process, "programs" | "files">, name: string): string {
  if (files.has(`/usr/bin/${name}`) || name === "curl") return `/usr/bin/${name}`;
  const folder = folderOf(name);
  if (folder !== undefined) return `${folder}/${name}`;
  if (inUsrLocal.has(name)) return `/usr/local/bin/${name}`;
  if (inUsrSbin.has(name)) return `/usr/sbin/${name}`;
  if (programs?.has("apt-get")) return `/usr/${inSbin.has(name) ? "sbin" : "bin"}/${name}`;
  if (!programs?.has("apk")) return `/bin/${name}`;
  return inSbin.has(name) ? `/sbin/${name}` : inUsrBin.has(name) ? `/usr/bin/${name}` : `/bin/${name}`;
}
