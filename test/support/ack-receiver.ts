/**
 * A Push API receiver that acknowledges everything and keeps nothing: the receiver in benchmarks.
 * Alone: `node dist/test/support/ack-receiver.js --port 8742`; `GET /status` returns what it has received.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

export interface AckReceiver {
  readonly url: string;
  readonly received: Readonly<Received>;
  close(): Promise<void>;
}

interface Received {
  documents: number;
  deletions: number;
  checkpoints: number;
  requests: number;
  bytes: number;
}

export async function startAckReceiver(port: number): Promise<AckReceiver> {
  const received: Received = { documents: 0, deletions: 0, checkpoints: 0, requests: 0, bytes: 0 };
  const session = String(Date.now());
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const command = path.slice(path.lastIndexOf('/') + 1);
    const count = counter(command, received);
    received.requests++;
    request.on('data', (chunk: Buffer) => {
      received.bytes += chunk.length;
      count(chunk);
    });
    request.on('end', () => {
      if (command === 'status') response.end(`${JSON.stringify(received)}\n`);
      else if (command === 'get_current_session_id') response.end(session);
      else if (command === 'set_checkpoint') response.end(String(++received.checkpoints));
      else response.writeHead(isAcknowledged(command, request) ? 204 : 404).end();
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, close };
}

const isAcknowledged = (command: string, { method }: IncomingMessage): boolean =>
  method === 'POST' && (command === 'add_documents' || command === 'delete_documents');

/** Counts the URI fields of a body that arrives in chunks. */
function counter(command: string, received: Received): (chunk: Buffer) => void {
  if (command === 'add_documents') return countMarks(Buffer.from(':uri"\r\n\r\n'), () => received.documents++);
  if (command === 'delete_documents') return countMarks(Buffer.from('PAPI_uri='), () => received.deletions++);
  return () => undefined;
}

function countMarks(mark: Buffer, found: () => void): (chunk: Buffer) => void {
  let tail = Buffer.alloc(0);
  const countIn = (bytes: Buffer) => {
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) found();
  };
  return (chunk) => {
    // A marker split over two chunks is found at their border only, since neither chunk contains all of it.
    const meeting = mark.length - 1;
    countIn(Buffer.concat([tail, chunk.subarray(0, meeting)]));
    countIn(chunk);
    tail = Buffer.concat([tail, chunk.subarray(-meeting)]).subarray(-meeting);
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8742' } } });
  const receiver = await startAckReceiver(Number(values.port));
  console.log(receiver.url);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void receiver.close());
}
