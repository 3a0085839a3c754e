/** A link or part of a URI with its percent escapes resolved; as it is where one of them is wrong. */
export function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
