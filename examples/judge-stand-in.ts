/** Stands in for an OpenAI-compatible model, to try the judge without one: `npm run --silent example -- examples/judge-stand-in.ts PORT`. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

const [port = '4900'] = process.argv.slice(2);

interface Question {
  readonly messages: readonly { readonly content: string }[];
}

/** A text with a number in it is news. A real model reads the intent, too. */
function judgementOf({ messages }: Question): object {
  const question = JSON.parse(messages.at(-1)!.content) as { readonly text: string };
  const relevant = /\b(?:one|two|three|[0-9]+)\b/i.test(question.text);
  return { relevant, confidence: 0.7, reason: relevant ? 'It names a number.' : 'It names no number.' };
}

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const content = JSON.stringify(judgementOf(JSON.parse(await text(request)) as Question));
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }],
      usage: { prompt_tokens: 400, completion_tokens: 25 },
    }),
  );
}

const server = createServer((request, response) => void reply(request, response));
server.listen(Number(port), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${port}/v1`));
