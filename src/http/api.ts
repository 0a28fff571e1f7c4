/** A process with the role `api` answers operations, streams, documents, `/mcp`, the console. */
import type { FastifyBodyParser, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../service/context.ts';
import { ServiceError } from '../service/errors.ts';
import type { OperationName } from '../service/operations.ts';
import { X_WEBHOOK_PATH } from '../service/upstream/upstreams.ts';
import { acknowledgeMail, confirmMail, unsubscribeMail } from '../service/webhooks/mail-consent.ts';
import type { Admission } from './admission.ts';
import type { Auth } from './auth.ts';
import { readJsonBody, readLines } from './body.ts';
import { addCertificates } from './certificates.ts';
import { addConsole } from './console.ts';
import { unreadable } from './errors.ts';
import { addExport } from './export.ts';
import { addFeeds } from './feeds.ts';
import { addOperation } from './handler.ts';
import { addMcp } from './mcp-route.ts';
import { addOAuth } from './oauth-routes.ts';
import type { AgentEndpoint, HttpAppOptions } from './options.ts';
import { addPages } from './pages.ts';
import { ROUTES } from './routes.ts';
import { addStream } from './stream.ts';

type ApiOptions = HttpAppOptions & { readonly agents: AgentEndpoint };

export async function addApi(app: FastifyInstance, options: ApiOptions, admission: Admission): Promise<void> {
  const add = (names: readonly OperationName[], types: string[], read: BodyReader) =>
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(types, { parseAs: 'buffer' }, read);
      for (const name of names) addOperation(scope, name, options.context, admission);
    });
  app.removeAllContentTypeParsers();
  const json = 'application/json';
  const names = Object.keys(ROUTES) as OperationName[];
  await add(
    names.filter((name) => name !== 'pushEvents'),
    [json],
    jsonBody,
  );
  await add(['pushEvents'], ['application/x-ndjson', 'application/ndjson'], (_: FastifyRequest, body: Buffer) =>
    readLines(body),
  );
  await addMcp(app, options.agents, options.context.oauth, admission);
  await addOAuth(app, options.context, admission);
  await addMailPages(app, options.context);
  await addXWebhook(app, options.context, admission.auth);
  addStream(app, options.context, admission);
  addExport(app, options, admission);
  addFeeds(app, options);
  addCertificates(app, options);
  addPages(app, options);
  addConsole(app, options, admission);
}

type BodyReader = FastifyBodyParser<Buffer>;

const jsonBody = async (_: FastifyRequest, body: Buffer) => readJsonBody(body);

/** As long as a record of X's stream may be. */
const DELIVERY_LIMIT = 1024 * 1024;
const SIGNATURE = 'x-twitter-webhooks-signature';
/** Addresses from which signed deliveries came lately. */
const MOST_SENDERS = 1_000;

/**
 * The endpoint to which X delivers posts, where it delivers by webhook. It takes no key: a delivery is signed. What is not
 * signed is not looked at, and counts as a wrong secret of its address. 200 means that the delivery is durable.
 */
async function addXWebhook(app: FastifyInstance, context: Context, auth: Auth): Promise<void> {
  const { webhook } = context.platforms.x;
  if (webhook === undefined) return;
  const senders = new Set<string>();

  async function take(body: Buffer, signature: unknown, sender: string): Promise<void> {
    if ((await webhook!.receive(body, signature)) === 'unsigned')
      throw new ServiceError('unauthenticated', 'The delivery is not signed with the consumer secret of the app.');
    if (senders.size >= MOST_SENDERS) senders.clear();
    senders.add(sender);
  }

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: DELIVERY_LIMIT },
      async (_: FastifyRequest, body: Buffer) => body,
    );
    scope.addHook('onRequest', async ({ raw, ip }) => {
      // A delivery that breaks off cannot be verified: it is believed of an address that has sent signed ones.
      if (raw.method === 'POST' && senders.has(ip)) raw.once('close', () => raw.complete || webhook.failed());
    });
    scope.get<{ Querystring: { crc_token?: unknown } }>(X_WEBHOOK_PATH, async ({ query }) => {
      const response_token = webhook.respond(query.crc_token);
      if (response_token === undefined)
        throw unreadable('The parameter crc_token is missing, or is no challenge of X.');
      return { response_token };
    });
    scope.post<{ Body: unknown }>(X_WEBHOOK_PATH, async ({ body, headers, ip }) => {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      await auth.signed({ headers, ip }, take(bytes, headers[SIGNATURE], ip));
      return {};
    });
  });
}

const FORM_LIMIT = 4 * 1024;
const LONGEST_TOKEN = 4 * 1024;

const PAGES = {
  confirm: {
    act: confirmMail,
    title: 'Mail from Sluice',
    ask: 'Do you want matches sent to this address?',
    button: 'Confirm',
    done: 'Confirmed. Matches are sent to this address from now on. Every mail has a link that ends this.',
  },
  unsubscribe: {
    act: unsubscribeMail,
    title: 'Unsubscribe',
    ask: 'Do you want no more mail from Sluice at this address?',
    button: 'Unsubscribe',
    done: 'Done. No more mail is sent to this address.',
  },
  acknowledge: {
    act: acknowledgeMail,
    title: 'Acknowledge',
    ask: 'Have you seen the matches of this mail?',
    button: 'Acknowledge',
    done: 'Done. The wake is acknowledged.',
  },
} as const;

const INVALID = 'This link is not valid any more.';

type Asked = { Querystring: { token?: string | string[] } };

/**
 * The pages behind the links of our mails. Opening one does nothing, because mail programs open links by themselves; the
 * button does. A mail program that knows one-click unsubscription sends the same request without the page.
 */
async function addMailPages(app: FastifyInstance, context: Context): Promise<void> {
  if (context.mail === undefined) return;
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The form says nothing that the token does not.
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: FORM_LIMIT }, async () => undefined);
    for (const [name, { act, title, ask, button, done }] of Object.entries(PAGES)) {
      scope.get<Asked>(`/mail/${name}`, async (_, reply) =>
        sendPage(reply, title, `<p>${ask}</p><form method="post"><button>${button}</button></form>`),
      );
      scope.post<Asked>(`/mail/${name}`, async ({ query: { token } }, reply) => {
        const isValid = typeof token === 'string' && token.length <= LONGEST_TOKEN && (await act(context, token));
        return sendPage(reply.code(isValid ? 200 : 400), title, `<p>${isValid ? done : INVALID}</p>`);
      });
    }
  });
}

const sendPage = (reply: FastifyReply, title: string, inside: string): FastifyReply =>
  reply
    .header('X-Frame-Options', 'DENY')
    .type('text/html; charset=utf-8')
    .send(`<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${inside}</html>\n`);
