/**
 * The pages behind the links of our mails. Opening one does nothing, because mail programs open links by themselves; the
 * button does. A mail program that knows one-click unsubscription sends the same request without the page.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../service/context.ts';
import { acknowledgeMail, confirmMail, unsubscribeMail } from '../service/webhooks/mail-consent.ts';

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

export async function addMailPages(app: FastifyInstance, context: Context): Promise<void> {
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
