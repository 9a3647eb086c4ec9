// The programs of the images whose contents are known, and the shell that `sh` is there.
import { imageByBase } from "../images/catalogue.ts";
import type { Family } from "../images/known-image.ts";
import type { ImageReference } from "../images/reference.ts";
import type { Dialect } from "../../../shared/shell/language/problem.ts";

export interface Installed {
  readonly family: Family;
  /** Undefined: any program may exist. */
  readonly names: ReadonlySet<string> | undefined;
}

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

/** The programs that both the image busybox and Alpine's have. */
const inBoth = words(
  `[ [[ acpid add-shell addgroup adduser adjtimex arch arp arping ash awk base32 base64 basename bc beep blkdiscard blkid blockdev brctl bunzip2 bzcat bzip2 cal cat chattr chgrp chmod chown chpasswd chroot chrt cksum clear cmp comm cp cpio crond crontab cryptpw cut date dc dd delgroup deluser depmod devmem df diff dirname dmesg dnsdomainname dos2unix du echo ed egrep eject env ether-wake expand expr factor fallocate false fdformat fdisk fgrep find findfs flock fold free freeramdisk fsck fsfreeze fstrim fsync fuser getopt getty grep groups gunzip gzip halt hd head hexdump hexedit hostid hostname hwclock id ifconfig ifdown ifenslave ifup init insmod install ionice iostat ip ipaddr ipcalc ipcrm ipcs iplink ipneigh iproute iprule iptunnel kill killall killall5 klogd last less link linux32 linux64 linuxrc ln loadfont logger login logname logread losetup ls lsattr lsmod lsof lspci lsusb lzcat lzma lzop makemime md5sum mdev mesg microcom mkdir mkfifo mknod mkpasswd mkswap mktemp modinfo modprobe more mount mountpoint mpstat mt mv nameif nc netstat nice nl nmeter nohup nologin nproc nsenter nslookup ntpd od partprobe passwd paste patch pgrep pidof ping ping6 pivot_root pkill pmap poweroff printenv printf ps pscan pstree pwd pwdx rdate rdev readahead readlink readprofile realpath reboot reformime remove-shell renice reset resize resume rev rm rmdir rmmod route rtcwake run-init run-parts runlevel rx script scriptreplay sed seedrng sendmail seq setarch setconsole setfattr setlogcons setpriv setserial setsid sh sha1sum sha256sum sha3sum sha512sum showkey shred shuf sleep smemcap sort split ssl_client start-stop-daemon stat strings stty su sulogin sum swapoff swapon switch_root sync sysctl syslogd tac tail tar taskset tc tee test time timeout top touch tr traceroute traceroute6 tree true truncate ts tsort tty ttysize tunctl udhcpc uevent umount uname unexpand uniq unix2dos unlink unlzma unshare unxz unzip uptime users usleep uudecode uuencode vconfig vi volname w wall watch watchdog wc wget which who whoami whois xargs xxd xz xzcat yes zcat zcip`,
);
const inBusybox = new Set([
  ...inBoth,
  ...words(
    "ar ascii chat chpst crc32 dpkg dpkg-deb envdir hush man mim rpm rpm2cpio runsv runsvdir setuidgid softlimit sv svlogd svok tcpsvd udpsvd dnsd fakeidentd ftpd ftpget ftpput httpd inetd lpd lpq lpr telnet telnetd tftp tftpd udhcpd",
  ),
]);
const inAlpine = [...inBoth, ...words("apk getent getconf iconv ldconfig ldd scanelf update-ca-certificates c_rehash")];
/** The programs of Debian's smallest image. */
const inDebian = words(
  `[ add-shell addpart agetty apt apt-cache apt-cdrom apt-config apt-get apt-key apt-mark arch awk b2sum base32 base64 basename basenc bash blkdiscard blkid blkzone blockdev cat chage chcon chcpu chfn chgpasswd chgrp chmem chmod choom chown chpasswd chroot chrt chsh cksum clear cmp comm cp cpgr cppw csplit ctrlaltdel cut dash date dd deb-systemd-helper deb-systemd-invoke debconf delpart df diff diff3 dir dircolors dirname dmesg dpkg dpkg-deb dpkg-divert dpkg-fsys-usrunmess dpkg-maintscript-helper dpkg-query dpkg-realpath dpkg-split dpkg-statoverride dpkg-trigger du echo egrep env expand expiry expr factor faillog fallocate false fgrep find findfs findmnt flock fmt fold fsck fsfreeze fstab-decode fstrim getconf getent getopt getty gpasswd grep groupadd groupdel groupmems groupmod groups grpck grpconv grpunconv gunzip gzexe gzip hardlink head hostid hostname i386 iconv iconvconfig id infocmp install installkernel invoke-rc.d ionice ipcmk ipcrm ipcs ischroot isosize join killall5 last lastb lastlog ld.so ldattach ldconfig ldd link linux32 linux64 ln locale localedef logger login logname losetup ls lsblk lscpu lsipc lslocks lslogins lsmem lsns mawk mcookie md5sum mesg mkdir mkfifo mkfs mknod mkswap mktemp more mount mountpoint mv namei newgrp newusers nice nl nohup nologin nproc nsenter numfmt od partx passwd paste pathchk perl pidof pinky pivot_root pldd pr printenv printf prlimit ptx pwck pwconv pwd pwunconv readlink readprofile realpath remove-shell rename renice reset resizepart rev rgrep rm rmdir rtcwake run-parts runcon runuser savelog script scriptlive scriptreplay sdiff sed seq service setarch setpriv setsid setterm sg sh sha1sum sha224sum sha256sum sha384sum sha512sum shadowconfig shred shuf sleep sort split start-stop-daemon stat stdbuf stty su sulogin sum swaplabel swapoff swapon switch_root sync tabs tac tail tar tarcat taskset tee tempfile test tic timeout toe touch tput tr true truncate tset tsort tty tzselect uclampset umount uname uncompress unexpand uniq unlink unshare update-alternatives update-passwd update-rc.d update-shells useradd userdel usermod users utmpdump vdir vigr vipw wall wc wdctl whereis which who whoami wipefs x86_64 xargs yes zcat zcmp zdiff zdump zegrep zfgrep zforce zgrep zic zless zmore znew zramctl`,
);
/** The further programs of Debian's images for compiling, on which the images of Python, Node.js and others are based. */
const forBuilding = words(
  "curl wget git hg svn ssh scp ssh-keygen gnupg gpg openssl gcc g++ cc c++ make patch ps free top pgrep pkill pidof uptime vmstat w watch pmap file bzip2 unzip xz autoconf automake xml2-config pg_config ar as ld nm objdump strings strip dpkg-architecture python3",
);
const forFetching = words("curl wget git hg svn ssh scp gnupg gpg openssl ps free top pgrep pkill uptime watch");
const inFedora = words(
  "dnf dnf5 yum microdnf rpm curl bash sh awk gawk sed grep tar gzip find xargs ls cat cp mv rm mkdir rmdir touch ln chmod chown chgrp head tail cut sort uniq wc tr tee echo printf date sleep test [ true false env printenv id whoami groups uname arch nproc df du stat readlink realpath basename dirname mktemp seq split paste join comm nl od sha1sum sha256sum sha512sum md5sum base64 timeout nohup nice stty tty sync dd install truncate yes expr factor getent ldd ldconfig iconv locale useradd groupadd usermod passwd su mount umount vi less which openssl nsenter unshare setpriv setsid lsblk",
);

