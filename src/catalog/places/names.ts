/**
 * Names groups of skills by one word, or one pair of words, that the skills themselves use. A name is said only where it is
 * true of at least 30 % of the group; a group without such a word has no name. `places.ts`
 * groups the skills.
 *
 * Candidates are words and pairs in names, and in the first sentences of descriptions at half the weight. The best has the
 * largest share of the group times the logarithm of how much larger that share is than in all groups, as in class-based
 * TF-IDF (Grootendorst, BERTopic, arXiv 2203.05794). The figures of the choices are in `bench/TRIED.md`.
 */

import { analyze } from '../../../index/lexical/analysis/analyzer.ts';
import { wordWeight } from '../../../index/lexical/query/word-weights.ts';

export interface NamedSkill {
  /** Its folders tell where it comes from: `owner__repository/folder/name`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

export interface GroupName {
  /** `metabolomics`, `Rube MCP`: as most of the skills write it. */
  readonly label: string;
  /** Positions in the group of the skills that carry it in their name, first sentence or folders. */
  readonly carriers: readonly number[];
}

/** Share of a group that has to carry its name. */
export const MIN_CARRIED = 0.3;
/** Least skills that carry it: two of four skills are a coincidence. */
const MIN_CARRIERS = 3;
/** Least names that have it: what people called their skills names a subject, and verbs of sentences do not. */
const MIN_NAMES = 2;
/** How much more frequent it has to be in the group than in all of them; less where there are too few groups for that. */
const MIN_LIFT = 3;
/** A pair says more than a word, but fewer skills use it. */
const PAIR_BONUS = 1.6;
/** Weights of a word in a name, and in a first sentence alone. */
const NAME_WEIGHT = 1;
const SENTENCE_WEIGHT = 0.5;
/** Characters of a description in which its first sentence is looked for. */
const SENTENCE_CHARACTERS = 300;
const MIN_CHARACTERS = 20;
/** What follows says when to use the skill, in words that are the same everywhere. */
const WHEN =
  /\b(?:use|used|invoke|activate|apply|call|load)\s(?:it\s|this\s|the\s)?(?:skill\s)?(?:when|for|if|to|after|before|whenever|as|any|this)\b|\btrigger|[.!?。！？](?:\s|$)/iu;
