import { connect, createServer } from 'node:net';

export const CUTS = 20;

/** Passes bytes on, and cuts connections after some of them: so many times, anywhere. */
export async function cuttingProxy(target: string, random: () => number) {
  const { hostname, port } = new URL(target);
  let cuts = 0;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    let left = cuts < CUTS ? 2_000 + Math.floor(random() * 60_000) : Number.POSITIVE_INFINITY;
    const close = () => {
      client.destroy();
      server.destroy();
    };
    client.on('error', close).on('close', close).pipe(server);
    server.on('error', close).on('close', close);
    server.on('data', (bytes) => {
      // This has as many bytes, and no three seconds' pause after every cut.
      const text = bytes.toString('latin1').replace('retry: 3000', 'retry: 0005');
      client.write(Buffer.from(text.slice(0, left), 'latin1'));
      left -= bytes.length;
      if (left > 0) return;
      cuts++;
      close();
    });
  });
  await new Promise<void>((done) => {
    proxy.listen(0, '127.0.0.1', done);
  });
  const address = proxy.address() as { port: number };
  return {
    url: `http://127.0.0.1:${address.port}`,
    get cuts() {
      return cuts;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((done) => void proxy.close(() => done())),
  };
}
