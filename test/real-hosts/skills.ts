/** Skills for the lists of hosts: made of words, with the lengths, scripts and quotes that real ones have. The same each time. */

export interface MadeSkill {
  readonly name: string;
  readonly description: string;
}

const WORDS =
  'audits builds charts drafts exports files guards hosts imports joins keeps links maps notes opens plots queries ranks sends tests updates verifies watches zips reports invoices tables forms logs "releases" teams\' calls'.split(
    ' ',
  );
const CHINESE = '当用户需要整理报告、检查数据或撰写说明时使用。';

/** `count` skills; the first ones of a longer list are those of a shorter one. */
export const madeSkills = (count: number): readonly MadeSkill[] =>
  Array.from({ length: count }, (_, at) => {
    const word = (nth: number) => WORDS[(at * 7 + nth * 13 + ((at * nth) % 5)) % WORDS.length] ?? '';
    const length = 12 + ((at * 37) % 90);
    const text = Array.from({ length }, (__, nth) => word(nth)).join(' ');
    return {
      name: `${word(1).replace(/\W/g, '')}-${word(2).replace(/\W/g, '')}-${String(at).padStart(3, '0')}`,
      description: at % 25 === 0 ? CHINESE.repeat(6) : `Does ${text}. Use when asked.`.slice(0, 900),
    };
  });
