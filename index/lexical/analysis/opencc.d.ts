declare module 'opencc-js/dict/TSCharacters' {
  /** Pairs of a traditional and a simplified character: `乾 干|亂 乱`. */
  const pairs: string;
  export default pairs;
}
