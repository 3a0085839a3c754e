/** Each task's check, with a right answer worked out here from the rule of its skill, and with what one writes who does not know the rule. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHECKS, check } from '../../bench/tasks/checks.ts';
import { COMPANY_SKILLS, readTasks } from '../../bench/tasks/tasks.ts';

const tasks = readTasks();
const digits = (text: string) => [...text.replace(/\D/g, '')].map(Number);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const DAY = 86_400_000;
const on = (day: string) => new Date(`${day}T00:00:00Z`);
const plus = (day: string, days: number) =>
  new Date(on(day).getTime() + days * DAY).toISOString().slice(0, 10);
const weekday = (day: string) => on(day).getUTCDay();
const dayOfYear = (day: string) => (on(day).getTime() - on(`${day.slice(0, 4)}-01-01`).getTime()) / DAY + 1;
/** ISO week: that of the week's Thursday. */
const week = (day: string) =>
  Math.ceil(dayOfYear(plus(day, 4 - (weekday(day) === 0 ? 7 : weekday(day)))) / 7);

/** The check character of an invoice: weights 7, 3, 1, rest by 11. */
function invoice(block: string): string {
  const rest = sum(digits(block).map((digit, at) => digit * [7, 3, 1][at % 3]!)) % 11;
  return `${block}-${rest === 10 ? 'K' : rest}`;
}

/** The first step of the price list at or above a price. */
function step(raw: number): number {
  for (let cents = Math.ceil(raw * 100 - 1e-9); ; cents++) {
    const isStep =
      cents < 10_000
        ? cents % 100 === 40 || cents % 100 === 90
        : cents < 100_000
          ? cents % 500 === 400 || cents % 500 === 900
          : (cents + 100) % 2_500 === 0;
    if (isStep) return cents / 100;
  }
}

const price = step(38.17 * 2.35);
const travel =
  Math.floor(10 * (56 * (0.6 + 1 + 0.6) - 56 * (0.18 + 0.18 + 0.32) + 200 * 0.37 + 64 * 0.23)) / 10;
const thursday = (day: string) => plus(day, (4 - weekday(day) + 7) % 7);
const flagEnd = plus('2025-03-03', 70);
const reminder = (day: string) => plus(day, { 6: 2, 0: 1 }[weekday(day)] ?? 0);
const ordinal = (day: string) => `${day.slice(0, 4)}${String(dayOfYear(day)).padStart(3, '0')}`;
const leave =
  Math.ceil(((27 + Math.floor(9 / 4)) * 3 * 2) / 5) / 2 + Math.min(2, Math.floor((3 / 2) * 2) / 2);
const roster = ['Ana Vidmar', 'Bo Lindqvist', 'Carla Nunes', 'Deniz Aksoy', 'Edda Holm'];
const utc = (moment: string) => new Date(moment).toISOString().replace('.000', '');
const person = (first: string, last: string) =>
  `${last[0]}${last.at(-1)}${String(first.length + last.length).padStart(2, '0')}`.toUpperCase();

/** The most whole words of 30 characters. */
const firstLine = 'Laboratorium für Umweltanalytik Bergheim GmbH'.slice(0, 31).replace(/ \S*$/, '');

const decision = (e: number, u: number, tolerance: number) =>
  e > tolerance ? 'NO' : e + 0.7 * u > tolerance ? 'R3' : 'OK';

/** By task: right answers and wrong ones. */
const CASES: Readonly<
  Record<string, { readonly right: readonly string[]; readonly wrong: readonly string[] }>
