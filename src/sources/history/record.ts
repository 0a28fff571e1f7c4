/**
 * A record of a file as an event. It is what `POST /events` takes: a post in X's shape or a page in Firehose's; a match as
 * Sluice exports it; or, in a table, a post with its fields side by side.
 */
import { idIn, recordIn, textIn } from '../../base/json-fields.ts';
import { isPlatform } from '../../domain/platform.ts';
import { jsonOf } from '../text/json.ts';
import type { HistoryEvent } from './history.ts';

/** Returns undefined when the record is neither. */
export function eventOfRecord(value: unknown): HistoryEvent | undefined {
  const record = recordIn(value);
  if (record === undefined) return undefined;
  const { platform, payload, data, includes, url } = record;
  const held = typeof payload === 'string' ? recordIn(jsonOf(payload)) : recordIn(payload);
  if (held !== undefined && typeof platform === 'string' && isPlatform(platform))
    return { platform, payload: held, source: textIn(record['source']) };
  if (held !== undefined) return eventOfRecord(held);
  const post = typeof data === 'string' ? recordIn(jsonOf(data)) : recordIn(data);
  if (post !== undefined) {
    const added = typeof includes === 'string' ? recordIn(jsonOf(includes)) : recordIn(includes);
    return { platform: 'x', payload: added === undefined ? { data: post } : { data: post, includes: added } };
  }
  if (url === undefined && idIn(record['id']) !== undefined && textIn(record['text']) !== undefined)
    return { platform: 'x', payload: { data: { ...record, id: idIn(record['id']) } } };
  return { platform: 'firehose', payload: record };
}
