import { call, callForAnswer } from '../../api/client.js';

export interface LoadedConfiguration {
  readonly xml: string;
  /** Path of the file: places of problems name it. */
  readonly file: string;
  readonly etag: string;
}

export async function loadConfiguration(signal?: AbortSignal): Promise<LoadedConfiguration> {
  const [{ value, etag }, { file }] = await Promise.all([
    callForAnswer('GET /api/v1/config', { signal }),
    call('GET /api/v1/config/state', { signal }),
  ]);
  return { xml: value, file, etag };
}
