import { callForAnswer } from '../../api/client.js';

export interface LoadedConfiguration {
  readonly xml: string;
  readonly etag: string;
}

export async function loadConfiguration(signal?: AbortSignal): Promise<LoadedConfiguration> {
  const { value, etag } = await callForAnswer('GET /api/v1/config', { signal });
  return { xml: value, etag };
}
