/** Reads an event that the user pasted to see why a rule does not match it: JSON in one of the usual shapes, or text. */
import type { Match, Platform } from '../data/queries.ts';

type Payload = Match['payload'];

export function readPasted(platform: Platform, pasted: string): Payload {
  const json = parse(pasted);
  return platform === 'x' ? postFrom(json, pasted) : pageFrom(json, pasted);
}

/** How the server is asked about what was pasted: by address, by id, as JSON, or by its words. */
export function wishOf(
  platform: Platform,
  pasted: string,
): { event?: Payload; url?: string; event_id?: string; text?: string } {
  if (/^https?:\/\/\S+$/.test(pasted)) return { url: pasted };
  if (/^(?:[a-z]+[_:][\w:.-]+|\d{5,})$/.test(pasted)) return { event_id: pasted };
  return parse(pasted) === undefined && pasted.length >= SHORTEST_TEXT
    ? { text: pasted }
    : { event: readPasted(platform, pasted) };
}

/** The server looks for no shorter one. */
const SHORTEST_TEXT = 3;

function parse(text: string): Payload | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : undefined;
  } catch {
    return undefined;
  }
}

/** Accepts a post as the API returns it (with `data`), the content of `data` alone, or a stored match. */
function postFrom(json: Payload | undefined, text: string): Payload {
  const payload = unwrapped(json);
  if (payload === undefined) return { data: { id: '1', text } };
  return 'data' in payload ? payload : { data: { id: '1', ...payload } };
}

function pageFrom(json: Payload | undefined, text: string): Payload {
  const payload = unwrapped(json);
  if (payload !== undefined) return { url: 'https://page.example/', ...payload };
  const [title = '', ...rest] = text.split('\n');
  const added = rest.join('\n').trim() || text;
  return { url: 'https://page.example/', title: title.slice(0, 300), diff: { chunks: [{ typ: 'ins', text: added }] } };
}

function unwrapped(json: Payload | undefined): Payload | undefined {
  const inner = json?.['payload'] ?? json?.['document'];
  return typeof inner === 'object' && inner !== null ? (inner as Payload) : json;
}
