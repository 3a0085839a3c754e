/**
 * Replaces secrets in a text by a mask, and makes values small enough for a log. A secret in an unknown format without a telling
 * name passes. The paths that the operator configures are masked by pino (`audit.ts`).
 */

import { parseJson } from '../json.ts';

/**
 * Formats of secrets, as data. The prefixes and lengths are those that the issuers document and that the kept lists of
 * secret scanners have: gitleaks (https://github.com/gitleaks/gitleaks, MIT licence, © Zachary Rice), whose rule ids are
 * used here. The patterns are our own, for JavaScript, and every repetition is bounded or has one reading only.
 *
 * To update: compare the ids with `config/gitleaks.toml` of a new release, and add what has a fixed prefix. Rules that
 * need entropy or the name of a service near them are left out: they mask ordinary words.
 */
export const SECRET_RULES: Readonly<Record<string, RegExp>> = {
  'private-key':
    /-----BEGIN[A-Z0-9 ]{0,100}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END[A-Z0-9 ]{0,100}-----|$)/g,
  'age-secret-key': /\bAGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/g,
  jwt: /\bey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g,
  'skillgate-token': /\bsgt_[\w-]{20,}/g,
  // Clouds.
  'aws-access-token': /\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  'aws-amazon-bedrock-api-key': /\bABSK[A-Za-z0-9+/]{100,270}={0,2}/g,
  'gcp-api-key': /\bAIza[\w-]{35}/g,
  'gcp-oauth-token': /\bya29\.[\w-]{20,}/g,
  'azure-ad-client-secret': /\b[a-zA-Z0-9_~.]{3}\dQ~[a-zA-Z0-9_~.-]{31,34}/g,
  'azure-storage-key': /(?<=AccountKey=)[A-Za-z0-9+/]{40,100}={0,2}/g,
  'alibaba-access-key-id': /\bLTAI[a-zA-Z0-9]{12,30}\b/g,
  'digitalocean-token': /\bdo[opr]_v1_[a-f0-9]{64}\b/g,
  'cloudflare-origin-ca-key': /\bv1\.0-[a-f0-9]{24}-[a-f0-9]{146}\b/g,
  'fly-access-token': /\bfo1_[\w-]{43}\b|\bfm[12][ar]?_[A-Za-z0-9+/]{100,}={0,3}/g,
  'heroku-api-key-v2': /\bHRKU-AA[\w-]{58}\b/g,
  'yandex-api-key': /\bAQVN[\w-]{35,38}/g,
  'tencent-cloud-secret-id': /\bAKID[A-Za-z0-9]{32}\b/g,
  // Secret stores and infrastructure.
  'vault-service-token': /\bhvs\.[\w-]{24,200}|\bs\.[A-Za-z0-9]{24}(?![\w.])/g,
  'vault-batch-token': /\bhv[br]\.[\w-]{24,400}|\bb\.AAAAAQ[\w-]{100,300}/g,
  'hashicorp-tf-api-token': /\b[a-zA-Z0-9]{14}\.atlasv1\.[\w=-]{60,70}/g,
  'doppler-api-token': /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[a-zA-Z0-9._-]{40,}/g,
  '1password-service-account-token': /\bops_eyJ[a-zA-Z0-9+/]{100,}={0,3}/g,
  'pulumi-api-token': /\bpul-[a-f0-9]{40}\b/g,
  'databricks-api-token': /\bdapi[a-f0-9]{32}(?:-\d)?\b/g,
  'grafana-token': /\bgl(?:c_[A-Za-z0-9+/]{32,400}={0,3}|sa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})/g,
  'new-relic-key': /\bNR(?:AK|II|JS|RA)-[A-Za-z0-9-]{19,32}/g,
  'sentry-token': /\bsntr(?:ys_eyJ[A-Za-z0-9+/=_-]{60,}|yu_[a-f0-9]{64})/g,
  'dynatrace-api-token': /\bdt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b/g,
  'kubernetes-bootstrap-token': /(?<=\btoken\s{0,2}[:=]\s{0,2})[a-z0-9]{6}\.[a-z0-9]{16}\b/g,
  // Forges and registries.
  'github-token': /\bgh[pousr]_[A-Za-z0-9]{20,255}\b/g,
  'github-fine-grained-pat': /\bgithub_pat_\w{20,255}\b/g,
  'gitlab-token': /\bgl(?:pat|ptt|dt|rt|soat|ft|cbt|imt|agent|oas|ffct)-[\w.-]{20,}/g,
  'atlassian-api-token': /\bATATT3[A-Za-z0-9_=-]{50,}/g,
  'bitbucket-app-password': /\bATBB[A-Za-z0-9]{28,}/g,
  'npm-access-token': /\bnpm_[A-Za-z0-9]{36}\b/g,
  'pypi-upload-token': /\bpypi-AgEIcHlwaS5vcmc[\w-]{50,}/g,
  'rubygems-api-token': /\brubygems_[a-f0-9]{48}\b/g,
  'docker-pat': /\bdckr_(?:pat|oat)_[\w-]{20,}/g,
  'cratesio-api-token': /\bcio[A-Za-z0-9]{32}\b/g,
  // Services.
  'openai-anthropic-and-similar-api-key': /\bsk-[A-Za-z0-9_-]{16,}/g,
  'huggingface-access-token': /\b(?:hf|api_org)_[A-Za-z]{34}\b/g,
  'groq-xai-perplexity-api-key': /\b(?:gsk_[A-Za-z0-9]{50,}|xai-[\w-]{50,}|pplx-[A-Za-z0-9]{40,})/g,
  'replicate-api-token': /\br8_[A-Za-z0-9]{37}\b/g,
  'stripe-access-token': /\b(?:[sr]k|whsec)_(?:live_|test_|prod_)?[A-Za-z0-9]{16,}/g,
  'square-access-token': /\b(?:EAAA[\w-]{60}|sq0[a-z]{3}-[\w-]{22,43})/g,
  'shopify-token': /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/g,
  'twilio-api-key': /\bSK[0-9a-f]{32}\b/g,
  'sendgrid-api-token': /\bSG\.[\w-]{20,24}\.[\w-]{39,50}/g,
  'mailgun-mailchimp-key': /\bkey-[a-f0-9]{32}\b|\b[a-f0-9]{32}-us\d{1,2}\b/g,
  'slack-token': /\bxox[abeoprs](?:\.xox[abp])?-[\w-]{10,}|\bxapp-\d-[\w-]{20,}/g,
  'slack-webhook-url': /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/+-]{20,}/g,
  'discord-webhook-url': /(?<=discord(?:app)?\.com\/api\/webhooks\/)\d{15,21}\/[\w-]{40,}/g,
  'telegram-bot-api-token': /\b\d{5,16}:AA[\w-]{32,34}\b/g,
  'linear-notion-figma-airtable-key':
    /\b(?:lin_api_[A-Za-z0-9]{40}|ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}|figd_[\w-]{40,}|pat[A-Za-z0-9]{14}\.[a-f0-9]{64})/g,
  'postman-api-token': /\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b/g,
  'planetscale-token': /\bpscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}/g,
  'supabase-token': /\bsb[ps]_[A-Za-z0-9_]{20,}/g,
  'easypost-frameio-typeform-key': /\b(?:EZ[AT]K[A-Za-z0-9]{54}|fio-u-[\w=-]{64}|tfp_[\w=.-]{59})/g,
  // Headers, URLs and assignments, whatever the format of the value.
  'bearer-header': /(?<=\bbearer\s{1,4})[\w.~+/-]{8,}={0,3}/gi,
  // Base64 has a capital or a digit after its first letter; "Basic instructions" has none.
  'basic-header':
    /(?<=\b[Bb]asic\s{1,4})(?=[A-Za-z0-9+/][A-Za-z0-9+/]{0,500}[A-Z0-9+/=])[A-Za-z0-9+/]{8,}={0,2}/g,
  'authorization-value':
    /(?<=\b(?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,4})[^\s"']{4,}/gi,
  'url-credentials': /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:"'<>]{0,200}:[^\s/@"'<>]{1,200}(?=@)/gi,
  'curl-user': /(?<=\bcurl\b[^\n]{0,200}\s(?:-u|--user)[= ]{1,2}["']?)[^\s"':]{1,100}:[^\s"']{1,200}/gi,
  assignment:
    /(?<=(?:passw(?:or)?d|passphrase|\bpwd(?!=[/~])|secret|api[-_]?key|access[-_]?key|private[-_]?key|auth[-_]?token|access[-_]?token|refresh[-_]?token|\btoken|credentials?)["']?\s{0,4}(?:=|:|=>|:=)\s{0,4})(?:"[^"\n]{1,500}"|'[^'\n]{1,500}'|[^\s"',;&<>(){}[\]]{3,500})/gi,
  'command-option':
    /(?<=\s--?(?:password|passwd|token|secret|api-?key|access-?key)[= ])(?!-)[^\s"']{3,500}/gi,
};

const SECRET_NAME =
  /(?:authorization|cookie|passw(?:or)?ds?|passphrase|pwd|secrets?|tokens?|(?:api|access|secret|private)[-_]?keys?|credentials?)$|(?:^|[-_])(?:pass|auth|otp|totp|mfa|pin)$/i;

/** Whether a member probably holds a credential, by its name. A number of tokens (`maxTokens`) is a count. */
const isSecret = (name: string, value: unknown): boolean =>
  SECRET_NAME.test(name) && !(typeof value === 'number' && /tokens$/i.test(name));

const RULES = Object.values(SECRET_RULES);

/** What a secret contains, or has before it: most texts have none of it, and this test costs less than the rules. */
const MAY_HAVE =
  /[_.~+/=:-]|AKIA|ASIA|AIza|LTAI|AKID|ABSK|ABIA|ACCA|A3T|ATBB|ATATT|AQVN|dapi|cio|SK[0-9a-f]{8}|EAAA|EZ[AT]K|bearer|basic/i;

export function withoutSecrets(text: string, mask: string): string {
  if (!MAY_HAVE.test(text)) return text;
  return RULES.reduce((clean, rule) => clean.replace(rule, mask), text);
}

/** Replaces a masked value. */
export const MASK = '[redacted]';

/** Limits of a logged value: characters per string, members or elements per level, levels. */
const MAX_CHARACTERS = 500;
const MAX_MEMBERS = 30;
const MAX_DEPTH = 5;
/** Characters of a text that is read as JSON. */
const MAX_JSON = 100_000;

/** A copy that is safe and small enough to log. Takes any value and never throws. Undefined for what is not data. */
export function loggable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    // Members of JSON inside of a text have names, too.
    const inside = value.length <= MAX_JSON && /^\s*[[{]/.test(value) ? parseJson(value) : undefined;
    const text = inside instanceof Object ? JSON.stringify(loggable(inside, depth + 1)) : value;
    return shorten(withoutSecrets(text.slice(0, 4 * MAX_CHARACTERS), MASK));
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object') return undefined;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const shown = value.slice(0, MAX_MEMBERS).map((element) => loggable(element, depth + 1));
    return value.length > MAX_MEMBERS ? [...shown, `… ${value.length - MAX_MEMBERS} more`] : shown;
  }
  // An AbortSignal or a stream is not data.
  if (!isPlain(value)) return undefined;
  const members = Object.entries(value)
    .slice(0, MAX_MEMBERS)
    .map(([name, member]) => [
      shorten(withoutSecrets(name, MASK)),
      isSecret(name, member) ? MASK : loggable(member, depth + 1),
    ]);
  return Object.fromEntries(members);
}

const isPlain = (value: object) => [Object.prototype, null].includes(Object.getPrototypeOf(value));

const shorten = (text: string) =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…` : text;
