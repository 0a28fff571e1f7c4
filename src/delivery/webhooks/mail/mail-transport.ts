/** E-mail as a transport: to one recipient, who agreed, with a way to end it in every message. */
import { escapedHtml } from '../../escaped-html.ts';
import { recipientOf } from '../addresses.ts';
import { failedToSend, type Send, type WebhookRequest } from '../transport.ts';
import type { MailParts } from './mail-message.ts';
import type { SendMail } from './mailer.ts';

type Recipient = NonNullable<WebhookRequest['webhook']>;

export interface MailLinks {
  unsubscribe(webhook: Recipient, url: string): string;
  acknowledge(webhook: Recipient, url: string, wakeId: string): string;
}

const NOT_CONFIRMED = 'Nothing was sent, because the recipient has not confirmed yet.';

export const createMailTransport =
  (send: SendMail, links: MailLinks): Send =>
  async ({ url, webhook, body, id = '', signal }) => {
    const to = recipientOf(url);
    if (to === undefined || webhook === undefined || webhook.confirmedUrl !== url) return failedToSend(NOT_CONFIRMED);
    const { subject, text, html, isWake } = JSON.parse(body) as MailParts;
    const leave = links.unsubscribe(webhook, url);
    const seen = isWake ? links.acknowledge(webhook, url, id) : undefined;
    const headers = {
      'List-Unsubscribe': `<${leave}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    };
    return send(
      {
        to,
        id,
        subject,
        headers,
        text: `${text}\n\n-- \n${seen === undefined ? '' : `Acknowledge: ${seen}\n`}Unsubscribe: ${leave}\n`,
        html: mailPage(
          `${html}\n<p>${seen === undefined ? '' : `${linked(seen, 'Acknowledge')} · `}${linked(leave, 'Unsubscribe')}</p>`,
        ),
      },
      signal,
    );
  };

const linked = (url: string, words: string): string => `<a href="${escapedHtml(url)}">${words}</a>`;

export const mailPage = (inside: string): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0 auto;padding:16px;max-width:640px;font-family:sans-serif;line-height:1.4">
${inside}
</body>
</html>
`;
