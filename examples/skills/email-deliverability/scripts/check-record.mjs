#!/usr/bin/env node
// Check the text of an SPF, DKIM or DMARC record, offline.
//
// Use:
//   node check-record.mjs --type spf|dkim|dmarc --record 'v=spf1 include:_spf.google.com ~all'
//   echo '{"type":"dmarc","record":"v=DMARC1; p=none"}' | node check-record.mjs
//
// --type may be left out: it is guessed from the beginning of the record.
// Prints JSON {type, valid, lookups?, tags?, findings: [{level: error|warning|info, message}]}.
// Exit 0 when it could judge (valid or not), 2 on bad input.
import { readFileSync } from 'node:fs';

const fail = (message) => {
  console.error(`check-record: ${message}`);
  process.exit(2);
};

function readArgs() {
  const argv = process.argv.slice(2);
  if (argv.length > 0) {
    const out = {};
    for (let i = 0; i < argv.length; i += 2) {
      const key = argv[i];
      if (!['--type', '--record'].includes(key)) fail(`unknown flag ${key}; use --type and --record`);
      if (argv[i + 1] === undefined) fail(`${key} needs a value`);
      out[key.slice(2)] = argv[i + 1];
    }
    return out;
  }
  if (process.stdin.isTTY) fail('give --record, or a JSON object on standard input');
  let data;
  try {
    data = JSON.parse(readFileSync(0, 'utf8'));
  } catch (e) {
    fail(`standard input is not JSON: ${e.message}`);
  }
  if (data === null || typeof data !== 'object' || Array.isArray(data)) fail('standard input must be a JSON object');
  return data;
}

const findings = [];
const error = (message) => findings.push({ level: 'error', message });
const warning = (message) => findings.push({ level: 'warning', message });
const info = (message) => findings.push({ level: 'info', message });

function tagsOf(record) {
  const tags = {};
  for (const part of record.split(';')) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    if (at < 0) {
      error(`"${part.trim()}" is not tag=value`);
      continue;
    }
    const key = part.slice(0, at).trim().toLowerCase();
    if (key in tags) error(`tag ${key} occurs twice`);
    tags[key] = part.slice(at + 1).trim();
  }
  return tags;
}

function checkSpf(record) {
  const terms = record.trim().split(/\s+/);
  if (terms[0]?.toLowerCase() !== 'v=spf1') error('must begin with v=spf1');
  let lookups = 0;
  let sawAll = -1;
  let redirect = false;
  terms.slice(1).forEach((term, i) => {
    const m = /^([+\-~?]?)([a-z0-9]+)([:=/].*)?$/i.exec(term);
    if (!m) return error(`cannot read "${term}"`);
    const [, qualifier, rawName, rest = ''] = m;
    const name = rawName.toLowerCase();
    if (rest.startsWith('=')) {
      if (name === 'redirect') { redirect = true; lookups += 1; }
      else if (name !== 'exp') warning(`unknown modifier ${name}`);
      return;
    }
    if (['include', 'a', 'mx', 'exists', 'ptr'].includes(name)) lookups += 1;
    else if (!['ip4', 'ip6', 'all'].includes(name)) error(`unknown mechanism "${term}"`);
    if (name === 'include' && !/^:\S+\.\S+/.test(rest)) error(`include needs a domain: "${term}"`);
    if (name === 'ip4' && !/^:\d{1,3}(\.\d{1,3}){3}(\/\d{1,2})?$/.test(rest)) error(`not an IPv4 address or range: "${term}"`);
    if (name === 'ip6' && !/^:[0-9a-f:.]+(\/\d{1,3})?$/i.test(rest)) error(`not an IPv6 address or range: "${term}"`);
    if (name === 'ptr') warning('ptr is slow and deprecated');
    if (name === 'all') {
      sawAll = i;
      if (qualifier === '' || qualifier === '+') error('+all lets every host on earth send as this domain');
      if (qualifier === '?') warning('?all protects nothing');
      if (i !== terms.length - 2) warning('terms after "all" are ignored');
    }
  });
  if (sawAll < 0 && !redirect) warning('no "all" at the end: the result for other hosts is neutral');
  if (sawAll >= 0 && redirect) warning('redirect is ignored when "all" is there');
  if (lookups > 10) error(`${lookups} look-ups at the first level alone; the limit is 10 in total`);
  else info(`${lookups} look-ups at the first level; those inside includes count as well (limit 10 in total)`);
  if (record.length > 450) warning(`${record.length} characters: may not fit one DNS answer`);
  return { lookups };
}

