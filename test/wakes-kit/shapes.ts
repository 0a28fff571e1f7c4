/**
 * Stand-ins of harnesses, one for each shape in which agents are woken. What an agent does on its own, it does in steps, and may be
 * killed before and after each of them: all that it keeps is the log of its turns, to which a turn is added whole or not at all.
 */
import { createHash } from 'node:crypto';
import { systemClock } from '../../src/base/clock.ts';
import { takeOne } from '../../src/cli/wakes/run-command.ts';
import { type ChannelEvent, runChannel } from '../../src/mcp/channel.ts';
import { matchesUri } from '../../src/mcp/resource-updates.ts';
import type { ToldOfWake } from './listen.ts';

/** One line of the log: the id of the wake, its matches and its characters, and what a shape needs to go on. */
export type Line = readonly string[];

export interface Ports {
  readonly ruleId: string;
  /** The address that its own receiver listens at. */
  readonly address: string;
  call(operation: string, input: object): Promise<Record<string, unknown>>;
  mcp(method: string, params: object): Promise<Record<string, unknown>>;
  /** Listens to a resource until it is told of a wake, for as long as it waits. */
  listen(uri: string): Promise<ToldOfWake | undefined>;
  lines(): readonly Line[];
  append(line: Line): void;
  /** One more thing that it keeps. */
  readonly note: { read(): string | undefined; write(text: string): void };
  /** The agent may be killed here. */
  step(): Promise<void>;
  /** How long it waits for something to come. */
  readonly waitSeconds: number;
}

export interface Request {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly body: string;
}

export interface Shape {
  /** Makes sure that it can be woken. Done at every start. */
  begin(ports: Ports): Promise<void>;
  /** Only a shape that is sent to has it. */
  receive?(ports: Ports, request: Request): Promise<Reply>;
  /** Asks once; only a shape that asks has it. */
  ask?(ports: Ports): Promise<void>;
}

export const AGENT = 'kit';
const DONE: Reply = { status: 200, body: '{}' };
const secretOf = (address: string): string => `whsec_${createHash('sha256').update(address).digest('base64')}`;

/** A turn begins once, whatever is offered again. */
async function turn({ lines, append, step }: Ports, id: string, matches: number, text: string): Promise<void> {
  await step();
  if (!lines().some(([known]) => known === id)) append([id, `${matches}`, `${text.length}`]);
  await step();
}

async function acknowledge({ call, step }: Ports, wake_id: string): Promise<void> {
  await call('AcknowledgeWake', { wake_id });
  await step();
}

async function ensureWebhook({ call, step }: Ports, wanted: Record<string, unknown>): Promise<void> {
  await step();
  const { webhooks } = await call('ListWebhooks', {});
  const found = (webhooks as { description: string }[]).some(({ description }) => description === AGENT);
  await step();
  if (!found) await call('CreateWebhook', { ...wanted, description: AGENT });
  await step();
}

const asksForWakes = (ports: Ports) =>
  ensureWebhook(ports, { url: `wake:${AGENT}`, format: 'wake', rule_ids: [ports.ruleId] });

async function nextWake({ call, waitSeconds, step }: Ports): Promise<{ id: string; text: string } | null> {
  await step();
  const { wake } = await call('NextWake', { agent: AGENT, wait_seconds: waitSeconds });
  await step();
  return wake as { id: string; text: string } | null;
}

const matchesIn = (text: string): number => (JSON.parse(text) as { matches: number }).matches;

/** A headless run for each wake: what `sluice wakes run` does, with a turn as its command. */
const headless: Shape = {
  begin: asksForWakes,
  async ask(ports) {
    const ends = {
      next: () => nextWake(ports),
      async run({ id, text }: { id: string; text: string }) {
        await turn(ports, id, matchesIn(text), text);
        return true;
      },
      acknowledge: (id: string) => acknowledge(ports, id),
      forget() {},
      clock: { sleep: async () => {} },
      complain() {},
    };
    await takeOne(ends, new AbortController().signal);
  },
};

/** A resident loop that asks for its wakes. */
const resident: Shape = {
  begin: asksForWakes,
  async ask(ports) {
    const wake = await nextWake(ports);
    if (wake === null) return;
    await turn(ports, wake.id, matchesIn(wake.text), wake.text);
    await acknowledge(ports, wake.id);
  },
};

/** A receiver of plain webhooks, which replies to the address in the wake. */
const webhook: Shape = {
  begin: (ports) => ensureWebhook(ports, { url: ports.address, format: 'wake', rule_ids: [ports.ruleId] }),
  async receive(ports, { body }) {
    const { wake_id, matches } = JSON.parse(body) as { wake_id: string; matches: number };
    await turn(ports, wake_id, matches, body);
    await acknowledge(ports, wake_id);
    return DONE;
  },
};

/** A client of A2A that takes push notifications. */
const a2a: Shape = {
  begin: (ports) =>
    ensureWebhook(ports, { url: ports.address, format: 'a2a', credential: 'token', rule_ids: [ports.ruleId] }),
  async receive(ports, { headers, body }) {
    if (headers['x-a2a-notification-token'] !== 'token') return { status: 401, body: '' };
    const { statusUpdate } = JSON.parse(body);
    const { data } = statusUpdate.status.message.parts[0] as { data: { wake_id: string; matches: number } };
    await turn(ports, data.wake_id, data.matches, body);
    await acknowledge(ports, data.wake_id);
    return DONE;
  },
};

