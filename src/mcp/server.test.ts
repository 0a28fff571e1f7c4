import { InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { clientOf } from '../../test/mcp/clients.ts';
import { recordingTracer } from '../../test/stages/recording-tracer.ts';
import { openService } from '../../test/stages/service.ts';
import { turnsDuring } from '../../test/stages/turns.ts';
import { callTool, createAgentServer } from './server.ts';
import { toolNamed } from './tools.ts';

const CALLS = 20;

it('answers many calls of one request over as many turns of the event loop', async () => {
  await using test = await openService();
  const caller = await test.caller('alice');
  const never = new AbortController().signal;
  const calls = Array.from({ length: CALLS }, () =>
    callTool(test.service.context, toolNamed('status'), caller, {}, never),
  );
  const answers = Promise.all(calls);
  expect(await turnsDuring(answers)).toBeGreaterThanOrEqual(CALLS);
  expect((await answers).filter(({ isError }) => isError)).toEqual([]);
});

it('has a span for each call, which failed only where the tool refused', async () => {
  const tracer = recordingTracer();
  await using test = await openService({ tracer });
  const caller = await test.caller('alice');
  const { signal } = new AbortController();
  const agents = { context: test.service.context, llmsText: () => '' };
  const server = createAgentServer(agents, { caller, signal, canSubscribe: false });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = clientOf('2025-11-25');
  await client.connect(near);
  await client.callTool({ name: 'status', arguments: {} });
  await client.callTool({ name: 'delete_rule', arguments: { rule_id: 'rule_0' } });
  await client.close();
  const spans = tracer.spans.filter(({ name }) => name.startsWith('tools/call'));
  expect(spans.map(({ name, failed, ends }) => [name, failed, ends])).toEqual([
    ['tools/call status', undefined, 1],
    ['tools/call delete_rule', 'tool_error', 1],
  ]);
});
