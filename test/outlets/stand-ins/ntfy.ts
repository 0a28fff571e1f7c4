/** Stands in for an ntfy server: messages as JSON at its root, their sizes, and its limit of requests. */
import type { StandIn } from './stand-in.ts';

interface NtfyMessage {
  readonly topic: string;
  readonly title: string;
  readonly message: string;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly click?: string;
}

export interface NtfyStandIn extends StandIn {
  readonly published: NtfyMessage[];
}

/** 60 requests at once, and one more every five seconds. */
const BURST = 60;
const REPLENISH_MS = 5_000;

export function ntfy({ token, now }: { token?: string; now: () => number }): NtfyStandIn {
  const published: NtfyMessage[] = [];
  let [left, at] = [BURST, now()];
  const refusal = (http: number, error: string) => ({ status: http, body: { http, error } });
  return {
    published,
    answer({ method, url, headers, body }) {
      left = Math.min(BURST, left + (now() - at) / REPLENISH_MS);
      at = now();
      if (left < 1) return refusal(429, 'limit reached: too many requests');
      left -= 1;
      if (token !== undefined && headers.authorization !== `Bearer ${token}`) return refusal(403, 'forbidden');
      if (method !== 'POST' || url.pathname !== '/') return refusal(404, 'page not found');
      const message = JSON.parse(body) as NtfyMessage;
      if (!/^[-_A-Za-z0-9]{1,64}$/.test(message.topic)) return refusal(400, 'invalid topic');
      if (Buffer.byteLength(message.title) > 1_024) return refusal(400, 'title is too long');
      if (Buffer.byteLength(message.message) > 4_096) return refusal(400, 'the message would become an attachment');
      published.push(message);
      return { status: 200, body: { id: String(published.length), event: 'message' } };
    },
  };
}