/** A subscriber of MCP Events, which refreshes its subscription at every start. */
const events: Shape = {
  async begin({ mcp, address, ruleId, step }) {
    await step();
    await mcp('events/subscribe', {
      name: 'match.created',
      arguments: { rule_id: ruleId },
      delivery: { mode: 'webhook', url: address, secret: secretOf(address) },
    });
    await step();
  },
  async receive(ports, { body }) {
    const { type, challenge, eventId } = JSON.parse(body) as { type?: string; challenge?: string; eventId: string };
    if (type === 'verification') return { status: 200, body: JSON.stringify({ challenge }) };
    await turn(ports, eventId, 1, body);
    await acknowledge(ports, eventId);
    return DONE;
  },
};

function toolAnswer(result: Record<string, unknown>): { matches: unknown[]; cursor: string } {
  const [{ text }] = result['content'] as [{ text: string }];
  return JSON.parse(text) as { matches: unknown[]; cursor: string };
}

/** An agent that polls with a cursor, which it keeps with its turn: the next poll says that it has what came before. */
const poll: Shape = {
  async begin({ mcp, ruleId, note, step }) {
    if (note.read() !== undefined) return;
    await step();
    const answer = await mcp('tools/call', { name: 'list_matches', arguments: { rule_id: ruleId, limit: 1 } });
    await step();
    note.write(toolAnswer(answer).cursor);
  },
  async ask({ mcp, ruleId, lines, append, note, step, waitSeconds }) {
    const cursor = lines().at(-1)?.[3] ?? note.read();
    await step();
    const asked = { rule_id: ruleId, cursor, wait_seconds: waitSeconds, limit: 4, max_tokens: 600 };
    const answer = await mcp('tools/call', { name: 'wait_for_matches', arguments: asked });
    const found = toolAnswer(answer);
    await step();
    const text = JSON.stringify(found);
    if (found.matches.length > 0) append([found.cursor, `${found.matches.length}`, `${text.length}`, found.cursor]);
    await step();
  },
};

/** A client of MCP Events that polls. The cursor of its next poll says what it has. */
const polledEvents: Shape = {
  async begin({ mcp, ruleId, note, step }) {
    if (note.read() !== undefined) return;
    await step();
    const { cursor } = await mcp('events/poll', {
      name: 'match.created',
      arguments: { rule_id: ruleId },
      cursor: null,
    });
    await step();
    note.write(String(cursor));
  },
  async ask({ mcp, ruleId, lines, append, note, step, waitSeconds }) {
    const cursor = lines().at(-1)?.[3] ?? note.read();
    await step();
    const asked = { cursor, maxEvents: 4, timeoutMs: waitSeconds * 1_000 };
    const answer = await mcp('events/poll', { name: 'match.created', arguments: { rule_id: ruleId }, ...asked });
    await step();
    const { length } = answer['events'] as readonly object[];
    const next = String(answer['cursor']);
    if (length > 0) append([next, `${length}`, `${JSON.stringify(answer).length}`, next]);
    await step();
  },
};

/** A session that a channel pushes into. The program that has the session starts the channel, so both die at once. */
const channel: Shape = {
  begin: asksForWakes,
  async ask(ports) {
    const once = new AbortController();
    let event: ChannelEvent | undefined;
    await runChannel(
      {
        clock: systemClock,
        complain: () => once.abort(),
        notes: {
          read: async () => ({ agent: AGENT, read: ports.note.read() }),
          async write({ read }) {
            await ports.step();
            if (read !== undefined) ports.note.write(read);
            await ports.step();
          },
        },
      },
      {
        async call(name, input) {
          await ports.step();
          const wait = name === 'nextWake' && { wait_seconds: ports.waitSeconds };
          const answer = await ports.call(`${name.charAt(0).toUpperCase()}${name.slice(1)}`, { ...input, ...wait });
          await ports.step();
          if (answer['wake'] === null || name === 'acknowledgeWake') once.abort();
          return answer;
        },
        push(pushed) {
          event = pushed;
        },
        async ping() {
          const { wake_id, matches = '1' } = event!.meta;
          await turn(ports, wake_id!, Number(matches), JSON.stringify(event));
        },
      },
      once.signal,
    );
  },
};

/** A client that subscribes to the resource of the matches, and reads it when it is told that it was updated. */
const resource: Shape = {
  async begin({ listen, ruleId, step }) {
    await step();
    await listen(matchesUri(ruleId));
    await step();
  },
  async ask(ports) {
    const uri = matchesUri(ports.ruleId);
    await ports.step();
    const told = await ports.listen(uri);
    if (told === undefined) return;
    await turn(ports, told.wakeId, told.matches, told.text);
    await ports.mcp('resources/read', { uri });
    await ports.step();
  },
};

export const SHAPES = {
  headless,
  resident,
  webhook,
  a2a,
  events,
  poll,
  polledEvents,
  channel,
  resource,
} satisfies Record<string, Shape>;
export type ShapeName = keyof typeof SHAPES;
