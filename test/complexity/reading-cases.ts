/** The cases of streams, waits and tools for agents, which are no operations. A test holds the tools to the list. */

import { TOOLS } from '../../src/mcp/tools.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { startStream } from '../../src/service/matches/open-stream.ts';
import { waitForMatches } from '../../src/service/matches/wait-for-matches.ts';
import { perform } from '../../src/service/perform/perform.ts';
import {
  everyText,
  explained,
  grown,
  type Line,
  longMatches,
  matchesOf,
  nothing,
  PAGE_LENGTH,
  patterns,
  RULE_LENGTH,
  ruleInput,
  rulesOf,
} from './grown.ts';
import type { Account } from './stage.ts';

const { signal } = new AbortController();

/** Opens a stream at the beginning and reads until it has had a number of matches. */
async function readStream({ test, caller }: Account, matches: number): Promise<void> {
  const { context } = test.service;
  const start = await startStream(context, caller, {}, undefined);
  const { promise, resolve } = Promise.withResolvers<void>();
  let heard = 0;
  const outlet = {
    queued: 0,
    write(bytes: Uint8Array) {
      heard += Buffer.from(bytes).toString().split('event: match').length - 1;
      if (heard >= matches) resolve();
      return true;
    },
    end: () => resolve(),
    destroy: () => {},
  };
  const subscriber = context.live.subscribe({ ...start, after: 0, outlet });
  await promise;
  subscriber.closed();
}

/** Many waits at once, all woken by one match. */
async function wakeWaiters({ test, caller, pages }: Account, waiters: number): Promise<void> {
  const { context } = test.service;
  const wait = { limit: 50, milliseconds: 60_000 };
  const waits = Array.from({ length: waiters }, () => waitForMatches(context, caller, wait, signal));
  while (context.matchSignals.watching < waiters) await new Promise(setImmediate);
  await pages([{ id: crypto.randomUUID(), title: 'lava' }]);
  await Promise.all(waits);
}

export const READING_CASES: Record<'stream' | 'wait', Line> = {
  stream: {
    'the matches after its cursor': grown(400, matchesOf, (account, _, size) => readStream(account, size)),
    'the bytes after its cursor': grown(16 * PAGE_LENGTH, longMatches, (account, _, size) =>
      readStream(account, Math.ceil(size / (16 * 1024))),
    ),
  },
  wait: {
    'the waits that one match wakes': grown(
      400,
      (account) => matchesOf(account, 0),
      (account, _, size) => wakeWaiters(account, size),
    ),
  },
};

/** Calls a tool as an agent's key does. Input that is refused was read. */
async function useTool({ test, caller }: Account, name: string, input: object): Promise<void> {
  const { operation } = TOOLS.find((tool) => tool.operation.name === name)!;
  try {
    await perform(test.service.context, operation, caller, input, { idempotencyKey: undefined, signal });
  } catch (error) {
    if (!(error instanceof ServiceError) || !['invalid_argument', 'not_found'].includes(error.code)) throw error;
  }
}

export const TOOL_CASES: Readonly<Record<string, Line>> = {
  platform_syntax: 'Its input names platforms, or an operator with at most 200 characters of a prefix.',
  check_rule: {
    'the length of the text': everyText(RULE_LENGTH, (account, platform, value) =>
      useTool(account, 'check_rule', { overrides: { [platform]: value } }),
    ),
    'the length of the intent': grown(2_000, nothing, (account, _, size) =>
      useTool(account, 'check_rule', { overrides: { x: 'lava' }, intent: 'no lava but '.repeat(size / 12) }),
    ),
  },
  create_rule: {
    'the length of the text': everyText(RULE_LENGTH, (account, platform, value) =>
      useTool(account, 'create_rule', ruleInput(platform, value)),
    ),
  },
  list_rules: {
    'the rules before the page': grown(400, rulesOf, (account, ids) =>
      useTool(account, 'list_rules', { after: (ids as string[]).at(-2)! }),
    ),
  },
  update_rule: {
    'the rules among which one is named': grown(400, rulesOf, (account) =>
      useTool(account, 'update_rule', { rule_id: 'a name that no rule has', paused: true }),
    ),
  },
  delete_rule: 'It is the operation Delete Rule.',
  list_matches: {
    'the bytes of the matches': grown(16 * PAGE_LENGTH, longMatches, (account) =>
      useTool(account, 'list_matches', { limit: 50, detail: 'full', max_tokens: 8_000 }),
    ),
  },
  wait_for_matches: {
    'the matches that are there': grown(
      50,
      async (account, size) => {
        const { latest_cursor } = await account.test.call(account.caller, 'listMatches', {});
        await matchesOf(account, size);
        return latest_cursor;
      },
      (account, cursor) => useTool(account, 'wait_for_matches', { cursor, limit: 50, wait_seconds: 0 }),
    ),
  },
  explain_match: {
    'the length of the page': grown(
      PAGE_LENGTH,
      (account, size) => explained(account, patterns(20), size),
      (account, match_id) => useTool(account, 'explain_match', { match_id }),
    ),
  },
  rate_match: 'It is the operation Rate Match.',
  near_misses: 'It is the operation Near Misses, whose samples are cut.',
  explain_post: 'It is the operation Explain Post.',
  suggest_changes: 'It is the operation Suggest Changes.',
  draft_rule: 'It is the operation Draft Rule.',
  add_source: 'It looks at one address, and is then the operation Create Source.',
  list_sources: 'It is the operation List Sources, cut to what fits.',
  status: 'It is the operation Status.',
};
