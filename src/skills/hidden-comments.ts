/**
 * Text of a skill that its reader does not see and a model does: comments and hidden elements. Finds those that order an agent to
 * send secrets away. `suspicion.ts` makes marks of them.
 *
 * Honest comments speak of keys and of sending too, so an order counts only where its object is a secret, nothing negates it, it is
 * not quoted, and it says where to. Every pattern is bounded: the text is untrusted.
 */

/** Characters of a comment that are read: longer ones hold licences and examples. */
const COMMENT_CHARACTERS = 4_000;
/** Characters of hidden text of one file that are read, which bounds the work: 16 long comments. */
const MAX_CHARACTERS = 65_536;

/** Matches every text with hidden text. */
export const HIDDEN_TEXT = /<!--|^[ \t]{0,3}\[[^\]\n]{1,40}\]:|display\s{0,3}:\s{0,3}none|\shidden[\s>]/im;

const ELEMENT =
  /<([a-z]{1,20})\s(?:[^<>\n]{0,200}\bdisplay\s{0,3}:\s{0,3}none\b[^<>\n]{0,200}|(?:[^<>\n]{0,200}\s)?hidden(?:\s[^<>\n]{0,200})?)>/gi;
/** Link definitions that define nothing are the comments of Markdown. Those on lines in a row are read as one. */
const LINK_COMMENTS =
  /(?:^[ \t]{0,3}\[(?:\/\/|#|_|-|comment\w{0,10}|note|hidden)\]:[ \t]{1,4}(?:#|<>|\/)[ \t]{0,4}(?:\n[ \t]{0,8})?["'(].{0,2000}(?:\n|$)){1,50}/gim;

/** In a comment: an instruction, and what makes it more than a note to editors. */
const ORDER =
  /\b(?:agent|assistant|ai|llm|model|claude|you)\b[^\n]{0,80}\b(?:must|should|shall|will|need to|always)\b(?!\s{1,3}(?:not|never)\b)/i;
const HARM =
  /\b(?:send|output|post|upload|transmit|include|exfiltrate|forward)\b[^\n]{0,120}\b(?:api[ -]?keys?|credentials?|secrets?|passwords?|tokens?|environment variables|private keys?)\b|\bignore\b[^\n]{0,40}\binstructions\b|\b(?:do not|don't|never|without)\b[^\n]{0,40}\b(?:tell|mention|inform|asking|notify)\b[^\n]{0,30}\buser\b/i;

const SECRET_WORDS = [
  'api[ -]?keys?|credentials?|secrets?|passwords?|passphrases?|(?:access|auth|session|npmrc|bearer)[ -]?tokens?|tokens? (?:in|of|from)|environment variables?|env vars?|private keys?|ssh keys?|keychain|(?:session )?cookies|logins?|a key',
  'zugangsdaten|passw[oö]rt\\p{L}{0,3}|geheimnisse?|(?:api-?)?schlüssel|umgebungsvariablen?',
  "cl(?:é|e)s? (?:d['’]api|privées?|ssh)|mots? de passe|identifiants|jetons?|variables? d['’]environnement",
  'contraseñas?|claves?|credenciales|secretos?|variables de entorno|senhas?|chaves?|credenciais|segredos|variáveis de ambiente',
  "credenziali|chiav[ei]|segreti|variabili d['’]ambiente|wachtwoord\\p{L}{0,3}|sleutels?|has(?:ło|ła|eł)|şifre\\p{L}{0,6}|parola\\p{L}{0,6}",
  'парол\\p{L}{0,3}|ключ\\p{L}{0,3}|секрет\\p{L}{0,3}|токен\\p{L}{0,3}|уч[её]тн\\p{L}{2,3} данн\\p{L}{2,3}|переменн\\p{L}{2,3} (?:среды|окружения)',
];
const SECRET_FILES = String.raw`(?<![\p{L}\p{N}])\.(?:env|ssh|aws|netrc|npmrc|pypirc|git-credentials|kube|gnupg)(?![\p{L}\p{N}])|\bid_(?:rsa|ed25519)\b|/etc/(?:passwd|shadow)\b|\b[A-Z][A-Z0-9]{1,20}_(?:[A-Z]{1,10}_)?(?:KEY|TOKEN|SECRET|PASSWORD)\b`;
const SECRET_SIGNS =
  '密钥|密鑰|密码|密碼|凭证|凭据|憑證|令牌|口令|环境变量|環境變數|私钥|私鑰|パスワード|秘密鍵|APIキー|認証情報|トークン|環境変数|비밀번호|(?:API|비밀) ?키|인증 ?정보|토큰|환경 ?변수|자격 ?증명';
const SECRET = `(?:(?<!\\p{L})(?:${SECRET_WORDS.join('|')})(?!\\p{L}|\\.\\w)|${SECRET_FILES}|${SECRET_SIGNS})`;

const SEND_WORDS = [
  'send|post|upload|transmit|exfiltrate|forward|e-?mail|leak|share|submit|relay|deliver|append|beacon|report|copy',
  'schicken?|schicke|sende[nt]?|übertragen?|übermitteln?|übermittle|maile|lade|leite',
  'envoie[sz]?|envoyez|envoyer|transmet(?:s|tez|tre)|téléverse[rz]?',
  'env[ií]a|envíe|enviar|envie|manda|mande|mandar|sube|suba|transmite|transmita|invia|inviare|trasmetti|carica|stuur|verstuur|wyślij|prześlij|gönder',
  'отправ(?:ь|ьте|ить|ляй|ляйте)|перешли(?:те)?|пошли(?:те)?|передай(?:те)?|загрузи(?:те)?',
];
const SEND = `(?<![\\p{L}\\p{N}'’-])(?:${SEND_WORDS.join('|')})(?![\\p{L}-])`;
const SEND_SIGNS =
  '发送|發送|上传|上傳|传送|傳送|提交|发到|发给|寄到|寄给|送信|送って|送れ|アップロード|転送|投稿|전송|보내|업로드|송신';
const SENT = '(?:sent|posted|uploaded|transmitted|forwarded|e-?mailed|shared|submitted|copied)';

const PLACE = String.raw`(?:https?://|ftp://|\b(?:\d{1,3}\.){3}\d{1,3}\b|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.\w|@\w{3}|\*\.[\w-]{2,63}\.\w{2}|(?<![\w-])[\w-]{2,63}\.(?:onion|ru|xyz|top|site|io)\b)`;
/** Where a secret leaves the machine without an address. */
const SINK = String.raw`\b(?:every|each|all|the|your|its) (?:\w{1,20} ){0,2}(?:urls?|quer(?:y|ies)|requests?|commit messages?|repl(?:y|ies)|query string|issue|pull request|dns)\b|\bquery string\b|\b(?:image|markdown|tracking) (?:urls?|links?)\b|\b(?:public )?gist\b|\bpastebin\b|\bvia dns\b`;
/** A call that sends the whole environment. */
const ENVIRONMENT =
  /\b(?:fetch|axios(?:\.\w{1,10})?|requests\.\w{3,5}|got)\s?\([^\n]{0,200}\b(?:process\.env|os\.environ)\b(?!\s?[.[])/;
const PUTS =
  '(?<![\\p{L}-])(?:include|append|put|write|paste|add|embed|encode|reply with|print|place|attach|exfiltrate|send|post)(?![\\p{L}-])';
const THING =
  /^\s{1,3}(?:it|them|that|this|these|what (?:you|is|was)|everything|the (?:contents?|values?|results?|list|file|output)|le contenu|el contenido|o conteúdo|il contenuto|den inhalt|содержим\p{L}{1,3})(?!\p{L})/iu;
const TO = /^\s{1,3}(?:it |them )?to /i;
const IS = /\b(?:is|are|be|get|gets|being|been)\s{1,3}$/i;

const NEGATED =
  /(?<!\p{L})(?:never|not|n['’]t|don['’]t|no|avoid|how to|nie|niemals|nicht|keine?|ne|jamais|nunca|jamás|não|non|mai|не|никогда|nigdy|asla|before|used to)(?!\p{L})[^.,;!?]{0,24}$|(?:^|[\s(])n['’]$|(?:不|勿|禁止|别|別)[^。，；]{0,20}$/iu;
const NEGATED_AFTER = /^(?:し|され)?(?:ない|ません|ず|禁止)|^.{0,10}(?:마세요|지 ?마|않|금지)/u;
/** A key that an API asks for is sent in a header. */
const HEADER = /\bheaders?\b|\bauthorization\b|\bbearer\b/i;

/** What a text is searched for. Matches of one kind that are looked at are few: an order has one of each. */
const KINDS = {
  secret: SECRET,
  file: `(?:${SECRET_FILES}|\\$\\(env\\))`,
  send: SEND,
  sendSign: SEND_SIGNS,
  sent: SENT,
  put: PUTS,
  command: '\\b(?:curl|wget|nc)\\b',
  place: PLACE,
  sink: SINK,
} as const;
const PATTERNS = Object.fromEntries(
  Object.entries(KINDS).map(([kind, source]) => [kind, new RegExp(source, 'giu')]),
);
const MAX_SPANS = 40;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Offsets of the hidden texts that order to send secrets away, or otherwise order an agent against its user. */
export function* hiddenOrders(text: string): Generator<number> {
  let left = MAX_CHARACTERS;
  for (const { at, content } of hiddenTexts(text)) {
    const written = toPlainText(content);
    const readings = [written, ...decodeBase64(written)];
    if (readings.some((reading) => ordersHarm(reading, content))) yield at;
    left -= content.length;
    if (left < 0) return;
  }
}

function ordersHarm(reading: string, content: string): boolean {
  if ((ORDER.test(content) && HARM.test(content)) || ENVIRONMENT.test(reading)) return true;
  const found = new Map<keyof typeof KINDS, readonly Span[]>();
  const spans = (kind: keyof typeof KINDS): readonly Span[] => {
    const known = found.get(kind) ?? findSpans(reading, PATTERNS[kind]!);
    found.set(kind, known);
    return known;
  };
  const isAny = (kind: keyof typeof KINDS, test: (span: Span) => boolean) => spans(kind).some(test);
  const isPlaceWithin = (from: number, reach: number) =>
    isAny('place', (place) => follows(place, from, reach));
  if (spans('secret').length === 0) return false;
  /** The text after a verb: a secret and then a place, or a place and then a secret, or a thing that was named before. */
  const isSent = ({ from, to }: Span) =>
    isAny('secret', (secret) => follows(secret, to, 120) && isPlaceWithin(secret.to, 160)) ||
    (TO.test(reading.slice(to, to + 12)) &&
      isAny(
        'place',
        (place) => follows(place, to, 12) && isAny('secret', (secret) => follows(secret, place.to, 160)),
      )) ||
    (THING.test(reading.slice(to, to + 40)) &&
      isAny('secret', (secret) => follows({ from, to }, secret.to, 200)) &&
      isPlaceWithin(to, 140));
  const isPassive = (verb: Span) =>
    IS.test(reading.slice(Math.max(0, verb.from - 8), verb.from)) &&
    isAny('secret', (secret) => follows(verb, secret.to, 80)) &&
    isPlaceWithin(verb.to, 60);
  const isSignOfSending = (verb: Span) =>
    isAny('secret', (secret) => follows(verb, secret.to, 160)) &&
    (isPlaceWithin(verb.to, 100) || isAny('place', (place) => follows(verb, place.to, 160)));
  const isPut = ({ to }: Span) =>
    isAny(
      'secret',
      (secret) => follows(secret, to, 120) && isAny('sink', (sink) => follows(sink, secret.to, 160)),
    );
  const isCommand = ({ to }: Span) =>
    isAny('file', (file) => follows(file, to, 200) && isPlaceWithin(file.to, 200));
  const isOrder = (verb: Span) => isOrdered(reading, verb);
  return (
    spans('command').some(isCommand) ||
    spans('send').some((verb) => isSent(verb) && isOrder(verb)) ||
    spans('sent').some((verb) => isPassive(verb) && isOrder(verb)) ||
    spans('sendSign').some((verb) => isSignOfSending(verb) && isOrder(verb)) ||
    spans('put').some((verb) => isPut(verb) && isOrder(verb))
  );
}

const findSpans = (text: string, pattern: RegExp): readonly Span[] => {
  const spans: Span[] = [];
  for (const { index, 0: match } of text.matchAll(pattern)) {
    spans.push({ from: index, to: index + match.length });
    if (spans.length === MAX_SPANS) break;
  }
  return spans;
};

/** Whether the span begins at most `reach` characters after `at`. */
const follows = ({ from }: Span, at: number, reach: number) => from >= at && from - at <= reach;

/** Whether the verb is neither negated nor quoted, nor says how an API is called. */
function isOrdered(reading: string, { from, to }: Span): boolean {
  const before = reading.slice(Math.max(0, from - 80), from);
  const after = reading.slice(to, to + 120);
  const isQuoted = /["“«「`][^"”»」`]{0,60}$/.test(before);
  return !NEGATED.test(before) && !NEGATED_AFTER.test(after) && !isQuoted && !HEADER.test(before + after);
}

function* hiddenTexts(text: string): Generator<{ readonly at: number; readonly content: string }> {
  for (let at = text.indexOf('<!--'); at !== -1; ) {
    const end = text.indexOf('-->', at + 4);
    const stop = Math.min(end === -1 ? text.length : end, at + COMMENT_CHARACTERS);
    yield { at, content: text.slice(at + 4, stop) };
    at = text.indexOf('<!--', stop);
  }
  for (const { index, 0: block } of text.matchAll(LINK_COMMENTS))
    yield {
      at: index,
      content: block
        .slice(0, COMMENT_CHARACTERS)
        .replace(/^[^\n]{0,60}?["'(]/gm, '')
        .replace(/["')]\s*$/gm, ''),
    };
  for (const { index, 0: tag, 1: name = '' } of text.matchAll(ELEMENT)) {
    const from = index + tag.length;
    const end = text.indexOf(`</${name}`, from);
    yield {
      at: index,
      content: text.slice(from, Math.min(end === -1 ? text.length : end, from + COMMENT_CHARACTERS)),
    };
  }
}

/** On one line, without invisible characters, entities and emphasis. */
const toPlainText = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/&#(x?)([0-9a-f]{1,6});/gi, (entity, hex: string, digits: string) => {
      const code = Number.parseInt(digits, hex === '' ? 10 : 16);
      return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : entity;
    })
    .replace(/[\p{Cf}\u{E0000}-\u{E007F}]/gu, '')
    .replace(/\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)/g, '')
    .replace(/\s+/g, ' ');

/** What base64 in the text says, where it says something. */
function decodeBase64(text: string): string[] {
  return Array.from(text.matchAll(/[A-Za-z0-9+/_-]{24,2000}={0,2}/g))
    .slice(0, 10)
    .map(([token]) => Buffer.from(token, 'base64').toString('utf8'))
    .filter((decoded) => /^[\t\n\r\x20-\x7e\u00a0-\ufffc]{12,}$/u.test(decoded))
    .map(toPlainText);
}
