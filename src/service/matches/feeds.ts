/** Create Feed, List Feeds and Delete Feed: matches or stories for feed readers, at an address that is a secret. */
import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { newId } from '../../base/ids.ts';
import { FEED_FORMATS, type FeedFormat } from '../../delivery/syndication/feed-document.ts';
import { FEED_CONTENTS, type SharedFeed } from '../../domain/views.ts';
import { byCaller, changeNote } from '../access/change-notes.ts';
import { ServiceError } from '../errors.ts';
import { limitReached, MAX_FEEDS } from '../limits.ts';
import { templateIssues, templateText } from '../outlets/message-template.ts';
import { unknownRule } from '../rules/read-rules.ts';
import { fieldsOf } from '../rules/rule-problems.ts';
import { goneField, rulesGone } from '../rules/rules-gone.ts';
import { ruleId, time, visibleName } from '../shapes.ts';
import { operation } from './room.ts';

export { FEED_FORMATS, type FeedFormat };

const SECRET_BYTES = 32;

/** Feeds are looked up by it, so timing reveals nothing about a secret. */
export const feedDigest = (secret: string): string => hash('sha256', `feed ${secret}`);

export const listedFeed = z.object({
  id: z.string(),
  name: z.string(),
  rule_id: z.string().nullable().describe('Null: of all rules.'),
  what: z.enum(FEED_CONTENTS),
  template: z.string().optional().describe('Absent: the text of an entry is that of the post or page.'),
  rules_gone: rulesGone,
  created_at: time,
});

const exampleFeed: z.input<typeof listedFeed> = {
  id: 'feed_01k3zqb2v4n8s6d0f3h5j7k9m1',
  name: 'Volcano news',
  rule_id: 'rule_01k3zq8m7e5w9c2t4r6y8p0a1b',
  what: 'stories',
  created_at: '2026-11-15T08:30:00.123Z',
};

const feedToJson = ({
  id,
  name,
  ruleId: rule,
  contents,
  template,
  createdAt,
}: SharedFeed): z.input<typeof listedFeed> => ({
  id,
  name,
  rule_id: rule ?? null,
  what: contents,
  ...(template !== undefined && { template }),
  created_at: createdAt.toISOString(),
});

const feedFields = ({ name, ruleId: rule, contents, template }: SharedFeed) => ({
  name,
  rule_id: rule ?? null,
  what: contents,
  ...(template !== undefined && { template }),
});

export const createFeed = operation({
  name: 'createFeed',
  summary: 'Create a feed',
  description:
    'Matches or stories of one rule, or of all rules, as Atom, RSS and JSON Feed. Who has one of the addresses reads the feed without a key; they are shown only here. Delete Feed ends them. A feed of a deleted rule has no page until the rule is restored, and ends with it.',
  access: 'full',
  input: z.strictObject({
    rule_id: ruleId.optional().describe('Only of this rule. Left out: of all rules of the account.'),
    what: z.enum(FEED_CONTENTS).default('matches'),
    name: visibleName(1, 200).describe('The title that readers see.'),
    template: templateText
      .optional()
      .describe('How the text of an entry is written, in Liquid. The guide to message templates has the fields.'),
  }),
  output: z.object({
    feed_id: z.string(),
    urls: z
      .object({ atom: z.string(), rss: z.string(), json: z.string() })
      .describe(
        'Secret addresses. Sluice does not store them. Without SLUICE_PUBLIC_URL they are paths of this server.',
      ),
  }),
  example: {
    input: { rule_id: exampleFeed.rule_id!, what: 'stories', name: exampleFeed.name },
    output: {
      feed_id: exampleFeed.id,
      urls: {
        atom: 'https://watch.example/feeds/….atom',
        rss: 'https://watch.example/feeds/….rss',
        json: 'https://watch.example/feeds/….json',
      },
    },
  },
  problems: (_, input) => templateIssues('feed', fieldsOf(input)['template']),
  async run(context, caller, { rule_id, what, name, template }) {
    const { store, clock, settings } = context;
    const { id: accountId } = caller.account;
    const createdAt = clock.now();
    const feed = {
      id: newId('feed', createdAt),
      accountId,
      ruleId: rule_id,
      contents: what,
      name,
      template,
      createdAt,
    };
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const note = changeNote(createdAt, byCaller(caller), 'feed.created', feed.id, { after: feedFields(feed) });
    const added = await store.addSharedFeed(feed, feedDigest(secret), note, MAX_FEEDS);
    if (added === 'full')
      throw limitReached('feeds', `The account has ${MAX_FEEDS} feeds, which is the limit.`, {
        details: { limit: MAX_FEEDS },
      });
    if (!added) throw unknownRule();
    return { feed_id: feed.id, urls: urlsOf(settings.publicUrl ?? '', secret) };
  },
});

function urlsOf(base: string, secret: string): Record<FeedFormat, string> {
  const [atom, rss, json] = FEED_FORMATS.map((format) => `${base}/feeds/${secret}.${format}`) as [
    string,
    string,
    string,
  ];
  return { atom, rss, json };
}

export const listFeeds = operation({
  name: 'listFeeds',
  summary: 'List feeds',
  description: 'The feeds of the account, oldest first, without their addresses.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ feeds: z.array(listedFeed) }),
  example: { input: {}, output: { feeds: [exampleFeed] } },
  async run(context, { account }) {
    const feeds: z.input<typeof listedFeed>[] = [];
    for (const feed of await context.store.sharedFeeds(account.id)) {
      const ids = feed.ruleId === undefined ? undefined : [feed.ruleId];
      feeds.push({ ...feedToJson(feed), ...(await goneField(context, account.id, ids)) });
    }
    return { feeds };
  },
});

export const deleteFeed = operation({
  name: 'deleteFeed',
  summary: 'Delete a feed',
  description: 'Its addresses stop working at once.',
  access: 'full',
  input: z.strictObject({ feed_id: z.string() }),
  output: z.object({}),
  example: { input: { feed_id: exampleFeed.id }, output: {} },
  async run({ store, clock }, caller, { feed_id }) {
    const { id: accountId } = caller.account;
    const feed = (await store.sharedFeeds(accountId)).find(({ id }) => id === feed_id);
    const note =
      feed && changeNote(clock.now(), byCaller(caller), 'feed.deleted', feed_id, { before: feedFields(feed) });
    if (!(await store.deleteSharedFeed(accountId, feed_id, note)))
      throw new ServiceError('not_found', 'There is no such feed.');
    return {};
  },
});
