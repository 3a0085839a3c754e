/**
 * Whether an answer solves its task: one check for each task of `tasks.jsonl`, pure functions of the answer's text. A check accepts
 * every answer that follows the skill, whatever is free in it, and refuses what somebody would write who does not know the skill. How
 * the values follow from the skills is worked out again in `test/bench/tasks-checks.test.ts`.
 */

import { parse } from 'yaml';

export interface Verdict {
  readonly passed: boolean;
  /** What is missing or wrong; empty if it passed. */
  readonly reason: string;
}

/** What an answer needs, in words, and whether a text has it. */
type Demand = readonly [what: string, holds: (text: string) => boolean];

/** Throws for an unknown task. */
export function check(task: string, answer: string): Verdict {
  const demands = CHECKS[task];
  if (demands === undefined) throw new Error(`There is no check for the task ${task}.`);
  const text = plain(answer);
  if (text === '') return { passed: false, reason: 'there is no answer' };
  const missing = demands.find(([, holds]) => !holds(text));
  return { passed: missing === undefined, reason: missing?.[0] ?? '' };
}

/** Without byte order mark, fences of code, and blanks at the ends of lines. */
function plain(answer: string): string {
  const lines = answer.replace(/^\uFEFF/, '').split(/\r?\n/);
  return lines
    .filter((line) => !/^\s*```/.test(line))
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');
const lineAt = (text: string, at: number) => linesOf(text).at(at) ?? '';

/** The whole answer is this value; quotes and a full stop around it are forgiven. */
const only = (value: string): Demand => [
  `the answer is ${value} and nothing else`,
  (text) => text.replace(/^["'`*]+|["'`*.]+$/g, '') === value,
];
const has = (pattern: RegExp, what: string): Demand => [what, (text) => pattern.test(text)];
const lacks = (pattern: RegExp, what: string): Demand => [what, (text) => !pattern.test(text)];
/** The answer's lines, empty ones left out, are these. */
const exactly = (...lines: readonly string[]): Demand => [
  `the lines are: ${lines.join(' / ')}`,
  (text) => linesOf(text).join('\n') === lines.join('\n'),
];
/** Each line that is not empty fits its pattern, and there are no others. */
const shaped = (...patterns: readonly RegExp[]): Demand => [
  `the lines fit ${patterns.join(' ')}`,
  (text) => {
    const lines = linesOf(text);
    return lines.length === patterns.length && patterns.every((pattern, at) => pattern.test(lines[at]!));
  },
];
const times = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
/** A number with decimals, by point or comma. */
const amount = (value: string) => new RegExp(`(?<![\\d.,])${value.replace('.', '[.,]')}(?![\\d]|[.,]\\d)`);

/** Whether `accepts` holds for the value of the text; false if the text is not of that form. */
function parsedBy(read: (text: string) => unknown, accepts: (value: unknown) => boolean) {
  return (text: string) => {
    try {
      return accepts(read(text));
    } catch {
      return false;
    }
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The keys and values of a TOML file of plain values, by `section.key`. */
function tomlOf(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section = '';
  for (const line of linesOf(text)) {
    const bare = line.replace(/\s+#.*$/, '').trim();
    const header = /^\[(\w+)\]$/.exec(bare);
    const pair = /^(\w+)\s*=\s*(.+)$/.exec(bare);
    if (header !== null) section = `${header[1]}.`;
    else if (pair !== null)
      values.set(section + pair[1]!, pair[2]!.replace(/^(["'])(.*)\1$/, '$2').replace(/(?<=\d)_(?=\d)/g, ''));
    else if (!bare.startsWith('#')) values.set(`unreadable: ${bare}`, '');
  }
  return values;
}

const BRIDGE = {
  schema: '3',
  berth: 'ALD',
  'uplink.beat_ms': '45000',
  'hold.span_min': '2880',
  'hold.shed': 'head',
  'trust.anchor': 'aldersund-2',
};

const FLAG = ['owner', 'start', 'end', 'default', 'when_gone'];
const dayOf = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : value);

function isFlag(value: unknown): boolean {
  if (!isObject(value)) return false;
  const [name = '', ...others] = Object.keys(value);
  const entry = value[name];
  if (others.length > 0 || !/^delta-r2520-([a-z]+-)?drift-graph$/.test(name) || !isObject(entry))
    return false;
  const wanted = ['petra.lind', '2025-03-03', '2025-05-12', 'off', 'on'];
  return (
    Object.keys(entry).join() === FLAG.join() &&
    FLAG.every((key, at) => String(dayOf(entry[key])) === wanted[at])
  );
}

function isFault(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).join() !== 'fault' || !isObject(value.fault)) return false;
  const { ref, field, say, again, ...others } = value.fault;
  return (
    Object.keys(others).length === 0 &&
    ref === 'HF-2207' &&
    field === 'unit' &&
    again === 'after-change' &&
    typeof say === 'string' &&
    say.length > 0 &&
    say.length <= 80 &&
    !/\b(invalid|illegal|bad|error|failed)\b/i.test(say)
  );
}

export const CHECKS: Readonly<Record<string, readonly Demand[]>> = {
  t01: [only('B4262-00483-K')],
  t02: [
    [
      'the subject is "fw-signal | …", at most 58 characters, without a full stop',
      (text) => /^fw-signal \| [A-Z].*[^.]$/.test(lineAt(text, 0)) && lineAt(text, 0).length <= 58,
    ],
    ['the subject is in the third person', (text) => /^fw-signal \| [A-Z][a-z]*s\b/.test(lineAt(text, 0))],
    has(
      /\n\nTicket: FWS-2291\nAffects: reading\nBench: ik@2025-06-11$/,
      'the trailers are Ticket, Affects and Bench, in this order and alone',
    ),
  ],
  t03: [
    has(/(?<![\d:.])9(?![\d:.]\d)\b/, 'the points are 9'),
    has(/\bBlue\b/i, 'the level is Blue'),
    lacks(/\b(Red|Amber|Grey)\b/i, 'no other level is named'),
  ],
  t04: [
    exactly(
      'ACCT;NAME1;NAME2;PLZ;ORT;STR;LAND;SPR;ZB;KLIM',
      ';Apotek Nord AS;;9008;Tromsø;Storgata 14;578;N;N14;7500,00',
      ';Caves Réunies Sàrl;;1003;Lausanne;Rue du Port 3;756;F;V00;0,00',
      ';Laboratorium für;Umweltanalytik Bergheim GmbH;50126;Bergheim;Kölner Straße 88;276;D;S10;25000,00',
      '#END;3',
    ),
  ],
  t05: [has(amount('89.90'), 'the price is 89.90 euro'), has(amount('88.40'), 'the price is 88.40 francs')],
  t06: [exactly('@L2;Q=2', 'T1:07C3', 'T2:DRAFT SHIELD GLAS.', 'BC:3102284C', '@P')],
  t07: [
    shaped(
      /^# Halyard 25\.9$/,
      /^_2 September 2025 · restart: yes_$/,
      /^## At the bench$/,
      /^- .*90 days.* \[1203\]$/,
      /^- .*sort.* \[1184\]$/,
      /^## In the office$/,
      /^- .*180 days.* \[1191\]$/,
      /^## Below deck$/,
      /^- Calm seas\.$/,
    ),
  ],
  t08: [
    [
      `the keys and values are ${JSON.stringify(BRIDGE)}`,
      (text) => {
        const found = tomlOf(text);
        const wanted = Object.entries(BRIDGE);
        return found.size === wanted.length && wanted.every(([key, value]) => found.get(key) === value);
      },
    ],
  ],
  t09: [
    has(/\bAria 220\b(?! D)/i, 'the model is Aria 220'),
    has(/Novi Most/i, 'the plant is Novi Most'),
    has(/\bnot genuine\b/i, 'the plate is not genuine'),
  ],
  t10: [only('W2/H7')],
  t11: [
    has(amount('173.80'), 'the sum is 173.80'),
    ['the answer is the sum alone', (text) => text.length <= 20],
  ],
  t12: [
    shaped(
      /^MIN OPS 25-24$/,
      /^Present: Ana, Jonas, Mara$/,
      /^D 25-24\/1 .*Nordlink/,
      /^D 25-24\/2 .*label printer/,
      /^A Mara \| .+ \| 2025-06-19$/,
      /^A Jonas \| .+ \| 2025-06-26$/,
    ),
  ],
  t13: [
    has(/create table cal_certificate\s*\(/i, 'the table is cal_certificate'),
    has(
      /cal_certificate_no\s+bigint\s+generated always as identity\s+primary key/i,
      'the primary key is cal_certificate_no',
    ),
    has(
      /dev_device_ref\s+bigint\s+not null\s+references\s+dev_device\b/i,
      'the reference is dev_device_ref, not null',
    ),
    has(/\b\w+_on\s+date\b/i, 'the day ends in _on and is a date'),
    has(/\b\w+_utc\s+timestamptz\s*,/i, 'the moment ends in _utc, is a timestamptz and may be null'),
    lacks(/varchar|\btimestamp\b/i, 'there is neither varchar nor timestamp'),
    has(
      /origin\s+text\s+not null\s*,\s*rev\s+integer\s+not null\s+default 1\s*\)\s*;/i,
      'the last columns are origin and rev',
    ),
    has(/comment on table cal_certificate is 'owner: metrology'\s*;/i, 'the comment names the owner'),
  ],
  t14: [
    ['the status is 409', (text) => /\b409\b/.test(lineAt(text, 0))],
    [
      'the body is a fault HF-2207 of the field unit, again after-change, with a calm sentence of at most 80 characters',
      parsedBy((text) => JSON.parse(text.slice(text.indexOf('{'))), isFault),
    ],
  ],
  t15: [
    [
      'the entry is delta-r2520-drift-graph, from 2025-03-03 to 2025-05-12, of petra.lind',
      parsedBy(parse, isFlag),
    ],
  ],
  t16: [shaped(/^ADJ\.B\.[a-z]+(-[a-z]+)* = "[A-Z][^".]{0,11}" ; max 12 ; review de,nb$/)],
  t17: [only('! bridge.upload-dropped last_wait_ms=1500 site=ALD tries=4')],
  t18: [only('200 g: 200.00031 g ± 0.00017 g, R3')],
  t19: [only('529-1188-X')],
  t20: [
    [
      'the subject is "Subject: Case 48211 | …", at most five words of topic',
      (text) => /^Subject: Case 48211 \| (\S+\s?){1,5}$/.test(lineAt(text, 0)),
    ],
    has(/^Good day Dr\.? Marten,$/m, 'it greets Dr Marten without her first name'),
    has(/^What happens next: \S/m, 'a paragraph begins with "What happens next:"'),
    has(/^You hear from us by Saturday,? 7 June\.$/m, 'the date is Saturday 7 June'),
    has(/With a steady hand,\nBrennick Care, Quill Bay$/, 'it ends with the signature of Care'),
    lacks(
      /\bsorry\b|apolog|unfortunately|inconvenience|\bscales?\b|as soon as possible|!|Ilse/i,
      'no word of the list, no exclamation mark, no first name is in it',
    ),
  ],
  t21: [only('Q+T+C+M+S')],
  t22: [
    has(/\bR3\b/, 'the stage is R3'),
    has(/(?<![\d.,-])75([.,]00)?(?![\d])(?!-)/, 'the fee is 75'),
    has(/2025-07-14/, 'the date is 2025-07-14'),
  ],
  t23: [
    shaped(
      /^SHIFT 2025-02-04 L$/,
      /^R \| L3 \| -30 \| .{1,40}$/,
      /^R \| L4 \| -10 \| .{1,40}$/,
      /^Y \| L2 \| -16 \| .{1,40}$/,
      /^G \| L1 \| \+4 \| .{1,40}$/,
      /^SUM -52$/,
      /^SAFE 1$/,
    ),
  ],
  t24: [only('readings~2025140~mig~x2025185')],
  t25: [has(/^\W*19([.,]0)?( days)?\W*$/, 'the number is 19')],
  t26: [only('4.25J.2~p')],
  t27: [only('LB14-2x44-F+S')],
  t28: [
    [
      'the first mention is "Brennick® ARIA 220", once',
      (text) => times(text, /Brennick® ARIA 220/g) === 1 && times(text, /®/g) === 1,
    ],
    [
      'afterwards it is the Aria',
      (text) => {
        const rest = text.slice(text.indexOf('ARIA 220') + 'ARIA 220'.length);
        return /\b[Tt]he Aria\b/.test(rest) && !/ARIA|Aria 220/.test(rest);
      },
    ],
    has(/\bbalances?\b/i, 'it is a balance'),
    has(/\b2 seconds\b/, 'the 2 seconds are there, in digits'),
    lacks(
      /\bscales?\b|precis|\busers?\b|\boperators?\b|innovative|\bbest\b|\beas(y|ily)\b|\bsimpl[ey]\b|\bwill\b|[!?]/i,
      'no word of the list, no exclamation mark, no question is in it',
    ),
    ['the last line is "Weigh once.", alone', (text) => /\n\nWeigh once\.$/.test(text)],
  ],
  t29: [only('Edda Holm')],
  t30: [
    exactly(
      'taken;device;mg;op',
      '2025-06-03T06:59:30Z;A2C2502P0100A;182500;AY10',
      '2025-06-03T07:15:07Z;B7K2440P0012R;121;LT11',
      '2025-06-03T22:30:00Z;B7K2440P0012R;12500;LD09',
    ),
  ],
};
