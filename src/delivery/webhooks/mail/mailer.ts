/** Hands one message to the operator's mail server. It never throws. */
import type { Clock } from '../../../base/clock.ts';
import type { Sent } from '../outcome.ts';
import { failedToSend, refusedForGood } from '../transport.ts';
import { withinTime } from '../within-time.ts';

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
  readonly response?: string;
  readonly responseCode?: number;
}

/**
 * With these codes the server refuses the recipient or the message for good. A refused login is the operator's to mend.
 */
const FINAL: ReadonlySet<string | undefined> = new Set(['EENVELOPE', 'EMESSAGE']);

function refusalOf({ code, response = '', responseCode }: SmtpError): Sent {
  if (responseCode === undefined) return failedToSend(`The mail server could not be reached (${code ?? 'no code'}).`);
  const error = `The mail server answered ${responseCode}.`;
  const isFinal = responseCode >= 500 && FINAL.has(code);
  const sent = isFinal ? refusedForGood(error, kept(response)) : { ...failedToSend(error), response: kept(response) };
  return { ...sent, statusCode: responseCode };
}

const codeOf = (response: string): number => Number(response.slice(0, 3)) || 250;
const kept = (response: string): string => response.slice(0, KEPT_CHARACTERS);
