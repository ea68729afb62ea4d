import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type IndexOptions, type RunningIndex, startIndex } from '../../demo-index/server.js';
import { temporaryDirectory } from './temporary-directory.js';

export async function runningIndex(options: Partial<IndexOptions> = {}): Promise<RunningIndex> {
  const index = await startIndex({
    file: join(temporaryDirectory(), 'index.sqlite'),
    port: 0,
    host: '127.0.0.1',
    ...options,
  });
  onTestFinished(() => index.close());
  return index;
}

export const command = ({ url }: { url: string }, name: string) => `${url}/papi/4/connectors/docs/${name}`;

export const post = (index: { url: string }, name: string, fields: [string, string][]) =>
  fetch(command(index, name), { method: 'POST', body: new URLSearchParams(fields) });

export function documents(...pushed: { uri: string; stamp?: string; html?: string }[]): FormData {
  const form = new FormData();
  pushed.forEach(({ uri, stamp, html }, key) => {
    form.append(`PAPI_${key}:uri`, uri);
    if (stamp !== undefined) form.append(`PAPI_${key}:stamp`, stamp);
    if (html !== undefined)
      form.append(`PAPI_${key}:part_bytes:master`, new Blob([html], { type: 'text/html' }), 'a.html');
  });
  return form;
}

export const add = (index: { url: string }, ...pushed: Parameters<typeof documents>) =>
  fetch(command(index, 'add_documents'), { method: 'POST', body: documents(...pushed) });

export const enumerate = async (index: { url: string }, query = '') =>
  (await fetch(`${command(index, 'enumerate_synced_entries')}${query}`)).text();

export interface Status {
  readonly documents: number;
  readonly session: number;
  readonly lastCheckpoint: unknown;
}

export const status = async ({ url }: { url: string }): Promise<Status> =>
  (await (await fetch(`${url}/status`)).json()) as Status;