const installedByImage: Map<string, Installed> = new Map();

/** Returns the programs of an image; undefined if the image is not known. */
export function installedIn({ base, tag = "" }: Pick<ImageReference, "base" | "tag">): Installed | undefined {
  const isAlpine = /(^|-)alpine/.test(tag);
  const isSlim = /(^|-)slim/.test(tag);
  const key = `${base}/${isAlpine ? "alpine" : isSlim ? "slim" : ""}`;
  const cached = installedByImage.get(key);
  if (cached) return cached;
  const installed = programsOf(base, isAlpine, isSlim);
  if (installed) installedByImage.set(key, installed);
  return installed;
}

function programsOf(base: string, isAlpine: boolean, isSlim: boolean): Installed | undefined {
  const image = imageByBase(base)?.installed;
  if (!image) return undefined;
  if (image.base === "busybox") return { family: "busybox", names: inBusybox };
  const added = words(image.added ?? "");
  if (isAlpine || image.base === "alpine") return { family: "alpine", names: new Set([...inAlpine, ...added]) };
  if (image.base === "fedora") return { family: "redhat", names: new Set([...inFedora, ...added]) };
  const more = isSlim ? [] : image.base === "building" ? forBuilding : image.base === "fetching" ? forFetching : [];
  return { family: "debian", names: new Set([...inDebian, ...more, ...added]) };
}

/** The families of images of which only the distribution is known, by the last component of the image name. */
const otherFamilies: Readonly<Record<string, Family>> = {
  php: "debian",
  docker: "alpine",
  centos: "redhat",
  rockylinux: "redhat",
  almalinux: "redhat",
  amazonlinux: "redhat",
  oraclelinux: "redhat",
  keycloak: "redhat",
};

function familyOf(image: string): Family | undefined {
  if (/(^|[/:-])alpine|busybox/.test(image)) return "alpine";
  const base = /(?:^|\/)([^/:@]+)(?:[:@][^/]*)?$/.exec(image)?.[1] ?? "";
  if (/^ubi\d?(-\w+)?$/.test(base)) return "redhat";
  return imageByBase(base)?.family ?? (Object.hasOwn(otherFamilies, base) ? otherFamilies[base] : undefined);
}

/** Returns the shell that `sh` is in an image; undefined if it is not known. */
export function shellOf(image: string, family = familyOf(image)): Dialect | undefined {
  if (family === undefined) return undefined;
  return family === "redhat" ? "bash" : family === "debian" ? "dash" : "ash";
}
