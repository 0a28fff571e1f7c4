/** Next Wake: what an agent that asks is woken by. */
import { z } from 'zod';
import { AGENT_NAME, pulledUrl } from '../../delivery/webhooks/wake-body.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Caller } from '../access/caller.ts';
import { ServiceError } from '../errors.ts';
import { checkWaits, refuseEnded } from '../matches/wait-for-matches.ts';
import { exampleWake } from './list-wakes.ts';
import { operation, type WebhooksRoom } from './room.ts';

const LONGEST_WAIT = 50;

const openWake = z.object({
  id: z.string(),
  text: z
    .string()
    .describe(
      'JSON, at most 600 tokens: how many matches of which rules, and the newest. Text by strangers is in `untrusted_content`.',
    ),
});

export const nextWake = operation({
  name: 'nextWake',
  summary: 'Wait for the next wake',
  description:
    'The open wake of an agent that asks, waiting for one if need be. It is the same one, with the same id and text, until it is acknowledged or has expired; what matches meanwhile is in the next. The agent is a webhook with a URL such as wake:my-agent.',
  access: 'read',
  input: z.strictObject({
    agent: z
      .string()
      .regex(AGENT_NAME, { error: 'It must be the name in a URL such as wake:my-agent.' })
      .describe('The name in its URL.'),
    wait_seconds: z.int().min(0).max(LONGEST_WAIT).default(0).describe('How long to wait for one.'),
  }),
  output: z.object({ wake: openWake.nullable().describe('Null: there is none yet.') }),
  example: {
    input: { agent: 'my-agent', wait_seconds: 45 },
    output: { wake: { id: exampleWake.id, text: '{"wake_id":"dlv_…","type":"wake","matches":3}' } },
  },
  async run(context, caller, { agent, wait_seconds }, { signal }) {
    const { clock, dispatcher, matchSignals } = context;
    if (wait_seconds > 0) checkWaits(context, caller.account);
    using watch = matchSignals.watch(caller.account.id);
    const enough = new AbortController();
    const ended = AbortSignal.any([signal, enough.signal]);
    if (wait_seconds > 0) void clock.sleep(wait_seconds * 1_000, ended).then(() => enough.abort());
    try {
      for (;;) {
        // A contract decides from what it has come to, so it is read anew.
        const wake = await dispatcher.openWake(await agentOf(context, caller, agent));
        if (wake !== undefined || wait_seconds === 0 || ended.aborted) return { wake: wake ?? null };
        await watch.next(ended);
        await refuseEnded(context, caller);
      }
    } finally {
      enough.abort();
    }
  },
});

async function agentOf({ store }: WebhooksRoom, { account }: Caller, agent: string): Promise<Webhook> {
  const url = pulledUrl(agent);
  const found = (await store.webhooks(account.id)).find((one) => one.url === url);
  if (found !== undefined) return found;
  throw new ServiceError(
    'not_found',
    `No agent has this name. Create Webhook with the URL ${url} and the format wake.`,
  );
}
