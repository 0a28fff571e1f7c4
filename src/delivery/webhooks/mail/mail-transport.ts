/** E-mail as a transport: to one recipient, who agreed, with a way to end it in every message. */
import { recipientOf } from '../addresses.ts';
import { escapedHtml } from '../chats/chat.ts';
import { failedToSend, type Send, type WebhookRequest } from '../transport.ts';
import type { MailParts } from './mail-message.ts';
import type { SendMail } from './mailer.ts';

export type UnsubscribeUrl = (webhook: NonNullable<WebhookRequest['webhook']>, url: string) => string;

const NOT_CONFIRMED = 'Nothing was sent, because the recipient has not confirmed yet.';

export const createMailTransport =
  (send: SendMail, unsubscribeUrl: UnsubscribeUrl): Send =>
  async ({ url, webhook, body, id = '', signal }) => {
    const to = recipientOf(url);
    if (to === undefined || webhook === undefined || webhook.confirmedUrl !== url) return failedToSend(NOT_CONFIRMED);
    const { subject, text, html } = JSON.parse(body) as MailParts;
    const leave = unsubscribeUrl(webhook, url);
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
        text: `${text}\n\n-- \nUnsubscribe: ${leave}\n`,
        html: mailPage(`${html}\n<p><a href="${escapedHtml(leave)}">Unsubscribe</a></p>`),
      },
      signal,
    );
  };

export const mailPage = (inside: string): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0 auto;padding:16px;max-width:640px;font-family:sans-serif;line-height:1.4">
${inside}
</body>
</html>
`;
