/**
 * Names groups of skills as a person would: by the few words or short phrases that set a group apart from the others, and by
 * its most typical skill. The caller groups the skills (`themes.ts`).
 *
 * Class-based TF-IDF (Grootendorst, BERTopic, arXiv 2203.05794, section 3.3) over names and descriptions, in the form of a
 * divergence: the share of a group's skills that use a term, times the logarithm of how much larger that is than in all
 * groups. The terms of one name are chosen greedily, so that each speaks for skills that those before it miss. The figures of
 * the choices are in `bench/TRIED.md`.
 */

import { analyze } from '../../index/lexical/analysis/analyzer.ts';
import { wordWeight } from '../../index/lexical/query/word-weights.ts';

export interface TopicSkill {
  readonly name: string;
  readonly description: string;
}

interface Topic {
  /** `Kubernetes, Helm and cloud deployment`: the terms as one line, its first letter in capitals. */
  readonly label: string;
  /** 1–3 words or phrases as the group's skills write them, most typical first. */
  readonly terms: readonly string[];
  /** Position in the group of a skill in its middle that uses most of the terms. */
  readonly typical: number;
}

/** Most terms of one name: with a fourth it is no longer read at a glance. */
const MAX_TERMS = 3;
/** A further term needs at least this share of the first one's lead. */
const MIN_LEAD = 0.3;
/** Weight that a skill keeps for the next term, if the name has a term of it already. */
const ALREADY_NAMED = 0.35;
/** Weights of a term in the name and in the description. Their sum is 1. */
const NAME_WEIGHT = 0.6;
const DESCRIPTION_WEIGHT = 0.4;
/** Characters of a description that are read, up to where it says when to use the skill: those words are the same everywhere. */
const DESCRIPTION_CHARACTERS = 300;
const MIN_CHARACTERS = 20;
const WHEN =
  /\b(?:use|used|invoke|activate|apply|call|load)\s(?:it\s|this\s|the\s)?(?:skill\s)?(?:when|for|if|to|after|before|whenever|as|any|this)\b|\btrigger/iu;
/** A phrase says more than its words, but fewer skills use it. */
const PHRASE_BONUS = 1.5;
/** Least skills of a group that use a term. */
const MIN_USERS = 2;
/** A smaller group has a name only if most of its skills use one of its terms: two of four skills are a coincidence. */
const LARGE_GROUP = 20;
const MIN_NAMED = 0.6;
/** Skills in the middle of a group that name it: those at its rim belong as much to others. */
const MIDDLE = 120;
/** Skills among which the most typical one is looked for. */
const TYPICAL_AMONG = 6;
/** Terms of a group, those with the largest lead first, from which its name is chosen. */
const CANDIDATES = 60;

/** Words that name no subject: skills and requests of every kind have them. */
const EMPTY_WORDS = new Set(
  `a about across activating actually add advanced after against agent agents all also always an and any
  apply are as ask asked asks assist at auto automate automated automating automation based be been
  before best between both build building but by call can check claude codex com common complete
  comprehensive configure control core cover covering covers create created creates creating current
  custom deep define delete deleting deploying detect developer different do does doing each easy end
  ensure especially etc even every example examples existing expert find first fix follow following for
  from full general generate generates generating get gets give given go good guidance guide guided
  guidelines handle handling has have help helper helpers helps high how i if implement implementation
  implementing improve in include includes including information input into involve involves io is it its itself just key
  kit know large like list load local make makes making manage managing master more most multi multiple
  must need needed needs new no non not of off on once one only open optimal optimize or org other our
  out output over own part perform phrase phrases plus pre prepare pro produce produces production
  professional proper provide provided provides providing read ready real required requires results
  right run running runs same see senior set setting setup should show simple single skill skills skillset
  small so some specialist specific standard start step steps structured such suggest suite support
  supports take task tasks that the their them then these they this those through time to tool trigger
  triggered triggering triggers type understand up update updates usage use used useful user users uses
  using utility v1 v2 various version via want wants way ways we well what when whenever where whether
  which while who why will with within without work working works write writing you your
  instead reading updating deleting listing 使用 支持 模式 用户 进行 通过 包括 提供 用于 需要 技能 以及 可以 适用 触发
  生成 创建 功能 场景 时使 时调 当用 调用 自动 如何 帮助 实现 输出 相关 任务 分析 工具 基于 中文 问题`.split(
    /\s+/,
  ),
);
/** Words that name a subject only next to another: code review, pull request. */
const VAGUE_WORDS = new Set(
  `code file files format management manager pattern patterns practice practices principles process
  processes project projects reference request requests review settings standards system systems team
  toolkit tools types workflow workflows`.split(/\s+/),
);

/**
 * One name for each group, in their order; null for a group in which no term is typical. The skills nearest to the middle of a
 * group come first. Deterministic.
 */
export function nameTopics(groups: readonly (readonly TopicSkill[])[]): (Topic | null)[] {
  const read = groups.map((group) => group.slice(0, MIDDLE).map(termsOfSkill));
  const all = sharesOf(read.flat());
  return read.map((skills) => {
    const chosen = typicalTerms(skills, all);
    if (chosen.length === 0) return null;
    const terms = chosen.map(({ written }) => written);
    return { label: labelOf(terms), terms, typical: typicalOf(skills, chosen) };
  });
}

type Token = ReturnType<typeof analyze>[number];

interface Use {
  /** How much the term says about the skill, 0–1. */
  weight: number;
  /** As the description writes it; null if only the name has it: names have no capitals, and put words side by side. */
  readonly written: string | null;
}

/** By term: a stemmed word, or two of them with a space between. */
type Terms = ReadonlyMap<string, Readonly<Use>>;

