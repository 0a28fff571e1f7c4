/** The sandbox answers and sends what X itself answered and sent. */
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { hasSharedData, sharedJson, sharedLines } from '../stages/shared-data.ts';
import { call, open, STREAM } from './reader.ts';

interface Example {
  readonly name: string;
  readonly status: number;
  readonly request: { readonly method: string; readonly url: string; readonly body: object | null };
  readonly response_body: { readonly data?: { value: string; tag?: string }[]; readonly meta?: { summary?: object } };
}

/** Ids, times and the order of rules are each server's own; so is the host in the names of problems. */
const comparable = ({ data, meta, ...rest }: Example['response_body']) => ({
  ...(JSON.parse(JSON.stringify(rest).replaceAll('api.twitter.com', 'api.x.com')) as object),
  rules: data?.map(({ value, tag }) => `${value} / ${tag}`).toSorted(),
  summary: meta?.summary,
});

const POST_FIELDS =
  'attachments,author_id,context_annotations,conversation_id,created_at,entities,geo,in_reply_to_user_id,lang,possibly_sensitive,public_metrics,referenced_tweets,reply_settings,source,withheld';

interface Post {
  readonly data: { readonly id: string; readonly text: string } & Readonly<Record<string, unknown>>;
  readonly includes?: { readonly users?: readonly { readonly id: string }[] };
}

describe.runIf(hasSharedData)('shared: the sandbox beside X', () => {
  it.each(sharedJson<Example[]>('rules/x-stream-rule-api-examples.json'))(
    'answers as X did: $name',
    async (example) => {
      await using sandbox = await startSandbox();
      const { method, url, body } = example.request;
      const { pathname, search } = new URL(url);
      for (const { value, tag } of method === 'GET' ? (example.response_body.data ?? [{ value: 'lava' }]) : []) {
        sandbox.addForeignRule('x', value, tag);
      }
      if (pathname === STREAM) await open(sandbox.url + STREAM);
      const token = example.status === 401 ? undefined : 'token';
      const answer = await call(sandbox.url + pathname + search, { method, token, ...(body && { body }) });
      expect(answer.status).toBe(example.status);
      expect(comparable(answer.json())).toEqual(comparable(example.response_body));
    },
  );

  it('delivers posts of X as X did, field by field', async () => {
    await using sandbox = await startSandbox();
    const posts = sharedLines<Post>('posts/x-v2-posts.ndjson.gz').slice(0, 1_500);
    sandbox.addForeignRule('x', 'followers_count:0 OR the');
    const stream = await open(`${sandbox.url}${STREAM}?tweet.fields=${POST_FIELDS}&expansions=author_id`);
    const matched = posts.filter(
      (post) => sandbox.post('x', { data: post.data, includes: post.includes }).ruleIds.length > 0,
    );
    expect(matched.length).toBeGreaterThan(500);
    await stream.has(matched.at(-1)!.data.id);
    await sandbox.drained();
    const seen = stream.records().map(({ data }) => data);
    expect(seen).toHaveLength(matched.length);
    for (const [at, { data }] of matched.entries()) {
      expect(seen[at]).toMatchObject({ id: data.id, text: data.text });
      const asked = POST_FIELDS.split(',').filter((name) => data[name] !== undefined);
      for (const name of asked) expect(seen[at]).toHaveProperty(name, data[name]);
    }
  });
});
