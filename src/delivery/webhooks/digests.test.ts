import { describe, expect, it } from 'vitest';
import type { Match } from '../../domain/match.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { writeDigest } from './digests.ts';
import { MAX_BODY_BYTES } from './formats.ts';
import type { HeldEntry } from './outbox.ts';

const START = Date.parse('2026-11-15T08:00:00Z');

const held = (count: number, storyOf: (number: number) => string | undefined): HeldEntry[] =>
  Array.from({ length: count }, (_, position) => ({
    id: `match_${String(position).padStart(8, '0')}`,
    position,
    at: new Date(START + position),
    story: storyOf(position),
  }));

function outbox(entries: readonly HeldEntry[], payloadOf: (position: number) => object, isSealed = true) {
  const read: number[] = [];
  const reads: number[] = [];
  const sealed: object[] = [];
  return {
    read,
    /** How many matches were read in one go. */
    reads,
    sealed,
    events: { data: () => ({}), digest: () => ({}), cursor: () => '' },
    outbox: {
      closeDigest: async () => entries,
      async sealDigest(digest: object) {
        sealed.push(digest);
        return isSealed;
      },
      watermark: async () => 0,
    },
    matches: {
      async at(positions: readonly number[]): Promise<Match[]> {
        read.push(...positions);
        reads.push(positions.length);
        return positions.map((position) => ({
          id: entries[position]!.id,
          createdAt: entries[position]!.at,
          position,
          platform: 'firehose',
          platformPostId: String(position),
          ruleId: 'rule_1',
          ruleName: 'Storms',
          ruleVersion: 1,
          payload: { ...payloadOf(position) },
          highlights: [],
        }));
      },
    },
  };
}

const titled = (position: number) => ({ title: `Storm ${position}`, url: `https://a.test/${position}` });
const json: Webhook = {
  id: 'hook_1',
  accountId: 'one',
  url: 'https://example.com/',
  description: '',
  ruleIds: undefined,
  platforms: undefined,
  events: ['match'],
  format: 'json',
  every: undefined,
  status: 'active',
  reason: undefined,
  createdAt: new Date(0),
  secrets: { current: '', previous: undefined, previousUntil: undefined },
  health: { lastFailureAt: undefined, failingSince: undefined },
};

describe('the digest of a webhook', () => {
  it('counts ten thousand matches, lists the newest stories, and reads a few matches of each', async () => {
    const stand = outbox(
      held(10_000, (number) => `story_${number % 500}`),
      titled,
    );
    const body = (await writeDigest(stand, json, 'dlv_1'))!;
    expect(stand.sealed).toEqual([{ deliveryId: 'dlv_1', madeFor: 'json', body, matches: 10_000 }]);
    expect(Buffer.byteLength(body)).toBeLessThan(MAX_BODY_BYTES);
    const { digest, ...around } = JSON.parse(body) as { digest: { stories: { size: number; title: string }[] } };
    expect(around).toEqual({ type: 'digest', webhook_id: 'hook_1', wake: false, matches: [] });
    expect(digest).toMatchObject({ match_count: 10_000, story_count: 500 });
    expect(digest.stories).toHaveLength(200);
    expect(digest.stories[0]).toMatchObject({ story_id: 'story_499', size: 20, title: 'Storm 499' });
    expect(stand.read).toHaveLength(50 * 4 + 150);
    expect(Math.max(...stand.reads)).toBe(1);
  });

  it('keeps to the size of a body, however long what it tells of is', async () => {
    const long = (position: number) => ({
      title: '語'.repeat(500),
      url: `https://a.test/${position}/${'a'.repeat(2_000)}`,
    });
    const stand = outbox(
      held(10_000, (number) => `story_${number % 500}`),
      long,
    );
    const body = (await writeDigest(stand, json, 'dlv_1'))!;
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_BODY_BYTES);
    const { digest } = JSON.parse(body) as { digest: { match_count: number; stories: unknown[] } };
    expect(digest.match_count).toBe(10_000);
    expect(digest.stories.length).toBeGreaterThan(0);
    expect(digest.stories.length).toBeLessThan(200);
  });

  it('is dropped when nothing is left of it, and not sent when it changed while it was written', async () => {
    const empty = outbox([], titled);
    expect(await writeDigest(empty, json, 'dlv_1')).toBeUndefined();
    expect(empty.sealed).toEqual([{ deliveryId: 'dlv_1', madeFor: 'json', body: undefined, matches: 0 }]);
    expect(
      await writeDigest(
        outbox(
          held(1, () => undefined),
          titled,
          false,
        ),
        json,
        'dlv_1',
      ),
    ).toBeUndefined();
  });

  it('is a message for a chat, with the stories as it shows matches, and no markup by strangers', async () => {
    const entries = held(30, (number) => `story_${number % 25}`);
    const hostile = (position: number) => ({ ...titled(position), title: '<!channel> [bank](https://evil.test)' });
    const slack = JSON.parse((await writeDigest(outbox(entries, hostile), { ...json, format: 'slack' }, 'd'))!) as {
      text: string;
      blocks: { text: { text: string } }[];
    };
    expect(slack.text).toMatch(/^Digest: 30 matches in 25 stories, stored from .* The 20 newest stories are listed\.$/);
    expect(slack.blocks).toHaveLength(21);
    expect(slack.blocks[1]!.text.text).toBe(
      '*Storms*\n&lt;!channel&gt; [bank](https://evil.test)\n2 matches: a.test\n<https://a.test/4>',
    );
    const discord = JSON.parse((await writeDigest(outbox(entries, hostile), { ...json, format: 'discord' }, 'd'))!) as {
      embeds: { title: string; description: string; url: string }[];
    };
    expect(discord.embeds).toHaveLength(10);
    expect(discord.embeds[0]).toMatchObject({ description: '2 matches: a.test', url: 'https://a.test/4' });
    expect(discord.embeds[0]!.title).toContain('\\[bank\\]\\(');
  });
});