> = {
  // August is in the second quarter of the year that ends in 2026; Quill Bay is 4.
  t01: {
    right: [invoice('B4262-00483')],
    wrong: ['INV-2025-00483', invoice('B4252-00483'), 'B4262-00483-10'],
  },
  t02: {
    right: [
      'fw-signal | Widens the median window to nine samples\n\nTicket: FWS-2291\nAffects: reading\nBench: ik@2025-06-11\n',
      'fw-signal | Takes the median of nine readings\n\nFive let single spikes through.\n\nTicket: FWS-2291\nAffects: reading\nBench: ik@2025-06-11',
    ],
    wrong: [
      'Increase median window from 5 to 9\n\nTicket: 2291\nTested-by: Ines Kolar',
      'fw-signal | Widen the median window\n\nTicket: FWS-2291\nAffects: reading\nBench: ik@2025-06-11',
      'fw-signal | Widens the median window\n\nAffects: reading\nTicket: FWS-2291\nBench: ik@2025-06-11',
      'fw-signal | Widens the median window\n\nTicket: FWS-2291\nAffects: display',
    ],
  },
  // Reach 5, delayed 2, regulated 3, at night 1, workaround −2.
  t03: {
    right: [`${5 + 2 + 3 + 1 - 2} Blue – readings of 23 labs come an hour late`, 'Blue, 9 points'],
    wrong: ['SEV2 – major', '11 Amber – readings come late', '9 Amber', '19 Blue'],
  },
  t04: {
    right: [
      [
        'ACCT;NAME1;NAME2;PLZ;ORT;STR;LAND;SPR;ZB;KLIM',
        ';Apotek Nord AS;;9008;Tromsø;Storgata 14;578;N;N14;7500,00',
        ';Caves Réunies Sàrl;;1003;Lausanne;Rue du Port 3;756;F;V00;0,00',
        `;${firstLine};${'Laboratorium für Umweltanalytik Bergheim GmbH'.slice(firstLine.length + 1)};50126;Bergheim;Kölner Straße 88;276;D;S10;25000,00`,
        '#END;3\n',
      ].join('\n'),
    ],
    wrong: ['name,street,postcode,city,country\nApotek Nord AS,Storgata 14,9008,Tromsø,NO\n'],
  },
  t05: {
    right: [`EUR ${price.toFixed(2)} / CHF ${step(price * 0.98).toFixed(2)}`, '89,90 EUR und 88,40 CHF'],
    wrong: ['EUR 89.70 / CHF 87.91', 'EUR 89.90 / CHF 89.90', 'EUR 189.90 / CHF 88.40'],
  },
  t06: {
    right: [
      `@L2;Q=2\nT1:07C3\nT2:${'DRAFT SHIELD GLASS LEFT'.slice(0, 17)}.\nBC:3102284C\n@P\n`,
      '```\n@L2;Q=2\r\nT1:07C3\r\nT2:DRAFT SHIELD GLAS.\r\nBC:3102284C\r\n@P\r\n```',
    ],
    wrong: [
      '^XA^FO20,20^FDC-07-3^FS^XZ',
      '@L2;Q=2\nT1:C-07-3\nT2:DRAFT SHIELD GLASS, LEFT\nBC:310-2284-C\n@P',
    ],
  },
  t07: {
    right: [
      '# Halyard 25.9\n\n_2 September 2025 · restart: yes_\n\n## At the bench\n\n- The drift graph shows 90 days instead of 30 [1203]\n- Readings can be sorted by device [1184]\n\n## In the office\n\n- Tokens expire after 180 days [1191]\n\n## Below deck\n\n- Calm seas.\n',
    ],
    wrong: [
      '# Halyard 2025.09\n\n## New\n\n- Readings can be sorted by device (#1184)\n- The drift graph shows 90 days (#1203)\n\n## Changed\n\n- Tokens expire after 180 days (#1191)\n',
      '# Halyard 25.9\n\n_2 September 2025 · restart: yes_\n\n## At the bench\n\n- Readings can be sorted by device [1184]\n- The drift graph shows 90 days [1203]\n\n## In the office\n\n- Tokens expire after 180 days [1191]\n\n## Below deck\n\n- Calm seas.\n',
    ],
  },
  t08: {
    right: [
      `schema = 3\nberth = "ALD"\n\n[uplink]\nbeat_ms = ${45 * 1_000}  # 45 s\n\n[hold]\nspan_min = ${2 * 24 * 60}\nshed = "head"\n\n[trust]\nanchor = "aldersund-2"\n`,
    ],
    wrong: [
      'site = "Aldersund"\n\n[upload]\ninterval = 45\n\n[buffer]\nmax_age = "48h"\noverflow = "drop-oldest"\n',
      'schema = 3\nberth = "ALD"\n[uplink]\nbeat_ms = 45\n[hold]\nspan_min = 2880\nshed = "tail"\n[trust]\nanchor = "aldersund-2"',
    ],
  },
  t09: {
    right: [
      `Aria 220; Novi Most; ${'ACEFHJKMPR'[(sum(digits('2531 0194')) * 3) % 10] === 'H' ? 'genuine' : 'not genuine'}`,
    ],
    wrong: ['B7K; Quill Bay; genuine', 'Aria 220; Novi Most; genuine', 'Aria 220 D; Novi Most; not genuine'],
  },
  // 14 March 2023 to 2 May 2025: 25 full months, registered after 19 days; a heater.
  t10: { right: ['W2/H7', '`W2/H7`\n'], wrong: ['Warranty expired', 'P/H7', 'W1/H7'] },
  t11: { right: [travel.toFixed(2), '173,80 €', '173.80 EUR'], wrong: ['168.00', '173.84', '1173.80'] },
  t12: {
    right: [
      `MIN OPS 25-${week('2025-06-11')}\nPresent: Ana, Jonas, Mara\n\nD 25-24/1 From July parcels go with Nordlink.\nD 25-24/2 We do not buy a second label printer.\nA Mara | ask Nordlink for a contract | ${thursday('2025-06-16')}\nA Jonas | count the glass in stock | ${thursday('2025-06-20')}\n`,
    ],
    wrong: [
      '# Ops weekly, 11 June 2025\n\n**Attendees:** Mara, Ana, Jonas\n\n- Decision: Nordlink from July\n- Jonas: count glass, 20 June\n',
    ],
  },
  t13: {
    right: [
      "create table cal_certificate (\n  cal_certificate_no bigint generated always as identity primary key,\n  dev_device_ref bigint not null references dev_device,\n  number text not null,\n  issued_on date not null,\n  sent_utc timestamptz,\n  origin text not null,\n  rev integer not null default 1\n);\ncomment on table cal_certificate is 'owner: metrology';\n",
    ],
    wrong: [
      'CREATE TABLE calibration_certificates (\n  id SERIAL PRIMARY KEY,\n  device_id INT REFERENCES devices(id),\n  number VARCHAR(50),\n  issued_at DATE,\n  sent_at TIMESTAMP\n);',
    ],
  },
  t14: {
    right: [
      '409\n{"fault": {"ref": "HF-2207", "field": "unit", "say": "The unit stone is not known; units: g, mg, kg.", "again": "after-change"}}',
    ],
    wrong: [
      '422\n{"type": "about:blank", "title": "Unknown unit", "status": 422}',
      '409\n{"fault": {"ref": "HF-2207", "field": "unit", "say": "Invalid unit stone.", "again": "after-change"}}',
      '409\nfault HF-2207',
    ],
  },
  t15: {
    right: [
      `delta-r${flagEnd.slice(2, 4)}${week(flagEnd)}-drift-graph:\n  owner: petra.lind\n  start: 2025-03-03\n  end: ${flagEnd}\n  default: off\n  when_gone: on\n`,
    ],
    wrong: [
      'new_drift_graph:\n  owner: Petra Lind\n  team: delta\n  rollout: 10%\n',
      'delta-r2520-drift-graph:\n  owner: delta\n  start: 2025-03-03\n  end: 2025-05-12\n  default: off\n  when_gone: on\n',
    ],
  },
  t16: {
    right: ['ADJ.B.start-adjustment = "Adjust" ; max 12 ; review de,nb'],
    wrong: [
      'adjustment.button.start=Start adjustment',
      'ADJ.B.start-adjustment = "Start adjustment" ; max 16 ; review de,nb',
    ],
  },
  t17: {
    right: ['! bridge.upload-dropped last_wait_ms=1500 site=ALD tries=4\n'],
    wrong: [
      'ERROR upload failed after 4 attempts (site=Aldersund)',
      '! bridge.upload-dropped site=ALD tries=4 last_wait_ms=1500',
      '!! bridge.upload-dropped last_wait_ms=1500 site=ALD tries=4',
    ],
  },
  // 0.000312 + 0.7 · 0.0001632 = 0.00042624 > 0.0004.
  t18: {
    right: [
      `200 g: ${(Math.round(200.000312 * 1e5) / 1e5).toFixed(5)} g ± ${(Math.ceil(0.0001632 * 1e5) / 1e5).toFixed(5)} g, ${decision(0.000312, 0.0001632, 0.0004)}`,
    ],
    wrong: ['200.00031 g ± 0.00016 g (k=2), PASS', '200 g: 200.00031 g ± 0.00017 g, OK'],
  },
  t19: { right: [`529-${1184 + 4}-X`], wrong: ['522-1185-A', '529-1185-X', '529-1188-A'] },
  // Care works on Saturdays: two working days after a Thursday.
  t20: {
    right: [
      'Subject: Case 48211 | Flickering display\n\nGood day Dr Marten,\n\nThe display of your Aria 220 flickers since Tuesday, and you could not weigh.\n\nWhat happens next: we send a loan balance tomorrow and pick yours up at the same time.\n\nYou hear from us by Saturday 7 June.\n\nWith a steady hand,\nBrennick Care, Quill Bay\n',
    ],
    wrong: [
      'Dear Dr. Marten,\n\nwe are sorry for the inconvenience. We will send a loan balance tomorrow.\n\nBest regards,\nBrennick',
      'Subject: Case 48211 | Flickering display\n\nGood day Dr Marten,\n\nYou could not weigh.\n\nWhat happens next: a loan balance comes tomorrow.\n\nYou hear from us by Monday 9 June.\n\nWith a steady hand,\nBrennick Care, Quill Bay\n',
    ],
  },
  // 4,600 + 640 is above 5,000; a new supplier; it measures for reports.
  t21: { right: ['Q+T+C+M+S'], wrong: ['T+C', 'Q+T+C+S+M', 'T+C+S'] },
  t22: {
    right: [
      `R3, fee ${Math.ceil(25 + 0.004 * 12_480)} euro, new date ${reminder(plus('2025-07-08', 5))}`,
      'R3; 75.00; 2025-07-14',
    ],
    wrong: [
      'Third reminder, 40 EUR, 2025-07-22',
      'R3, fee 75, 2025-07-13',
      'R2, fee 9, 2025-07-16',
      'R3, fee 74.92, 2025-07-14',
    ],
  },
  t23: {
    right: [
      `SHIFT 2025-02-04 L\nR | L3 | -30 | pan press jams: mechanic comes at 6\nR | L4 | -10 | two people missing\nY | L2 | -16 | new roll of foil is at the door\nG | L1 | +4 | -\nSUM ${sum([4, -16, -30, -10])}\nSAFE 1\n`,
    ],
    wrong: [
      'Late shift, 4 February 2025\n\nLine 1: 244/240\nLine 2: 184/200\nLine 3: 150/180, pan press\nLine 4: 80/90\nSafety: oil on the floor',
    ],
  },
  t24: {
    right: [`readings~${ordinal('2025-05-20')}~mig~x${ordinal(plus('2025-05-20', 45))}`],
    wrong: ['readings-2025-05-20-pre-migration', 'readings~2025140~mig~x2025184'],
  },
  t25: { right: [String(leave), '19.0', '19 days'], wrong: ['18', '20.5', '20', '119'] },
  t26: { right: ['4.25J.2~p'], wrong: ['4.26.0-rc1', '4.25I.2~p', '4.25J.1~p', '4.25H.8~p'] },
  t27: { right: [`LB14-2x${2 * 22}-F+S`], wrong: ['UN3481, PI 967', 'LB14-2x22-F', 'LB14-2x44-F'] },
  t28: {
    right: [
      'The Brennick® ARIA 220 is a balance that is true to the last digit. The person at the bench puts the sample on the pan. The Aria shows the result after 2 seconds.\n\nWeigh once.\n',
    ],
    wrong: [
      'The Aria 220 is our most precise balance. Put the sample on the pan, and it shows the result in 2 seconds.',
      'The Brennick® ARIA 220 is a balance. The Aria shows the result in 2 seconds.\nWeigh once.',
    ],
  },
  // Wednesday the 15th has passed: the turn is that of week 42. At the weekend before six the second answers, two places on.
  t29: {
    right: [roster[((week('2025-10-18') % 5) + 2) % 5]!],
    wrong: ['Carla Nunes', 'The on-call engineer', 'Bo Lindqvist'],
  },
  t30: {
    right: [
      `taken;device;mg;op\n${utc('2025-06-03T08:59:30+02:00')};A2C2502P0100A;182500;${person('Deniz', 'Aksoy')}\n${utc('2025-06-03T09:15:07+02:00')};B7K2440P0012R;121;${person('Bo', 'Lindqvist')}\n${utc('2025-06-04T00:30:00+02:00')};B7K2440P0012R;12500;${person('Petra', 'Lind')}\n`,
    ],
    wrong: [
      'device,taken,person,grams\nB7K-2440-P0012-R,2025-06-03 09:15:07 +02:00,P1,0.1205\n',
      'taken;device;mg;op\n2025-06-03T06:59:30Z;A2C2502P0100A;182500;AY10\n2025-06-03T07:15:07Z;B7K2440P0012R;120;LT11\n2025-06-03T22:30:00Z;B7K2440P0012R;12500;LD09\n',
    ],
  },
};

