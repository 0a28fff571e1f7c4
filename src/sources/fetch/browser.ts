/**
 * Pages that are made by scripts, in a browser of the operator, over the DevTools protocol. The browser connects to nobody: each
 * request of a page comes back here and goes out by the rules of all fetching, and its proxy leads nowhere, so that what cannot
 * be intercepted fails. A context of its own is made for each page and thrown away with it.
 */
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { type DevTools, openDevTools } from './dev-tools.ts';
import type { HttpAnswer, SourceHttp } from './fetch-url.ts';
import { hostOf, SourceError } from './source-error.ts';

export interface Browser {
  /** The page as it stands when its scripts have run. Its requests go out by this `http`. */
  load(http: SourceHttp, url: string, signal: AbortSignal): Promise<HttpAnswer>;
}

const PATIENCE_MS = 20_000;
/** A page that asks for nothing for so long is ready. */
const QUIET_MS = 500;
const MOST_REQUESTS = 100;
const MOST_BYTES = 24 * 1024 * 1024;
const MOST_OF_ONE = 4 * 1024 * 1024;
/** In UTF-8 and as JSON it fits into a frame. */
const MOST_HTML = 2 * 1024 * 1024;
/** Requests that a page tries, also those that are refused at once. */
const MOST_TRIED = 1_000;
/** Nobody listens there. */
const NO_PROXY = { proxyServer: 'http://127.0.0.1:9', proxyBypassList: '<-loopback>' };
/** They show no text. */
const UNSEEN: ReadonlySet<unknown> = new Set(['Image', 'Media', 'Font', 'Ping', 'CSPViolationReport', 'Preflight']);
/** The proxy does not hold back what these send. */
const WITHOUT_PEERS =
  'delete globalThis.RTCPeerConnection; delete globalThis.webkitRTCPeerConnection; delete globalThis.WebTransport;';
const resultShape = z.object({ value: z.string().optional() });
const READ = `document.documentElement.outerHTML.slice(0, ${MOST_HTML})`;

/** `address` is that of the browser: `http://…` as Chromium prints it, or `ws://…` of its debugger. */
export function createBrowser(clock: Clock, address: string): Browser {
  return {
    async load(http, url, signal) {
      const ended = new AbortController();
      const whole = AbortSignal.any([signal, ended.signal]);
      let isLate = false;
      const wait = async (): Promise<void> => {
        await clock.sleep(PATIENCE_MS, whole);
        isLate = !whole.aborted;
        ended.abort();
      };
      const late = wait();
      try {
        await using tools = await openDevTools(address, whole);
        return await loaded({ tools, http, url, signal: whole, clock });
      } catch (error) {
        if (isLate) throw new SourceError(`${hostOf(url)} was not ready within ${PATIENCE_MS / 1_000} seconds.`);
        throw error instanceof SourceError ? error : new SourceError('The browser failed.', { cause: error });
      } finally {
        ended.abort();
        await late;
      }
    },
  };
}

