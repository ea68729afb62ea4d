/**
 * HTTP Message Signatures (RFC 9421) with Ed25519, as Web Bot Auth uses them (draft-meunier-web-bot-auth-architecture
 * and draft-meunier-http-message-signatures-directory): a crawler signs its requests to prove who it is, and a site
 * finds its public key in a directory.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import type { BotAuthDefinition } from '../../domain/crawl/fetcher-definition.js';

/** A covered component as it appears in the signature base: its serialized name and its value. */
export type Component = readonly [name: string, value: string];

export interface SignatureParameters {
  /** Seconds since the epoch. */
  readonly created: number;
  readonly keyid: string;
  readonly alg?: string;
  readonly expires?: number;
  readonly nonce?: string;
  readonly tag?: string;
}

/** The public half of a key as a JSON Web Key (RFC 8037). */
interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
}

export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
  /** The key's JWK thumbprint (RFC 7638), which identifies it in directories. */
  readonly id: string;
}

const PEM = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]{1,1000})-----END PRIVATE KEY-----/;

const INVALID_KEY = 'specify an Ed25519 private key in PEM format (PKCS #8); the command crawlway keys new creates one';

/** Throws if the string is not an Ed25519 private key in PEM format (PKCS #8); the message does not reveal the key. */
export function parseSigningKey(pem: string): SigningKey {
  const [, base64] = PEM.exec(pem) ?? [];
  let privateKey: KeyObject;
  try {
    // In a configuration, line feeds may have turned into spaces.
    privateKey = createPrivateKey({ key: Buffer.from(base64 ?? '', 'base64'), format: 'der', type: 'pkcs8' });
  } catch {
    throw new Error(INVALID_KEY);
  }
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error(INVALID_KEY);
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const publicJwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
  return { privateKey, publicJwk, id: computeThumbprint(publicJwk) };
}

/** Hashes the required members in the order of their names (RFC 7638). */
function computeThumbprint({ crv, kty, x }: PublicJwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
}

/** Returns the values of `Signature-Input` and `Signature` for the components (RFC 9421, 2.5 and 3.1). */
export function signComponents(
  label: string,
  components: readonly Component[],
  parameters: SignatureParameters,
  { privateKey }: Pick<SigningKey, 'privateKey'>,
): { readonly input: string; readonly signature: string } {
  const coveredNames = components.map(([name]) => name).join(' ');
  const serializedParameters = Object.entries(parameters)
    .map(([name, value]) => (typeof value === 'number' ? `;${name}=${value}` : `;${name}="${value}"`))
    .join('');
  const params = `(${coveredNames})${serializedParameters}`;
  const lines = [...components.map(([name, value]) => `${name}: ${value}`), `"@signature-params": ${params}`];
  const signatureBytes = sign(null, Buffer.from(lines.join('\n')), privateKey);
  return { input: `${label}=${params}`, signature: `${label}=:${signatureBytes.toString('base64')}:` };
}

/** How long a signature is valid: long enough for the request that carries it to be read. */
const LIFETIME_S = 300;
const NONCE_BYTES = 64;

/** Signs the requests of one fetcher. */
export class RequestSigner {
  private readonly agent: string;

  /** `agent`: a URL of the origin where sites find the key directory. */
  constructor(
    private readonly key: SigningKey,
    agent: string,
    private readonly now: () => number = Date.now,
  ) {
    this.agent = `"${new URL(agent).origin}"`;
  }

  /** Creates the headers for a request to a host; `authority` includes the port unless it is the scheme's default. */
  createSignatureHeaders(authority: string): Readonly<Record<string, string>> {
    const parameters = { ...createParameters(this.now(), this.key), nonce: generateNonce(), tag: 'web-bot-auth' };
    const components: Component[] = [
      ['"@authority"', authority],
      ['"signature-agent"', this.agent],
    ];
    const { input, signature: value } = signComponents('sig1', components, parameters, this.key);
    return { 'signature-agent': this.agent, 'signature-input': input, signature: value };
  }
}

const DIRECTORY_TYPE = 'application/http-message-signatures-directory+json';

export interface KeyDirectory {
  readonly headers: Readonly<Record<string, string>>;
  readonly keys: readonly (PublicJwk & { readonly kid: string; readonly use: 'sig' })[];
}

/**
 * Creates the directory of the keys, signed with each of them for the authority from which sites request it; undefined
 * if there are no keys.
 */
export function createKeyDirectory(definitions: readonly BotAuthDefinition[], now: number): KeyDirectory | undefined {
  const keys = new Map(
    definitions.map(({ key, agent }) => {
      const signingKey = { ...parseSigningKey(key.reveal()), agent };
      return [signingKey.id, signingKey];
    }),
  );
  if (keys.size === 0) return undefined;
  const signatures = [...keys.values()].map((key, index) => {
    const components: Component[] = [['"@authority";req', new URL(key.agent).host]];
    const parameters = {
      ...createParameters(now, key),
      nonce: generateNonce(),
      tag: 'http-message-signatures-directory',
    };
    return signComponents(`sig${index + 1}`, components, parameters, key);
  });
  return {
    headers: {
      'content-type': DIRECTORY_TYPE,
      'cache-control': `max-age=${LIFETIME_S}`,
      'signature-input': signatures.map(({ input }) => input).join(', '),
      signature: signatures.map((entry) => entry.signature).join(', '),
    },
    keys: [...keys.values()].map(({ publicJwk, id }) => ({ ...publicJwk, kid: id, use: 'sig' })),
  };
}

/** Generates a private key in PEM format, together with its public half and id. */
export function generateSigningKey(): { readonly pem: string } & Omit<SigningKey, 'privateKey'> {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const { id, publicJwk } = parseSigningKey(pem);
  return { pem, id, publicJwk };
}

function createParameters(now: number, { id }: SigningKey): SignatureParameters & { readonly expires: number } {
  const created = Math.floor(now / 1000);
  return { created, keyid: id, alg: 'ed25519', expires: created + LIFETIME_S };
}

const generateNonce = (): string => randomBytes(NONCE_BYTES).toString('base64');
