/**
 * E-mail that goes to people who agreed to it. What a recipient opens is a link with a sealed token: it names the webhook and
 * the address, and only this installation can make one.
 */
import type { Clock } from '../../base/clock.ts';
import { createLru } from '../../base/lru.ts';
import { trimEnd } from '../../base/parse-url.ts';
import { escapedHtml } from '../../delivery/escaped-html.ts';
import { recipientOf } from '../../delivery/webhooks/addresses.ts';
import { createMailer, createMailTransport, type MailOptions, mailPage } from '../../delivery/webhooks/mail/mailer.ts';
import type { Sent } from '../../delivery/webhooks/outcome.ts';
import type { Seal } from '../../delivery/webhooks/seal.ts';
import type { Send } from '../../delivery/webhooks/transport.ts';
import { MAX_CHALLENGES, MAX_MAIL_CONFIRMATIONS, MAX_MAIL_CONFIRMATIONS_OF_ADDRESS } from '../limits.ts';

export interface MailSettings extends MailOptions {
  /** Recipients must be at one of these; undefined when they may be anywhere. */
  readonly domains?: readonly string[] | undefined;
}

type MailAction = 'confirm' | 'unsubscribe' | 'acknowledge';

interface MailLink {
  readonly accountId: string;
  readonly webhookId: string;
  readonly url: string;
  /** The wake that is acknowledged. */
  readonly wakeId?: string | undefined;
}

export interface MailOutlet {
  readonly transport: Send;
  /** Why nothing may be sent to this address; undefined when it may. */
  problem(url: string): string | undefined;
  /** Asks the recipient. */
  askToConfirm(link: MailLink, accountName: string, signal: AbortSignal): Promise<Sent>;
  /** Reads a token; undefined when it is not ours, or too old. */
  read(action: MailAction, token: string): MailLink | undefined;
  /** Mails that ask, by the address they go to and by the account that has them sent. */
  readonly asked: { readonly ofAddress: ChallengeCounter; readonly ofAccount: ChallengeCounter };
}

const DAY = 24 * 60 * 60 * 1_000;
/** A reader may unsubscribe at any time. */
const WITHIN: Readonly<Record<MailAction, number>> = {
  confirm: 7 * DAY,
  acknowledge: 7 * DAY,
  unsubscribe: Number.POSITIVE_INFINITY,
};

export function createMailOutlet(
  { clock, seal, publicUrl }: { clock: Clock; seal: Seal; publicUrl: string },
  settings: MailSettings,
): MailOutlet {
  const { domains } = settings;
  const send = createMailer(settings, clock);
  const base = trimEnd(publicUrl, '/');
  const linkTo = (action: MailAction, { accountId, webhookId, url, wakeId }: MailLink): string => {
    const token: MailToken = [`mail-${action}`, accountId, webhookId, url, clock.now().getTime()];
    const sealed = seal.seal(JSON.stringify(wakeId === undefined ? token : [...token, wakeId]));
    return `${base}/mail/${action}?token=${Buffer.from(sealed, 'base64').toString('base64url')}`;
  };
  return {
    transport: createMailTransport(send, {
      unsubscribe: ({ id, accountId }, url) => linkTo('unsubscribe', { accountId, webhookId: id, url }),
      acknowledge: ({ id, accountId }, url, wakeId) => linkTo('acknowledge', { accountId, webhookId: id, url, wakeId }),
    }),
    problem(url) {
      const domain = recipientOf(url)?.split('@')[1];
      if (domain === undefined || domains === undefined || domains.includes(domain)) return undefined;
      return `This server sends mail to ${domains.join(', ')} alone.`;
    },
    askToConfirm(link, accountName, signal) {
      const asking = `The account "${accountName}" of the Sluice server at ${base} asks to send matches of its rules to this address.`;
      return send(confirmation(link, asking, linkTo('confirm', link)), signal);
    },
    read(action, token) {
      const [use, accountId, webhookId, url, at, wakeId] = readToken(seal, token);
      if (use !== `mail-${action}` || clock.now().getTime() - at > WITHIN[action]) return undefined;
      return { accountId, webhookId, url, ...(wakeId !== undefined && { wakeId }) };
    },
    asked: {
      ofAddress: createChallengeCounter(clock, { most: MAX_MAIL_CONFIRMATIONS_OF_ADDRESS, span: DAY }),
      ofAccount: createChallengeCounter(clock, { most: MAX_MAIL_CONFIRMATIONS, span: DAY }),
    },
  };
}

type MailToken = [use: string, accountId: string, webhookId: string, url: string, at: number, wakeId?: string];

const readToken = (seal: Seal, token: string): MailToken =>
  JSON.parse(seal.unseal(Buffer.from(token, 'base64url').toString('base64')) ?? '[]') as MailToken;

/** No word in it is the account's own, but for its name, which the operator gave. */
const confirmation = ({ webhookId, url }: MailLink, asking: string, link: string) => ({
  to: recipientOf(url)!,
  id: `confirm-${webhookId}`,
  subject: 'Confirm that you want mail from Sluice',
  headers: { 'Auto-Submitted': 'auto-generated' },
  text: `${asking}

To agree, open this link and press the button:
${link}

If you do not want this, do nothing: no further mail comes. The link works for seven days.
`,
  html: mailPage(`<p>${escapedHtml(asking)}</p>
<p><a href="${escapedHtml(link)}">To agree, open this link and press the button.</a></p>
<p>If you do not want this, do nothing: no further mail comes. The link works for seven days.</p>`),
});

/** Counts the proofs that are asked of each host or address, so that no one is flooded by way of us. Each process counts its own. */
export interface ChallengeCounter {
  /** Whether one more would be allowed. */
  hasShare(host: string): boolean;
  /** Counts one more. False when the host had its share of the span: of the minute, unless another is given. */
  allow(host: string): boolean;
}

const HOSTS = 10_000;
const MINUTE = 60_000;

export function createChallengeCounter(clock: Clock, { most = MAX_CHALLENGES, span = MINUTE } = {}): ChallengeCounter {
  const hosts = createLru<string, { turn: number; asked: number }>({ limit: HOSTS });
  const present = () => Math.floor(clock.now().getTime() / span);
  function askedOf(host: string): number {
    const before = hosts.get(host);
    return before?.turn === present() ? before.asked : 0;
  }
  return {
    hasShare: (host) => askedOf(host) < most,
    allow(host) {
      const asked = askedOf(host);
      if (asked >= most) return false;
      hosts.set(host, { turn: present(), asked: asked + 1 });
      return true;
    },
  };
}
