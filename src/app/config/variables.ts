/** The environment variables of settings: those that a deployment sets. All others go into the file, or `--set`. */

export const VARIABLES: Readonly<Record<string, string>> = {
  SKILLGATE_INDEX: 'index.folder',
  SKILLGATE_EMBEDDER: 'index.embedder',
  SKILLGATE_AUTH_TOKENS: 'auth.tokens',
  SKILLGATE_HTTP_HOST: 'http.host',
  SKILLGATE_HTTP_PORT: 'http.port',
  SKILLGATE_HTTP_PUBLIC_URL: 'http.publicUrl',
  SKILLGATE_HTTP_ALLOWED_HOSTS: 'http.allowedHosts',
  SKILLGATE_HTTP_ALLOWED_ORIGINS: 'http.allowedOrigins',
  SKILLGATE_TELEMETRY_LOG: 'telemetry.log',
  SKILLGATE_TELEMETRY_AUDIT: 'telemetry.audit',
  SKILLGATE_STORE_URL: 'store.url',
  SKILLGATE_LEARN: 'learn',
};