describe('the check of a task', () => {
  it.each(tasks.map(({ id, skill }) => [id, skill] as const))(
    '%s (%s) tells right answers from wrong ones',
    (id) => {
      const { right, wrong } = CASES[id]!;
      for (const answer of right) expect(check(id, answer), answer).toEqual({ passed: true, reason: '' });
      for (const answer of wrong) expect(check(id, answer), answer).toMatchObject({ passed: false });
      expect(check(id, ' \n')).toEqual({ passed: false, reason: 'there is no answer' });
    },
  );

  it('refuses the right answers to all other tasks', () => {
    const passed = tasks.flatMap(({ id }) =>
      tasks
        .filter((other) => other.id !== id && CASES[other.id]!.right.some((text) => check(id, text).passed))
        .map((other) => `${id} takes the answer to ${other.id}`),
    );
    expect(passed).toEqual([]);
  });
});

describe('the tasks', () => {
  it('are 30, each with a check and a skill of its own', () => {
    expect(tasks).toHaveLength(30);
    expect(Object.keys(CHECKS).sort()).toEqual(tasks.map(({ id }) => id).sort());
    expect(tasks.map(({ skill }) => skill).sort()).toEqual(readdirSync(COMPANY_SKILLS).sort());
  });

  it('do not name their skill', () => {
    const named = tasks.filter(({ skill, request }) =>
      new RegExp(skill.replaceAll('-', '[- ]'), 'i').test(request),
    );
    expect(named.map(({ id }) => id)).toEqual([]);
  });

  it('have skills whose names are those of their folders, ten or more with a reference', () => {
    const withReference = tasks.filter(({ skill }) => {
      const text = readFileSync(join(COMPANY_SKILLS, skill, 'SKILL.md'), 'utf8');
      expect(text).toMatch(new RegExp(`^---\nname: ${skill}\ndescription: .{80,400}\n---\n`));
      return /`references\//.test(text) && readdirSync(join(COMPANY_SKILLS, skill)).includes('references');
    });
    expect(withReference.length).toBeGreaterThanOrEqual(10);
  });
});
