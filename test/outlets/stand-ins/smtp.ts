/** A real SMTP server that keeps what it is sent, with the faults of mail servers. */
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Names in lower case; folded lines are one. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly html: string;
}

export interface MailServer extends AsyncDisposable {
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** The next mails meet these, one after the other: an answer to RCPT or DATA, or a connection that is cut in DATA. */
  readonly faults: ({ at: 'rcpt' | 'data'; code: number } | 'cut')[];
}

export async function openMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const faults: MailServer['faults'] = [];
  const sockets = new Set<Socket>();
  const take = (at: 'rcpt' | 'data') => {
    const [fault] = faults;
    if (fault === undefined || fault === 'cut' || fault.at !== at) return null;
    faults.shift();
    return Object.assign(new Error('not now'), { responseCode: fault.code });
  };
  const server: SMTPServer = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: (_, __, done) => done(take('rcpt')),
    onData(stream, { envelope }, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        if (faults[0] === 'cut') {
          faults.shift();
          for (const socket of sockets) socket.destroy();
          return done();
        }
        const refusal = take('data');
        const { mailFrom, rcptTo } = envelope;
        if (refusal === null)
          mails.push({
            ...readMail(Buffer.concat(parts).toString('latin1')),
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
          });
        return done(refusal);
      });
    },
    ...options,
  });
  server.server.on('connection', (socket: Socket) => sockets.add(socket));
  // A client that hangs up is what some tests are about.
  server.on('error', () => {});
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    faults,
    [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())),
  };
}

function split(raw: string): { headers: Map<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { headers, body: raw.slice(end + 4) };
}

function readMail(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')![1]!;
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.slice(2)));
  const partOf = (type: string) => {
    const { headers: of, body: content } = parts.find((part) => part.headers.get('content-type')?.startsWith(type))!;
    const encoding = of.get('content-transfer-encoding');
    if (encoding === 'base64') return Buffer.from(content, 'base64').toString();
    const plain = encoding === 'quoted-printable' ? unquoted(content) : content;
    return Buffer.from(plain, 'latin1').toString().replaceAll('\r\n', '\n').replace(/\n$/, '');
  };
  return { headers, text: partOf('text/plain'), html: partOf('text/html') };
}

const unquoted = (text: string): string =>
  text
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
