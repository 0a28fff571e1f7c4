/** A stand-in for a service, its answers, and a server that asks it. */
import { openReceiver, type Receiver } from '../../stages/receiver.ts';

export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

export interface StandIn {
  answer(asked: Asked): Answer;
}

export const serve = (standIn: StandIn): Promise<Receiver> =>
  openReceiver((response, { path, headers, body }, { method = '' }) => {
    const answer = standIn.answer({ method, url: new URL(path, 'http://stand-in'), headers, body });
    response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body ?? {}));
  });

/** At most so many within a span; answers the seconds until there is room again. */
export function rateLimit(most: number, milliseconds: number, now: () => number) {
  const times: number[] = [];
  return (): number | undefined => {
    while (times.length > 0 && times[0]! <= now() - milliseconds) times.shift();
    if (times.length >= most) return Math.ceil((times[0]! + milliseconds - now()) / 1_000);
    times.push(now());
    return undefined;
  };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** The text of HTML with these tags and entities alone. Undefined when there is anything else in it. */
export function shownHtml(html: string, tags: string): string | undefined {
  const open: string[] = [];
  const form = new RegExp(`<(/?)(${tags})( href="[^"<>]*")?>|&(amp|lt|gt|quot);|[^<>&]+|[\\s\\S]`, 'gu');
  let shown = '';
  for (const [piece, close, tag, , entity] of html.matchAll(form)) {
    if (tag === 'br') shown += '\n';
    else if (tag !== undefined && close === '') open.push(tag);
    else if (tag !== undefined && open.pop() !== tag) return undefined;
    else if (tag === undefined && entity === undefined && /^[<>&]$/.test(piece)) return undefined;
    else if (tag === undefined) shown += entity === undefined ? piece : ENTITIES[entity]!;
  }
  return open.length === 0 ? shown : undefined;
}
