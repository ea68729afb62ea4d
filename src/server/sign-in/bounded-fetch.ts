import { readBounded } from '../../domain/net/read-bounded.js';

/** Maximum bytes of a response of the identity provider; discovery documents and key sets have a few kilobytes. */
const MAX_RESPONSE_BYTES = 1 << 20;
const TIMEOUT_MS = 10_000;

interface RequestOptions {
  readonly body?: ArrayBuffer | null | ReadableStream | string | Uint8Array | undefined | FormData | URLSearchParams;
  readonly headers: Record<string, string>;
  readonly method: string;
}

/**
 * Requests a URL of the identity provider. Everything about the response is limited, because anybody can begin a
 * sign-in: its size, the time until its end, and its redirects, of which none is followed.
 * @throws RangeError if the response is too long
 */
export async function fetchBounded(url: string, options: RequestOptions): Promise<Response> {
  const { method, headers, body } = options;
  const response = await fetch(url, {
    method,
    headers,
    body: body as RequestInit['body'],
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { status, statusText, headers: responseHeaders } = response;
  const { bytes, truncated } = await readBounded(response.body, MAX_RESPONSE_BYTES);
  if (truncated)
    throw new RangeError(`the response of ${new URL(url).origin} is longer than ${MAX_RESPONSE_BYTES} bytes`);
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  return new Response(hasBody ? bytes : null, { status, statusText, headers: responseHeaders });
}
