/** Documents from a file or from standard input, one JSON object a line, in Firehose's shape. */
import { createReadStream } from 'node:fs';
import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import type { Payload } from '../../domain/match.ts';
import { digestOf, type Page, registeredDomains } from '../contract/page.ts';
import type { Post } from '../contract/post.ts';
import type { Source } from '../contract/source.ts';
import { SourceError } from '../fetch/source-error.ts';
import { declaredLanguage, detectLanguage } from '../text/language.ts';
import { jsonOf } from '../text/read-items.ts';

export const ndjsonOptions = z.strictObject({
  /** A file, compressed (`.gz`) or not; `-` is standard input. */
  file: z.string().min(1).default('-'),
});

const documentShape = z.looseObject({
  id: z.union([z.string(), z.int()]).optional(),
  url: z.string().optional(),
  title: z.string().optional(),
  language: z.string().optional(),
});
type Document = z.output<typeof documentShape>;

const MAX_LINE = 1024 * 1024;

/** The cursor is a number of lines, and a digest of the last. Standard input cannot be read again, so it has none. */
export function ndjson(name: string, options: z.output<typeof ndjsonOptions>, input: Readable = process.stdin): Source {
  return {
    name,
    kind: 'ndjson',
    ...(options.file !== '-' && { replaysMs: Number.POSITIVE_INFINITY }),
    async *read(context) {
      const isFile = options.file !== '-';
      const [lines = '0', digest] = isFile ? ((await context.cursor()) ?? '0').split(' ') : [];
      const skip = Number(lines);
      let number = 0;
      for await (const line of linesOf(isFile ? fileAt(options.file) : input, context.signal)) {
        if (++number === skip && digest !== undefined && digest !== digestOf(line)) throw replaced(options.file);
        if (number <= skip || line.trim() === '') continue;
        context.live();
        const value = line.length > MAX_LINE ? undefined : jsonOf(line);
        const post = postOfLine(name, value);
        const page = post === undefined ? pageOfDocument(name, value) : undefined;
        const message = `Line ${number} is neither a post nor a document with an id or a url.`;
        yield {
          ...(page === undefined && post === undefined && { unread: { count: 1, message } }),
          pages: page === undefined ? [] : [page],
          ...(post !== undefined && { posts: [post] }),
          ...(isFile ? { cursor: { value: `${number} ${digestOf(line)}` } } : { reaches: context.clock.now() }),
        };
      }
      if (number < skip && !context.signal.aborted) throw replaced(options.file);
    },
  };
}

/** Accounts see the message, and the path of a file is the operator's own. */
const unreadable = (error: NodeJS.ErrnoException): SourceError =>
  new SourceError(
    error.path === undefined ? error.message : `${basename(error.path)} cannot be read: ${error.code ?? 'no code'}.`,
    { cause: error },
  );

/** Its lines are not those that were read, so that none of them can be passed over. */
const replaced = (file: string): SourceError =>
  new SourceError(`${basename(file)} was replaced since it was read. Give the source another name to read it anew.`);

function fileAt(path: string): Readable {
  const file = createReadStream(resolve(path));
  if (!path.endsWith('.gz')) return file;
  const unpacked = createGunzip();
  file.once('error', (error) => unpacked.destroy(error));
  return file.pipe(unpacked);
}

async function* linesOf(input: Readable, signal: AbortSignal): AsyncIterable<string> {
  const failed = Promise.withResolvers<never>();
  input.once('error', (error) => failed.reject(unreadable(error)));
  failed.promise.catch(() => {});
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal })[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await Promise.race([lines.next(), failed.promise]);
    if (done || signal.aborted) return;
    yield value;
  }
}

const postShape = z.looseObject({
  data: z.looseObject({ id: z.union([z.string(), z.int()]), text: z.string() }),
  includes: z.looseObject({}).optional(),
  url: z.string().optional(),
});

/** A post in X's shape, as it is; undefined when the line holds something else. */
function postOfLine(source: string, value: unknown): Post | undefined {
  const { data, includes, url } = postShape.safeParse(value).data ?? {};
  if (data === undefined) return undefined;
  const post = { data: { ...data, id: `${source}:${data.id}`, text: data.text }, source: { name: source } };
  return {
    ...post,
    ...(url !== undefined && { url }),
    ...(includes !== undefined && { includes }),
  };
}

/** The document as it is, with the fields that rules need. */
function pageOfDocument(source: string, value: unknown): Page | undefined {
  const document = documentShape.safeParse(value).data;
  if (document === undefined || (document.id === undefined && document.url === undefined)) return undefined;
  const { url = '' } = document;
  const language = declaredLanguage(document.language) ?? detectLanguage(textOf(document));
  const domain = registeredDomains(url);
  return {
    ...(domain.length > 0 && { domain }),
    ...(document as Payload),
    id: `${source}:${document.id ?? digestOf(document)}`,
    ...(language !== undefined && { language }),
    source: { name: source, original: document['source'] ?? null },
  };
}

const chunkShape = z.object({ chunks: z.array(z.object({ typ: z.string(), text: z.string() })) });

function textOf(document: Document): string {
  const { title = '', added } = document;
  const chunks = chunkShape.safeParse(document['diff']).data?.chunks ?? [];
  const named = z
    .union([z.string().transform((text) => [text]), z.array(z.string())])
    .catch([])
    .parse(added);
  return [title, ...chunks.filter(({ typ }) => typ === 'ins').map(({ text }) => text), ...named].join('\n');
}
