/**
 * Function words of languages other than English. If a catalog has few skills in a language, its function words are
 * rare and would weigh as much as content words: any German question would find the one German skill. `stem.ts` has the
 * English stop words.
 *
 * German, French, Spanish, Italian, Portuguese and Dutch words of three letters or more. Words that are also English
 * words or names of techniques are left out (die, war, come, dir, dem, van, todo). For Japanese, every term in hiragana
 * alone counts; for Chinese, its commonest particles and pronouns.
 */

import { fold, stem } from './stem.ts';

const WORDS = `
  aber alguna alguno anche auch auf aussi aux avec avez avoir avons bei beim bitte cette che chez como cuando dann
  dans dass degli dein deine della delle den denn der desde deze dich diese diesem diesen dieser dieses doch donc
  donde dort durch een ein eine einem einen einer eines ella elle elles ellos eso esta estas esto estos está están
  etwas euch euer gegen gli graag habe haben hasta hatte hatten hebben heeft het hij ich ihm ihn ihnen ihr ihre ihrem
  ihren ihrer immer isso ist jede jeder jij jullie kann kein keine keinen kunnen können leur leurs maar mein meine
  meinem meinen meiner meu mich mijn minha mio mir moet moeten molto mon muito muss muy möchte möchten müssen naar
  nach nel nella nelle nicht nichts niet noch nosotros nossa nosso nostra nostro notre nous nuestra nuestro nur não
  oder ohne onde onze para parce pela pelo perché pero peut peux più porque posso pourquoi preciso puede puedo quale
  quand quando que quella quello quero questa questo qui quiero quién quoi schon sehr sein seine seinem seinen seu
  sich sie sind sobre sollen sollte sono sont sous sua suis también também tengo tiene très uma una unas und unos
  unser unsere unserem unseren unserer unter você vom von voor vor vorrei votre vous waar waarom wann warum weil
  welche welcher wenn werden wie wieder wij wir wird worden wordt wurde wurden zij zum zur zwischen être
  的 了 和 是 在 我 你 他 她 它 们 这 那 有 不 也 就 都 而 与 及 或 把 被 对 从 到 为 以 于 之 个 吗 呢 吧 啊 要 会 能 可 请 用 我们 你们 他们 怎么 如何 什么
  一个 这个 那个 可以 需要 因为 所以 但是`;

/** In their indexed form. */
const TERMS: ReadonlySet<string> = new Set(
  WORDS.trim()
    .split(/\s+/)
    .map((word) => stem(fold(word))),
);

const HIRAGANA = /^\p{Script=Hiragana}+$/u;

/** Whether a term is a function word. */
export const isGrammar = (term: string) =>
  TERMS.has(term) || (term.charCodeAt(0) > 0x7f && HIRAGANA.test(term));
