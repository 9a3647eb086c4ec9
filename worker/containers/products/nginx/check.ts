// Checks nginx's configuration: the errors of `nginx -t`, and of a server that does not start.
import type { Task } from "../../../../shared/shell/task.ts";
import { compilePattern, compileUnits, isPattern } from "../../../../shared/base/pattern.ts";
import type { Files } from "../../shell/files.ts";
import { readCertificate } from "../../../../shared/x509/certificate.ts";
import { pemBlocks } from "../../../../shared/x509/pem.ts";
import { type Directive, directivesNamed, mistakeIn } from "./parse-config.ts";
import { placed } from "./locations.ts";
import { certificatePath } from "./tls.ts";
import { confOf, expressionBudget, httpOf, listensOf, mainPath, serversIn, targetParts } from "./configuration.ts";
import { isVariable, namesMade, variablesIn } from "./variables.ts";

const knownDirectives = new Set(
  `absolute_redirect accept_mutex access_log add_after_body add_before_body add_header add_trailer aio alias allow ancient_browser auth_basic
   auth_basic_user_file auth_delay auth_request auth_request_set autoindex autoindex_exact_size autoindex_format autoindex_localtime break
   charset charset_map charset_types chunked_transfer_encoding client_body_buffer_size client_body_in_file_only client_body_temp_path
   client_body_timeout client_header_buffer_size client_header_timeout client_max_body_size connection_pool_size daemon dav_access dav_methods
   debug_connection debug_points default default_type deny directio disable_symlinks empty_gif env error_log error_page etag events expires
   fastcgi_buffer_size fastcgi_buffering fastcgi_buffers fastcgi_cache fastcgi_index fastcgi_intercept_errors fastcgi_param fastcgi_pass
   fastcgi_read_timeout fastcgi_split_path_info geo grpc_pass grpc_set_header gunzip gzip gzip_buffers gzip_comp_level gzip_disable
   gzip_http_version gzip_min_length gzip_proxied gzip_static gzip_types gzip_vary hash http http2 http2_max_concurrent_streams if
   if_modified_since ignore_invalid_headers image_filter include index internal ip_hash js_content js_import js_set keepalive
   keepalive_disable keepalive_requests keepalive_time keepalive_timeout large_client_header_buffers least_conn limit_conn limit_conn_status
   limit_conn_zone limit_except limit_rate limit_rate_after limit_req limit_req_status limit_req_zone lingering_close lingering_timeout listen
   load_module location log_format log_not_found log_subrequest map map_hash_bucket_size map_hash_max_size master_process
   max_ranges merge_slashes min_delete_depth mirror mirror_request_body modern_browser multi_accept open_file_cache open_file_cache_errors
   open_file_cache_min_uses open_file_cache_valid output_buffers perl pid port_in_redirect postpone_output preread_buffer_size proxy_bind
   proxy_buffer_size proxy_buffering proxy_buffers proxy_busy_buffers_size proxy_cache proxy_cache_bypass proxy_cache_key proxy_cache_lock
   proxy_cache_methods proxy_cache_min_uses proxy_cache_path proxy_cache_use_stale proxy_cache_valid proxy_connect_timeout
   proxy_cookie_domain proxy_cookie_path proxy_force_ranges proxy_headers_hash_bucket_size proxy_headers_hash_max_size proxy_hide_header
   proxy_http_version proxy_ignore_client_abort proxy_ignore_headers proxy_intercept_errors proxy_max_temp_file_size proxy_method
   proxy_next_upstream proxy_next_upstream_timeout proxy_next_upstream_tries proxy_no_cache proxy_pass proxy_pass_header
   proxy_pass_request_body proxy_pass_request_headers proxy_protocol proxy_read_timeout proxy_redirect proxy_request_buffering
   proxy_responses proxy_send_timeout proxy_set_body proxy_set_header proxy_ssl_certificate proxy_ssl_certificate_key proxy_ssl_name
   proxy_ssl_protocols proxy_ssl_server_name proxy_ssl_session_reuse proxy_ssl_trusted_certificate proxy_ssl_verify proxy_store
   proxy_temp_path proxy_timeout random random_index read_ahead real_ip_header real_ip_recursive recursive_error_pages
   request_pool_size reset_timedout_connection resolver resolver_timeout return rewrite rewrite_log root satisfy scgi_pass secure_link
   send_timeout sendfile sendfile_max_chunk server server_name server_name_in_redirect server_names_hash_bucket_size
   server_names_hash_max_size server_tokens set set_real_ip_from slice source_charset split_clients ssi ssi_types ssl ssl_buffer_size
   ssl_certificate ssl_certificate_key ssl_ciphers ssl_client_certificate ssl_conf_command ssl_crl ssl_dhparam ssl_early_data ssl_ecdh_curve
   ssl_password_file ssl_preread ssl_prefer_server_ciphers ssl_protocols ssl_reject_handshake ssl_session_cache ssl_session_tickets
   ssl_session_timeout ssl_stapling ssl_stapling_verify ssl_trusted_certificate ssl_verify_client ssl_verify_depth state stream
   stub_status sub_filter sub_filter_last_modified sub_filter_once sub_filter_types subrequest_output_buffer_size tcp_nodelay tcp_nopush
   thread_pool timer_resolution try_files types types_hash_bucket_size types_hash_max_size underscores_in_headers upstream use user
   userid uwsgi_param uwsgi_pass variables_hash_bucket_size variables_hash_max_size worker_aio_requests worker_connections
   worker_cpu_affinity worker_priority worker_processes worker_rlimit_core worker_rlimit_nofile worker_shutdown_timeout
   working_directory xclient xml_entities xslt_stylesheet zone`.split(/\s+/),
);
const blocks = new Set(
  "http events server location upstream types map geo if limit_except split_clients stream charset_map".split(" "),
);
/** Blocks whose words are not directives. */
const tables = new Set("types map geo split_clients charset_map".split(" "));

