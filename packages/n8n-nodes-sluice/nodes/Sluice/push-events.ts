/** Events of all items in few requests: one line each, and of the answer the line of each that was refused. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { jsonParse, NodeOperationError } from 'n8n-workflow';
import { askSluice } from '../../http/request.ts';

export interface Line {
  readonly itemIndex: number;
  readonly platform: string;
  readonly text: string;
}

/** Sluice names at most this many refused lines of a request. */
const MOST_LINES = 1_000;
/** Sluice takes 8 MiB. A character has at most three bytes here. */
const MOST_CHARACTERS = 2 * 1024 * 1024;

export function lineOf(context: IExecuteFunctions, itemIndex: number): Line {
  const given = context.getNodeParameter('event', itemIndex) as unknown;
  const event =
    typeof given === 'string' ? jsonParse<unknown>(given, { errorMessage: 'The event is not JSON' }) : given;
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw new NodeOperationError(context.getNode(), 'The event is not a JSON object', {
      itemIndex,
      description: 'Hand over one post or page per item, as the platform sends it.',
    });
  return {
    itemIndex,
    platform: context.getNodeParameter('eventPlatform', itemIndex) as string,
    text: JSON.stringify(event),
  };
}

/** Lines that go in one request: of one platform, and within its limits. */
export function requestsOf(lines: readonly Line[]): Line[][] {
  const requests: Line[][] = [];
  let characters = 0;
  for (const line of lines) {
    const last = requests.at(-1);
    characters += line.text.length + 1;
    if (last?.[0]?.platform === line.platform && last.length < MOST_LINES && characters <= MOST_CHARACTERS) {
      last.push(line);
    } else {
      requests.push([line]);
      characters = line.text.length + 1;
    }
  }
  return requests;
}

/** The refused lines of one request, by item. */
export async function pushLines(context: IExecuteFunctions, lines: readonly Line[]): Promise<Map<number, string>> {
  const { rejected } = await askSluice<{ rejected: { line: number; message: string }[] }>(context, 'POST /events', {
    query: { platform: lines[0]?.platform },
    lines: lines.map(({ text }) => `${text}\n`).join(''),
    ...(lines[0] !== undefined && { itemIndex: lines[0].itemIndex }),
  });
  return new Map(rejected.map(({ line, message }) => [lines[line - 1]?.itemIndex ?? -1, message]));
}
