/** HTTP as bytes, for what no client would send. */
import { connect } from 'node:net';

interface RawAnswer {
  readonly status: number;
  readonly type: string;
  /** Whether it says that it is the last of its connection. */
  readonly isLast: boolean;
  readonly body: string;
}

/** Sends bytes as they are and reads every answer until the connection ends. */
export async function exchange(url: string, request: Buffer): Promise<RawAnswer[]> {
  const { hostname, port } = new URL(url);
  const text = await new Promise<string>((done) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.end(request));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    // A connection that is reset has told us all it will.
    socket.on('error', () => {});
    socket.on('close', () => done(received));
  });
  return readAnswers(text);
}

function readAnswers(text: string): RawAnswer[] {
  const head = /^HTTP\/1\.[01] (\d{3}) [^\r]*\r\n([\s\S]*?)\r\n\r\n/.exec(text);
  if (head === null) return [];
  const length = Number(/^content-length: (\d+)/im.exec(head[2]!)?.[1] ?? 0);
  const type = /^content-type: (.*)$/im.exec(head[2]!)?.[1]?.trim() ?? '';
  const isLast = /^connection: close$/im.test(head[2]!);
  const rest = text.slice(head[0].length);
  return [{ status: Number(head[1]), type, isLast, body: rest.slice(0, length) }, ...readAnswers(rest.slice(length))];
}
