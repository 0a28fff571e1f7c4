/** Digests of held matches: written when they are due, from rows, so that nothing that was erased or deleted is in them. */
import type { Digest } from '../../domain/wake.ts';
import type { Webhook, WebhookFormat } from '../../domain/webhook.ts';
import {
  type DigestItem,
  digestHeadline,
  digestItem,
  digestOfGroups,
  groupByStory,
  shortened,
  storyFacts,
  titleFirst,
} from '../../wakes/digest.ts';
import {
  type ChatMessage,
  digestByTemplate,
  type TemplatedMessage,
  type WriteChat,
  withTemplate,
} from './chats/chat.ts';
import { CHATS } from './chats/chats.ts';
import { cloudBody, digestCloudEvent, isCloudFormat } from './cloud-events.ts';
import { digestEvent, type EventWriter, isSubscribed } from './events.ts';
import { MAX_BODY_BYTES, receiverKind, sinkEvent } from './formats.ts';
import type { HeldEntry, Outbox, OwedMatches } from './outbox.ts';
import { recordsText } from './sinks/records.ts';
import { isSink } from './sinks/sink-address.ts';
import { digestWake, isWakeFormat } from './wake-body.ts';

/** Stories that are listed. All are counted. */
const LISTED: Readonly<Partial<Record<WebhookFormat, number>>> = { slack: 20, discord: 10, mcp: 20, wake: 8, a2a: 8 };
const LISTED_IN_CHATS = 20;
const LISTED_IN_JSON = 200;
/**
 * A digest reads so many matches of each of its newest stories: the first, for the title, and the newest. It reads the
 * first match of other stories.
 */
const READ_OF_STORY = 4;
const READ_CLOSELY = 50;

type ReadAt = Pick<OwedMatches, 'at'>;

interface DigestDeps {
  readonly outbox: Pick<Outbox, 'closeDigest' | 'sealDigest' | 'watermark'>;
  readonly matches: ReadAt;
  readonly events: EventWriter;
  /** Our public address. */
  readonly server?: string | undefined;
}

/**
 * Writes a digest once; its bytes stay. Returns undefined when it is empty, and gone, or when it changed and must be
 * written anew.
 */
export async function writeDigest(deps: DigestDeps, webhook: Webhook, deliveryId: string): Promise<string | undefined> {
  const { outbox } = deps;
  const held = await outbox.closeDigest(deliveryId);
  const written = held.length === 0 ? undefined : await bodyOfHeld(deps, webhook, deliveryId, held);
  const sealed = { body: written?.text, madeFor: receiverKind(webhook), matches: held.length, note: written?.note };
  return (await outbox.sealDigest({ deliveryId, ...sealed })) ? written?.text : undefined;
}

async function bodyOfHeld(
  { outbox, matches, events, server }: DigestDeps,
  webhook: Webhook,
  id: string,
  held: readonly HeldEntry[],
): Promise<WrittenDigest> {
  const { format } = webhook;
  const usual = CHATS[format] === undefined ? LISTED_IN_JSON : LISTED_IN_CHATS;
  const digest = await digestOfHeld(matches, held, LISTED[format] ?? usual);
  if (!isSubscribed(webhook) && !isWakeFormat(format)) return digestBody(webhook, digest, id, server);
  const last = held.reduce((newest, one) => (one.position > newest.position ? one : newest));
  const [newest] = await matches.at([last.position]);
  // It has gone meanwhile: then the digest is not sealed either, and written anew.
  if (newest === undefined) return { text: '' };
  if (!isSubscribed(webhook)) return { text: digestWake(webhook.id, { digest, newest }, events, server) };
  return { text: await digestEvent(outbox, events, webhook, { id, digest, newest }) };
}

async function digestOfHeld(read: ReadAt, held: readonly HeldEntry[], most: number): Promise<Digest> {
  const groups = groupByStory(held);
  const listed = groups.slice(0, most).map((group, index) => ({
    ...group,
    told: titleFirst(group.matches, index < READ_CLOSELY ? READ_OF_STORY : 1),
  }));
  const items = await readItems(
    read,
    listed.flatMap(({ told }) => told.map(({ position }) => position)),
  );
  return digestOfGroups(
    listed.map(({ told, ...group }) => ({
      ...group,
      items: told.flatMap(({ position }) => items.get(position) ?? []),
    })),
    { matches: held, stories: groups.length },
  );
}

/** One by one: a payload may hold a megabyte, and others have a turn between reading it and reading the next. */
async function readItems(read: ReadAt, positions: readonly number[]): Promise<Map<number, DigestItem>> {
  const items = new Map<number, DigestItem>();
  for (const position of positions) {
    const [match] = await read.at([position]);
    if (match !== undefined) items.set(position, digestItem(match));
  }
  return items;
}

type WrittenDigest = Pick<TemplatedMessage, 'text' | 'note'>;

export function digestBody(
  { id: webhookId, format, url, template }: Pick<Webhook, 'id' | 'format' | 'template'> & Partial<Pick<Webhook, 'url'>>,
  digest: Digest,
  deliveryId: string,
  server?: string,
): WrittenDigest {
  const writeChat = CHATS[format];
  if (writeChat !== undefined)
    return withTemplate(template, (by) =>
      by?.isForDigests === true ? digestByTemplate(by, digest, writeChat) : digestMessage(digest, writeChat),
    );
  const text = digestJson(webhookId, digest);
  const about = { webhookId, deliveryId, until: digest.until };
  const event = digestCloudEvent(about, text);
  if (isSink(url)) return { text: recordsText([sinkEvent({ id: webhookId, format }, 'digest', event, server)]) };
  return { text: isCloudFormat(format) ? cloudBody(format, [event], server) : text };
}

/** The note says how many stories are listed, so it is written anew when not all of them fit. */
function digestMessage(digest: Digest, write: WriteChat): ChatMessage {
  const messageOf = (given: Digest) =>
    write({ kind: 'digest', summaries: given.stories.map(storyFacts), note: digestHeadline(given) });
  const message = messageOf(digest);
  return message.told === digest.stories.length ? message : messageOf(shortened(digest, message.told));
}

function digestJson(webhookId: string, digest: Digest): string {
  for (let most = digest.stories.length; ; most = Math.floor(most / 2)) {
    // The list is there, so that a receiver that goes through matches finds none.
    const body = { type: 'digest', webhook_id: webhookId, wake: false, matches: [], digest: shortened(digest, most) };
    const text = JSON.stringify(body);
    if (most === 0 || Buffer.byteLength(text) <= MAX_BODY_BYTES) return text;
  }
}