/** The blocks in which directives that are often misplaced may appear; "" is the file itself. */
const places: Readonly<Record<string, readonly string[]>> = {
  http: [""],
  events: [""],
  server: ["http", "upstream", "stream"],
  upstream: ["http", "stream"],
  location: ["server", "location"],
  map: ["http", "stream"],
  log_format: ["http", "stream"],
  limit_req_zone: ["http"],
  proxy_pass: ["location", "if", "limit_except", "server"],
  try_files: ["server", "location"],
  rewrite: ["server", "location", "if"],
  if: ["server", "location"],
  listen: ["server"],
  server_name: ["server"],
};

/** Returns why nginx does not start, in its words; undefined if it starts. `resolves`: reports whether a name resolves. */
export function* nginxProblem(files: Files, resolves: (host: string) => Task<boolean>): Task<string | undefined> {
  const conf = confOf(files);
  const isWhole = files.get(mainPath)?.text !== undefined;
  for (const path of conf.paths) {
    const mistake = mistakeIn(files.get(path)?.text ?? "", path);
    if (mistake) return `${mistake.why} in ${path}:${mistake.line}`;
  }
  const { directives, missing } = conf;
  if (missing) {
    const name = missing.args[0] ?? "";
    const fullPath = name.startsWith("/") ? name : `/etc/nginx/${name}`;
    return `open() "${fullPath}" failed (2: No such file or directory) in ${missing.path}:${missing.line}`;
  }
  const problem =
    wrongIn(directives, isWhole ? "" : "http") ?? wrongExpression(directives, files) ?? wrongName(directives, files);
  if (problem !== undefined) return problem;
  if (isWhole && !directives.some(({ name }) => name === "events")) return 'no "events" section in configuration';
  return yield* unresolved(directives, resolves);
}

function at({ path, line }: Directive): string {
  return `${path}:${line}`;
}