function termsOfSkill({ name, description }: TopicSkill): Terms {
  const parts = description.slice(0, DESCRIPTION_CHARACTERS).split(WHEN);
  // A description may begin with "Use when".
  const says = parts.find((part) => part.length >= MIN_CHARACTERS) ?? description;
  const terms = new Map<string, Use>();
  for (const [term, written] of wordsAndPhrases(says))
    terms.set(term, { weight: DESCRIPTION_WEIGHT, written });
  for (const term of wordsAndPhrases(name.replace(/[-_/.]+/gu, ' ')).keys()) {
    const known = terms.get(term);
    if (known === undefined) terms.set(term, { weight: NAME_WEIGHT, written: null });
    else known.weight += NAME_WEIGHT;
  }
  return terms;
}

/** Words and pairs of adjacent words by their stems, as first written. */
function wordsAndPhrases(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const add = (term: string, written: string) => {
    if (!found.has(term)) found.set(term, written);
  };
  let before: (Token & { readonly isVague: boolean }) | null = null;
  const tokens = analyze(text);
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    // A compound comes before its words, which are read on their own.
    if (next !== undefined && next.from >= token.from && next.to <= token.to) continue;
    const written = text.slice(token.from, token.to);
    const word = written.toLowerCase();
    if (!/\p{L}{2}|\p{Lu}|[#+]/u.test(written) || EMPTY_WORDS.has(word)) {
      before = null;
      continue;
    }
    const isVague = VAGUE_WORDS.has(word);
    if (!isVague) add(token.term, written);
    const isPhrase = before !== null && /^[ -]$/u.test(text.slice(before.to, token.from));
    if (before !== null && isPhrase && !(isVague && before.isVague))
      add(`${before.term} ${token.term}`, text.slice(before.from, token.to));
    before = { ...token, isVague };
  }
  return found;
}

/** Mean weight of each term. */
function sharesOf(skills: readonly Terms[]): Map<string, number> {
  const shares = new Map<string, number>();
  for (const terms of skills)
    for (const [term, { weight }] of terms)
      shares.set(term, (shares.get(term) ?? 0) + weight / skills.length);
  return shares;
}

interface Chosen {
  readonly term: string;
  readonly written: string;
}

function typicalTerms(skills: readonly Terms[], all: ReadonlyMap<string, number>): Chosen[] {
  const leadOf = (term: string, share: number) =>
    share <= 0 ? 0 : share * Math.log(share / all.get(term)!) * worthOf(term);
  const candidates = [...sharesOf(skills)]
    .map(([term, share]) => ({ term, lead: leadOf(term, share) }))
    .sort((a, b) => b.lead - a.lead || (a.term < b.term ? -1 : 1))
    .slice(0, CANDIDATES)
    .flatMap(({ term, lead }) => {
      const written = writtenForm(term, skills);
      return lead > 0 && written !== null ? [{ term, lead, written }] : [];
    });
  const chosen: typeof candidates = [];
  let kept = skills.map(() => 1);
  while (chosen.length < MAX_TERMS) {
    let best: (typeof candidates)[number] | null = null;
    for (const candidate of candidates) {
      const { term } = candidate;
      if (chosen.some((other) => shareWord(other.term, term))) continue;
      const share = skills.reduce((sum, terms, at) => sum + (terms.get(term)?.weight ?? 0) * kept[at]!, 0);
      const lead = leadOf(term, share / skills.length);
      if (best === null || lead > best.lead) best = { ...candidate, lead };
    }
    if (best === null || best.lead < MIN_LEAD * (chosen[0]?.lead ?? 0)) break;
    const { term } = best;
    chosen.push(best);
    kept = kept.map((weight, at) => (skills[at]!.has(term) ? weight * ALREADY_NAMED : weight));
  }
  const named = skills.filter((terms) => chosen.some(({ term }) => terms.has(term))).length;
  if (skills.length < LARGE_GROUP && named < MIN_NAMED * skills.length) return [];
  return chosen;
}

/** The first terms count most. */
function typicalOf(skills: readonly Terms[], chosen: readonly Chosen[]): number {
  const uses = skills
    .slice(0, TYPICAL_AMONG)
    .map((terms) =>
      chosen.reduce((sum, { term }, rank) => sum + (terms.get(term)?.weight ?? 0) / (rank + 1), 0),
    );
  return uses.indexOf(Math.max(...uses));
}

/** Words that say little in requests name little; phrases say more than words. */
function worthOf(term: string): number {
  const words = term.split(' ');
  const mean = words.reduce((sum, word) => sum + wordWeight(word), 0) / words.length;
  return Math.min(1, mean) ** 2 * (words.length > 1 ? PHRASE_BONUS : 1);
}

const shareWord = (a: string, b: string) => a.split(' ').some((word) => b.split(' ').includes(word));

/** The form that most descriptions have; null if fewer than `MIN_USERS` skills use the term, or none in its description. */
function writtenForm(term: string, skills: readonly Terms[]): string | null {
  const uses = skills.flatMap((terms) => terms.get(term) ?? []);
  const forms = new Map<string, number>();
  for (const { written } of uses) if (written !== null) forms.set(written, (forms.get(written) ?? 0) + 1);
  const [most] = [...forms].sort(([a, m], [b, n]) => n - m || (a > b ? -1 : 1));
  return most === undefined || uses.length < MIN_USERS ? null : most[0];
}

function labelOf(terms: readonly string[]): string {
  const last = terms.at(-1)!;
  const line = terms.length === 1 ? last : `${terms.slice(0, -1).join(', ')} and ${last}`;
  return line.slice(0, 1).toUpperCase() + line.slice(1);
}
