/** `/sandbox/…`: pushes events and throws faults while the sandbox runs. */
import { recordIn } from '../src/base/json.ts';
import { isPlatform, type Platform } from '../src/domain/platform.ts';
import { CATALOGUE, ELSEWHERE, isFaultName, type Row } from './faults/catalogue.ts';
import type { Faults } from './faults/faults.ts';
import type { Offer } from './feed.ts';
import { type Answer, type Call, jsonOf } from './http.ts';

export function handleControl(call: Call, faults: Faults, offer: Offer): Answer {
  switch (`${call.method} ${call.path}`) {
    case 'POST /sandbox/events':
      return pushEvents(call, offer);
    case 'GET /sandbox/faults':
      return { status: 200, body: listed(faults) };
    case 'POST /sandbox/faults':
      return throwFault(call, faults);
    case 'DELETE /sandbox/faults':
      faults.clear();
      return { status: 200, body: listed(faults) };
    default:
      return refusal(404, 'Not found. Use POST /sandbox/events?platform=…, or GET, POST or DELETE /sandbox/faults.');
  }
}

const refusal = (status: number, message: string): Answer => ({ status, body: { message } });

function pushEvents({ query, text }: Call, offer: Offer): Answer {
  const platform = query.get('platform') ?? '';
  if (!isPlatform(platform)) return refusal(400, 'The parameter platform must be x or firehose.');
  const rejected: { line: number; message: string }[] = [];
  let accepted = 0;
  let matches = 0;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const offered = offerLine(platform, line, offer);
    if ('rejected' in offered) {
      rejected.push({ line: index + 1, message: offered.rejected });
    } else {
      accepted++;
      if ('ruleIds' in offered && Array.isArray(offered.ruleIds)) matches += offered.ruleIds.length;
    }
  }
  return { status: 200, body: { accepted, matches, rejected } };
}

/** A bad line is rejected alone; the others are taken. */
function offerLine(platform: Platform, line: string, offer: Offer): ReturnType<Offer> {
  const payload = recordIn(jsonOf(line));
  if (payload === undefined) return { rejected: 'it is not a JSON object' };
  try {
    return offer(platform, payload);
  } catch (error) {
    return { rejected: `it cannot be read: ${String(error)}` };
  }
}

function throwFault({ text }: Call, faults: Faults): Answer {
  const body = recordIn(jsonOf(text));
  const { name, ...params } = body ?? {};
  if (typeof name !== 'string') return refusal(400, 'Give the name of a fault, such as X1.');
  if (Object.hasOwn(ELSEWHERE, name)) return refusal(400, `The sandbox cannot throw ${name}. ${ELSEWHERE[name]}`);
  if (!isFaultName(name)) return refusal(400, `There is no fault ${name}. GET /sandbox/faults lists all.`);
  const row: Row = CATALOGUE[name];
  for (const [key, value] of Object.entries(params)) {
    const expected = key === 'times' ? 'number' : typeof row.params[key];
    if (expected === 'undefined')
      return refusal(
        400,
        `${name} has no parameter ${key}. It has: ${['times', ...Object.keys(row.params)].join(', ')}.`,
      );
    if (typeof value !== expected) return refusal(400, `${key} must be a ${expected}.`);
  }
  faults.throw(name, params);
  return {
    status: 200,
    body: faults
      .reports()
      .map(shown)
      .find((report) => report.name === name),
  };
}

const listed = (faults: Faults) => ({
  faults: faults.reports().map(shown),
  elsewhere: Object.entries(ELSEWHERE).map(([name, who]) => ({ name, instead: who })),
});

const shown = ({ name, what, left, fired }: ReturnType<Faults['reports']>[number]) => ({
  name,
  what,
  parameters: { times: timesOf(CATALOGUE[name].times), ...CATALOGUE[name].params },
  thrown: left !== undefined && left > 0,
  left: left === undefined ? 0 : timesOf(left),
  fired,
});

const timesOf = (times: number): number | string => (Number.isFinite(times) ? times : 'until cleared');
