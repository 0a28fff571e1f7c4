/**
 * Clients of other servers that only some installations need. They are optional peer dependencies, so an installation
 * without them is smaller; the message says what to install.
 */
const CLIENTS = {
  PostgreSQL: ['pg@8.23.1'],
  NATS: ['@nats-io/transport-node@3.4.0', '@nats-io/jetstream@3.4.0'],
  Kafka: ['@platformatic/kafka@2.12.1'],
  OpenTelemetry: [
    '@opentelemetry/api@1.10.0',
    '@opentelemetry/sdk-trace@3.1.0',
    '@opentelemetry/resources@3.1.0',
    '@opentelemetry/exporter-trace-otlp-http@0.301.0',
  ],
} as const;

type Client = keyof typeof CLIENTS;

export const optionalPackages = (client: Client): readonly string[] => CLIENTS[client];

export class MissingClientError extends Error {
  constructor(client: Client) {
    super(
      `This server has no ${client} client. Its operator installs it beside Sluice: npm install ${CLIENTS[client].join(' ')}`,
    );
  }
}

/** Loads what needs the client. Any other failure is passed on as it is. */
export async function loadClient<T>(client: Client, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw isAbsent(client, error as NodeJS.ErrnoException) ? new MissingClientError(client) : error;
  }
}

const isAbsent = (client: Client, { code, message }: NodeJS.ErrnoException): boolean =>
  code === 'ERR_MODULE_NOT_FOUND' &&
  CLIENTS[client].some((one) => message.includes(`'${one.slice(0, one.lastIndexOf('@'))}'`));