function checkDkim(record) {
  const tags = tagsOf(record);
  if (tags.v !== undefined && tags.v !== 'DKIM1') error('v must be DKIM1');
  if (tags.p === undefined) error('no p= (public key)');
  else if (tags.p === '') warning('empty p=: this key is revoked');
  else {
    const key = tags.p.replace(/\s+/g, '');
    if (!/^[A-Za-z0-9+/]+=*$/.test(key)) error('p= is not base64');
    else {
      const bytes = Buffer.from(key, 'base64').length;
      const kind = (tags.k ?? 'rsa').toLowerCase();
      if (kind === 'ed25519') { if (bytes !== 32) error(`an ed25519 key has 32 bytes, found ${bytes}`); }
      else if (bytes < 150) error(`RSA key of about ${bytes} bytes: below 1024 bits or cut off`);
      else if (bytes < 280) warning('about 1024 bits: use 2048');
      else info('key of 2048 bits or more');
    }
  }
  if ((tags.t ?? '').split(':').includes('y')) warning('t=y: test mode, receivers may ignore the result');
  return { tags };
}

function checkDmarc(record) {
  const tags = tagsOf(record);
  if (!/^\s*v\s*=\s*DMARC1\s*(;|$)/.test(record)) error('must begin with v=DMARC1');
  const policies = ['none', 'quarantine', 'reject'];
  if (tags.p === undefined) error('no p= (policy)');
  else if (!policies.includes(tags.p.toLowerCase())) error(`p=${tags.p}: use none, quarantine or reject`);
  else if (tags.p.toLowerCase() === 'none') info('p=none only observes');
  if (tags.sp !== undefined && !policies.includes(tags.sp.toLowerCase())) error(`sp=${tags.sp}: use none, quarantine or reject`);
  if (tags.sp?.toLowerCase() === 'none' && tags.p?.toLowerCase() !== 'none') warning('sp=none leaves every subdomain open to spoofing');
  if (tags.pct !== undefined && !(/^\d+$/.test(tags.pct) && Number(tags.pct) <= 100)) error(`pct=${tags.pct}: a whole number from 0 to 100`);
  if (tags.rua === undefined) warning('no rua: nobody gets the reports');
  for (const uri of (tags.rua ?? '').split(',').filter(Boolean)) {
    if (!/^mailto:[^@\s]+@[^@\s]+\.[^@\s]+$/i.test(uri.trim())) error(`rua "${uri.trim()}" must be mailto:name@domain`);
  }
  for (const key of ['adkim', 'aspf']) {
    if (tags[key] !== undefined && !['r', 's'].includes(tags[key].toLowerCase())) error(`${key}=${tags[key]}: use r or s`);
  }
  return { tags };
}

const input = readArgs();
if (typeof input.record !== 'string' || input.record.trim() === '') fail('record is missing or empty');
// Zone files write one record as several quoted strings: they are joined without a space.
const text = input.record.trim();
const strings = [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((m) => m[1]);
const record = text.startsWith('"') && strings.length > 0 ? strings.join('') : text;
const guess = /^v\s*=\s*spf1/i.test(record) ? 'spf' : /^v\s*=\s*dmarc1/i.test(record) ? 'dmarc' : /(^|;)\s*p\s*=/.test(record) ? 'dkim' : undefined;
const type = input.type === undefined ? guess : String(input.type).toLowerCase();
if (type === undefined) fail('cannot guess the kind of record; give type spf, dkim or dmarc');
const checks = { spf: checkSpf, dkim: checkDkim, dmarc: checkDmarc };
if (!Object.hasOwn(checks, type)) fail(`type "${type}" is not spf, dkim or dmarc`);
const extra = checks[type](record);
console.log(JSON.stringify({ type, valid: !findings.some((f) => f.level === 'error'), ...extra, findings }, null, 2));
