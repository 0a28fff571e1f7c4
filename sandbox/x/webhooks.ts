/**
 * `/2/webhooks` and `/2/tweets/search/webhooks`: a webhook is registered, challenged and linked, and gets every post that
 * matches a rule. What it does not acknowledge is delivered again; what was delivered or tried can be replayed.
 */
import { recordIn, textIn } from '../../src/base/json.ts';
import { type Answer, type Call, jsonOf } from '../http.ts';
import { append } from '../recorder.ts';
import { deliver, isAnswered } from './deliver.ts';
import { readSelection, type Selection, select } from './fields.ts';
import { invalidRequest, NOT_FOUND } from './problems.ts';
import { isEnterprise, type KeptPost, type XState } from './state.ts';
import { notEntitled } from './stream.ts';

/** Milliseconds before a delivery that was not acknowledged is tried again. */
const AGAIN_MS: readonly number[] = [5_000, 30_000, 120_000];
/** How long the word of a replay's end is ahead of the replay: X39. */
const EARLY_MS = 10_000;
const DAY = 24 * 60 * 60_000;

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly createdAt: Date;
  isValid: boolean;
  /** It is undefined while the webhook is not linked. */
  link: { readonly selection: Selection; readonly fields: readonly string[]; readonly createdAt: Date } | undefined;
}

/** A post that a webhook was sent, or should have been. */
interface Tried {
  readonly at: number;
  readonly webhook: Webhook;
  readonly post: KeptPost;
}

export interface Webhooks {
  handle(call: Call): Promise<Answer>;
  /** Sends the post to every webhook that is valid and linked. */
  post(post: KeptPost): void;
  /** Faults that take effect at once. */
  strike(): void;
  /** Deliveries that are under way or wait to be tried again. */
  readonly waiting: number;
}

