/** A stand-in for an OpenAI-compatible server: it answers chat completions as the test says, and keeps what it was asked. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as bodyOf } from 'node:stream/consumers';

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly max_tokens: number;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
  readonly question: { readonly intent: string; readonly text: string };
}

export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body, if it is not that of a completion. */
  readonly body?: string;
  readonly content?: string;
  readonly finish?: string;
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

export interface StubModel extends AsyncDisposable {
  /** To set as the judge's address. */
  readonly url: string;
  readonly asked: Asked[];
  /** `hang` never answers. */
  answer: (asked: Asked) => StubAnswer | 'hang' | Promise<StubAnswer | 'hang'>;
}

export const RELEVANT: StubAnswer = {
  content: JSON.stringify({ relevant: true, confidence: 0.8, reason: 'It tells of harm.' }),
};

const USAGE = { prompt_tokens: 300, completion_tokens: 20 };

export async function stubModel(answer: StubModel['answer'] = () => RELEVANT): Promise<StubModel> {
  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    const body = JSON.parse(text) as Asked['body'];
    const question = JSON.parse(body.messages.at(-1)!.content) as Asked['question'];
    const asked = { path: request.url!, headers: request.headers, body, question };
    model.asked.push(asked);
    const given = await model.answer(asked);
    if (given === 'hang') return;
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers });
    response.end(given.body ?? completion(given));
  }
  const server = createServer((request, response) => void reply(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const model: StubModel = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: [],
    answer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return model;
}

const completion = ({ content = '', finish = 'stop', usage = USAGE }: StubAnswer): string =>
  JSON.stringify({ choices: [{ finish_reason: finish, message: { role: 'assistant', content } }], usage });
