/**
 * Korean words without their particles and verb endings, by rules on syllables: `장부를`, `장부는` → `장부`, `배포했을`,
 * `배포하세요` → `배포`. A word keeps at least two syllables. `unspaced.ts` indexes the word as it is written as well.
 */

/** Particles behind a noun, the plural, and forms of "to be". */
const PARTICLE =
  '들?(?:은|는|이|가|을|를|의|에|와|과|도|만|로|께|들|랑|에서[는도의만]?|에게(?:서|는)?|에[는도만]|으로[는도]?|로[는도]|으?로[서써]|이랑|까지|부터|보다|처럼|마다|밖에|이나|이란|이?라[고는]|이며|이고|이다|한테|조차|마저|이?요|예요|이에요|입니다|인가요|인지|인데)';
/** Forms of the verbs that make one of a noun: to do, to become, to have done. What may follow is bounded by its syllables. */
const VERB =
  '(?:하|해|했|할|한|함|합|되|돼|됐|된|될|됨|됩|시키|시켜|시킨|시킬)(?:수\\S*|[다고며면지는기려러거나도록자세요십시오였여게니므로서야줘주라본볼보달때까래을습어더던만데죠네은를이가에의싶있없않까립리렸겠음실])*';
/** Endings of other verbs. */
const ENDING =
  '(?:[어아]?주(?:세요|십시오|시겠\\S*|실\\S*|고|는|면|길)?|[어아]?줘(?:요|서)?|으?세요|으?십시오|[어아여]요|[어아]서|[었았][다던을습]\\S*|습니[다까]|니다|는데|던데|면서|으?려[고면]|으면|도록|거나|지만|기[를는]?|[어아]?드립니다|[어아]?드려요)';

const INFLECTED = new RegExp(`^(.{2,}?)(?:${VERB}|${ENDING}|${PARTICLE})$`, 'u');
/** `배포하기를`: a particle behind an ending. */
const MOST_ENDINGS = 2;

export function koreanStem(word: string): string {
  let stem = word;
  for (let count = 0; count < MOST_ENDINGS; count += 1) {
    const [, shorter] = INFLECTED.exec(stem) ?? [];
    if (shorter === undefined) break;
    stem = shorter;
  }
  return stem;
}

/** The verb "to do" with its polite endings, without a noun. */
const BARE_VERB =
  /^(?:하|해|했|합|되|돼)(?:니다|니까|나요|세요|십시오|주세요|주십시오|주실\S*|줄래\S*|줘요?|요|고|는|며|면|려고|도록|여|서|야|습니다|었\S*|시다|달라고\S*|보세요|보고)$/u;

/** In the form that `koreanStem` leaves. */
const WORDS: ReadonlySet<string> = new Set(
  `사용 사용자 사용법 이용 필요 도움 도와 도와주 알려 알려주 가르쳐 가르쳐주 보여 보여주 부탁 부탁드리 부탁드립 해주 해줘 원하 어떻게 어떤 무엇 무슨 뭐
  왜 언제 어디 누가 누구 방법 때 것 수 저 나 제 내 그 이 좀 더 등 및 또는 그리고 하지만 대한 대해 대하 관련 관한 위한 위해 통해 경우 모든 우리
  저희 당신 여기 저기 거기 이것 그것 저것 이런 그런 있는 없는 있습 없습 있어 없어 있고 있을 있다 싶어 싶은 싶습 싶다 싶어요 주세요 주십시오
  할 한 하 해 했 될 된 되 은 는 가 을 를 의 에 와 과 도 만 로 으로 에서 에게 까지 부터 보다 처럼 입니다 이다 안녕 안녕하`.split(
    /\s+/,
  ),
);

/** Whether a term, as `koreanStem` leaves it, is grammar, or asks for help with what other words name. */
export const isKoreanGrammar = (term: string) => WORDS.has(term) || BARE_VERB.test(term);
