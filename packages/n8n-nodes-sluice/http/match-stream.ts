/** Matches after a cursor, oldest first, over one connection. */
import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import { jsonParse, NodeApiError } from 'n8n-workflow';
import { eventFrames } from './event-frames.ts';
import { refusal } from './refusal.ts';
import { openAnswer, reasonOf, type SluiceContext } from './request.ts';

export interface MatchFilter {
  readonly rule_id?: string;
  readonly platform?: string;
}

export interface Match extends IDataObject {
  id: string;
  story_first: boolean;
}

/** The body of an answer that is read as it comes. */
interface ByteStream extends AsyncIterable<Uint8Array> {
  destroy(): void;
}

/** A match, or without one: there is none after the cursor at the moment. */
export interface StreamStep {
  readonly match?: Match;
  readonly cursor: string;
  readonly characters: number;
}

/** A refusal has a few kilobytes. */
const LONGEST_REFUSAL = 1024 * 1024;

/** Ends when the signal does. A connection that breaks is thrown, and so is the reason with which the server ends it. */
export async function* matchStream(
  context: SluiceContext,
  query: MatchFilter & { readonly cursor?: string },
  signal: AbortSignal,
): AsyncGenerator<StreamStep, void> {
  const answer = await openAnswer(context, 'GET /matches/stream', { query: { ...query }, encoding: 'stream' });
  const stream = answer.body as unknown as ByteStream;
  // n8n puts the signal of the execution in place of ours, so the stream is ended here.
  const end = () => stream.destroy();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    if (answer.statusCode !== 200) throw refusal(context.getNode(), { ...answer, body: await textOf(stream) });
    yield* stepsOf(context, stream);
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof NodeApiError ? error : cutOff(context, error);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

async function* stepsOf(context: SluiceContext, stream: ByteStream): AsyncGenerator<StreamStep, void> {
  for await (const { event, data, id } of eventFrames(stream)) {
    if (event === 'match') yield { match: jsonParse<Match>(data), cursor: id, characters: data.length };
    // The heartbeat has an id and comes only when every stored match was sent; the coverage at the start has none.
    else if (event === 'coverage' && id !== '') yield { cursor: id, characters: 0 };
    else if (event === 'end') throw ended(context, data);
  }
}

const cutOff = (context: SluiceContext, error: unknown): NodeApiError =>
  new NodeApiError(
    context.getNode(),
    { message: 'cut off' },
    { message: 'The stream of matches was cut off', description: `Try again: no match is lost. ${reasonOf(error)}` },
  );

function ended(context: SluiceContext, data: string): NodeApiError {
  const { message, reason } = jsonParse<{ message: string; reason: string }>(data);
  return new NodeApiError(
    context.getNode(),
    { message, reason },
    { message, description: `Sluice ended the stream (${reason}).` },
  );
}

/** The refusal in an answer that was opened as a stream. */
async function textOf(stream: ByteStream): Promise<IN8nHttpFullResponse['body']> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LONGEST_REFUSAL) break;
  }
  return jsonParse<IDataObject>(Buffer.concat(chunks).toString('utf8'), { fallbackValue: {} });
}
