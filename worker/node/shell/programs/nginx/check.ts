// What nginx says of a configuration that it cannot read: `nginx -t`, and its log where it does not start.
import { limits } from "../../../../../shared/base/limits.ts";
import { budgetOf, compilePattern, compileUnits, isPattern } from "../../../../../shared/base/pattern.ts";
import type { Files } from "../../files.ts";
import { type Directive, directivesNamed, mistakeIn } from "./config.ts";
import { configOf, placed, targetParts } from "./nginx.ts";

const known = new Set(
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
/** Blocks in which words stand that are no directives. */
const tables = new Set("types map geo split_clients charset_map".split(" "));
const mainPath = "/etc/nginx/nginx.conf";

/** Why it does not start, as it says it; undefined: it does. `resolves`: whether a name leads somewhere. */
export function nginxProblem(files: Files, resolves: (host: string) => boolean): string | undefined {
  const spend = budgetOf(limits.requestPatternUnits);
  const all = configOf(files);
  for (const [path, directives] of all) {
    const mistake = mistakeIn(files.get(path)?.text ?? "");
    if (mistake) return `${mistake.why} in ${path}:${mistake.line}`;
    const problem = wrongIn(directives, path);
    if (problem !== undefined) return problem;
    for (const { args, line } of directivesNamed(directives, "location")) {
      const { sign, name } = placed(args);
      if (!sign.startsWith("~")) continue;
      const found = spend(compileUnits(name)) ? compilePattern(name) : { error: "too much to compile" };
      if (isPattern(found)) continue;
      const why = found.error.replace("error parsing regexp: ", "");
      return `pcre2_compile() failed: ${why} in "${name}" in ${path}:${line}`;
    }
  }
  const main = files.get(mainPath)?.text;
  if (main !== undefined && !all.some(([, directives]) => directivesNamed(directives, "events").length > 0)) {
    return 'no "events" section in configuration';
  }
  return unresolved(all, resolves);
}

function wrongIn(directives: readonly Directive[], path: string, isTable = false): string | undefined {
  for (const { name, args, body, line } of directives) {
    if (isTable) continue;
    if (!known.has(name)) return `unknown directive "${name}" in ${path}:${line}`;
    if (blocks.has(name) && !body && !(name === "server" && args.length > 0))
      return `directive "${name}" has no opening "{" in ${path}:${line}`;
    if (body && !blocks.has(name)) return `directive "${name}" is not terminated by ";" in ${path}:${line}`;
    const isWrong =
      (name === "location" && args.length === 0) ||
      (/^(listen|root|proxy_pass|server_name|return)$/.test(name) && args.length === 0) ||
      (name === "root" && args.length > 1);
    if (isWrong) return `invalid number of arguments in "${name}" directive in ${path}:${line}`;
    const inside = body ? wrongIn(body, path, tables.has(name)) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** Names in `proxy_pass` and in upstreams have to lead somewhere when it starts, unless variables stand in them. */
function unresolved(all: ReturnType<typeof configOf>, resolves: (host: string) => boolean): string | undefined {
  const upstreams = new Set(
    all.flatMap(([, directives]) => directivesNamed(directives, "upstream").map(({ args: [name = ""] }) => name)),
  );
  for (const [path, directives] of all) {
    for (const {
      args: [target = ""],
      line,
    } of directivesNamed(directives, "proxy_pass")) {
      if (target.includes("$")) continue;
      const parts = targetParts(target);
      if (!parts) return `invalid URL prefix in ${path}:${line}`;
      if (upstreams.has(parts.host) || resolves(parts.host)) continue;
      return `host not found in upstream "${parts.host}" in ${path}:${line}`;
    }
    for (const { body = [] } of directivesNamed(directives, "upstream")) {
      for (const {
        args: [where = ""],
        line,
      } of directivesNamed(body, "server")) {
        const host = where.replace(/:\d+$/, "");
        if (!where.startsWith("unix:") && !resolves(host))
          return `host not found in upstream "${where}" in ${path}:${line}`;
      }
    }
  }
  return undefined;
}