function wrongIn(directives: readonly Directive[], around: string): string | undefined {
  const locations = new Set<string>();
  for (const statement of directives) {
    const { name, args, body } = statement;
    if (tables.has(around)) continue;
    if (!knownDirectives.has(name)) return `unknown directive "${name}" in ${at(statement)}`;
    const allowed = Object.hasOwn(places, name) ? places[name] : undefined;
    if (allowed && !allowed.includes(around)) return `"${name}" directive is not allowed here in ${at(statement)}`;
    if (blocks.has(name) && !body && !(name === "server" && args.length > 0))
      return `directive "${name}" has no opening "{" in ${at(statement)}`;
    if (body && !blocks.has(name)) return `directive "${name}" is not terminated by ";" in ${at(statement)}`;
    const isWrong =
      (name === "location" && args.length === 0) ||
      (/^(listen|root|proxy_pass|server_name|return)$/.test(name) && args.length === 0) ||
      (/^(root|proxy_pass|alias)$/.test(name) && args.length > 1);
    if (isWrong) return `invalid number of arguments in "${name}" directive in ${at(statement)}`;
    if (name === "location") {
      const key = args.join(" ");
      if (locations.has(key)) return `duplicate location "${placed(args).name}" in ${at(statement)}`;
      locations.add(key);
    }
    const inside = body ? wrongIn(body, name) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function wrongExpression(directives: readonly Directive[], files: Files): string | undefined {
  const spend = expressionBudget(files);
  const expressions = [
    ...directivesNamed(directives, "location").flatMap((statement) => {
      const { sign, name } = placed(statement.args);
      return sign.startsWith("~") ? [{ one: statement, source: name }] : [];
    }),
    ...directivesNamed(directives, "rewrite").map((statement) => ({ one: statement, source: statement.args[0] ?? "" })),
  ];
  for (const { one: statement, source } of expressions) {
    const pattern = spend(compileUnits(source)) ? compilePattern(source) : { error: "too much to compile" };
    if (isPattern(pattern)) continue;
    return `pcre2_compile() failed: ${pattern.error.replace("error parsing regexp: ", "")} in "${source}" in ${at(statement)}`;
  }
  return undefined;
}

/** Checks that variables, formats, zones and certificates are defined. */
function wrongName(directives: readonly Directive[], files: Files): string | undefined {
  const definedNames = namesMade(directives);
  const withVariables =
    "return proxy_pass add_header proxy_set_header set rewrite log_format root alias try_files".split(" ");
  for (const name of withVariables) {
    for (const statement of directivesNamed(directives, name)) {
      for (const text of name === "set" ? statement.args.slice(1) : statement.args) {
        const unknown = variablesIn(text).find((each) => !isVariable(each, definedNames));
        if (unknown !== undefined) return `unknown "${unknown}" variable`;
      }
    }
  }
  const formats = new Set(directivesNamed(directives, "log_format").map(({ args }) => args[0] ?? ""));
  for (const statement of directivesNamed(directives, "access_log")) {
    const format = statement.args.slice(1).find((each) => !each.includes("="));
    if (format !== undefined && format !== "combined" && !formats.has(format))
      return `unknown log format "${format}" in ${at(statement)}`;
  }
  const zones = new Set(
    directivesNamed(directives, "limit_req_zone").map(({ args }) => /zone=([^:]+)/.exec(args.join(" "))?.[1] ?? ""),
  );
  for (const statement of directivesNamed(directives, "limit_req")) {
    const zone = /zone=(\S+)/.exec(statement.args.join(" "))?.[1] ?? "";
    if (!zones.has(zone)) return `zero size shared memory zone "${zone}"`;
  }
  return wrongCertificate(httpOf({ directives, paths: [], missing: undefined }), files);
}

function wrongCertificate(http: readonly Directive[], files: Files): string | undefined {
  for (const server of serversIn(http)) {
    const listen = server.body?.find(({ name, args }) => name === "listen" && args.includes("ssl"));
    if (!listen || !listensOf(server).some(({ isTls }) => isTls)) continue;
    const path = certificatePath(server, http, "ssl_certificate");
    const keyPath = certificatePath(server, http, "ssl_certificate_key");
    if (path === undefined)
      return `no "ssl_certificate" is defined for the "listen ... ssl" directive in ${at(listen)}`;
    if (keyPath === undefined) return `no "ssl_certificate_key" is defined for certificate "${path}"`;
    const certificate = files.get(path)?.text;
    if (certificate === undefined) return `cannot load certificate "${path}": ${notThere(path)}`;
    const block = pemBlocks(certificate).find(({ type }) => type === "CERTIFICATE");
    if (!block || !readCertificate(block.bytes))
      return `cannot load certificate "${path}": PEM_read_bio_X509_AUX() failed (SSL: error:0480006C:PEM routines::no start line:Expecting: TRUSTED CERTIFICATE)`;
    const key = files.get(keyPath)?.text;
    if (key === undefined) return `cannot load certificate key "${keyPath}": ${notThere(keyPath)}`;
    if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key))
      return `cannot load certificate key "${keyPath}": PEM_read_bio_PrivateKey() failed (SSL: error:1E08010C:DECODER routines::unsupported:No supported data to decode. Input type: PEM)`;
  }
  return undefined;
}

function notThere(path: string): string {
  return `BIO_new_file() failed (SSL: error:80000002:system library::No such file or directory:calling fopen(${path}, r) error:10000080:BIO routines::no such file)`;
}

/** Checks that names in `proxy_pass` and in upstreams resolve at the start, unless they contain variables. */
function* unresolved(
  directives: readonly Directive[],
  resolves: (host: string) => Task<boolean>,
): Task<string | undefined> {
  const upstreams = new Set(directivesNamed(directives, "upstream").map(({ args: [name = ""] }) => name));
  for (const statement of directivesNamed(directives, "proxy_pass")) {
    const [target = ""] = statement.args;
    if (target.includes("$") || target.startsWith("http://unix:")) continue;
    const url = targetParts(target);
    if (!url) return `invalid URL prefix in ${at(statement)}`;
    if (upstreams.has(url.host) || (yield* resolves(url.host))) continue;
    return `host not found in upstream "${url.host}" in ${at(statement)}`;
  }
  for (const { body = [] } of directivesNamed(directives, "upstream")) {
    for (const statement of directivesNamed(body, "server")) {
      const [where = ""] = statement.args;
      const host = where.replace(/:\d+$/, "");
      if (!where.startsWith("unix:") && !(yield* resolves(host)))
        return `host not found in upstream "${where}" in ${at(statement)}`;
    }
  }
  return undefined;
}
