/** An object without its undefined members, so that those of an object before it survive: `{ ...defaults, ...defined(given) }`. */
export const defined = <Value extends object>(value: Value): Partial<Value> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<Value>;
