/**
 * Words that carry a sentence in languages other than English. Where few skills are written in a language, they are rare
 * in the catalog and would weigh as much as what the request is about: a German question about anything at all would be
 * sure of the one German skill. English ones are stop words (`stem.ts`).
 *
 * German, French, Spanish, Italian, Portuguese and Dutch, of three letters and more, without those that are English
 * words or names of techniques as well (die, war, come, dir, dem, van, todo). Of Japanese, whatever is in hiragana alone.
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
  welche welcher wenn werden wie wieder wij wir wird worden wordt wurde wurden zij zum zur zwischen être`;

/** As they are indexed. */
const TERMS: ReadonlySet<string> = new Set(
  WORDS.trim()
    .split(/\s+/)
    .map((word) => stem(fold(word))),
);

const HIRAGANA = /^\p{Script=Hiragana}+$/u;

/** Whether the term only holds a sentence together. */
export const isGrammar = (term: string) => TERMS.has(term) || HIRAGANA.test(term);
