/** Which kinds of answer a client takes, by its Accept header (RFC 9110, section 12.5.1), and the one that it takes. */

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

/** No header takes everything. */
export function acceptedBy(header: string | undefined): Accepted {
  if (header === undefined || header.trim() === '') return { json: true, stream: true };
  const ranges = header.split(',').flatMap(readRange);
  return { json: weighType(JSON_TYPE, ranges) > 0, stream: weighType(STREAM_TYPE, ranges) > 0 };
}

/** The header that the SDK understands: it compares texts, and wants both. Undefined where neither is taken. */
export const acceptHeader = ({ json, stream }: Accepted, isStreamOnly: boolean): string | undefined =>
  stream || (json && !isStreamOnly) ? `${JSON_TYPE}, ${STREAM_TYPE}` : undefined;

interface Range {
  readonly type: string;
  readonly weight: number;
}

function readRange(text: string): Range[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  if (!/^[^\s/]+\/[^\s/]+$/.test(type)) return [];
  const written = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  const weight = Number(written);
  return [{ type, weight: Number.isFinite(weight) ? weight : 0 }];
}

/** The weight of the most specific range; 0 if none fits. */
function weighType(type: string, ranges: readonly Range[]): number {
  const [kind] = type.split('/');
  const match = [type, `${kind}/*`, '*/*'].map((name) => ranges.find((range) => range.type === name));
  return match.find((range) => range !== undefined)?.weight ?? 0;
}

/** The answers in a stream of events as one JSON answer, for a client that takes no stream: notifications are left out. */
export async function asJson(answer: Response): Promise<Response> {
  if (!answer.headers.get('content-type')?.startsWith(STREAM_TYPE)) return answer;
  const messages = (await answer.text()).split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    const text = data.map((line) => line.slice(5).trimStart()).join('\n');
    const message: unknown = text === '' ? undefined : JSON.parse(text);
    return typeof message === 'object' && message !== null && !('method' in message) ? [message] : [];
  });
  const headers = new Headers(answer.headers);
  headers.set('content-type', JSON_TYPE);
  return new Response(JSON.stringify(messages.length === 1 ? messages[0] : messages), {
    status: answer.status,
    headers,
  });
}