interface Loading {
  readonly tools: DevTools;
  readonly http: SourceHttp;
  readonly url: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

async function loaded({ tools, http, url, signal, clock }: Loading): Promise<HttpAnswer> {
  const { browserContextId } = await tools.call('Target.createBrowserContext', { disposeOnDetach: true, ...NO_PROXY });
  const { targetId } = await tools.call('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await tools.call('Target.attachToTarget', { targetId, flatten: true });
  const call = (method: string, params = {}) => tools.call(method, params, String(sessionId));
  const answers = createAnswers(http, signal);
  let [waiting, tried, isLoaded, lastAt] = [0, 0, false, clock.elapsed()];
  tools.on('Page.loadEventFired', () => {
    isLoaded = true;
  });
  const answerTo = async (event: Readonly<Record<string, unknown>>): Promise<void> => {
    if (++tried > MOST_TRIED) return;
    waiting++;
    const [method, params] = await answers.to(event);
    await call(method, { requestId: event['requestId'], ...params }).catch(() => {});
    waiting--;
    lastAt = clock.elapsed();
  };
  tools.on('Fetch.requestPaused', (event) => void answerTo(event));
  await call('Page.enable');
  await call('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  await call('Page.addScriptToEvaluateOnNewDocument', { source: WITHOUT_PEERS, runImmediately: true });
  await call('Page.navigate', { url });
  for (let left = QUIET_MS; left > 0 || waiting > 0 || !isLoaded; left = lastAt + QUIET_MS - clock.elapsed()) {
    if (answers.failure !== undefined) throw answers.failure;
    if (tried > MOST_TRIED) throw new SourceError(`The page tries more than ${MOST_TRIED} requests.`);
    await clock.sleep(Math.max(left, QUIET_MS / 10), signal);
    signal.throwIfAborted();
  }
  const { result } = await call('Runtime.evaluate', { expression: READ, returnByValue: true });
  const { value: html = '' } = resultShape.parse(result);
  // It was cut in the page, which may have its own idea of how.
  if (html.length > MOST_HTML) throw new SourceError(`${hostOf(url)} gives more than ${MOST_HTML} characters.`);
  const first = answers.first;
  if (first === undefined) throw new SourceError(`${hostOf(url)} was not asked for.`);
  return { ...first, headers: { 'content-type': 'text/html; charset=utf-8' }, body: Buffer.from(html) };
}

interface Answers {
  /** The command that tells the browser what to do with a request. */
  to(event: Readonly<Record<string, unknown>>): Promise<readonly [method: string, params: object]>;
  /** The answer that is the page. */
  readonly first: HttpAnswer | undefined;
  /** Why there is no page. */
  readonly failure: unknown;
}

function createAnswers(http: SourceHttp, signal: AbortSignal): Answers {
  const fetched = fetchesOf(http, signal);
  let first: HttpAnswer | undefined;
  let failure: unknown;
  const refusal = ['Fetch.failRequest', { errorReason: 'AccessDenied' }] as const;
  return {
    async to({ request, resourceType }) {
      const {
        url = '',
        method,
        headers = {},
      } = request as { url?: string; method?: string; headers?: Record<string, string> };
      if (UNSEEN.has(resourceType) || method !== 'GET' || !/^https?:/.test(url)) return refusal;
      const bare = url.replace(/#.*$/s, '');
      try {
        const answer = await fetched(bare, headers['Accept'] ?? headers['accept']);
        if (answer.url !== bare)
          return [
            'Fetch.fulfillRequest',
            { responseCode: 302, responseHeaders: [{ name: 'location', value: answer.url }] },
          ];
        if (resourceType === 'Document') first ??= answer;
        if (resourceType === 'Document') checkFirst(answer);
        return ['Fetch.fulfillRequest', fulfilment(answer)];
      } catch (error) {
        if (first === undefined || first.status !== 200) failure ??= error;
        return refusal;
      }
    },
    get first() {
      return first;
    },
    get failure() {
      return failure;
    },
  };
}

/** The requests of one page, so many and so many bytes. What a redirect led to is there when the browser asks for it. */
function fetchesOf(http: SourceHttp, signal: AbortSignal): (url: string, accept?: string) => Promise<HttpAnswer> {
  const known = new Map<string, HttpAnswer>();
  let [requests, bytes] = [0, 0];
  return async (url, accept = '*/*') => {
    const before = known.get(url);
    if (before !== undefined) return before;
    if (++requests > MOST_REQUESTS || bytes > MOST_BYTES) throw new SourceError('The page asks for too much.');
    const answer = await http.get({ url, headers: { accept }, maxBytes: MOST_OF_ONE, signal });
    bytes += answer.body.length;
    known.set(answer.url, answer);
    return answer;
  };
}

function checkFirst({ status, url, retryAfter }: HttpAnswer): void {
  if (status !== 200) throw new SourceError(`${hostOf(url)} answered ${status} for ${url}.`, { retryAfter });
}

/** The body is unpacked already; cookies and policies of the page stay behind. */
const KEPT: ReadonlySet<string> = new Set([
  'content-type',
  'access-control-allow-origin',
  'access-control-allow-credentials',
]);

const fulfilment = ({ status, headers, body }: HttpAnswer) => ({
  responseCode: status,
  responseHeaders: Object.entries(headers)
    .filter(([name]) => KEPT.has(name))
    .map(([name, value]) => ({ name, value: String(value) })),
  body: body.toString('base64'),
});
