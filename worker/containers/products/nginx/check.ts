// Checks nginx's configuration: the errors of `nginx -t`, and of a server that does not start.
import type { Task } from "../../../../shared/shell/task.ts";
import { compilePattern, compileUnits, isPattern } from "../../../../shared/base/pattern.ts";
import type { Files } from "../../shell/files.ts";
import { readCertificate } from "../../../../shared/x509/certificate.ts";
import { pemBlocks } from "../../../../shared/x509/pem.ts";
import { type Directive, directivesNamed, mistakeIn } from "./parse-config.ts";
import { parseLocation } from "./locations.ts";
import { certificatePath } from "./tls.ts";
import { confOf, expressionBudget, httpOf, listensOf, mainPath, serversIn, targetParts } from "./configuration.ts";
import { isVariable, namesMade, variablesIn } from "./variables.ts";

/** The names of nginx's directives: plain ones, and those that begin with the name of a module. */
const directivesOfModules: Readonly<Record<string, string>> = {
  "": `absolute_redirect accept_mutex accept_mutex_delay acceptex_read access_log add_after_body add_before_body add_header add_header_inherit
   add_trailer add_trailer_inherit addition_types aio aio_write alias allow ancient_browser ancient_browser_value auth_basic
   auth_basic_user_file auth_delay auth_request auth_request_set autoindex autoindex_exact_size autoindex_format autoindex_localtime break
   charset charset_map charset_types chunked_transfer_encoding client_body_buffer_size client_body_early_read client_body_in_file_only
   client_body_in_single_buffer client_body_temp_path client_body_timeout client_header_buffer_size client_header_timeout
   client_max_body_size connection_pool_size create_full_put_path daemon dav_access dav_methods debug_connection debug_points default
   default_type degradation degrade deny devpoll_changes devpoll_events directio directio_alignment disable_symlinks early_hints empty_gif
   env epoll_events error_log error_page etag eventport_events events expires flv geo geoip_city geoip_country geoip_org geoip_proxy
   geoip_proxy_recursive google_perftools_profiles gunzip gunzip_buffers gzip gzip_buffers gzip_comp_level gzip_disable gzip_hash
   gzip_http_version gzip_min_length gzip_no_buffer gzip_proxied gzip_static gzip_types gzip_vary gzip_window hash http http2
   http2_body_preread_size http2_chunk_size http2_idle_timeout http2_max_concurrent_pushes http2_max_concurrent_streams http2_max_field_size
   http2_max_header_size http2_max_requests http2_pool_size http2_push http2_push_preload http2_recv_buffer_size http2_recv_timeout
   http2_streams_index_size http3 http3_hq http3_max_concurrent_streams http3_stream_buffer_size if if_modified_since ignore_invalid_headers
   image_filter image_filter_buffer image_filter_interlace image_filter_jpeg_quality image_filter_sharpen image_filter_transparency
   image_filter_webp_quality include index internal iocp_threads ip_hash js_content js_import js_set keepalive keepalive_disable
   keepalive_min_timeout keepalive_requests keepalive_time keepalive_timeout kqueue_changes kqueue_events large_client_header_buffers
   least_conn least_time limit_conn limit_conn_dry_run limit_conn_log_level limit_conn_status limit_conn_zone limit_except limit_rate
   limit_rate_after limit_req limit_req_dry_run limit_req_log_level limit_req_status limit_req_zone lingering_close lingering_time
   lingering_timeout listen load_module location lock_file log_format log_not_found log_subrequest map map_hash_bucket_size
   map_hash_max_size master_process max_headers max_ranges merge_slashes min_delete_depth mirror mirror_request_body modern_browser
   modern_browser_value mp4 mp4_buffer_size mp4_max_buffer_size mp4_start_key_frame msie_padding msie_refresh multi_accept open_file_cache
   open_file_cache_errors open_file_cache_events open_file_cache_min_uses open_file_cache_valid open_log_file_cache output_buffers
   override_charset pass pcre_jit perl perl_modules perl_require perl_set pid port_in_redirect post_acceptex post_action postpone_gzipping
   postpone_output preread_buffer_size preread_timeout quic_active_connection_id_limit quic_bpf quic_gso quic_host_key quic_retry random
   random_index read_ahead real_ip_header real_ip_recursive recursive_error_pages referer_hash_bucket_size referer_hash_max_size
   request_pool_size reset_timedout_connection resolver resolver_timeout return rewrite rewrite_log root satisfy secure_link secure_link_md5
   secure_link_secret send_lowat send_timeout sendfile sendfile_max_chunk server server_name server_name_in_redirect
   server_names_hash_bucket_size server_names_hash_max_size server_tokens set set_real_ip_from slice source_charset split_clients ssi
   ssi_ignore_recycled_buffers ssi_last_modified ssi_min_file_chunk ssi_silent_errors ssi_types ssi_value_length ssl state sticky stream
   stub_status sub_filter sub_filter_last_modified sub_filter_once sub_filter_types subrequest_output_buffer_size tcp_nodelay tcp_nopush
   thread_pool timer_resolution try_files types types_hash_bucket_size types_hash_max_size underscores_in_headers
   uninitialized_variable_warn upstream use user userid userid_domain userid_expires userid_flags userid_mark userid_name userid_p3p
   userid_path userid_service valid_referers variables_hash_bucket_size variables_hash_max_size worker_aio_requests worker_connections
   worker_cpu_affinity worker_priority worker_processes worker_rlimit_core worker_rlimit_nofile worker_shutdown_timeout working_directory
   xclient xml_entities xml_external_entities xslt_last_modified xslt_param xslt_string_param xslt_stylesheet xslt_types zone`,
  fastcgi_: `bind buffer_size buffering buffers busy_buffers_size cache cache_background_update cache_bypass cache_key cache_lock cache_lock_age
   cache_lock_timeout cache_max_range_offset cache_methods cache_min_uses cache_path cache_revalidate cache_use_stale cache_valid
   catch_stderr connect_timeout force_ranges hide_header ignore_client_abort ignore_headers index intercept_errors keep_conn limit_rate
   max_temp_file_size next_upstream next_upstream_timeout next_upstream_tries no_cache param pass pass_header pass_request_body
   pass_request_headers read_timeout request_buffering send_lowat send_timeout socket_keepalive socket_rcvbuf socket_sndbuf split_path_info
   store store_access temp_file_write_size temp_path`,
  grpc_: `bind buffer_size connect_timeout hide_header ignore_headers intercept_errors next_upstream next_upstream_timeout next_upstream_tries pass
   pass_header read_timeout send_timeout set_header socket_keepalive socket_rcvbuf socket_sndbuf ssl_certificate ssl_certificate_cache
   ssl_certificate_key ssl_ciphers ssl_conf_command ssl_crl ssl_name ssl_password_file ssl_protocols ssl_server_name ssl_session_reuse
   ssl_trusted_certificate ssl_verify ssl_verify_depth`,
  memcached_: `bind buffer_size connect_timeout gzip_flag next_upstream next_upstream_timeout next_upstream_tries pass read_timeout send_timeout
   socket_keepalive`,
  proxy_: `bind buffer_size buffering buffers busy_buffers_size cache cache_background_update cache_bypass cache_convert_head cache_key cache_lock
   cache_lock_age cache_lock_timeout cache_max_range_offset cache_methods cache_min_uses cache_path cache_revalidate cache_use_stale
   cache_valid connect_timeout cookie_domain cookie_flags cookie_path download_rate downstream_buffer force_ranges half_close
   headers_hash_bucket_size headers_hash_max_size hide_header http_version ignore_client_abort ignore_headers intercept_errors limit_rate
   max_temp_file_size method next_upstream next_upstream_timeout next_upstream_tries no_cache pass pass_header pass_request_body
   pass_request_headers pass_trailers protocol protocol_timeout read_timeout redirect request_buffering requests responses send_lowat
   send_timeout set_body set_header socket_keepalive socket_rcvbuf socket_sndbuf ssl ssl_alpn ssl_certificate ssl_certificate_cache
   ssl_certificate_key ssl_ciphers ssl_conf_command ssl_crl ssl_name ssl_password_file ssl_protocols ssl_server_name ssl_session_reuse
   ssl_trusted_certificate ssl_verify ssl_verify_depth store store_access temp_file_write_size temp_path timeout upload_rate upstream_buffer`,
  scgi_: `bind buffer_size buffering buffers busy_buffers_size cache cache_background_update cache_bypass cache_key cache_lock cache_lock_age
   cache_lock_timeout cache_max_range_offset cache_methods cache_min_uses cache_path cache_revalidate cache_use_stale cache_valid
   connect_timeout force_ranges hide_header ignore_client_abort ignore_headers intercept_errors limit_rate max_temp_file_size next_upstream
   next_upstream_timeout next_upstream_tries no_cache param pass pass_header pass_request_body pass_request_headers read_timeout
   request_buffering send_timeout socket_keepalive socket_rcvbuf socket_sndbuf store store_access temp_file_write_size temp_path`,
  ssl_: `alpn buffer_size certificate certificate_cache certificate_compression certificate_key ciphers client_certificate conf_command crl
   dhparam early_data ecdh_curve ech_file engine handshake_timeout object_cache_inheritable ocsp ocsp_cache ocsp_responder password_file
   prefer_server_ciphers preread protocols reject_handshake session_cache session_ticket_key session_tickets session_timeout stapling
   stapling_file stapling_responder stapling_verify trusted_certificate verify_client verify_depth`,
  tunnel_: `bind buffer_size connect_timeout next_upstream next_upstream_timeout next_upstream_tries pass read_timeout send_lowat send_timeout
   socket_keepalive socket_rcvbuf socket_sndbuf`,
  uwsgi_: `bind buffer_size buffering buffers busy_buffers_size cache cache_background_update cache_bypass cache_key cache_lock cache_lock_age
   cache_lock_timeout cache_max_range_offset cache_methods cache_min_uses cache_path cache_revalidate cache_use_stale cache_valid
   connect_timeout force_ranges hide_header ignore_client_abort ignore_headers intercept_errors limit_rate max_temp_file_size modifier1
   modifier2 next_upstream next_upstream_timeout next_upstream_tries no_cache param pass pass_header pass_request_body pass_request_headers
   read_timeout request_buffering send_timeout socket_keepalive socket_rcvbuf socket_sndbuf ssl_certificate ssl_certificate_cache
   ssl_certificate_key ssl_ciphers ssl_conf_command ssl_crl ssl_name ssl_password_file ssl_protocols ssl_server_name ssl_session_reuse
   ssl_trusted_certificate ssl_verify ssl_verify_depth store store_access string temp_file_write_size temp_path`,
};
const knownDirectives = new Set(
  Object.entries(directivesOfModules).flatMap(([prefix, names]) => names.split(/\s+/).map((name) => prefix + name)),
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
      if (locations.has(key)) return `duplicate location "${parseLocation(args).name}" in ${at(statement)}`;
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
      const { sign, name } = parseLocation(statement.args);
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
