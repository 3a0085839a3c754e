/**
 * Function words of languages other than English. If a catalog has few skills in a language, its function words are
 * rare and would weigh as much as content words: any German question would find the one German skill. `stem.ts` has the
 * English stop words.
 *
 * German, French, Spanish, Italian, Portuguese and Dutch words of three letters or more. Words that are also English
 * words or names of techniques are left out (die, war, come, dir, dem, van, todo).
 *
 * Chinese, Japanese and Korean words are in `WORDS_ALONE`, with what introduces nearly every request or skill there, as
 * `stem.ts` has it for English. They are grammar even where a query has nothing else.
 */

import { isKoreanGrammar } from './korean.ts';
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
  welche welcher wenn werden wie wieder wij wir wird worden wordt wurde wurden zij zum zur zwischen être`;

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
  pl: `aby ale bez co czy dla do gdy i ich ile jak jako jaki jakie jest już kiedy która które który mi między mnie moje mój
    może na nad nasz nie niż o od oraz po pod proszę przed przez przy są się też to w we z za ze że żeby`,
  sv: `alla att av de den denna det dig din du där efter eller en ett från för före gör har hur i ingen inte jag kan man med
    men mig min mina mitt och om oss på sedan ska som till under upp ut utan vad var varför vi vid vill vår än är över`,
  tr: `ama ben bir biz bu bunu çok da daha de değil en gibi her ile ise için kadar ki mı mi mu mü nasıl ne neden nerede
    olan olarak sonra şu ve veya ya`,
};

/** In their indexed form: with simplified characters. */
const WORDS_ALONE: ReadonlySet<string> = new Set(
  `的 了 和 是 在 我 你 您 他 她 它 们 这 那 有 不 也 就 都 而 与 及 或 把 被 对 从 到 为 以 于 之 个 吗 呢 吧 啊 要 会 能 可 请 用 帮 给 让 并 当 时 想 做 样 得
  么 地 该 其 些 哪 谁 去 来 说 再 还 很 太 后 前 里 上 下 我们 你们 他们 您好 怎么 怎么办 怎样 怎么样 如何 什么 什么样 为什么 哪些 哪个 哪里 一个 一些 一下 一种 这个
  那个 这些 那些 这样 那样 可以 能够 能否 是否 应该 需要 想要 希望 使用 使用者 用户 帮助 帮忙 帮我 协助 请帮 请问 因为 所以 但是 以及 并且 或者 如果 然后 关于 对于 进行 的话 有没有 没有 时候
  当用户 我的 你的 他的 告诉 告诉我 方法 教我 给我
  见 见る 见た 见て 见せ 使う 使い 使っ 使える 使え 使わ 使い方 利用 必要 场合 方 方法 事 时 何 谁 私 仆 愿 愿い お愿い 御愿い 下さい 欲しい 欲し 教え 教える 手伝 手伝っ 手伝う 仕方 やり方 行う 行い
  行っ 致し 顶け 顶き 出来 出来る 出来ま 无い 有る 为 际 ユーザ ユーザー 者 等 用 际
  する した して しな しよう しろ され される させ せる れる られ られる です でし でした でしょう ます まし ました ませ ません たい たく たら ない なく なっ なり なる なら なけれ
  ください くださ くだ さい さる いただ いただき いただけ いただく こと もの とき ため よう ところ それ これ あれ どれ この その あの どの ここ そこ どこ いる ある あり あっ いい よい から まで より など だけ
  ほど くらい ぐらい ながら けど けれど ので のに では でも とも にも には とは への いつ なぜ なに なん どう どうやっ どうやって どのよう どんな こう そう とても もっと また まず ござい ござ ありがとう
  おねがい ほしい ほし もらう もらい もらえ くれ くれる あげ あげる みる みたい てい てる とか って という として について に関 による によって できる でき できま やる やり やっ わたし ぼく すみません`.split(
    /\s+/,
  ),
);

/** Whether a term of an unspaced script or of Korean is grammar. */
const isUnspacedGrammar = (term: string) => WORDS_ALONE.has(term) || isKoreanGrammar(term);

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

const PLAIN_WORDS_OF = new Map(
  Object.entries(WORDS_OF).map(([language, words]) => [language, new Set(fold(words).split(/\s+/))]),
);

/** Whether a word of a text is a function word of `language`; of few languages they are known. */
export const isFunctionWord = (word: string, language: string) =>
  PLAIN_WORDS_OF.get(language)?.has(fold(word)) === true;

/** Whether a term is a function word of any language, or of the text's `language` if that is known. */
export const isGrammar = (term: string, language: string | null = null) =>
  TERMS.has(term) ||
  (language !== null && TERMS_OF.get(language)?.has(term) === true) ||
  isGrammarAlone(term);

/** Whether a term is evidence of nothing even where a text has nothing else. */
export const isGrammarAlone = (term: string) => term.charCodeAt(0) > 0x7f && isUnspacedGrammar(term);
