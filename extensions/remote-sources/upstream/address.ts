/** Addresses of upstream MCP servers, and how to show them without secrets. */

/** A program that speaks MCP on stdin and stdout. */
export interface ProgramAddress {
  readonly kind: 'program';
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the few variables that every program needs; the program gets nothing else of our environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** A server over Streamable HTTP. */
export interface HttpAddress {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type UpstreamAddress = ProgramAddress | HttpAddress;

/** Shorter values (`1`, `true`, `en`) are not secrets, and hiding them would garble messages. */
const SECRET_CHARACTERS = 6;

/** The address for people, without arguments, user names and queries: in practice all of them hold tokens. */
export function addressOrigin(address: UpstreamAddress): string {
  if (address.kind === 'program') return address.command;
  if (!URL.canParse(address.url)) return 'an address that is not a URL';
  // Not its origin: that is "null" for schemes other than those of the web.
  const { protocol, host, pathname } = new URL(address.url);
  return `${protocol}//${host}${pathname}`;
}

/** The configured secrets, longest first. Servers repeat them in their error messages. */
export function listSecrets(address: UpstreamAddress): readonly string[] {
  const given =
    address.kind === 'program'
      ? [...Object.values(address.env), ...address.args.flatMap((argument) => [argument, assigned(argument)])]
      : [...Object.values(address.headers).flatMap(secretWords), ...secretsOfUrl(address.url)];
  return [...new Set(given)]
    .filter((secret) => secret.length >= SECRET_CHARACTERS)
    .sort((a, b) => b.length - a.length);
}

export function redactor(address: UpstreamAddress): (text: string) => string {
  const secrets = listSecrets(address);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '[hidden]'), text);
}

/** `--token=abc` → `abc`. */
const assigned = (argument: string) => argument.slice(argument.indexOf('=') + 1);

/** Servers repeat `Bearer abc` with and without its first word. */
const secretWords = (value: string) => [value, ...value.split(/\s+/)];

function secretsOfUrl(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, password, search, searchParams } = new URL(text);
  return [username, decodeURIComponent(password), password, search, ...searchParams.values()];
}
