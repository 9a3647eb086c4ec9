// `help`: describes the terminal and its limits.
import type { Programs } from "../program.ts";

const text = `This is a shell in your browser, beside a cluster.

  kubectl, k           all of kubectl; Tab completes commands, types, names, flags
  vi, nano, kubectl edit
                       open an editor with completion and checks from the cluster's schema
  grep sed awk jq sort uniq head tail wc cut tr tee diff xargs watch less ...
                       work as you know them, on text
  ls cat cp mv rm mkdir find ...
                       work on files that are kept in this browser (1 MB in all)
  kubectl port-forward svc/web 8080:80 &    then    curl localhost:8080
                       reaches a Service
  curl wget nslookup dig nc
                       reach pods, Services and node ports from the control plane
  git                  keeps versions of your files
  | > >> < << $(...) && || ; & if for while functions alias history Ctrl-R
                       are there as in bash

Programs that are not here (docker, tmux ...) are not found. Containers have
shells of their own: kubectl exec -it POD -- sh
`;

export const helpPrograms: Programs = {
  help: ({ out }) => (out.write(text), 0),
  man: ({ args, out }) => {
    out.write(
      `No manual entry for ${args[0] ?? ""}. Type "help" for what this terminal has, "kubectl --help" for kubectl.\n`,
    );
    return 16;
  },
};
