/** Stands in for Telegram's Bot API: its limits of length and rate, and its reading of HTML. */
import { rateLimit, type StandIn, shownHtml } from './stand-in.ts';

export interface TelegramStandIn extends StandIn {
  readonly shown: string[];
}

export const telegramText = (html: string): string | undefined =>
  shownHtml(html, 'b|strong|i|em|u|s|code|pre|blockquote|a');

export function telegram({ token, now }: { token: string; now: () => number }): TelegramStandIn {
  const shown: string[] = [];
  const limits = new Map<string, () => number | undefined>();
  const refusal = (status: number, description: string, parameters?: object) => ({
    status,
    body: { ok: false, error_code: status, description, ...(parameters && { parameters }) },
  });
  return {
    shown,
    answer({ method, url, body }) {
      if (method !== 'POST' || url.pathname !== `/bot${token}/sendMessage`) return refusal(404, 'Not Found');
      const message = JSON.parse(body) as { chat_id?: string; text: string; parse_mode?: string };
      if (message.chat_id === undefined) return refusal(400, 'Bad Request: chat_id is empty');
      const text = message.parse_mode === 'HTML' ? telegramText(message.text) : undefined;
      if (text === undefined) return refusal(400, "Bad Request: can't parse entities");
      if (text.length > 4_096) return refusal(400, 'Bad Request: message is too long');
      const isGroup = message.chat_id.startsWith('-');
      const limit = limits.get(message.chat_id) ?? rateLimit(isGroup ? 20 : 1, isGroup ? 60_000 : 1_000, now);
      limits.set(message.chat_id, limit);
      const wait = limit();
      if (wait !== undefined) return refusal(429, `Too Many Requests: retry after ${wait}`, { retry_after: wait });
      shown.push(text);
      return { status: 200, body: { ok: true, result: { message_id: shown.length } } };
    },
  };
}
