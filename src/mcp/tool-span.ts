/** The trace of a tool call: under the trace that the call's `_meta` names, else under the HTTP request that carried it. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { readTraceContext, type TraceContext, type Tracer } from '../base/tracing.ts';

/** A call as the protocol's own library tells it. */
export interface ToolRequest {
  readonly id?: string | number;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface ToolTracing {
  readonly tracer: Tracer | undefined;
  /** The span of the HTTP request, where there is one. */
  readonly carrier: TraceContext | undefined;
}

/** Runs the call in a span of its own, where traces are on. A tool that refuses ends the span as failed. */
export async function inToolSpan(
  { tracer, carrier }: ToolTracing,
  tool: string,
  { id, _meta: meta }: ToolRequest,
  call: (trace?: TraceContext) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  if (tracer === undefined) return call();
  const named = readTraceContext(meta?.['traceparent'], meta?.['tracestate']);
  const span = tracer.begin(`tools/call ${tool}`, {
    kind: 'server',
    causes: [named, carrier].filter((cause) => cause !== undefined),
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      ...(id !== undefined && { 'jsonrpc.request.id': String(id) }),
    },
  });
  try {
    const result = await call(span.context);
    if (result.isError === true) span.fail('tool_error');
    return result;
  } finally {
    span.end();
  }
}
