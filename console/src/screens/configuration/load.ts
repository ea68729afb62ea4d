import { call, callForAnswer } from '../../api/client.js';
import type { ElementFormDto } from '../../api/schema.js';

export interface LoadedConfiguration {
  readonly xml: string;
  /** Path of the file, as problems name it. */
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

export interface LoadedForms extends LoadedConfiguration {
  /** All elements that the configuration may contain. */
  readonly elements: readonly ElementFormDto[];
}

export async function loadForms(signal?: AbortSignal): Promise<LoadedForms> {
  const [configuration, { items }] = await Promise.all([
    loadConfiguration(signal),
    call('GET /api/v1/config/elements', { signal }),
  ]);
  return { ...configuration, elements: items };
}
