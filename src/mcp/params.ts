/** Parameters that the library knows the type of. It takes another type for a failure of its own, and answers that it failed. */
import { z } from 'zod';
import { INVALID_PARAMS } from './events/wire.ts';

const page = z.looseObject({ cursor: z.string().optional() }).optional();

const PARAMS = new Map<unknown, z.ZodType>([
  ['tools/list', page],
  ['prompts/list', page],
  ['resources/list', page],
  ['resources/templates/list', page],
  ['resources/read', z.looseObject({ uri: z.string() })],
  ['prompts/get', z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.string()).optional() })],
]);

const request = z.looseObject({
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  params: z.unknown().optional(),
});

/** The answer to a request whose parameters are of the wrong type; undefined for any other. */
export function wrongParams(body: unknown): Response | undefined {
  const read = request.safeParse(body);
  const [issue] = (read.success && PARAMS.get(read.data.method)?.safeParse(read.data.params).error?.issues) || [];
  if (!read.success || issue === undefined) return undefined;
  const message = `Invalid params: ${['params', ...issue.path].join('.')}: ${issue.message}`;
  return Response.json({ jsonrpc: '2.0', id: read.data.id, error: { code: INVALID_PARAMS, message } });
}
