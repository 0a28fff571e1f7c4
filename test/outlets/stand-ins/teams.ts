/** Stands in for a workflow of Teams: a signed address, Adaptive Cards of rich text, 28 KB, four requests a second. */
import { rateLimit, type StandIn } from './stand-in.ts';

export interface TeamsStandIn extends StandIn {
  readonly shown: string[];
}

interface CardPart {
  readonly type: string;
  readonly text?: string;
  readonly items?: CardPart[];
  readonly inlines?: CardPart[];
  readonly selectAction?: { readonly type: string; readonly url: string };
}

interface CardMessage {
  readonly type: string;
  readonly attachments: { contentType: string; content: { type: string; version: string; body: CardPart[] } }[];
}

/** The lines that a card shows. Text blocks read Markdown, so a card that has one shows nothing here. */
export function cardText({ type, attachments }: CardMessage): string | undefined {
  const [card] = attachments;
  if (type !== 'message' || card?.contentType !== 'application/vnd.microsoft.card.adaptive') return undefined;
  const lines = (part: CardPart): string[] => {
    if (part.type === 'Container') return part.items!.flatMap(lines);
    if (part.type === 'RichTextBlock') return [part.inlines!.map(({ text }) => text).join('')];
    throw new Error(`A card must not have a ${part.type}.`);
  };
  return card.content.body.flatMap(lines).join('\n');
}

export function teams({ signature, now }: { signature: string; now: () => number }): TeamsStandIn {
  const shown: string[] = [];
  const limit = rateLimit(4, 1_000, now);
  return {
    shown,
    answer({ method, url, body }) {
      if (method !== 'POST' || url.searchParams.get('sig') !== signature) return { status: 401 };
      if (Buffer.byteLength(body) > 28 * 1024) return { status: 413 };
      const wait = limit();
      if (wait !== undefined) return { status: 429, headers: { 'retry-after': String(wait) } };
      const text = cardText(JSON.parse(body) as CardMessage);
      if (text === undefined) return { status: 400 };
      shown.push(text);
      return { status: 202 };
    },
  };
}