/** Where one repository has this share of a group that no word covers, a folder of half the group names it. */
const ONE_REPOSITORY = 0.7;
const MIN_IN_FOLDER = 0.5;
/** Shortest word of a folder that names a subject. */
const FOLDER_WORD = 4;

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
  instead reading updating deleting listing phase text control plus transactions job jobs prompt prompts protocol
  ai agentic official oo awesome collection collections master main repo repository package packages plugin plugins marketplace
  使用 支持 模式 用户 进行 通过 包括 提供 用于 需要 技能 以及 可以 适用 触发
  生成 创建 功能 场景 时使 时调 当用 调用 自动 如何 帮助 实现 输出 相关 任务 分析 工具 基于 中文 问题`.split(
    /\s+/,
  ),
);
/** Words that name a subject only next to another: code review, pull request. */
const VAGUE_WORDS = new Set(
  `alert alerts analysis code computation computer data detection design engineer engineering evaluation evaluating expert feature features field
  file files fit format index indexed international language management
  manager human mass matching model models pack packs paper papers pattern patterns pipeline pipelines practice practices principles process
  processes project projects query reference request requests research review reviewer saas sample samples science
  settings standards structure structures study submission system systems team toolkit tools types workflow workflows`.split(
    /\s+/,
  ),
);

/** How the name and the first sentence of a skill write a term; null where they do not have it. */
interface Use {
  readonly inName: string | null;
  readonly inSentence: string | null;
}

/** By term: a stemmed word, or two of them with a space between. */
type Terms = ReadonlyMap<string, Use>;

/** One name, or null, for each group of positions in `skills`. Deterministic. */
export function nameGroups(
  skills: readonly NamedSkill[],
  groups: readonly (readonly number[])[],
): (GroupName | null)[] {
  const read = skills.map(termsOfSkill);
  const all = usageIn(read);
  const folders = skills.map(({ id }) => foldersIn(id));
  const everywhere = countTexts(folders.flatMap((words) => [...words]));
  const minLift = Math.min(MIN_LIFT, groups.length / 2);
  const names = groups.map((group): GroupName | null => {
    const own = group.map((at) => read[at]!);
    const term = bestTerm(own, all, minLift);
    if (term === null) {
      const lift = (word: string, share: number) => (share * skills.length) / everywhere.get(word)!;
      return folderName(
        group.map((at) => ({ id: skills[at]!.id, words: folders[at]! })),
        (word, share) => lift(word, share) >= minLift,
      );
    }
    const carriers = own.flatMap((terms, at) => (terms.has(term) ? [at] : []));
    // Written alike in all groups.
    return { label: labelFrom(all.get(term)!.uses), carriers };
  });
  // The word of a folder is written like the same word in names.
  const forms = new Map<string, string>();
  for (const name of names) if (name !== null) forms.set(name.label.toLowerCase(), name.label);
  for (const name of names)
    if (name !== null && /\p{Lu}/u.test(name.label)) forms.set(name.label.toLowerCase(), name.label);
  return names.map((name) => name && { ...name, label: forms.get(name.label.toLowerCase())! });
}

function bestTerm(skills: readonly Terms[], all: ReadonlyMap<string, Usage>, minLift: number): string | null {
  const least = Math.max(MIN_CARRIERS, MIN_CARRIED * skills.length);
  let best: { readonly term: string; readonly score: number } | null = null;
  for (const [term, { weight, uses, names }] of usageIn(skills)) {
    if (uses.length < least || names < MIN_NAMES) continue;
    const lift = weight / all.get(term)!.weight;
    const score = weight * Math.log(lift) * weighTerm(term);
    if (lift >= minLift && (best === null || score > best.score)) best = { term, score };
  }
  return best === null ? null : best.term;
}

/** The form of most names, with the capitals that most sentences give it. */
function labelFrom(uses: readonly Use[]): string {
  const label = mostFrequent(uses.flatMap(({ inName }) => inName?.toLowerCase() ?? []));
  const sentences = uses.flatMap(({ inSentence }) =>
    inSentence !== null && inSentence.toLowerCase() === label ? [inSentence] : [],
  );
  return sentences.length === 0 ? label : mostFrequent(sentences);
}

/** By the word of a folder that the skills of one repository share, and others do not. */
function folderName(
  skills: readonly { readonly id: string; readonly words: ReadonlySet<string> }[],
  isTypical: (word: string, share: number) => boolean,
): GroupName | null {
  if (skills.length < MIN_CARRIERS) return null;
  const repositories = countTexts(skills.map(({ id }) => id.split('/')[0]!));
  if (Math.max(...repositories.values()) < ONE_REPOSITORY * skills.length) return null;
  const [label] =
    [...countTexts(skills.flatMap(({ words }) => [...words]))]
      .map(([word, count]) => [word, count / skills.length] as const)
      .filter(([word, share]) => share >= MIN_IN_FOLDER && isTypical(word, share))
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0] ?? [];
  if (label === undefined) return null;
  return { label, carriers: skills.flatMap(({ words }, at) => (words.has(label) ? [at] : [])) };
}

/** The words of its folders; an owner's name, before `__` or `--`, says nothing of a skill. */
function foldersIn(id: string): ReadonlySet<string> {
  const folders = id.split('/').slice(0, -1).join(' ');
  const words = folders
    .replace(/(^|\s)\S*?(?:__|--)/gu, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/\p{L}+/gu);
  return new Set(
    words?.filter(
      (word) =>
        word.length >= FOLDER_WORD &&
        /(.).*(?!\1)./u.test(word) &&
        !EMPTY_WORDS.has(word) &&
        !VAGUE_WORDS.has(word),
    ),
  );
}

function termsOfSkill({ name, description }: NamedSkill): Terms {
  const parts = description.slice(0, SENTENCE_CHARACTERS).split(WHEN);
  // A description may begin with "Use when".
  const sentence = parts.find((part) => part.length >= MIN_CHARACTERS) ?? description;
  const terms = new Map<string, Use>();
  for (const [term, inSentence] of wordsAndPairs(sentence)) terms.set(term, { inName: null, inSentence });
  for (const [term, inName] of wordsAndPairs(name.replace(/[-_/.:]+/gu, ' ')))
    terms.set(term, { inName, inSentence: terms.get(term)?.inSentence ?? null });
  return terms;
}

/** Two letters say a subject in scripts whose words are short, or next to a sign: C#. */
const SUBJECT = /\p{L}{3}|\p{L}[#+]|[^\p{ASCII}]{2}/u;

/** Words and pairs of adjacent words by their stems, as first written. */
function wordsAndPairs(text: string): Map<string, string> {
  const terms = new Map<string, string>();
  const add = (term: string, written: string) => {
    if (!terms.has(term)) terms.set(term, written);
  };
  let before: {
    readonly term: string;
    readonly from: number;
    readonly to: number;
    readonly isVague: boolean;
  } | null = null;
  const isFirst = (from: number) => text.slice(0, from).trim() === '';
  const tokens = analyze(text);
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    // A compound comes before its words, which are read on their own.
    if (next !== undefined && next.from >= token.from && next.to <= token.to) continue;
    const written = text.slice(token.from, token.to);
    const word = written.toLowerCase();
    if (!SUBJECT.test(written) || EMPTY_WORDS.has(word)) {
      before = null;
      continue;
    }
    const isVague = VAGUE_WORDS.has(word);
    if (!isVague) add(token.term, asWord(written, isFirst(token.from)));
    const isPair = before !== null && /^[ -]$/u.test(text.slice(before.to, token.from));
    if (before !== null && isPair && !(isVague && before.isVague))
      add(`${before.term} ${token.term}`, asWord(text.slice(before.from, token.to), isFirst(before.from)));
    before = { ...token, isVague };
  }
  return terms;
}

/** A capital at the beginning of a sentence is no part of a word. */
const asWord = (written: string, isFirst: boolean) =>
  isFirst && /^\p{Lu}[\p{Ll} -]+$/u.test(written) ? written.toLowerCase() : written;

interface Usage {
  /** Mean over the skills. */
  weight: number;
  /** Of each skill that has it, and how many have it in their names. */
  readonly uses: Use[];
  names: number;
}

function usageIn(skills: readonly Terms[]): Map<string, Usage> {
  const usage = new Map<string, Usage>();
  for (const terms of skills)
    for (const [term, use] of terms) {
      const known = usage.get(term) ?? { weight: 0, uses: [], names: 0 };
      known.weight += (use.inName === null ? SENTENCE_WEIGHT : NAME_WEIGHT) / skills.length;
      known.uses.push(use);
      known.names += use.inName === null ? 0 : 1;
      usage.set(term, known);
    }
  return usage;
}

/** Words that say little in requests name little; pairs say more than words. */
function weighTerm(term: string): number {
  const words = term.split(' ');
  const mean = words.reduce((sum, word) => sum + wordWeight(word), 0) / words.length;
  return Math.min(1, mean) ** 2 * (words.length > 1 ? PAIR_BONUS : 1);
}

function countTexts(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Of equally frequent ones the last in order, which has small letters. */
const mostFrequent = (texts: readonly string[]): string =>
  [...countTexts(texts)].reduce((best, next) =>
    next[1] > best[1] || (next[1] === best[1] && next[0] > best[0]) ? next : best,
  )[0];
