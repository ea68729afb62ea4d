/** Signs requests to Amazon OpenSearch domains with AWS Signature Version 4, using AWS's own package. */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { OptionValues } from '../../domain/options.js';
import type { AWS_OPTIONS } from '../../domain/push/sink-types.js';
import { Secret } from '../../domain/secret.js';
import type { SinkRequest } from './sink-request.js';

interface AwsAccess {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
  readonly region: string;
  readonly service: string;
}

export type AwsOptions = OptionValues<typeof AWS_OPTIONS>;

export function createAwsSigner(
  options: AwsOptions & { readonly login?: string; readonly password?: Secret },
): AwsSigner | undefined {
  const { awsRegion: region, awsService: service = 'es', awsSessionToken: sessionToken } = options;
  if (!region) return undefined;
  const { login: accessKeyId = '', password: secretAccessKey = new Secret('') } = options;
  return new AwsSigner({ accessKeyId, secretAccessKey, sessionToken, region, service });
}

export class AwsSigner {
  private signer: Promise<import('@smithy/signature-v4').SignatureV4> | undefined;

  constructor(
    private readonly access: AwsAccess,
    /** Whether to add the header with the digest of the body, which AWS's published test vectors lack. */
    private readonly applyChecksum = true,
  ) {}

  /** Returns the request's headers including the signature. `url` has no query. */
  async sign(url: string, request: SinkRequest, signingDate = new Date()): Promise<Record<string, string>> {
    this.signer ??= this.loadSigner();
    const { protocol, hostname, port, host, pathname } = new URL(url);
    const signedRequest = await (await this.signer).sign(
      {
        method: request.method,
        protocol,
        hostname,
        ...(port === '' ? {} : { port: Number(port) }),
        path: pathname,
        query: { ...request.query },
        headers: { ...request.headers, host },
        body: request.body,
      },
      { signingDate },
    );
    return signedRequest.headers;
  }

  private async loadSigner() {
    const { SignatureV4 } = await import('@smithy/signature-v4');
    const { accessKeyId, secretAccessKey, sessionToken, region, service } = this.access;
    // The package would keep a plain value, so it gets a function instead.
    const credentials = async () => ({
      accessKeyId,
      secretAccessKey: secretAccessKey.reveal(),
      ...(sessionToken ? { sessionToken: sessionToken.reveal() } : {}),
    });
    return new SignatureV4({ credentials, region, service, sha256: Sha256, applyChecksum: this.applyChecksum });
  }
}

type Input = string | ArrayBuffer | ArrayBufferView;

const toBytes = (data: Input): string | Uint8Array => {
  if (typeof data === 'string') return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
};

class Sha256 {
  private readonly hash: Hash | Hmac;

  constructor(secret?: Input) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toBytes(secret));
  }

  update(data: Input): void {
    this.hash.update(toBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {
    throw new Error('this hash cannot be reset: create a new one');
  }
}
