/** Stands in for a Matrix homeserver: transactions that are the same are one event, events have a size, users a rate. */
import { rateLimit, type StandIn, shownHtml } from './stand-in.ts';

interface RoomMessage {
  readonly msgtype: string;
  readonly body: string;
  readonly format: string;
  readonly formatted_body: string;
  readonly 'm.mentions'?: object;
}

export interface MatrixStandIn extends StandIn {
  /** The messages in the room, each event once. */
  readonly room: RoomMessage[];
}

export const matrixText = (html: string): string | undefined => shownHtml(html, 'b|a|p|br');

interface MatrixOptions {
  readonly roomId: string;
  readonly token: string;
  readonly now: () => number;
  /** Events that a user may send in ten seconds. */
  readonly most?: number;
}

export function matrix({ roomId, token, now, most = 10 }: MatrixOptions): MatrixStandIn {
  const room: RoomMessage[] = [];
  const transactions = new Map<string, string>();
  const limit = rateLimit(most, 10_000, now);
  const path = new RegExp(`^/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/send/m\\.room\\.message/([^/]+)$`);
  return {
    room,
    answer({ method, url, headers, body }) {
      const [, transaction] = path.exec(url.pathname) ?? [];
      if (method !== 'PUT' || transaction === undefined) return { status: 404, body: { errcode: 'M_UNRECOGNIZED' } };
      if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: { errcode: 'M_UNKNOWN_TOKEN' } };
      const known = transactions.get(transaction);
      if (known !== undefined) return { status: 200, body: { event_id: known } };
      const wait = limit();
      if (wait !== undefined)
        return { status: 429, body: { errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: wait * 1_000 } };
      if (Buffer.byteLength(body) > 65_536) return { status: 413, body: { errcode: 'M_TOO_LARGE' } };
      room.push(JSON.parse(body) as RoomMessage);
      transactions.set(transaction, `$${room.length}`);
      return { status: 200, body: { event_id: `$${room.length}` } };
    },
  };
}
