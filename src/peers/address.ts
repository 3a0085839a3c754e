/** Where another MCP server is, and how it is spoken of: without what is secret in that. */

/** A program that speaks on its stdin and stdout. */
export interface ProgramAddress {
  readonly kind: 'program';
  readonly command: string;
  readonly args: readonly string[];
  /** Beside the few variables that every program needs; nothing else of our environment is handed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** A server over Streamable HTTP. */
export interface WebAddress {
  readonly kind: 'web';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type PeerAddress = ProgramAddress | WebAddress;

/** Shorter values (`1`, `true`, `en`) are no secrets, and hiding them would tear holes into messages. */
const SECRET_CHARACTERS = 6;

/** For people: neither arguments, user names nor queries, all of which hold tokens in the wild. */
export function originOf(address: PeerAddress): string {
  if (address.kind === 'program') return address.command;
  if (!URL.canParse(address.url)) return 'an address that is no URL';
  const { origin, pathname } = new URL(address.url);
  return `${origin}${pathname}`;
}

/** Whatever the configuration gave the peer in confidence; the longest first. Peers repeat it in their complaints. */
export function secretsOf(address: PeerAddress): readonly string[] {
  const given =
    address.kind === 'program'
      ? [...Object.values(address.env), ...address.args.flatMap((argument) => [argument, assigned(argument)])]
      : [...Object.values(address.headers).flatMap(wordsOf), ...secretsOfUrl(address.url)];
  return [...new Set(given)]
    .filter((secret) => secret.length >= SECRET_CHARACTERS)
    .sort((a, b) => b.length - a.length);
}

export function redactor(address: PeerAddress): (text: string) => string {
  const secrets = secretsOf(address);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '[hidden]'), text);
}

/** `--token=abc` → `abc`. */
const assigned = (argument: string) => argument.slice(argument.indexOf('=') + 1);

/** `Bearer abc` is repeated with and without its first word. */
const wordsOf = (value: string) => [value, ...value.split(/\s+/)];

function secretsOfUrl(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, password, search, searchParams } = new URL(text);
  return [username, decodeURIComponent(password), password, search, ...searchParams.values()];
}