export function createWebhooks(state: XState, secret: string): Webhooks {
  const { context } = state;
  const { clock, faults, recorder, signal } = context;
  const now = () => clock.now().getTime();
  let all: Webhook[] = [];
  const tried: Tried[] = [];
  /** Posts that wait to be delivered in reverse: X35. */
  const turned: (() => Promise<unknown>)[] = [];
  let waiting = 0;
  let unreachableUntil = 0;

  const isReachable = (): boolean => now() >= unreachableUntil;
  const challenge = async (webhook: Pick<Webhook, 'url'>): Promise<boolean> =>
    isReachable() && (await isAnswered(context, webhook.url, secret));

  async function validate(webhook: Webhook): Promise<void> {
    webhook.isValid = await challenge(webhook);
  }

  /** Tries until it is acknowledged, and says whether it was. */
  async function bring(webhook: Webhook, message: object, onSent: () => void): Promise<boolean> {
    waiting++;
    try {
      for (const pause of [0, ...AGAIN_MS]) {
        if (pause > 0) await clock.sleep(pause, signal);
        if (signal.aborted || !webhook.isValid) return false;
        if (isReachable() && (await deliver(context, webhook.url, secret, message))) {
          onSent();
          return true;
        }
      }
      return false;
    } finally {
      waiting--;
    }
  }

  function send({ webhook, post }: Tried, isReplay: boolean): Promise<boolean> {
    const { selection } = webhook.link ?? {};
    if (selection === undefined) return Promise.resolve(false);
    const message = {
      ...select(post.payload, selection),
      matching_rules: post.matchingRules,
      ...(isReplay && { meta: { replay: true } }),
    };
    const ruleIds = post.matchingRules.map(({ id }) => id);
    return bring(webhook, message, () =>
      recorder.event({ at: clock.now(), platform: 'x', stream: 0, id: post.id, ruleIds }),
    );
  }

  function offer(one: KeptPost): void {
    for (const webhook of all.filter(({ isValid, link }) => isValid && link !== undefined)) {
      if (faults.take('X2') !== undefined) continue;
      const attempt: Tried = { at: now(), webhook, post: one };
      append(tried, attempt, context.keep);
      const copies = faults.take('X34')?.copies ?? 1;
      const go = () => Promise.all(Array.from({ length: copies }, () => send(attempt, false)));
      if (turned.length > 0 || faults.take('X35') !== undefined) turned.push(go);
      else void go();
      if (turned.length >= 3) void inTurn(turned.splice(0).toReversed());
    }
  }

  async function replay(call: Call): Promise<Answer> {
    const body = recordIn(jsonOf(call.text));
    const webhook = all.find(({ id }) => id === textIn(body?.['webhook_id']));
    if (webhook === undefined) return NOT_FOUND;
    const fault = faults.take('X39');
    if (fault?.kind === 'refused') return notEntitled();
    const [from, to] = [minuteIn(body?.['from_date']), minuteIn(body?.['to_date'])];
    if (from === undefined || to === undefined || to <= from || to > now() || from < now() - DAY)
      return invalidRequest('from_date', [String(body?.['from_date'])], 'The times are not within the last 24 hours');
    const jobId = state.nextId();
    const found = tried.filter((one) => one.webhook === webhook && one.at >= from && one.at < to);
    const status = (isWhole: boolean) => ({
      replay_job_status: {
        webhook_id: webhook.id,
        job_state: isWhole ? 'Complete' : 'Incomplete',
        job_state_description: isWhole ? 'Job completed successfully' : 'Job failed to deliver all events',
        job_id: jobId,
      },
    });
    const run = async (): Promise<void> => {
      if (fault?.kind === 'early') {
        await bring(webhook, status(true), () => {});
        await clock.sleep(EARLY_MS, signal);
      }
      const sent = fault?.kind === 'incomplete' ? [] : found;
      const brought = await Promise.all(sent.map((one) => send(one, true)));
      const isWhole = fault?.kind !== 'incomplete' && brought.every(Boolean);
      if (fault?.kind === undefined || fault.kind === 'incomplete') await bring(webhook, status(isWhole), () => {});
    };
    void run();
    return { status: 200, body: { created_at: clock.now().toISOString(), job_id: jobId } };
  }

  async function create({ text }: Call): Promise<Answer> {
    const url = textIn(recordIn(jsonOf(text))?.['url']) ?? '';
    if (!URL.canParse(url)) return invalidRequest('url', [url], 'The url is not valid');
    if (all.some((one) => one.url === url)) return invalidRequest('url', [url], 'The url is registered already');
    if (!(await challenge({ url }))) return invalidRequest('url', [url], 'CRC GET request failed validation');
    const webhook: Webhook = { id: state.nextId(), url, createdAt: clock.now(), isValid: true, link: undefined };
    all.push(webhook);
    return { status: 200, body: { data: shown(webhook) } };
  }

  async function change(webhook: Webhook, { method }: Call): Promise<Answer> {
    if (method === 'DELETE') {
      all = all.filter((one) => one !== webhook);
      return { status: 200, body: { data: { deleted: true } } };
    }
    await validate(webhook);
    return { status: 200, body: { data: { attempted: true } } };
  }

  function changeLink(webhook: Webhook, { method, query }: Call): Answer {
    if (method === 'DELETE') {
      webhook.link = undefined;
      return { status: 200, body: { data: { deleted: true } } };
    }
    const selection = readSelection(query);
    if ('status' in selection) return selection;
    webhook.link = { selection, fields: [...query].map(([name, value]) => `${name}=${value}`), createdAt: clock.now() };
    return { status: 200, body: { data: { provisioned: true } } };
  }

  function links(): Answer {
    const found = all.flatMap(({ id, link }) =>
      link === undefined ? [] : [{ webhook_id: id, fields: link.fields, created_at: link.createdAt.toISOString() }],
    );
    return { status: 200, body: { data: { links: found } } };
  }

  async function handle(call: Call): Promise<Answer> {
    if (!isEnterprise(state)) return notEntitled();
    const { method, path } = call;
    const webhook = all.find(({ id }) => id === path.split('/').at(-1));
    if (path === '/2/webhooks/replay' && method === 'POST') return replay(call);
    if (path === '/2/webhooks' && method === 'POST') return create(call);
    if (path === '/2/webhooks' && method === 'GET')
      return { status: 200, body: { data: all.map(shown), meta: { result_count: all.length } } };
    if (path === '/2/tweets/search/webhooks' && method === 'GET') return links();
    if (webhook === undefined) return NOT_FOUND;
    return path.startsWith('/2/webhooks/') ? change(webhook, call) : changeLink(webhook, call);
  }

  return {
    handle,
    post: offer,
    strike() {
      if (faults.take('X33') !== undefined) for (const webhook of all) void validate(webhook);
      const stop = faults.take('X38');
      if (stop?.kind === 'gone') all = [];
      for (const webhook of all) {
        if (stop?.kind === 'unlinked') webhook.link = undefined;
        if (stop?.kind === 'invalid') webhook.isValid = false;
      }
      const away = faults.take('X41');
      if (away !== undefined) unreachableUntil = now() + away.seconds * 1_000;
    },
    get waiting() {
      return waiting;
    },
  };
}

async function inTurn(sends: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const send of sends) await send();
}

const shown = ({ id, url, isValid, createdAt }: Webhook): object => ({
  id,
  url,
  valid: isValid,
  created_at: createdAt.toISOString(),
});

/** X's form of a minute: 202611171830, in UTC. */
function minuteIn(value: unknown): number | undefined {
  const found = typeof value === 'string' ? /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(value) : null;
  if (found === null) return undefined;
  const [, year, month, day, hour, minute] = found;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`);
}
