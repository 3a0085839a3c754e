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

/** Further ones, which are words or names elsewhere: they count where the language is known. */
const WORDS_OF: Readonly<Record<string, string>> = {
  de: `ab als am an bis bin bist da das dem der des die doch du er es für habt hat hatte hier im in ist jetzt ja man mal mich
    mir mit nun ob sei sein seit so soll sollen um und uns war was wer will wo wollen würde zu`,
  es: `a al algo antes con cual cuál cuánto como cómo de del desde e el en entre era es está estas este fue ha han hay he la
    las le les lo los me mi mis más nada ni no nos o os otra otro para pero por qué se ser si sí sin son su sus te
    tu tus un voy y ya yo`,
  fr: `a ai ait au ce ces cet chaque comment de des dit dois doit du elle en es est et eu faire fait faut il ils j je l la
    le les lui m ma mais me mes moi mon n ne ni nos on ou où par pas plus pour qu quel quelle quelles quels quoi s sa
    sans se ses si son sur t ta te tes toi ton tu un vers vos y à ça`,
  it: `a ad ai al alla anche che chi ci come con cosa da dal dei del di dove e ed era fa fra gli ha hai ho i il in io la le
    li lo ma mi mia mie miei ne nei no noi o per più se si sia su sul tra tu tuo un va vi voi è`,
  nl: `aan al als ben bij dan dat de die dit doe door dus er geen haar had heb hem hen hier hoe hun ik in is je kan me met
    mij na naar nog nu of om onder ons op over te toch toen tot u uit veel voor want was wat we wel wie wil ze zijn
    zo zal`,
  pt: `a ao aos as até com como da das de dela dele do dos e ela ele em entre era essa esse esta este eu foi há isto já lhe
    mais mas me meus minhas na nas nem no nos num numa o os ou para por qual quais quanto que quem são se sem ser seus
    só sua te tem tu tua um vou`,
};

/** In their indexed form. */
const termsOf = (words: string): ReadonlySet<string> =>
  new Set(
    words
      .trim()
      .split(/\s+/)
      .map((word) => stem(fold(word))),
  );

const TERMS = termsOf(WORDS);
const TERMS_OF = new Map(Object.entries(WORDS_OF).map(([language, words]) => [language, termsOf(words)]));

const HIRAGANA = /^\p{Script=Hiragana}+$/u;

/** Whether a term is a function word of any language, or of the text's `language` if that is known. */
export const isGrammar = (term: string, language: string | null = null) =>
  TERMS.has(term) ||
  (language !== null && TERMS_OF.get(language)?.has(term) === true) ||
  (term.charCodeAt(0) > 0x7f && HIRAGANA.test(term));
