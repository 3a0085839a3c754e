/** Why a fetch fails, in one sentence with what to do. No one tells the reasons apart: they become `SourceStatus.failure`. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
}
