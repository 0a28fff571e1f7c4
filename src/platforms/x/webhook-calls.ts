/** Single requests about our webhook at X, within X's limits: its registration, its link to the rules, and replays. */
import { listIn, recordIn, textIn } from '../../base/json.ts';
import { callUpstream, cleaned, type UpstreamRequest, type UpstreamTarget } from '../upstream-call.ts';
import { createQuota, type Quota } from './quota.ts';
import { type DisconnectReason, refusalReason } from './reconnect-policy.ts';
import { answerIn, LINKS_PATH, linkPath, problemIn, REPLAY_PATH, STREAM_FIELDS, WEBHOOKS_PATH, xIdIn } from './wire.ts';

/** X allows 450 requests about webhooks in 15 minutes, and 100 replays. */
const CALLS = { most: 400 };
const REPLAYS = { most: 90 };

export interface HeldWebhook {
  readonly id: string;
  readonly isValid: boolean;
}

/** A request that X refused, or that had no answer. */
export class WebhookRefusal extends Error {
  override readonly name = 'WebhookRefusal';
  readonly reason: DisconnectReason;

  constructor(reason: DisconnectReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface WebhookCalls {
  /** Ours; undefined if X has none of our address. */
  find(): Promise<HeldWebhook | undefined>;
  /** X asks our endpoint at once, and refuses it if that does not answer. */
  create(): Promise<string>;
  /** X asks our endpoint again; `find` then tells whether it answered. A webhook that does is valid again. */
  challenge(id: string): Promise<void>;
  /** `other`: it is linked, and brings other fields than we want. */
  linked(id: string): Promise<'yes' | 'no' | 'other'>;
  link(id: string): Promise<void>;
  unlink(id: string): Promise<void>;
  /** Asks X to deliver again what it delivered, or tried to, in whole minutes. Returns the id of the job. */
  replay(id: string, from: Date, to: Date): Promise<string>;
  /** How many milliseconds X's clock is ahead of ours. */
  readonly skew: number;
}

type Ask = (request: UpstreamRequest, quota?: Quota) => Promise<Record<string, unknown>>;

export function createWebhookCalls(upstream: UpstreamTarget, url: string, signal: AbortSignal): WebhookCalls {
  let skew = 0;
  const ask = createAsk(upstream, signal, (date) => {
    skew = date.getTime() - upstream.clock.now().getTime();
  });
  const replays = createQuota(REPLAYS, upstream.clock);
  return {
    async find() {
      const held = listIn((await ask({ method: 'GET', path: WEBHOOKS_PATH }))['data']).map((one) => recordIn(one));
      const ours = held.find((one) => one?.['url'] === url);
      return ours && { id: idIn(ours['id'], 'webhook'), isValid: ours['valid'] === true };
    },
    async create() {
      const { data } = await ask({ method: 'POST', path: WEBHOOKS_PATH, body: { url } });
      return idIn(recordIn(data)?.['id'], 'webhook');
    },
    async challenge(id) {
      await ask({ method: 'PUT', path: `${WEBHOOKS_PATH}/${id}` });
    },
    async linked(id) {
      return linkIn((await ask({ method: 'GET', path: LINKS_PATH }))['data'], id);
    },
    async link(id) {
      await ask({ method: 'POST', path: linkPath(id) });
    },
    async unlink(id) {
      await ask({ method: 'DELETE', path: `${LINKS_PATH}/${id}` });
    },
    async replay(id, from, to) {
      const body = { webhook_id: id, from_date: minuteText(from), to_date: minuteText(to) };
      const answer = await ask({ method: 'POST', path: REPLAY_PATH, body }, replays);
      return idIn(answer['job_id'] ?? recordIn(answer['data'])?.['job_id'], 'job');
    },
    get skew() {
      return skew;
    },
  };
}

/** Each endpoint of X has a limit of its own. */
function createAsk(upstream: UpstreamTarget, signal: AbortSignal, onDate: (date: Date) => void): Ask {
  const quotas = new Map<string, Quota>();
  return (request, given) => {
    const key = `${request.method} ${request.path.split('?', 1)[0]}`;
    const quota = given ?? quotas.get(key) ?? createQuota(CALLS, upstream.clock);
    quotas.set(key, quota);
    return askX(upstream, { ...request, signal }, quota, onDate);
  };
}

function idIn(value: unknown, what: string): string {
  const id = xIdIn(value);
  if (id === undefined) throw new WebhookRefusal('server', `X named no ${what}.`);
  return id;
}

function linkIn(data: unknown, id: string): 'yes' | 'no' | 'other' {
  const links = listIn(recordIn(data)?.['links']).map((one) => recordIn(one));
  const link = links.find((one) => xIdIn(one?.['webhook_id']) === id);
  if (link === undefined) return 'no';
  const fields = listIn(link['fields']);
  return STREAM_FIELDS.every((field) => fields.includes(field)) ? 'yes' : 'other';
}

/** X's form: 202611171830, in UTC. */
const minuteText = (time: Date): string => time.toISOString().replaceAll(/\D/g, '').slice(0, 12);

async function askX(
  upstream: UpstreamTarget,
  request: UpstreamRequest,
  quota: Quota,
  onDate: (date: Date) => void,
): Promise<Record<string, unknown>> {
  if (quota.wait > 0) throw new WebhookRefusal('rate', 'The limit of requests about webhooks at X is reached.');
  quota.spend();
  const answer = await callUpstream(upstream, request).catch((error: unknown) => {
    throw new WebhookRefusal('network', error instanceof Error ? error.message : String(error));
  });
  const date = Date.parse(answer.headers.date ?? '');
  if (!Number.isNaN(date)) onDate(new Date(date));
  const body = answerIn(answer.text);
  const isFine = answer.status >= 200 && answer.status < 300;
  if (isFine) return body;
  const problem = problemIn(listIn(body['errors'])[0] ?? body);
  const reason = refusalReason(answer.status, problem);
  quota.note(answer.headers, reason === 'rate');
  const words = cleaned(`${problem.title || textIn(body['title']) || ''} ${problem.detail}`, upstream.token());
  throw new WebhookRefusal(reason, `X answered ${answer.status}. ${words}`.trim());
}
