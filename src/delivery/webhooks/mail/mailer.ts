/** Hands one message to the operator's mail server. It never throws. */
import type { Clock } from '../../../base/clock.ts';
import { escapedHtml } from '../../escaped-html.ts';
import { recipientOf } from '../addresses.ts';
import type { Sent } from '../outcome.ts';
import { failedToSend, refusedForGood, type Send, type WebhookRequest, withinTime } from '../transport.ts';
import type { MailParts } from './mail-message.ts';

export interface MailOptions {
  /** `smtp://` or `smtps://`, with the name and password if the server asks for them. */
  readonly url: string;
  /** The sender, as `Sluice <sluice@example.com>` or the address alone. */
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Names the message: a repeat has the same one. */
  readonly id: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<Sent>;

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;
/** Servers that check mail as it comes take their time before they answer. */
const TOTAL_MS = 90_000;
const KEPT_CHARACTERS = 1_024;

type Nodemailer = typeof import('nodemailer');

export function createMailer(
  { url, from }: MailOptions,
  clock: Clock,
  load: () => Promise<Nodemailer> = () => import('nodemailer'),
): SendMail {
  // It is loaded ahead, since that takes a tenth of a second in one turn: who has a mail server sends mails.
  const client = load();
  const domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return ({ to, id, ...message }, signal) =>
    withinTime(clock, TOTAL_MS, signal, () =>
      handOver(client, url, { ...message, from, to: { name: '', address: to }, messageId: `<${id}@${domain}>` }),
    );
}

async function handOver(client: Promise<Nodemailer>, url: string, message: object): Promise<Sent> {
  const { createTransport } = await client;
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // A message is what we wrote, never a file or what an address answers.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { response } = await transport.sendMail(message);
    return { ...failedToSend(''), error: undefined, statusCode: codeOf(response), response: kept(response) };
  } catch (error) {
    return refusalOf(error as SmtpError);
  } finally {
    transport.close();
  }
}

interface SmtpError extends Error {
  readonly code?: string;
  /** The command that was refused. */
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/**
 * With these codes the server refuses the recipient or the message for good. A refused login is the operator's to mend, and so is a
 * refused sender: the mails of all accounts have the same.
 */
const FINAL: ReadonlySet<string | undefined> = new Set(['EENVELOPE', 'EMESSAGE']);

function refusalOf({ code, command, response = '', responseCode }: SmtpError): Sent {
  if (responseCode === undefined) return failedToSend(`The mail server could not be reached (${code ?? 'no code'}).`);
  const error = `The mail server answered ${responseCode}.`;
  const isFinal = responseCode >= 500 && FINAL.has(code) && command !== 'MAIL FROM';
  const sent = isFinal ? refusedForGood(error, kept(response)) : { ...failedToSend(error), response: kept(response) };
  return { ...sent, statusCode: responseCode };
}

const codeOf = (response: string): number => Number(response.slice(0, 3)) || 250;
const kept = (response: string): string => response.slice(0, KEPT_CHARACTERS);

type Recipient = NonNullable<WebhookRequest['webhook']>;

interface MailLinks {
  unsubscribe(webhook: Recipient, url: string): string;
  acknowledge(webhook: Recipient, url: string, wakeId: string): string;
}

const NOT_CONFIRMED = 'Nothing was sent, because the recipient has not confirmed yet.';

/** E-mail as a transport: to one recipient, who agreed, with a way to end it in every message. */
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
