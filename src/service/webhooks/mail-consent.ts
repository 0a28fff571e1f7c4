/** E-mail needs the consent of its recipient: it is asked for when a webhook gets an address, and given or taken back by a link. */
import { recipientOf } from '../../delivery/webhooks/addresses.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Caller } from '../access/caller.ts';
import { changeNote, SYSTEM, webhookFields } from '../access/change-notes.ts';
import { ServiceError } from '../errors.ts';
import { limitReached, MAX_MAIL_CONFIRMATIONS, MAX_MAIL_CONFIRMATIONS_OF_ADDRESS } from '../limits.ts';
import type { WebhooksRoom } from './room.ts';

const UNSUBSCRIBED = 'The recipient unsubscribed.';

export const unconfirmedReason = (url: string): string =>
  `${recipientOf(url)} has not confirmed yet. Sluice has sent a mail with a link there; Update Webhook with \`paused: false\` sends it again.`;

/** Sends the mail that asks. It throws when it cannot be sent, so that no webhook waits for an answer that never comes. */
export async function askRecipient(
  { mail }: Pick<WebhooksRoom, 'mail'>,
  { account }: Caller,
  { id, url }: Pick<Webhook, 'id' | 'url'>,
  signal: AbortSignal,
): Promise<void> {
  if (mail === undefined) throw new ServiceError('failed_precondition', 'This server sends no e-mail.');
  const { ofAccount, ofAddress } = mail.asked;
  // One that is refused counts for nobody: an account without a share left could have any address refused to others.
  if (!ofAccount.hasShare(account.id))
    throw limitReached(
      'mail_confirmations',
      `The account tried to have recipients asked ${MAX_MAIL_CONFIRMATIONS} times today (UTC).`,
      {
        details: { max: MAX_MAIL_CONFIRMATIONS },
      },
    );
  if (!ofAddress.allow(personOf(url)))
    throw limitReached(
      'mail_confirmations',
      `It was tried ${MAX_MAIL_CONFIRMATIONS_OF_ADDRESS} times today (UTC) to ask this address.`,
      { details: { max: MAX_MAIL_CONFIRMATIONS_OF_ADDRESS } },
    );
  ofAccount.allow(account.id);
  const { error } = await mail.askToConfirm({ accountId: account.id, webhookId: id, url }, account.name, signal);
  if (error === undefined) return;
  throw new ServiceError('failed_precondition', `The mail that asks the recipient was not sent. ${error}`, {
    details: { reason: 'mail_not_sent' },
  });
}

/** Providers that ignore dots before the @. */
const WITHOUT_DOTS: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com']);

/** One person has many addresses: capitals, what follows a plus, and with some providers dots make no difference. */
export function personOf(url: string): string {
  const [name = '', domain = ''] = (recipientOf(url) ?? url).toLowerCase().split('@');
  const [box = ''] = name.split('+', 1);
  return WITHOUT_DOTS.has(domain) ? `${box.replaceAll('.', '')}@gmail.com` : `${box}@${domain}`;
}

/** False when the link is not valid, or not any more. */
export const confirmMail = (context: WebhooksRoom, token: string): Promise<boolean> =>
  changeByLink(context, 'confirm', token, (webhook, url) =>
    webhook.confirmedUrl === url ? undefined : { status: 'active' as const, confirmedUrl: url },
  );

export const unsubscribeMail = (context: WebhooksRoom, token: string): Promise<boolean> =>
  changeByLink(context, 'unsubscribe', token, ({ confirmedUrl }, url) =>
    confirmedUrl === url ? { status: 'disabled' as const, reason: UNSUBSCRIBED, confirmedUrl: null } : undefined,
  );

/** The reader of a mail says that it has seen it. True once for each mail. */
export async function acknowledgeMail({ mail, store, clock }: WebhooksRoom, token: string): Promise<boolean> {
  const link = mail?.read('acknowledge', token);
  if (link?.wakeId === undefined) return false;
  const { accountId, webhookId, url, wakeId } = link;
  // A reader who has unsubscribed says nothing more for this address.
  if ((await store.webhook(accountId, webhookId))?.confirmedUrl !== url) return false;
  return (await store.acknowledgeWake(accountId, wakeId, clock.now())) === 'first';
}

type Change = Parameters<WebhooksRoom['store']['changeWebhook']>[2];

async function changeByLink(
  context: WebhooksRoom,
  action: 'confirm' | 'unsubscribe',
  token: string,
  changeOf: (webhook: Webhook, url: string) => Change | undefined,
): Promise<boolean> {
  const link = context.mail?.read(action, token);
  if (link === undefined) return false;
  const { accountId, webhookId, url } = link;
  return context.locks.run(webhookId, async () => {
    const webhook = await context.store.webhook(accountId, webhookId);
    if (webhook?.url !== url) return false;
    const change = changeOf(webhook, url);
    // Opened twice, a link does nothing more.
    if (change === undefined) return true;
    const note = changeNote(context.clock.now(), SYSTEM, 'webhook.changed', webhookId, {
      before: webhookFields(webhook),
      after: { ...webhookFields({ ...webhook, ...change }), by_recipient: action },
    });
    const changed = await context.store.changeWebhook(accountId, webhookId, change, note);
    context.dispatcher.changed(webhookId);
    return changed;
  });
}
